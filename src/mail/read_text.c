#include "mail/body.h"

#include "base/limits.h"
#include "base/link.h"
#include "files/html_attributes.h"
#include "files/html_clean.h"
#include "files/html_rules.h"
#include "files/html_tree.h"
#include "mail/charset.h"
#include "mail/quote.h"

/* ---- pieces ---------------------------------------------------------------------------------- */

static struct str html_of_pieces(struct body *b) {
    struct buf html = {0};
    bool any = false;
    for (int i = 0; i < b->piece_count; i++) any |= b->pieces[i].html.p != NULL;
    for (int i = 0; any && i < b->piece_count; i++) {
        const struct body_piece *p = &b->pieces[i];
        if (i) buf_text(&html, "\n");
        buf_str(&html, p->html.p ? p->html : text_to_html(b->a, p->text));
    }
    return any ? buf_take(&html, b->a) : (struct str){0};
}

static struct str text_of_pieces(struct body *b) {
    struct buf text = {0};
    for (int i = 0; i < b->piece_count; i++) {
        struct str s = b->pieces[i].text;
        if (s.n == 0) continue;
        if (text.n && text.p[text.n - 1] != '\n') buf_char(&text, '\n');
        buf_str(&text, s);
    }
    return buf_take(&text, b->a);
}

/* ---- the texts ------------------------------------------------------------------------------- */

static struct html_cleaned_here { struct str html, text; } cleaned_here(struct body *b, struct str html) {
    struct html_made made;
    if (html.n > LIMIT_HTML) html.n = LIMIT_HTML, b->out->cut = true;
    html_clean_here(html, &made);
    struct html_cleaned_here c = {buf_take(&made.html, b->a),
                                  text_without_controls(b->a, buf_view(&made.text))};
    b->out->cut |= made.cut;
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

/* ---- quotes ---------------------------------------------------------------------------------- */

static bool shows_anything(const struct html_cleaned_here *c) {
    return str_trim(c->text).n || memmem(c->html.p, c->html.n, "<img", 4);
}

/* A mail of HTML in parts: what the sender wrote, and what is folded. */
struct parted {
    struct body *b;
    struct str source;
    struct buf html, text, quoted;
    bool shows_new, shows_quoted;
};

/* Adds the part of the source between two offsets. Each part is cleaned apart, so that a cut closes all
 * elements that are open there. */
static void add_part(struct parted *p, size_t from, size_t end, bool folded) {
    if (from == end) return;
    struct html_cleaned_here part = cleaned_here(p->b, (struct str){p->source.p + from, end - from});
    bool shows = shows_anything(&part);
    struct buf *text = folded ? &p->quoted : &p->text;
    if (folded) buf_text(&p->html, HTML_FOLDED_BEGIN);
    buf_str(&p->html, part.html);
    if (folded) buf_text(&p->html, HTML_FOLDED_END);
    if (text->n && part.text.n) buf_char(text, '\n');
    buf_str(text, part.text);
    *(folded ? &p->shows_quoted : &p->shows_new) |= shows;
}

static bool may_fold(const struct quote_lines *l, const struct quote_folds *f) {
    return (f->middle == f->middle_end || (quote_may_cut(l, f->middle) && quote_may_cut(l, f->middle_end))) &&
           (f->tail == l->count || quote_may_cut(l, f->tail));
}

/* Returns false if there is nothing to fold, or if it can't be folded within the limits of clean HTML. */
static bool fold_html(struct body *b, struct str html, struct html_cleaned_here *new, struct str *quoted) {
    struct quote_lines lines;
    struct parted p = {.b = b, .source = html};
    quote_lines_of_html(b->a, html, &lines);
    struct quote_folds f = quote_folds_of(&lines);
    if ((f.middle == f.middle_end && f.tail == lines.count) || !may_fold(&lines, &f)) return false;
    bool middle = f.middle < f.middle_end;
    size_t tail = f.tail < lines.count ? lines.line[f.tail].at : html.n;
    size_t begin = middle ? lines.line[f.middle].at : tail, end = middle ? lines.line[f.middle_end].at : tail;
    add_part(&p, 0, begin, false);
    add_part(&p, begin, end, true);
    add_part(&p, end, tail, false);
    add_part(&p, tail, html.n, true);
    *new = (struct html_cleaned_here){buf_take(&p.html, b->a), buf_take(&p.text, b->a)};
    *quoted = buf_take(&p.quoted, b->a);
    if (!p.shows_new || !p.shows_quoted) return false;
    if (new->html.n > LIMIT_HTML_CLEAN || !html_is_clean(new->html)) return false;
    b->out->html = new->html;
    return true;
}

static void split_text(struct body *b, struct str text) {
    struct quote_lines lines;
    quote_lines_of_text(b->a, text, &lines);
    struct quote_folds f = quote_folds_of(&lines);
    size_t tail = f.tail < lines.count ? lines.line[f.tail].at : text.n;
    struct str new = {text.p, tail}, quoted = {text.p + tail, text.n - tail};
    if (f.middle < f.middle_end) {
        size_t begin = lines.line[f.middle].at, end = lines.line[f.middle_end].at;
        new = STR_CAT(b->a, ((struct str){text.p, begin}), ((struct str){text.p + end, tail - end}));
        quoted = STR_CAT(b->a, ((struct str){text.p + begin, end - begin}), quoted);
    }
    b->out->text = new;
    b->out->quoted = quoted;
}

/* ---- the choice ------------------------------------------------------------------------------ */

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
    struct html_cleaned_here new = {0};
    struct str quoted = S("");
    bool forward = subject_is_forward(b->out->subject);
    size_t whole = html.n;
    if (html.n > LIMIT_HTML) html.n = LIMIT_HTML;
    if (html.p) html = html_few_attributes(html);
    b->out->cut |= html.n < whole;
    if (html.p && (forward || !fold_html(b, html, &new, &quoted))) {
        new = cleaned_here(b, html);
        quoted = S("");
        b->out->html = new.html;
    }
    if (html.p && !is_meaningful(text, new.text)) b->out->text = new.text, b->out->quoted = quoted;
    else if (forward) b->out->text = text, b->out->quoted = S("");
    else split_text(b, text);
    if (b->notes.n) b->out->text = STR_CAT(b->a, b->out->text, S("\n"), b->notes);
    b->out->text = bounded_text(b, b->out->text);
    b->out->quoted = bounded_text(b, b->out->quoted);
    drop_unused_ids(b->out);
}
