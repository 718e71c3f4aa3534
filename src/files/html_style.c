/* Inline styles. A style may change the look of words, not their position, because a message must not
 * cover the page around it, and must not load anything. So only listed properties are allowed, with words,
 * colours and lengths that are not negative. */
#include "files/html_rules.h"

#include <ctype.h>

enum { COLOUR = 1, LENGTH = 2, NUMBER = 4, FAMILY = 8 };

#define LINES "none solid dotted dashed double groove ridge inset outset thin medium thick"
static const struct property {
    const char *name;
    unsigned forms;
    const char *words;
    int most; /* maximum number of values */
} properties[] = {
    {"color", COLOUR, "", 1},
    {"background-color", COLOUR, "", 1},
    {"background", COLOUR, "", 1},
    {"font-family", FAMILY, "", 1},
    {"font-size", LENGTH, "xx-small x-small small medium large x-large xx-large smaller larger", 1},
    {"font-style", 0, "normal italic oblique", 1},
    {"font-weight", NUMBER, "normal bold bolder lighter", 1},
    {"line-height", LENGTH | NUMBER, "normal", 1},
    {"letter-spacing", LENGTH, "normal", 1},
    {"text-align", 0, "left right center justify start end", 1},
    {"text-decoration", COLOUR, "none underline overline line-through solid double dotted dashed wavy", 3},
    {"text-transform", 0, "none capitalize uppercase lowercase", 1},
    {"vertical-align", LENGTH, "baseline sub super top middle bottom text-top text-bottom", 1},
    {"white-space", 0, "normal nowrap pre pre-wrap pre-line", 1},
    {"word-break", 0, "normal break-all keep-all break-word", 1},
    {"overflow-wrap", 0, "normal break-word anywhere", 1},
    {"direction", 0, "ltr rtl", 1},
    {"display", 0, "none block inline inline-block table table-row table-cell list-item", 1},
    {"float", 0, "none left right", 1},
    {"clear", 0, "none left right both", 1},
    {"list-style-type", 0, "none disc circle square decimal lower-alpha upper-alpha lower-roman upper-roman",
     1},
    {"border-collapse", 0, "collapse separate", 1},
    {"border-spacing", LENGTH, "", 2},
    {"border-radius", LENGTH, "", 4},
    {"border-color", COLOUR, "", 4},
    {"border-style", 0, LINES, 4},
    {"border-width", LENGTH, LINES, 4},
    {"border", COLOUR | LENGTH, LINES, 3},
    {"border-top", COLOUR | LENGTH, LINES, 3},
    {"border-right", COLOUR | LENGTH, LINES, 3},
    {"border-bottom", COLOUR | LENGTH, LINES, 3},
    {"border-left", COLOUR | LENGTH, LINES, 3},
    {"margin", LENGTH, "auto", 4},
    {"margin-top", LENGTH, "auto", 1},
    {"margin-right", LENGTH, "auto", 1},
    {"margin-bottom", LENGTH, "auto", 1},
    {"margin-left", LENGTH, "auto", 1},
    {"padding", LENGTH, "", 4},
    {"padding-top", LENGTH, "", 1},
    {"padding-right", LENGTH, "", 1},
    {"padding-bottom", LENGTH, "", 1},
    {"padding-left", LENGTH, "", 1},
    {"width", LENGTH, "auto", 1},
    {"height", LENGTH, "auto", 1},
    {"min-width", LENGTH, "", 1},
    {"max-width", LENGTH, "none", 1},
    {"max-height", LENGTH, "none", 1},
};

static const struct property *property_named(struct str name) {
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (str_eqi(str_of(properties[i].name), name)) return &properties[i];
    return NULL;
}

static void add_lower(struct buf *out, struct str s) {
    for (size_t i = 0; i < s.n; i++) buf_char(out, (char)tolower((unsigned char)s.p[i]));
}

/* ---- values ---------------------------------------------------------------------------------- */

static size_t digits_at(struct str s, size_t at) {
    size_t n = 0;
    while (at + n < s.n && isdigit((unsigned char)s.p[at + n])) n++;
    return n;
}

static bool style_number(struct buf *out, struct str s, bool unit) {
    static const char *const units[] = {"px", "pt", "em", "rem", "ex", "ch", "%", "in", "cm", "mm", "pc"};
    size_t whole = digits_at(s, 0), n = whole, part = 0;
    if (n < s.n && s.p[n] == '.') n += 1 + (part = digits_at(s, n + 1));
    struct str rest = {s.p + n, s.n - n};
    if (whole > 5 || part > 6 || whole + part == 0) return false;
    bool known = rest.n == 0;
    for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++)
        known = known || str_eqi(rest, str_of(units[i]));
    add_lower(out, s);
    return known;
}

