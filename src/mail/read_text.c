#include "mail/read_text.h"

#include "base/limits.h"
#include "base/link.h"
#include "files/html_clean.h"
#include "files/html_rules.h"
#include "files/html_tree.h"
#include "mail/charset.h"
#include "mail/quote_html.h"

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

/* Content ids to which the HTML does not refer mean nothing: programs give one to each attachment. */
static bool html_shows(struct str html, struct str id) {
    const char *end = html.p + html.n;
    for (const char *p = html.p; (p = memmem(p, (size_t)(end - p), "\"cid:", 5)) != NULL; p += 5)
        if ((size_t)(end - p) > 5 + id.n && memcmp(p + 5, id.p, id.n) == 0 && p[5 + id.n] == '"') return true;
    return false;
}

static void drop_unused_ids(struct incoming *m) {
    for (int i = 0; i < m->file_count; i++) {
        struct str *id = &m->files[i].content_id;
        if (id->p && (m->html.p == NULL || !html_shows(m->html, *id))) *id = (struct str){0};
    }
}

/* ---- quotes ------------------------------------------------------------------------------------------------------------------ */

static bool shows_anything(const struct html_cleaned_here *c) { return str_trim(c->text).n || memmem(c->html.p, c->html.n, "<img", 4); }

/* Cleans what the sender wrote and what is quoted apart, so that the cut closes all elements that are open there. Returns false if there is
 * nothing to fold, or if it can't be folded within the limits of clean HTML. */
static bool fold_html(struct body *b, struct str html, struct html_cleaned_here *new, struct html_cleaned_here *quoted) {
    struct quote_lines lines;
    quote_lines_of_html(b->a, html, &lines);
    int first = quote_begin(&lines);
    if (first == lines.count || !quote_may_cut(&lines, first)) return false;
    size_t at = lines.line[first].at;
    *new = cleaned_here(b, (struct str){html.p, at});
    *quoted = cleaned_here(b, (struct str){html.p + at, html.n - at});
    struct str folded = STR_CAT(b->a, new->html, S(HTML_FOLDED_BEGIN), quoted->html, S(HTML_FOLDED_END));
    if (!shows_anything(new) || !shows_anything(quoted) || folded.n > LIMIT_HTML_CLEAN || !html_is_clean(folded)) return false;
    b->out->html = folded;
    return true;
}

static void split_text(struct body *b, struct str text) {
    struct quote_lines lines;
    quote_lines_of_text(b->a, text, &lines);
    int first = quote_begin(&lines);
    size_t at = first < lines.count ? lines.line[first].at : text.n;
    b->out->text = (struct str){text.p, at};
    b->out->quoted = (struct str){text.p + at, text.n - at};
}

/* ---- the choice -------------------------------------------------------------------------------------------------------------- */

/* Programs write "This mail is in HTML" as the text, or HTML itself. */
static bool is_meaningful(struct str text, struct str of_html) {
    struct str s = str_trim(text);
    if (s.n == 0 || str_starts(s, S("<!DOCTYPE")) || str_starts(s, S("<html"))) return false;
    return s.n >= 300 || of_html.n < 10 * s.n;
}

static struct str bounded_text(struct body *b, struct str text) {
    if (text.n > LIMIT_HTML_CLEAN / 2) b->out->cut = true;
    return str_trim(utf8_first(text, LIMIT_HTML_CLEAN / 2));
}

void read_text(struct body *b) {
    struct str html = html_of_pieces(b), text = text_of_pieces(b);
    struct html_cleaned_here new = {0}, quoted = {S(""), S("")};
    bool forward = subject_is_forward(b->out->subject);
    if (html.n > LIMIT_HTML) html.n = LIMIT_HTML, b->out->cut = true;
    if (html.p && (forward || !fold_html(b, html, &new, &quoted))) {
        new = cleaned_here(b, html);
        quoted.text = S("");
        b->out->html = new.html;
    }
    if (html.p && !is_meaningful(text, new.text)) b->out->text = new.text, b->out->quoted = quoted.text;
    else if (forward) b->out->text = text, b->out->quoted = S("");
    else split_text(b, text);
    if (b->notes.n) b->out->text = STR_CAT(b->a, b->out->text, S("\n"), b->notes);
    b->out->text = bounded_text(b, b->out->text);
    b->out->quoted = bounded_text(b, b->out->quoted);
    drop_unused_ids(b->out);
}
