/* The HTML that templates may contain.
 *
 * An escaped value is safe in text and in a quoted attribute, and nowhere else. A form is safe only if nothing before it can swallow it,
 * with the secret in it: no open quote, comment or form. A fragment is therefore limited to the elements and attributes listed below.
 * Each element is closed, each attribute is quoted. Values are text, or a whole href, because a value inside an address would be sent to
 * the address's owner. In text, a link stands between blanks or the ends of lines and blocks: text that is shown as one word is read as
 * one address, whatever inline elements it consists of.
 *
 * The fragment is read once, from start to end. The nesting depth is limited. */
#include "core/text/template.h"

#define DEPTH 32

enum { ALONE = 1, /* no end tag */ AROUND_FORMS = 2, INLINE = 4 /* does not end the word around it */ };

static const struct element {
    const char *name;
    unsigned flags;
} elements[] = {{"div", AROUND_FORMS},
                {"section", AROUND_FORMS},
                {"p", 0},
                {"br", ALONE},
                {"hr", ALONE},
                {"h1", 0},
                {"h2", 0},
                {"h3", 0},
                {"h4", 0},
                {"span", INLINE},
                {"a", INLINE},
                {"b", INLINE},
                {"strong", INLINE},
                {"i", INLINE},
                {"em", INLINE},
                {"u", INLINE},
                {"small", INLINE},
                {"code", INLINE},
                {"img", ALONE | INLINE},
                {"pre", 0},
                {"blockquote", 0},
                {"ul", 0},
                {"ol", 0},
                {"li", 0},
                {"center", 0},
                {"table", 0},
                {"thead", 0},
                {"tbody", 0},
                {"tr", 0},
                {"th", 0},
                {"td", 0},
                {NULL, 0}};

static const char *const attributes[] = {"href",        "src",         "alt",     "title",   "class",
                                         "style",       "lang",        "dir",     "role",    "width",
                                         "height",      "align",       "valign",  "bgcolor", "border",
                                         "cellpadding", "cellspacing", "colspan", "rowspan", NULL};
static const char *const addresses[] = {"https://", "http://",
                                        "mailto:", "tel:", NULL}; /* prefixes of allowed addresses */

struct fragment {
    struct arena *a;
    struct str html;
    size_t at;
    const struct element *open[DEPTH];
    int depth;
    bool site;                 /* {{contents}}, {{header}} and {{footer}} are elements, as {{form}} is */
    bool in_word, behind_link; /* state of the visible text */
    size_t where;
    const char *why;
};

static bool html_wrong(struct fragment *f, size_t at, const char *why) {
    f->where = at;
    f->why = why;
    return false;
}

static bool html_more(const struct fragment *f) { return f->at < f->html.n; }
static char html_next(const struct fragment *f) { return f->html.p[f->at]; }

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static void pass_blanks(struct fragment *f) {
    while (html_more(f) && is_blank(html_next(f))) f->at++;
}

static void end_word(struct fragment *f) { f->in_word = f->behind_link = false; }

static struct str html_read_name(struct fragment *f) {
    size_t from = f->at;
    while (html_more(f) && ((html_next(f) | 0x20) >= 'a'
                                ? (html_next(f) | 0x20) <= 'z'
                                : html_next(f) == '-' || (html_next(f) >= '0' && html_next(f) <= '9')))
        f->at++;
    return (struct str){f->html.p + from, f->at - from};
}

static const struct element *element_named(struct str name) {
    for (const struct element *e = elements; e->name; e++)
        if (str_eqi(str_of(e->name), name)) return e;
    return NULL;
}

static const char *attribute_named(struct str name) {
    for (const char *const *a = attributes; *a; a++)
        if (str_eqi(str_of(*a), name)) return *a;
    return NULL;
}

/* ---- attributes ------------------------------------------------------------------------------------------------ */

static bool is_address(struct str value) {
    for (const char *const *a = addresses; *a; a++)
        if (value.n >= strlen(*a) && str_eqi((struct str){value.p, strlen(*a)}, str_of(*a))) return true;
    return false;
}

static bool is_whole_value(struct str value) {
    if (value.n < 4 || memcmp(value.p, "{{", 2) != 0 || memcmp(value.p + value.n - 2, "}}", 2) != 0)
        return false;
    struct str name = str_trim((struct str){value.p + 2, value.n - 4});
    return str_eq(name, S("link")) || str_eq(name, S("url"));
}

static bool value_allowed(struct fragment *f, const char *name, struct str value, size_t at) {
    bool href = strcmp(name, "href") == 0;
    if (value.n && memchr(value.p, '<', value.n))
        return html_wrong(f, at, "write a < in an attribute as &lt;.");
    if (href && is_whole_value(value)) return true;
    if (value.n && memmem(value.p, value.n, "{{", 2))
        return html_wrong(f, at,
                          "no value is allowed in an attribute, except {{link}} or {{url}} as a whole href.");
    if ((href || strcmp(name, "src") == 0) && !is_address(value))
        return html_wrong(
            f, at, "{{link}}, {{url}} or an address with https://, http://, mailto: or tel: is expected.");
    return true;
}

static const char *unknown_attribute(struct fragment *f) {
    struct str names = S("");
    for (const char *const *a = attributes; *a; a++)
        names = str_fmt(f->a, "%s%s%s", names.p, names.n ? ", " : "", *a);
    return str_fmt(f->a, "unknown attribute: one of %s is expected.", names.p).p;
}

