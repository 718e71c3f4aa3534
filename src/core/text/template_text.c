/* The language of templates: blocks and values, in the syntax of Jinja and Twig.
 *
 *     {% block subject %}Welcome to {{desk}}{% endblock %}
 *     {% block text %}
 *     Hello {{name}}, ...
 *     {% endblock %}
 *
 * There is no logic, no include, and no nested block. Contents are parsed once, from start to end. They
 * are checked when they are stored, because an error would hit a person who waits for a mail: names of
 * blocks and values are known, mandatory parts are present, and nothing can be joined to a link.
 *
 * Authors of templates must not learn the secrets in them. A link inside another address would send the
 * secret to the owner of that address. A link therefore stands alone, or is a whole href. A subject can't
 * contain it. template_html.c checks HTML.
 *
 * The line break after {% block ... %} is skipped, as in the HTML element PRE. */
#include "core/text/template.h"

#include "base/html.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- blocks and values ----------------------------------------------------------------------- */

enum kind { LINE = 1, TEXT = 2, HTML = 4, CSS = 8 };

static const struct rule {
    enum template_app app;
    const char *name;
    enum block block;
    enum kind kind;
    bool mandatory;
} rules[] = {
    {TEMPLATE_MAIL, "subject", BLOCK_SUBJECT, LINE, true}, {TEMPLATE_MAIL, "text", BLOCK_TEXT, TEXT, true},
    {TEMPLATE_MAIL, "html", BLOCK_HTML, HTML, false},      {TEMPLATE_PAGE, "title", BLOCK_TITLE, LINE, true},
    {TEMPLATE_PAGE, "body", BLOCK_BODY, HTML, true},       {TEMPLATE_PAGE, "style", BLOCK_STYLE, CSS, false},
    {TEMPLATE_SITE, "title", BLOCK_TITLE, LINE, true},     {TEMPLATE_SITE, "body", BLOCK_BODY, HTML, true},
    {TEMPLATE_SITE, "style", BLOCK_STYLE, CSS, false},
};
#define RULES (sizeof rules / sizeof *rules)

/* Values that are allowed only in some kinds of blocks (bits). */
static const struct place {
    const char *name;
    unsigned kinds;
    const char *where;
    enum template_app app; /* 0: any */
} places[] = {{"link", TEXT | HTML, "text and html", 0},
              {"form", HTML, "the body", 0},
              {"contents", HTML, "the body", TEMPLATE_SITE},
              {"header", HTML, "the body", TEMPLATE_SITE},
              {"footer", HTML, "the body", TEMPLATE_SITE}};

/* ---- reading --------------------------------------------------------------------------------- */

struct reader {
    struct arena *a;
    const struct template *t;
    struct str contents;
    size_t at;
    struct template_blocks *out;
    const char *why;
};

/* Stores an error with its line and character, both counted from 1. */
static bool template_wrong(struct reader *r, size_t at, const char *fmt, ...) {
    char text[512];
    size_t line = 1, begin = 0;
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    for (size_t i = 0; i < at; i++)
        if (r->contents.p[i] == '\n') line++, begin = i + 1;
    r->why = str_fmt(r->a, "Line %zu, character %zu: %s", line,
                     utf8_count((struct str){r->contents.p + begin, at - begin}) + 1, text)
                 .p;
    return false;
}

static struct str slice(const struct reader *r, size_t from, size_t to) {
    return (struct str){r->contents.p + from, to - from};
}

/* The position of the two characters `mark` in from..to, or `to`. */
static size_t template_find_mark(const struct reader *r, const char *mark, size_t from, size_t to) {
    const char *found = to > from ? memmem(r->contents.p + from, to - from, mark, 2) : NULL;
    return found ? (size_t)(found - r->contents.p) : to;
}

static bool template_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool word_listed(const char *list, struct str word) {
    for (struct str rest = str_of(list); rest.p;)
        if (str_eq(str_cut(&rest, ' '), word)) return word.n > 0;
    return false;
}

