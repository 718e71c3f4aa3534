#include "mail/read_text.h"

#include "base/limits.h"
#include "base/link.h"
#include "files/html_tree.h"
#include "mail/charset.h"

/* ---- pieces ------------------------------------------------------------------------------------------------------------------ */

static struct str html_of_pieces(struct body *b) {
    struct buf html = {0};
    bool any = false;
    for (int i = 0; i < b->piece_count; i++) any |= b->pieces[i].html.p != NULL;
    for (int i = 0; any && i < b->piece_count; i++) {
        const struct body_piece *p = &b->pieces[i];
        if (i) buf_text(&html, "\n");
        buf_str(&html, p->html.p ? p->html : text_to_html(b->a, p->text));
    }
    struct str made = any ? str_dup(b->a, buf_view(&html)) : (struct str){0};
    buf_free(&html);
    return made;
}

static struct str text_of_pieces(struct body *b) {
    struct buf text = {0};
    for (int i = 0; i < b->piece_count; i++) {
        struct str s = b->pieces[i].text;
        if (s.n == 0) continue;
        if (text.n && text.p[text.n - 1] != '\n') buf_char(&text, '\n');
        buf_str(&text, s);
    }
    struct str made = str_dup(b->a, buf_view(&text));
    buf_free(&text);
    return made;
}

/* ---- the texts --------------------------------------------------------------------------------------------------------------- */

static struct html_cleaned_here { struct str html, text; } cleaned_here(struct body *b, struct str html) {
    struct html_made made;
    if (html.n > LIMIT_HTML) html.n = LIMIT_HTML, b->out->cut = true;
    html_clean_here(html, &made);
    struct html_cleaned_here c = {str_dup(b->a, buf_view(&made.html)), text_without_controls(b->a, buf_view(&made.text))};
    b->out->cut |= made.cut;
    buf_free(&made.html);
    buf_free(&made.text);
    return c;
}

void read_text(struct body *b) {
    struct str html = html_of_pieces(b), text = text_of_pieces(b);
    b->out->text = text;
    if (html.p) {
        struct html_cleaned_here c = cleaned_here(b, html);
        b->out->html = c.html;
        if (str_trim(text).n == 0) b->out->text = c.text;
    }
    b->out->text = str_trim(b->out->text);
    if (b->out->text.n > LIMIT_HTML_CLEAN / 2) b->out->text = utf8_first(b->out->text, LIMIT_HTML_CLEAN / 2), b->out->cut = true;
}
