/* The cleaner parses as a browser does, and writes the parts that the tables allow. That alone is not
 * safe, because the text of a tree does not always parse to the same tree (a paragraph in a paragraph, a
 * link in a link). A browser could then read a tree that was not checked. So the output is parsed and
 * written again until nothing changes. Then it parses to the checked tree, and cleaning a clean text
 * changes nothing. Most texts need two passes. A text that needs more than PASSES is shown as plain text.
 * The output has no element that switches the parser to other rules: no foreign elements (svg, math), no
 * element whose content is not HTML. */
#include "files/html_tree.h"

#include "base/arena.h"
#include "base/html.h"
#include "base/limits.h"
#include "base/link.h"
#include "files/html_attributes.h"
#include "files/html_rules.h"

#include <stdlib.h>

#define PASSES 8
#define DESTROYED_DEPTH 10000 /* the library frees a tree by recursion */

/* ---- walking --------------------------------------------------------------------------------- */

struct walk_frame {
    const GumboNode *node;
    unsigned next;
};

static const GumboVector *children_of(const GumboNode *n) {
    static const GumboVector none;
    if (n->type == GUMBO_NODE_DOCUMENT) return &n->v.document.children;
    return n->type == GUMBO_NODE_ELEMENT || n->type == GUMBO_NODE_TEMPLATE ? &n->v.element.children : &none;
}

static void push_frame(struct buf *frames, const GumboNode *node) {
    buf_add(frames, &(struct walk_frame){node, 0}, sizeof(struct walk_frame));
}

size_t html_walk(const GumboNode *root, const struct html_walker *w) {
    struct buf frames = {0};
    size_t deepest = 0;
    if (w->enter(w->ctx, root)) push_frame(&frames, root);
    while (frames.n) {
        struct walk_frame *top = (struct walk_frame *)(void *)(frames.p + frames.n) - 1;
        const GumboVector *children = children_of(top->node);
        if (frames.n > deepest) deepest = frames.n;
        if (top->next == children->length) {
            w->leave(w->ctx, top->node);
            frames.n -= sizeof *top;
            continue;
        }
        const GumboNode *child = children->data[top->next++];
        if (w->enter(w->ctx, child)) push_frame(&frames, child);
    }
    buf_free(&frames);
    return deepest / sizeof(struct walk_frame);
}

const struct html_element *html_element_of(const GumboNode *node, bool *drop) {
    bool element = node->type == GUMBO_NODE_ELEMENT && node->v.element.tag_namespace == GUMBO_NAMESPACE_HTML;
    const struct html_element *e =
        element ? html_element_named(gumbo_normalized_tagname(node->v.element.tag)) : NULL;
    *drop = !element || (e && e->flags & HTML_DROP);
    return *drop ? NULL : e;
}

/* ---- writing --------------------------------------------------------------------------------- */

struct html_writer {
    struct buf out;
    const GumboNode *open[HTML_DEPTH]; /* elements whose start tag was written */
    int depth, elements, pictures;
    bool cut;
};

static struct str value_of(const GumboNode *node, const char *attribute) {
    const GumboAttribute *a = gumbo_get_attribute(&node->v.element.attributes, attribute);
    return a ? str_of(a->value) : (struct str){0};
}

static bool write_attribute(struct html_writer *w, const struct html_attribute *a, struct str value) {
    struct buf clean = {0};
    bool ok = value.p && html_value(&clean, a, value);
    if (ok) {
        buf_fmt(&w->out, " %s=\"", a->name);
        html_escape(&w->out, buf_view(&clean));
        buf_char(&w->out, '"');
    }
    buf_free(&clean);
    return ok;
}

/* Writes the address of a remote picture to data-src, because src would load it and show the sender that
 * the mail was read, and where. */
static bool write_picture(struct html_writer *w, const GumboNode *node) {
    const struct html_attribute *src = &html_attributes[HTML_SRC],
                                *data_src = &html_attributes[HTML_DATA_SRC];
    bool shown = write_attribute(w, src, value_of(node, "src")), remote = false;
    if (!shown)
        remote = write_attribute(w, data_src, value_of(node, "src")) ||
                 write_attribute(w, data_src, value_of(node, "data-src"));
    w->pictures += remote;
    return shown || remote || value_of(node, "alt").n > 0;
}

static void write_attributes(struct html_writer *w, const struct html_element *e, const GumboNode *node) {
    for (const struct html_attribute *a = html_attributes + HTML_ADDRESSES; a->name; a++)
        if (html_may_have(e, a->name)) write_attribute(w, a, value_of(node, a->name));
}

static bool write_start(struct html_writer *w, const struct html_element *e, const GumboNode *node) {
    size_t before = w->out.n;
    if (e->flags & HTML_FOLD) {
        buf_text(&w->out, HTML_FOLDED_BEGIN);
        return true;
    }
    bool whole = true, link = strcmp(e->name, "a") == 0;
    buf_fmt(&w->out, "<%s", e->name);
    if (link) whole = write_attribute(w, &html_attributes[HTML_HREF], value_of(node, "href"));
    if (strcmp(e->name, "img") == 0) whole = write_picture(w, node);
    if (!whole) {
        w->out.n = before;
        return false;
    }
    write_attributes(w, e, node);
    buf_text(&w->out, link ? LINK_ATTRIBUTES ">" : ">");
    return true;
}