bool template_needs(const struct template *t, struct str value) {
    return t->needs && word_listed(t->needs, value);
}

/* "desk name address url" as "{{desk}}, {{name}}, {{address}} or {{url}}". */
static const char *values_named(const struct reader *r) {
    struct str s = S("");
    for (struct str rest = str_of(r->t->values); rest.p;) {
        struct str word = str_cut(&rest, ' ');
        s = str_fmt(r->a, "%s%s{{%.*s}}", s.p, s.n == 0 ? "" : rest.p ? ", " : " or ", (int)word.n, word.p);
    }
    return s.p;
}

static const char *blocks_named(const struct reader *r) {
    struct str s = S("");
    for (size_t i = 0; i < RULES; i++)
        if (rules[i].app == r->t->app) s = str_fmt(r->a, "%s%s%s", s.p, s.n ? ", " : "", rules[i].name);
    return s.p;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool value_fits(struct reader *r, const struct rule *rule, struct str name, size_t at) {
    if (rule->kind == CSS) return template_wrong(r, at, "no values are allowed in %s.", rule->name);
    if (!word_listed(r->t->values, name))
        return template_wrong(r, at, "unknown value: %s is expected.", values_named(r));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (str_eq(str_of(places[i].name), name) && (places[i].app == 0 || places[i].app == rule->app) &&
            !(places[i].kinds & rule->kind))
            return template_wrong(r, at, "{{%s}} is only allowed in %s.", places[i].name, places[i].where);
    return true;
}

/* Returns true if the text before (or after) a link can't become part of its address, for people and for
 * mail readers that detect addresses. */
static bool parts_words(enum kind kind, struct str s, bool before) {
    if (s.n == 0) return true;
    char c = before ? s.p[s.n - 1] : s.p[0];
    return template_blank(c) || in_set(c, kind == HTML ? before ? ">\"'" : "<\"'" : before ? "<" : ">");
}

/* Open angle brackets and quotes. Readers take everything within them as one address, without its blanks
 * and line breaks (RFC 3986 appendix C). */
struct enclosure {
    size_t angle; /* the position after an open <; 0: none */
    bool quoted;
};

static void pass_text(struct enclosure *in, const char *contents, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        if (contents[i] == '<') in->angle = i + 1;
        if (contents[i] == '>') in->angle = 0;
        if (contents[i] == '"' || contents[i] == '\n') in->quoted = contents[i] == '"' && !in->quoted;
    }
}

/* True for values that are elements in the page: forms, and parts of a page of the help center. */
static bool stands_for_elements(enum template_app app, struct str name) {
    static const char *const parts[] = {"form", "contents", "header", "footer", NULL};
    for (const char *const *p = parts; *p; p++)
        if (str_eq(str_of(*p), name)) return p == parts || app == TEMPLATE_SITE;
    return false;
}

/* True if the block has this value between from and to. */
static bool occurs(const struct reader *r, struct str name, size_t from, size_t to) {
    for (size_t at = from, open, close; (open = template_find_mark(r, "{{", at, to)) < to; at = close + 2) {
        close = template_find_mark(r, "}}", open + 2, to);
        if (close == to) return false;
        if (str_eq(str_trim(slice(r, open + 2, close)), name)) return true;
    }
    return false;
}

