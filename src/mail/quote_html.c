#include "mail/quote.h"

#include "base/buf.h"
#include "files/html_rules.h"
#include "files/html_tree.h"

#include <strings.h>

#define DESTROYED_DEPTH 10000 /* the library frees a tree by recursion */
#define LINE_BYTES 2000       /* bytes of a line that are kept: quotes begin with short lines */

struct line_walker {
    struct arena *a;
    struct str html;
    struct quote_lines *out;
    struct buf text; /* text of the line in progress */
    int depth;
    bool open;      /* a line is in progress */
    unsigned marks; /* marks of the next line */
    size_t at;      /* start of the next line: the first tag behind the last text; SIZE_MAX: none */
    size_t passed;  /* offset behind the last of the texts so far */
};

/* ---- lines ----------------------------------------------------------------------------------- */

static void end_html_line(struct line_walker *w) {
    if (w->open) w->out->line[w->out->count - 1].text = str_trim(str_dup(w->a, buf_view(&w->text)));
    w->text.n = 0;
    w->open = false;
}

static void begin_html_line(struct line_walker *w, size_t at) {
    struct quote_lines *l = w->out;
    if (w->at < at) at = w->at;
    if (at == SIZE_MAX) at = w->passed; /* an element without a tag */
    l->line = arena_more(w->a, l->line, l->count, &l->room, sizeof *l->line);
    l->line[l->count++] = (struct quote_line){.text = S(""), .depth = w->depth, .marks = w->marks, .at = at};
    w->open = true;
    w->marks = 0;
}

static void html_line_text(struct line_walker *w, const char *text, size_t at) {
    for (const char *p = text; *p; p++) {
        bool blank = in_set(*p, " \t\r\n\f");
        if (blank && (w->text.n == 0 || w->text.p[w->text.n - 1] == ' ')) continue;
        if (!w->open) begin_html_line(w, at);
        w->at = SIZE_MAX;
        if (w->text.n < LINE_BYTES) buf_char(&w->text, blank ? ' ' : *p);
    }
}

/* Notes the offset behind a text. */
static void html_line_reaches(struct line_walker *w, size_t end) {
    if (end > w->passed) w->passed = end;
    if (w->open && w->out->line[w->out->count - 1].end < end) w->out->line[w->out->count - 1].end = end;
}

static void html_line_node(struct line_walker *w, const GumboNode *node) {
    const GumboStringPiece *source = &node->v.text.original_text;
    size_t at = (size_t)(source->data - w->html.p), end = at + source->length;
    html_line_text(w, node->v.text.text, at);
    html_line_reaches(w, end);
}

bool quote_may_cut(const struct quote_lines *l, int line) {
    size_t at = l->line[line].at;
    for (int i = 0; i < line; i++)
        if (l->line[i].end > at) return false;
    for (int i = line; i < l->count; i++)
        if (l->line[i].at < at) return false;
    return true;
}

/* ---- marks of mail programs ------------------------------------------------------------------ */

/* A word is a whole word of a class, or the whole id or name, also behind "x_", which Outlook on the web
 * adds. It may begin with * for any text before it. A style only has to contain the text. */
static const struct {
    const char *attribute, *word;
    unsigned mark;
} marked[] = {
    {"class", "gmail_quote", MARK_QUOTE},
    {"class", "gmail_quote_container", MARK_QUOTE},
    {"class", "gmail_attr", MARK_QUOTE},
    {"class", "moz-cite-prefix", MARK_QUOTE},
    {"class", "protonmail_quote", MARK_QUOTE},
    {"class", "tutanota_quote", MARK_QUOTE},
    {"class", "zmail_extra", MARK_QUOTE},
    {"class", "front-blockquote", MARK_QUOTE},
    {"class", "missive_quote", MARK_QUOTE},
    {"class", "*wmi-quote", MARK_QUOTE}, /* Yandex */
    {"class", "*yahoo_quoted", MARK_HISTORY},
    {"class", "ymail_android_intro", MARK_HISTORY},
    {"class", "OutlookMessageHeader", MARK_HISTORY},
    {"class", "WordSection1_quoted", MARK_HISTORY},
    {"id", "divRplyFwdMsg", MARK_HISTORY},
    {"id", "appendonsend", MARK_HISTORY},
    {"id", "stopSpelling", MARK_HISTORY}, /* Hotmail */
    {"id", "zwchr", MARK_HISTORY},        /* Zimbra */
    {"id", "OLK_SRC_BODY_SECTION", MARK_HISTORY},
    {"id", "reply-intro", MARK_QUOTE},
    {"id", "mail-editor-reference-message-container", MARK_HISTORY},
    {"id", "isReplyContent", MARK_HISTORY},
    {"name", "quote", MARK_HISTORY}, /* GMX and WEB.DE */
    {"name", "messageReplySection", MARK_QUOTE},
    {"style", "border-top:solid #e1e1e1 1.0pt", MARK_HISTORY}, /* Outlook's header, in any language */
    {"style", "border-top:solid #b5c4df 1.0pt", MARK_HISTORY},
    {"style", "border-top: #b5c4df 1pt solid", MARK_HISTORY},
    {"class", "gmail_signature", MARK_SIGNATURE},
    {"class", "moz-signature", MARK_SIGNATURE},
    {"class", "k9mail-signature", MARK_SIGNATURE},
    {"id", "Signature", MARK_SIGNATURE},
    {"id", "AppleMailSignature", MARK_SIGNATURE},
    {"id", "composer_signature", MARK_SIGNATURE}, /* Samsung */
    {"id", "ymail_android_signature", MARK_SIGNATURE},
    {"id", "ms-outlook-mobile-signature", MARK_SIGNATURE},
    {"name", "messageSignatureSection", MARK_SIGNATURE},
    {"class", "protonmail_signature_block", MARK_SIGNATURE},
};