/* Parsers ignore the first line break in a <pre>. */
static void keep_first_line(struct html_writer *w, const GumboNode *pre) {
    const GumboVector *c = &pre->v.element.children;
    const GumboNode *first = c->length ? c->data[0] : NULL;
    bool text = first && (first->type == GUMBO_NODE_TEXT || first->type == GUMBO_NODE_WHITESPACE);
    if (text && first->v.text.text[0] == '\n') buf_char(&w->out, '\n');
}

/* The folded part of a mail. Any other <details> is left out, and its contents stay. */
static bool is_folded(const GumboNode *node) {
    return node->type == GUMBO_NODE_ELEMENT && node->v.element.tag == GUMBO_TAG_DETAILS &&
           str_eq(value_of(node, "class"), S(HTML_FOLDED_CLASS));
}

static bool enter_element(struct html_writer *w, const GumboNode *node) {
    bool drop;
    const struct html_element *e = html_element_of(node, &drop);
    if (drop || w->cut) return false;
    /* written with its parent */
    if (node->v.element.tag == GUMBO_TAG_SUMMARY && is_folded(node->parent)) return false;
    if (e == NULL || (e->flags & HTML_FOLD && !is_folded(node))) return true;
    if (w->depth == HTML_DEPTH) return !(e->flags & HTML_ALONE);
    if (++w->elements > HTML_ELEMENTS) w->cut = true;
    if (w->cut || !write_start(w, e, node)) return !w->cut && !(e->flags & HTML_ALONE);
    if (e->flags & HTML_ALONE) return false;
    if (strcmp(e->name, "pre") == 0) keep_first_line(w, node);
    w->open[w->depth++] = node;
    return true;
}

static void write_text(struct html_writer *w, const char *text) {
    for (const char *p = text; *p && !w->cut; p++) {
        if (!html_is_control(*p)) html_escape(&w->out, (struct str){p, 1});
        /* room for the end tags */
        w->cut = w->out.n > LIMIT_HTML_CLEAN / 2 - 64 * 1024 && ((unsigned char)p[1] & 0xC0) != 0x80;
    }
}

static bool enter_node(void *ctx, const GumboNode *node) {
    struct html_writer *w = ctx;
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE)
        write_text(w, node->v.text.text);
    return node->type == GUMBO_NODE_ELEMENT && enter_element(w, node);
}

static void leave_node(void *ctx, const GumboNode *node) {
    struct html_writer *w = ctx;
    if (w->depth == 0 || w->open[w->depth - 1] != node) return;
    buf_fmt(&w->out, "</%s>", gumbo_normalized_tagname(node->v.element.tag));
    w->depth--;
}

/* ---- passes ---------------------------------------------------------------------------------- */

/* Parses the HTML as the content of a <div>, as the page that shows it does. */
static GumboOutput *parse_html(struct str html) {
    GumboOptions options = kGumboDefaultOptions;
    options.max_errors = 0;
    options.fragment_context = GUMBO_TAG_DIV;
    return gumbo_parse_with_options(&options, html.p ? html.p : "", html.n);
}

/* Writes the tree of `html`, and its plain text if `text` is given. */
static void clean_once(struct str html, struct html_writer *w, struct buf *text) {
    GumboOutput *tree = parse_html(html);
    size_t deepest = 0;
    for (unsigned i = 0; i < tree->root->v.element.children.length; i++) {
        size_t depth = html_walk(tree->root->v.element.children.data[i],
                                 &(struct html_walker){enter_node, leave_node, w});
        if (depth > deepest) deepest = depth;
    }
    if (text) html_text_of(text, tree->root);
    if (deepest < DESTROYED_DEPTH) gumbo_destroy_output(&kGumboDefaultOptions, tree);
}

/* Replaces the HTML by its plain text, written as HTML. */
static void as_plain_text(struct html_made *out) {
    struct arena *a = arena_new();
    struct str html = text_to_html(a, buf_view(&out->text));
    out->html.n = 0;
    buf_str(&out->html, html);
    out->remote_pictures = 0;
    arena_free(a);
}

void html_clean_here(struct str html, struct html_made *out) {
    struct str few = html_few_attributes(html);
    struct html_writer w = {0};
    *out = (struct html_made){0};
    clean_once(few, &w, NULL);
    w.cut |= few.n < html.n;
    for (int pass = 1; pass <= PASSES; pass++) {
        struct html_writer again = {.cut = false};
        out->text.n = 0;
        clean_once(buf_view(&w.out), &again, &out->text);
        bool same = str_eq(buf_view(&w.out), buf_view(&again.out));
        again.cut = again.cut || w.cut;
        buf_free(&w.out);
        w = again;
        out->html = w.out;
        out->remote_pictures = w.pictures;
        out->cut = w.cut;
        if (same) return;
    }
    as_plain_text(out);
}

/* ---- plain text ------------------------------------------------------------------------------ */

/* The plain text of a clean tree, for readers without HTML, previews and search. Lines are kept, repeated
 * blanks are not. Hidden elements are left out. Quotations begin with "> ". Addresses of links are left
 * out, because those of newsletters are longer than the text. */

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
