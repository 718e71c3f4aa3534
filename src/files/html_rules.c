#include "files/html_rules.h"

#include "base/link.h"

#include <ctype.h>
#include <strings.h>

/* ---- elements -------------------------------------------------------------------------------- */

#define SIZE "width height "
#define CELL "colspan rowspan width height bgcolor valign"
static const struct html_element elements_kept[] = {
    {"a", 0, "href"},
    {"abbr", 0, ""},
    {"address", HTML_BLOCK, ""},
    {"article", HTML_BLOCK, ""},
    {"aside", HTML_BLOCK, ""},
    {"b", 0, ""},
    {"bdi", 0, ""},
    {"bdo", 0, ""},
    {"big", 0, ""},
    {"blockquote", HTML_BLOCK | HTML_QUOTE | HTML_APART, "type"},
    {"br", HTML_ALONE, ""},
    {"caption", HTML_BLOCK, ""},
    {"center", HTML_BLOCK, ""},
    {"cite", 0, ""},
    {"code", 0, ""},
    {"col", HTML_ALONE, "span width"},
    {"colgroup", 0, "span width"},
    {"dd", HTML_BLOCK, ""},
    {"del", 0, ""},
    {"details", HTML_BLOCK | HTML_FOLD, ""},
    {"dfn", 0, ""},
    {"div", HTML_BLOCK, ""},
    {"dl", HTML_BLOCK | HTML_APART, ""},
    {"dt", HTML_BLOCK, ""},
    {"em", 0, ""},
    {"figcaption", HTML_BLOCK, ""},
    {"figure", HTML_BLOCK, ""},
    {"font", 0, "color face size"},
    {"footer", HTML_BLOCK, ""},
    {"h1", HTML_BLOCK | HTML_APART, ""},
    {"h2", HTML_BLOCK | HTML_APART, ""},
    {"h3", HTML_BLOCK | HTML_APART, ""},
    {"h4", HTML_BLOCK | HTML_APART, ""},
    {"h5", HTML_BLOCK | HTML_APART, ""},
    {"h6", HTML_BLOCK | HTML_APART, ""},
    {"header", HTML_BLOCK, ""},
    {"hr", HTML_ALONE | HTML_BLOCK, "width"},
    {"i", 0, ""},
    {"img", HTML_ALONE, "alt src data-src " SIZE},
    {"ins", 0, ""},
    {"kbd", 0, ""},
    {"li", HTML_BLOCK, "value"},
    {"main", HTML_BLOCK, ""},
    {"mark", 0, ""},
    {"ol", HTML_BLOCK | HTML_APART, "start type"},
    {"p", HTML_BLOCK | HTML_APART, ""},
    {"pre", HTML_BLOCK | HTML_APART, ""},
    {"q", 0, ""},
    {"s", 0, ""},
    {"samp", 0, ""},
    {"section", HTML_BLOCK, ""},
    {"small", 0, ""},
    {"span", 0, ""},
    {"strike", 0, ""},
    {"strong", 0, ""},
    {"sub", 0, ""},
    {"sup", 0, ""},
    {"table", HTML_BLOCK | HTML_APART, "border cellpadding cellspacing bgcolor " SIZE},
    {"tbody", 0, "valign"},
    {"td", HTML_CELL, CELL},
    {"tfoot", 0, "valign"},
    {"th", HTML_CELL, CELL},
    {"thead", 0, "valign"},
    {"tr", HTML_BLOCK, "bgcolor valign"},
    {"tt", 0, ""},
    {"u", 0, ""},
    {"ul", HTML_BLOCK | HTML_APART, "type"},
    {"var", 0, ""},
    {"wbr", HTML_ALONE, ""},
    /* The contents of these are not text of the message. */
    {"applet", HTML_DROP, ""},
    {"audio", HTML_DROP, ""},
    {"canvas", HTML_DROP, ""},
    {"datalist", HTML_DROP, ""},
    {"embed", HTML_DROP, ""},
    {"frameset", HTML_DROP, ""},
    {"head", HTML_DROP, ""},
    {"iframe", HTML_DROP, ""},
    {"math", HTML_DROP, ""},
    {"noembed", HTML_DROP, ""},
    {"noframes", HTML_DROP, ""},
    {"noscript", HTML_DROP, ""},
    {"object", HTML_DROP, ""},
    {"script", HTML_DROP, ""},
    {"select", HTML_DROP, ""},
    {"style", HTML_DROP, ""},
    {"svg", HTML_DROP, ""},
    {"template", HTML_DROP, ""},
    {"textarea", HTML_DROP, ""},
    {"title", HTML_DROP, ""},
    {"video", HTML_DROP, ""},
};