static bool read_attribute(struct fragment *f) {
    size_t begin = f->at;
    struct str name = html_read_name(f);
    const char *known = attribute_named(name);
    if (known == NULL) return html_wrong(f, begin, unknown_attribute(f));
    if (f->html.n - f->at < 2 || html_next(f) != '=' || !in_set(f->html.p[f->at + 1], "\"'"))
        return html_wrong(f, begin, "the value needs quotes: name=\"value\" is expected.");
    size_t from = f->at + 2;
    const char *end = memchr(f->html.p + from, f->html.p[f->at + 1], f->html.n - from);
    if (end == NULL) return html_wrong(f, begin, "the quotes are not closed.");
    struct str value = {f->html.p + from, (size_t)(end - f->html.p) - from};
    f->at = from + value.n + 1;
    return value_allowed(f, known, value, begin);
}

/* ---- tags ------------------------------------------------------------------------------------------------------ */

static const char *not_closed(struct fragment *f, const struct element *e) {
    return str_fmt(f->a, "<%s> is not closed: </%s> is missing.", e->name, e->name).p;
}

static bool html_read_end(struct fragment *f, size_t begin) {
    f->at += 2;
    const struct element *e = element_named(html_read_name(f));
    pass_blanks(f);
    if (!html_more(f) || html_next(f) != '>')
        return html_wrong(f, begin, "invalid tag: </name> is expected.");
    f->at++;
    if (f->depth == 0) return html_wrong(f, begin, "no element is open here.");
    if (e != f->open[f->depth - 1])
        return html_wrong(f, begin, str_fmt(f->a, "</%s> is expected.", f->open[f->depth - 1]->name).p);
    f->depth--;
    if (!(e->flags & INLINE)) end_word(f);
    return true;
}

static bool html_read_begin(struct fragment *f, size_t begin) {
    f->at++;
    const struct element *e = element_named(html_read_name(f));
    if (e == NULL)
        return html_wrong(
            f, begin,
            "this element is not allowed: use text and plain formatting, no forms, scripts, comments or "
            "whole pages. Write a < of the text as &lt;.");
    for (pass_blanks(f); html_more(f) && html_next(f) != '>' && html_next(f) != '/'; pass_blanks(f))
        if (!read_attribute(f)) return false;
    if (e->flags & ALONE && html_more(f) && html_next(f) == '/') f->at++;
    if (!html_more(f) || html_next(f) != '>')
        return html_wrong(f, begin, "the tag is not closed: > is missing.");
    f->at++;
    if (!(e->flags & INLINE)) end_word(f);
    if (e->flags & ALONE) return true;
    if (f->depth == DEPTH) return html_wrong(f, begin, "elements are nested too deeply.");
    f->open[f->depth++] = e;
    return true;
}

/* {{form}}, and on pages of the help center {{contents}}, {{header}} and {{footer}}, are allowed only in elements marked AROUND_FORMS: in others, a browser would move the form or merge it with its surroundings. */
static bool html_read_value(struct fragment *f, size_t begin) {
    const char *end = memmem(f->html.p + begin, f->html.n - begin, "}}", 2);
    if (end == NULL) return html_wrong(f, begin, "the braces are not closed: }} is missing.");
    f->at = (size_t)(end - f->html.p) + 2;
    struct str name = str_trim((struct str){f->html.p + begin + 2, f->at - begin - 4});
    bool part =
        f->site && (str_eq(name, S("contents")) || str_eq(name, S("header")) || str_eq(name, S("footer")));
    bool form = part || str_eq(name, S("form")), link = str_eq(name, S("link"));
    if (f->behind_link || (link && f->in_word)) return html_wrong(f, begin, LINK_STANDS_ALONE);
    f->in_word = true;
    f->behind_link = link;
    for (int i = 0; form && i < f->depth; i++)
        if (!(f->open[i]->flags & AROUND_FORMS))
            return html_wrong(
                f, begin,
                str_fmt(f->a, "{{%.*s}} is only allowed in div and section, or outside of all elements.",
                        (int)name.n, name.p)
                    .p);
    return true;
}

static bool read_character(struct fragment *f) {
    if (is_blank(html_next(f))) end_word(f);
    else if (f->behind_link) return html_wrong(f, f->at, LINK_STANDS_ALONE);
    else f->in_word = true;
    f->at++;
    return true;
}

static bool html_read_all(struct fragment *f) {
    while (html_more(f)) {
        size_t begin = f->at, left = f->html.n - begin;
        if (html_next(f) == '<') {
            if (!(left > 1 && f->html.p[begin + 1] == '/' ? html_read_end(f, begin)
                                                          : html_read_begin(f, begin)))
                return false;
        } else if (left > 1 && memcmp(f->html.p + begin, "{{", 2) == 0) {
            if (!html_read_value(f, begin)) return false;
        } else if (!read_character(f)) {
            return false;
        }
    }
    return f->depth == 0 || html_wrong(f, f->html.n, not_closed(f, f->open[f->depth - 1]));
}

bool template_html(struct arena *a, struct str html, bool site, size_t *at, const char **why) {
    struct fragment f = {.a = a, .html = html, .site = site};
    bool right = html_read_all(&f);
    *at = f.where;
    *why = f.why;
    return right;
}
