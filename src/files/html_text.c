/* The plain text of a clean tree, for readers without HTML, previews and search. Lines are kept, repeated
 * blanks are not. Hidden elements are left out. Quotations begin with "> ". Addresses of links are left
 * out, because those of newsletters are longer than the text. */
#include "files/html_rules.h"
#include "files/html_tree.h"

#include "base/limits.h"

struct text_writer {
    struct buf *out;
    int breaks; /* line breaks that are due before the next character */
    int as_is, quotes;
    int said;   /* depth of quotation of the last line */
    bool space; /* a blank is due before the next character, unless a line begins */
};

static void break_line(struct text_writer *w, int breaks) {
    if (w->breaks < breaks) w->breaks = breaks;
    w->space = false;
}

/* An empty line between two quotations has the depth of the text around both. */
static void begin_line(struct text_writer *w) {
    int around = w->said < w->quotes ? w->said : w->quotes;
    for (int i = 0; i < w->breaks && w->out->n; i++) {
        for (int q = 0; i > 0 && q < around; q++) buf_text(w->out, q ? " >" : ">");
        buf_char(w->out, '\n');
    }
    for (int q = 0; q < w->quotes; q++) buf_text(w->out, "> ");
    w->breaks = 0;
    w->said = w->quotes;
}

static void say_character(struct text_writer *w, char c) {
    if (w->breaks || w->out->n == 0) begin_line(w);
    else if (w->space) buf_char(w->out, ' ');
    w->space = false;
    buf_char(w->out, c);
}

static void say_text(struct text_writer *w, const char *text) {
    for (const char *p = text; *p && w->out->n < LIMIT_HTML_CLEAN / 2 - 1024; p++) {
        bool blank = *p == ' ' || *p == '\t' || *p == '\n' || *p == '\r' || *p == '\f';
        if (blank && w->as_is && *p == '\n') break_line(w, w->breaks < 2 ? w->breaks + 1 : 2);
        else if (blank && w->as_is) say_character(w, *p == '\t' ? '\t' : ' ');
        else if (blank) w->space = true;
        else if (!html_is_control(*p)) say_character(w, *p);
    }
}

static bool is_hidden(const GumboNode *node) {
    const GumboAttribute *style = gumbo_get_attribute(&node->v.element.attributes, "style");
    return style && strstr(style->value, "display:none");
}

static void begin_block(struct text_writer *w, const struct html_element *e) {
    if (e->flags & HTML_BLOCK) break_line(w, e->flags & HTML_APART ? 2 : 1);
    if (e->flags & HTML_CELL) w->space = true;
    if (e->flags & HTML_QUOTE) w->quotes++;
    w->as_is += strcmp(e->name, "pre") == 0;
}

static void end_block(struct text_writer *w, const struct html_element *e) {
    if (e->flags & HTML_QUOTE) w->quotes--;
    begin_block(w, &(struct html_element){e->name, e->flags & (HTML_BLOCK | HTML_APART | HTML_CELL), ""});
    w->as_is -= 2 * (strcmp(e->name, "pre") == 0);
}

static bool enter_said(void *ctx, const GumboNode *node) {
    struct text_writer *w = ctx;
    bool drop;
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE) say_text(w, node->v.text.text);
    const struct html_element *e = html_element_of(node, &drop);
    if (drop || e == NULL) return !drop;
    if (is_hidden(node)) return false;
    begin_block(w, e);
    if (strcmp(e->name, "br") == 0) break_line(w, w->breaks < 2 ? w->breaks + 1 : 2);
    if (strcmp(e->name, "li") == 0) say_text(w, "- ");
    const GumboAttribute *alt =
        strcmp(e->name, "img") == 0 ? gumbo_get_attribute(&node->v.element.attributes, "alt") : NULL;
    if (alt) say_text(w, alt->value);
    return true;
}

static void leave_said(void *ctx, const GumboNode *node) {
    bool drop;
    const struct html_element *e = html_element_of(node, &drop);
    if (e) end_block(ctx, e);
}

void html_text_of(struct buf *out, const GumboNode *root) {
    struct text_writer w = {.out = out};
    html_walk(root, &(struct html_walker){enter_said, leave_said, &w});
}