/* rgb(1, 2, 3), rgba(1, 2, 3, 0.5): digits, percents and stops between commas. */
static bool colour_function(struct buf *out, struct str s) {
    size_t from = s.n > 5 && str_eqi((struct str){s.p, 5}, S("rgba("))  ? 5
                  : s.n > 4 && str_eqi((struct str){s.p, 4}, S("rgb(")) ? 4
                                                                        : 0;
    int commas = 0;
    if (from == 0 || s.p[s.n - 1] != ')' || s.n > 60) return false;
    add_lower(out, (struct str){s.p, from});
    for (size_t i = from; i < s.n - 1; i++) {
        if (isspace((unsigned char)s.p[i])) continue;
        if (!isdigit((unsigned char)s.p[i]) && !in_set(s.p[i], ".%,")) return false;
        commas += s.p[i] == ',';
        buf_char(out, s.p[i]);
    }
    buf_char(out, ')');
    return commas == 2 || commas == 3;
}

static bool all_of(struct str s, int (*is)(int)) {
    for (size_t i = 0; i < s.n; i++)
        if (!is((unsigned char)s.p[i])) return false;
    return s.n > 0;
}

bool html_colour(struct buf *out, struct str value) {
    struct str s = str_trim(value);
    bool hex = s.n > 1 && s.p[0] == '#';
    if (s.n && memchr(s.p, '(', s.n)) return colour_function(out, s);
    if (hex ? !(s.n == 4 || s.n == 7 || s.n == 9) || !all_of((struct str){s.p + 1, s.n - 1}, isxdigit)
            : s.n > 30 || !all_of(s, isalpha))
        return false;
    add_lower(out, s);
    return true;
}

static bool style_word(struct buf *out, struct str s, const char *words) {
    struct str rest = str_of(words);
    while (rest.p) {
        struct str word = str_cut(&rest, ' ');
        if (word.n == 0 || !str_eqi(word, s)) continue;
        buf_str(out, word);
        return true;
    }
    return false;
}

static bool family_name(struct buf *out, struct str name) {
    bool quoted = isdigit((unsigned char)name.p[0]) || memchr(name.p, ' ', name.n);
    if (quoted) buf_char(out, '\'');
    for (size_t i = 0; i < name.n; i++) {
        if (!isalnum((unsigned char)name.p[i]) && !in_set(name.p[i], " -_")) return false;
        buf_char(out, name.p[i]);
    }
    if (quoted) buf_char(out, '\'');
    return true;
}

/* Names separated by commas. A name is written with quotes only if it contains a blank. */
static bool font_family(struct buf *out, struct str value) {
    bool first = true;
    while (value.p) {
        struct str name = str_trim(str_cut(&value, ','));
        char quote = name.n > 1 ? name.p[0] : 0;
        if ((quote == '"' || quote == '\'') && name.p[name.n - 1] == quote)
            name = str_trim((struct str){name.p + 1, name.n - 2});
        if (name.n == 0 || name.n > 60) return false;
        if (!first) buf_char(out, ',');
        first = false;
        if (!family_name(out, name)) return false;
    }
    return true;
}

/* ---- declarations ---------------------------------------------------------------------------- */

/* Returns the value up to the next blank outside brackets. */
static struct str next_value(struct str *rest) {
    int depth = 0;
    size_t n = 0;
    *rest = str_trim(*rest);
    for (; n < rest->n && (depth > 0 || !isspace((unsigned char)rest->p[n])); n++)
        depth += (rest->p[n] == '(') - (rest->p[n] == ')');
    struct str value = {rest->p, n};
    *rest = (struct str){rest->p + n, rest->n - n};
    return value;
}

static bool one_value(struct buf *out, const struct property *p, struct str value) {
    size_t before = out->n;
    if (style_word(out, value, p->words)) return true;
    if (p->forms & (LENGTH | NUMBER) && style_number(out, value, p->forms & LENGTH)) return true;
    out->n = before;
    return p->forms & COLOUR && html_colour(out, value);
}

static bool declaration(struct buf *out, struct str name, struct str value) {
    const struct property *p = property_named(name);
    static const char important[] = "!important";
    size_t n = sizeof important - 1;
    if (p == NULL) return false;
    if (value.n > n && str_eqi((struct str){value.p + value.n - n, n}, S("!important")))
        value = str_trim((struct str){value.p, value.n - n});
    buf_text(out, strcmp(p->name, "background") == 0 ? "background-color" : p->name);
    buf_char(out, ':');
    if (p->forms & FAMILY) return value.n > 0 && font_family(out, value);
    int values = 0;
    for (struct str rest = value; str_trim(rest).n; values++) {
        struct str one = next_value(&rest);
        if (values == p->most) return false;
        if (values) buf_char(out, ' ');
        if (!one_value(out, p, one)) return false;
    }
    return values > 0;
}

bool html_style(struct buf *out, struct str style) {
    size_t begin = out->n;
    for (struct str rest = style; rest.p;) {
        size_t before = out->n;
        struct str value = str_cut(&rest, ';'), name = str_trim(str_cut(&value, ':'));
        if (before > begin) buf_char(out, ';');
        if (value.p == NULL || !declaration(out, name, str_trim(value)) || out->n - begin > HTML_STYLE_BYTES)
            out->n = before;
    }
    return out->n > begin;
}