const struct html_element *html_element_named(const char *name) {
    for (size_t i = 0; i < sizeof elements_kept / sizeof *elements_kept; i++)
        if (strcmp(elements_kept[i].name, name) == 0) return &elements_kept[i];
    return NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

static struct str blanks_off(struct str s) {
    while (s.n && isspace((unsigned char)s.p[0])) s.p++, s.n--;
    while (s.n && isspace((unsigned char)s.p[s.n - 1])) s.n--;
    return s;
}

static bool clean_words(struct buf *out, struct str value) {
    if (value.n > 1000) return false;
    for (size_t i = 0; i < value.n; i++)
        if (!html_is_control(value.p[i]))
            buf_char(out, isspace((unsigned char)value.p[i]) ? ' ' : value.p[i]);
    return true;
}

static bool clean_href(struct buf *out, struct str value) {
    return link_clean(out, value, LINK_WEB | LINK_MAIL | LINK_PHONE);
}
static bool clean_remote(struct buf *out, struct str value) { return link_clean(out, value, LINK_WEB); }

/* cid: is the address of a part of the same mail (RFC 2392). */
static bool clean_content_id(struct buf *out, struct str id) {
    if (id.n == 0 || id.n > 250) return false;
    buf_text(out, "cid:");
    for (size_t i = 0; i < id.n; i++) {
        if (!isalnum((unsigned char)id.p[i]) && !in_set(id.p[i], "!#$%&'*+-/=?^_{|}~.@")) return false;
        buf_char(out, id.p[i]);
    }
    return true;
}

static bool clean_base64(struct buf *out, struct str s) {
    if (s.n == 0 || s.n > HTML_DATA_BYTES) return false;
    for (size_t i = 0; i < s.n; i++) {
        if (isspace((unsigned char)s.p[i])) continue;
        if (!isalnum((unsigned char)s.p[i]) && !in_set(s.p[i], "+/=")) return false;
        buf_char(out, s.p[i]);
    }
    return true;
}

/* Addresses of pictures that need no request. */
static bool clean_src(struct buf *out, struct str value) {
    static const char *const data[] = {"data:image/png;base64,", "data:image/jpeg;base64,",
                                       "data:image/gif;base64,", "data:image/webp;base64,"};
    struct str s = blanks_off(value);
    if (s.n > 4 && strncasecmp(s.p, "cid:", 4) == 0)
        return clean_content_id(out, (struct str){s.p + 4, s.n - 4});
    for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
        size_t n = strlen(data[i]);
        if (s.n <= n || strncasecmp(s.p, data[i], n) != 0) continue;
        buf_text(out, data[i]);
        return clean_base64(out, (struct str){s.p + n, s.n - n});
    }
    return false;
}

/* At most five digits. With `percent`, a percent sign may follow. "600px" is 600. */
static bool clean_digits(struct buf *out, struct str value, bool percent) {
    struct str s = blanks_off(value);
    size_t n = 0;
    while (n < s.n && isdigit((unsigned char)s.p[n])) n++;
    struct str rest = {s.p + n, s.n - n};
    if (n == 0 || n > 5) return false;
    buf_add(out, s.p, n);
    if (percent && str_eq(rest, S("%"))) buf_char(out, '%');
    else if (rest.n && !str_eqi(rest, S("px"))) return false;
    return true;
}