/* Checks all {{names}} of the block between from and to. */
static bool template_read_values(struct reader *r, const struct rule *rule, size_t from, size_t to) {
    struct enclosure in = {0};
    for (size_t at = from, open, close; (open = template_find_mark(r, "{{", at, to)) < to; at = close + 2) {
        close = template_find_mark(r, "}}", open + 2, to);
        if (close == to) return template_wrong(r, open, "the braces are not closed: }} is missing.");
        struct str name = str_trim(slice(r, open + 2, close));
        if (!value_fits(r, rule, name, open)) return false;
        bool alone = parts_words(rule->kind, slice(r, from, open), true) &&
                     parts_words(rule->kind, slice(r, close + 2, to), false);
        if (rule->kind == TEXT) pass_text(&in, r->contents.p, at, open);
        if (str_eq(name, S("link")) && !alone) return template_wrong(r, open, LINK_STANDS_ALONE);
        if (str_eq(name, S("link")) && (in.quoted || (in.angle && in.angle != open)))
            return template_wrong(r, open,
                                  "{{link}} must stand alone: remove quotes around it and other text "
                                  "in its angle brackets.");
        if (stands_for_elements(rule->app, name) && occurs(r, name, from, open))
            return template_wrong(r, open, "{{%.*s}} is allowed once.", (int)name.n, name.p);
    }
    for (struct str rest = str_of(r->t->needs); rest.p && rule->kind & (TEXT | HTML);) {
        struct str need = str_cut(&rest, ' ');
        if (!occurs(r, need, from, to))
            return template_wrong(r, from, "{{%.*s}} is missing in %s.", (int)need.n, need.p, rule->name);
    }
    return true;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static bool read_characters(struct reader *r, const struct rule *rule, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        unsigned char c = (unsigned char)r->contents.p[i];
        bool line_end = c == '\n' || (c == '\r' && i + 1 < to && r->contents.p[i + 1] == '\n');
        if (rule->kind == LINE && (line_end || c == '\t'))
            return template_wrong(r, i, "%s must be one line.", rule->name);
        if ((c < ' ' && !line_end && c != '\t') || c == 0x7F)
            return template_wrong(r, i, "this control character is not allowed.");
        if (rule->kind == CSS && c == '<') return template_wrong(r, i, "no < is allowed in %s.", rule->name);
    }
    return true;
}

static bool read_block(struct reader *r, const struct rule *rule, size_t from, size_t to) {
    const char *why = NULL;
    size_t at = 0;
    if (from < to && r->contents.p[from] == '\r') from++;
    if (from < to && r->contents.p[from] == '\n') from++;
    struct str text = slice(r, from, to);
    if (r->out->block[rule->block].p)
        return template_wrong(r, from, "the block %s occurs twice.", rule->name);
    if (str_trim(text).n == 0) return template_wrong(r, from, "the block %s is empty.", rule->name);
    if (rule->kind == LINE) {
        text = str_trim(text);
        from = (size_t)(text.p - r->contents.p), to = from + text.n;
    }
    if (!read_characters(r, rule, from, to) || !template_read_values(r, rule, from, to)) return false;
    if (rule->kind == HTML && !template_html(r->a, text, rule->app == TEMPLATE_SITE, &at, &why))
        return template_wrong(r, from + at, "%s", why);
    if (rule->kind == CSS && rule->app == TEMPLATE_SITE && !template_style(text, &at, &why))
        return template_wrong(r, from + at, "%s", why);
    r->out->block[rule->block] = text;
    return true;
}

/* Reads the tag at r->at: one or two words. Moves r->at behind it. */
static bool template_read_tag(struct reader *r, struct str words[2]) {
    size_t open = r->at, close = template_find_mark(r, "%}", open + 2, r->contents.n);
    if (close == r->contents.n) return template_wrong(r, open, "the tag is not closed: %%} is missing.");
    struct str rest = str_trim(slice(r, open + 2, close));
    words[0] = words[1] = S("");
    for (int i = 0; i < 2 && rest.n; i++, rest = str_trim(rest)) {
        size_t n = 0;
        while (n < rest.n && !template_blank(rest.p[n])) n++;
        words[i] = (struct str){rest.p, n};
        rest = (struct str){rest.p + n, rest.n - n};
    }
    r->at = close + 2;
    if (rest.n || !(str_eq(words[0], S("block")) || str_eq(words[0], S("endblock"))))
        return template_wrong(r, open,
                              "{%% block NAME %%} or {%% endblock %%} is expected; there are no "
                              "other tags.");
    return true;
}

