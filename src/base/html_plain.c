#include "base/html_plain.h"

#include "base/buf.h"

#include <glib.h>

/* ---- references to characters ---------------------------------------------------------------- */

static const struct {
    const char *name, *text;
} named[] = {{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"#39", "'"}, {"nbsp", " "}};

/* Writes the character of the reference at s.p[at], which is an ampersand. Returns the bytes of the
 * reference. */
static size_t write_character(struct buf *out, struct str s, size_t at) {
    struct str rest = {s.p + at + 1, s.n - at - 1};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        size_t n = strlen(named[i].name);
        if (rest.n > n && rest.p[n] == ';' && memcmp(rest.p, named[i].name, n) == 0)
            return buf_text(out, named[i].text), n + 2;
    }
    return buf_char(out, '&'), 1;
}

static void write_plain_text(struct buf *out, struct str s) {
    for (size_t i = 0; i < s.n;) {
        if (s.p[i] == '&') i += write_character(out, s, i);
        else buf_char(out, s.p[i++]);
    }
}

/* ---- tags ------------------------------------------------------------------------------------ */

/* Tags inside a line. All others separate words. */
static bool is_inside_line(struct str name) {
    static const char *const names[] = {"a",    "abbr", "b",     "bdi",  "bdo",    "cite",   "code", "del",
                                        "dfn",  "em",   "font",  "i",    "ins",    "kbd",    "mark", "q",
                                        "s",    "samp", "small", "span", "strike", "strong", "sub",  "sup",
                                        "time", "tt",   "u",     "var",  "wbr"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eqi(name, str_of(names[i]))) return true;
    return false;
}

static struct str tag_name(struct str tag) {
    size_t from = tag.n && tag.p[0] == '/', n = from;
    while (n < tag.n && g_ascii_isalnum(tag.p[n])) n++;
    return (struct str){tag.p + from, n - from};
}

static void write_alternative(struct buf *out, struct str tag) {
    static const char begin[] = " alt=\"";
    const char *at = tag.n ? memmem(tag.p, tag.n, begin, sizeof begin - 1) : NULL;
    if (at == NULL) return;
    at += sizeof begin - 1;
    const char *end = memchr(at, '"', (size_t)(tag.p + tag.n - at));
    if (end)
        buf_char(out, ' '), write_plain_text(out, (struct str){at, (size_t)(end - at)}), buf_char(out, ' ');
}

/* tag: between < and >. */
static void write_tag(struct buf *out, struct str tag) {
    struct str name = tag_name(tag);
    if (str_eqi(name, S("img"))) write_alternative(out, tag);
    else if (str_eqi(name, S("td")) || str_eqi(name, S("th"))) buf_char(out, ' ');
    else if (!is_inside_line(name)) buf_char(out, '\n');
}

static bool begins_tag(struct str s, size_t at) {
    return at + 1 < s.n && s.p[at] == '<' &&
           (g_ascii_isalpha(s.p[at + 1]) || s.p[at + 1] == '/' || s.p[at + 1] == '!');
}

struct str html_plain(struct arena *a, struct str html) {
    struct buf b = {0};
    for (size_t at = 0; at < html.n;) {
        size_t end = at + 1;
        if (begins_tag(html, at)) {
            const char *close = memchr(html.p + at, '>', html.n - at);
            if (close == NULL) break;
            end = (size_t)(close - html.p) + 1;
            write_tag(&b, (struct str){html.p + at + 1, end - at - 2});
        } else {
            while (end < html.n && !begins_tag(html, end)) end++;
            write_plain_text(&b, (struct str){html.p + at, end - at});
        }
        at = end;
    }
    struct str text = str_dup(a, str_trim(buf_view(&b)));
    buf_free(&b);
    return text;
}