static bool is_a_class(const char *value, const char *word) {
    bool any = word[0] == '*';
    size_t n = strlen(word += any);
    for (const char *p = value; (p = strstr(p, word)) != NULL; p += n) {
        bool begins = any || p == value || p[-1] == ' ' || (p >= value + 2 && p[-1] == '_' && p[-2] == 'x');
        if (begins && (p[n] == ' ' || p[n] == 0)) return true;
    }
    return false;
}

static const char *quote_attribute(const GumboNode *node, const char *name) {
    const GumboAttribute *a = gumbo_get_attribute(&node->v.element.attributes, name);
    return a ? a->value : "";
}

static unsigned marks_of(const GumboNode *node) {
    unsigned marks = 0;
    for (size_t i = 0; i < sizeof marked / sizeof *marked; i++) {
        const char *value = quote_attribute(node, marked[i].attribute);
        const char *word = marked[i].word;
        bool style = strcmp(marked[i].attribute, "style") == 0;
        bool has = style ? strcasestr(value, word) != NULL : is_a_class(value, word);
        marks |= has ? marked[i].mark : 0;
    }
    return marks;
}

/* Programs write indented text as a quotation without a border. */
static bool is_quotation(const GumboNode *node) {
    const char *style = quote_attribute(node, "style");
    if (node->v.element.tag != GUMBO_TAG_BLOCKQUOTE) return false;
    return strcasecmp(quote_attribute(node, "type"), "cite") == 0 ||
           is_a_class(quote_attribute(node, "class"), "gmail_quote") ||
           (!strcasestr(style, "border:none") && !strcasestr(style, "border: none"));
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* Returns the offset of the tag, or SIZE_MAX: the element has none. */
static size_t tag_offset(const struct line_walker *w, const GumboNode *node) {
    const GumboStringPiece *tag = &node->v.element.original_tag;
    return tag->length ? (size_t)(tag->data - w->html.p) : SIZE_MAX;
}

static void enter_marked(struct line_walker *w, const GumboNode *node) {
    size_t at = tag_offset(w, node);
    unsigned marks = marks_of(node);
    if (marks) end_html_line(w);
    /* an element that is repeated has its first place */
    if (w->at == SIZE_MAX && at < w->html.n && at >= w->passed) w->at = at;
    w->marks |= marks;
    w->depth += is_quotation(node);
}

/* A picture is a part of the text. */
static void html_line_picture(struct line_walker *w, const GumboNode *node) {
    size_t at = tag_offset(w, node);
    html_line_text(w, "\xEF\xBF\xBC", at);
    html_line_reaches(w, at == SIZE_MAX ? w->passed : at + node->v.element.original_tag.length);
}

static bool enter_line_node(void *ctx, const GumboNode *node) {
    struct line_walker *w = ctx;
    bool drop;
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE) html_line_node(w, node);
    if (node->type != GUMBO_NODE_ELEMENT) return node->type == GUMBO_NODE_DOCUMENT;
    const struct html_element *e = html_element_of(node, &drop);
    if (drop) return false;
    if ((e && e->flags & HTML_BLOCK) || node->v.element.tag == GUMBO_TAG_BR) end_html_line(w);
    if (e && e->flags & HTML_CELL) html_line_text(w, " ", 0);
    enter_marked(w, node);
    if (node->v.element.tag == GUMBO_TAG_IMG) html_line_picture(w, node);
    return true;
}

static void leave_line_node(void *ctx, const GumboNode *node) {
    struct line_walker *w = ctx;
    bool drop;
    if (node->type != GUMBO_NODE_ELEMENT) return;
    const struct html_element *e = html_element_of(node, &drop);
    if (e && e->flags & HTML_BLOCK) end_html_line(w);
    w->depth -= is_quotation(node);
}

void quote_lines_of_html(struct arena *a, struct str html, struct quote_lines *out) {
    GumboOptions options = kGumboDefaultOptions;
    struct line_walker w = {.a = a, .html = html, .out = out, .at = SIZE_MAX};
    *out = (struct quote_lines){0};
    options.max_errors = 0;
    GumboOutput *tree = gumbo_parse_with_options(&options, html.n ? html.p : "", html.n);
    size_t deepest = html_walk(tree->root, &(struct html_walker){enter_line_node, leave_line_node, &w});
    end_html_line(&w);
    if (deepest < DESTROYED_DEPTH) gumbo_destroy_output(&kGumboDefaultOptions, tree);
    buf_free(&w.text);
}