static bool clean_length(struct buf *out, struct str value) { return clean_digits(out, value, true); }
static bool clean_number(struct buf *out, struct str value) { return clean_digits(out, value, false); }

static bool clean_span(struct buf *out, struct str value) {
    int64_t n;
    if (!str_to_int(blanks_off(value), &n) || n < 1 || n > 1000) return false;
    buf_int(out, n);
    return true;
}

static bool one_of(struct buf *out, struct str value, const char *words) {
    struct str rest = str_of(words), s = blanks_off(value);
    while (rest.p) {
        struct str word = str_cut(&rest, ' ');
        if (!str_eqi(word, s)) continue;
        buf_str(out, word);
        return true;
    }
    return false;
}

static bool clean_align(struct buf *out, struct str value) {
    return one_of(out, value, "left right center justify");
}
static bool clean_valign(struct buf *out, struct str value) {
    return one_of(out, value, "top middle bottom baseline");
}
static bool clean_dir(struct buf *out, struct str value) { return one_of(out, value, "ltr rtl auto"); }
/* Types of foldable quotations and of lists. Letters of lists are case-sensitive. */
static bool clean_type(struct buf *out, struct str value) {
    struct str s = blanks_off(value);
    if (s.n == 1 && in_set(s.p[0], "1aAiI")) buf_char(out, s.p[0]);
    else return one_of(out, value, "cite disc circle square");
    return true;
}

static bool clean_lang(struct buf *out, struct str value) {
    struct str s = blanks_off(value);
    for (size_t i = 0; i < s.n; i++)
        if (!isalnum((unsigned char)s.p[i]) && s.p[i] != '-') return false;
    buf_str(out, s);
    return s.n > 0 && s.n <= 35;
}

static bool clean_font_size(struct buf *out, struct str value) {
    struct str s = blanks_off(value);
    bool sign = s.n == 2 && (s.p[0] == '+' || s.p[0] == '-');
    if ((s.n != 1 && !sign) || s.p[s.n - 1] < '1' || s.p[s.n - 1] > '7') return false;
    buf_str(out, s);
    return true;
}

static bool clean_face(struct buf *out, struct str value) {
    struct str s = blanks_off(value);
    for (size_t i = 0; i < s.n; i++)
        if (!isalnum((unsigned char)s.p[i]) && !in_set(s.p[i], " ,-_")) return false;
    buf_str(out, s);
    return s.n > 0 && s.n <= 200;
}

/* ---- attributes ------------------------------------------------------------------------------ */

const struct html_attribute html_attributes[] = {
    [HTML_HREF] = {"href", clean_href},
    [HTML_SRC] = {"src", clean_src},
    [HTML_DATA_SRC] = {"data-src", clean_remote},
    {"alt", clean_words},
    {"title", clean_words},
    {"width", clean_length},
    {"height", clean_length},
    {"colspan", clean_span},
    {"rowspan", clean_span},
    {"span", clean_span},
    {"align", clean_align},
    {"valign", clean_valign},
    {"bgcolor", html_colour},
    {"border", clean_number},
    {"cellpadding", clean_number},
    {"cellspacing", clean_number},
    {"color", html_colour},
    {"face", clean_face},
    {"size", clean_font_size},
    {"start", clean_number},
    {"value", clean_number},
    {"type", clean_type},
    {"dir", clean_dir},
    {"lang", clean_lang},
    {"style", html_style},
    {0},
};

static bool attribute_is_listed(const char *list, const char *name) {
    struct str rest = str_of(list), wanted = str_of(name);
    while (rest.p)
        if (str_eq(str_cut(&rest, ' '), wanted)) return true;
    return false;
}

bool html_may_have(const struct html_element *e, const char *attribute) {
    return attribute_is_listed("title align dir lang style", attribute) ||
           attribute_is_listed(e->attributes, attribute);
}

bool html_value(struct buf *out, const struct html_attribute *a, struct str value) {
    size_t before = out->n;
    bool ok = a->clean(out, value);
    if (!ok) out->n = before;
    return ok;
}