static const struct rule *rule_named(const struct template *t, struct str name) {
    for (size_t i = 0; i < RULES; i++)
        if (rules[i].app == t->app && str_eq(str_of(rules[i].name), name)) return &rules[i];
    return NULL;
}

static bool next_block(struct reader *r) {
    struct str words[2];
    size_t begin = r->at;
    if (r->contents.n - begin < 2 || memcmp(r->contents.p + begin, "{%", 2) != 0)
        return template_wrong(r, begin,
                              "text outside of a block: {%% block NAME %%} is expected, NAME one "
                              "of %s.",
                              blocks_named(r));
    if (!template_read_tag(r, words)) return false;
    if (str_eq(words[0], S("endblock"))) return template_wrong(r, begin, "no block is open here.");
    const struct rule *rule = rule_named(r->t, words[1]);
    if (rule == NULL)
        return template_wrong(r, begin, "unknown block: one of %s is expected.", blocks_named(r));
    size_t from = r->at, to = template_find_mark(r, "{%", from, r->contents.n);
    if (to == r->contents.n)
        return template_wrong(r, begin, "the block %s is not closed: {%% endblock %%} is missing.",
                              rule->name);
    r->at = to;
    if (!template_read_tag(r, words)) return false;
    if (str_eq(words[0], S("block")))
        return template_wrong(r, to, "the block %s is still open: {%% endblock %%} is expected.", rule->name);
    if (words[1].n && !str_eq(words[1], str_of(rule->name)))
        return template_wrong(r, to, "the open block is %s.", rule->name);
    return read_block(r, rule, from, to);
}

bool template_parse(struct arena *a, const struct template *t, struct str contents,
                    struct template_blocks *out, const char **why) {
    struct reader r = {.a = a, .t = t, .contents = contents, .out = out};
    *out = (struct template_blocks){0};
    for (;;) {
        while (r.at < contents.n && template_blank(contents.p[r.at])) r.at++;
        if (r.at == contents.n) break;
        if (!next_block(&r)) return *why = r.why, false;
    }
    for (size_t i = 0; i < RULES; i++) {
        if (rules[i].app != t->app || !rules[i].mandatory || out->block[rules[i].block].p) continue;
        template_wrong(&r, contents.n, "the block %s is missing.", rules[i].name);
        return *why = r.why, false;
    }
    return true;
}

/* ---- filling --------------------------------------------------------------------------------- */

/* Names come from strangers: a control character, which could begin a line or end a header, becomes a
 * blank. */
static void template_put_value(struct buf *out, struct str value, bool html) {
    for (size_t i = 0; i < value.n; i++) {
        unsigned char c = (unsigned char)value.p[i];
        struct str one = c < ' ' || c == 0x7F ? S(" ") : (struct str){value.p + i, 1};
        if (html) html_text(out, one);
        else buf_str(out, one);
    }
}

static void put_lines(struct buf *out, struct str text) {
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != '\r') buf_char(out, text.p[i]);
}

static const struct meaning *meaning_of(const struct meaning *m, struct str name) {
    while (m->name && !str_eq(str_of(m->name), name)) m++;
    return m;
}

void template_fill(struct buf *out, struct str block, const struct meaning *meanings, bool html) {
    const char *end = block.p + block.n;
    for (const char *open, *close; block.n && (open = memmem(block.p, block.n, "{{", 2)) &&
                                   (close = memmem(open, (size_t)(end - open), "}}", 2));) {
        const struct meaning *m =
            meaning_of(meanings, str_trim((struct str){open + 2, (size_t)(close - open - 2)}));
        bool joined = m->name && m->value.n == 0 && open > block.p && open[-1] == ' ';
        put_lines(out, (struct str){block.p, (size_t)(open - block.p) - (joined ? 1 : 0)});
        if (m->name && m->html.p && html) buf_str(out, m->html);
        else if (m->name && m->lines && !html) put_lines(out, m->value);
        else if (m->name) template_put_value(out, m->value, html);
        block = (struct str){close + 2, (size_t)(end - close - 2)};
    }
    put_lines(out, block);
}
