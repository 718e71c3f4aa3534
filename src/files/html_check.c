/* Accepts only HTML in the form that the cleaner writes: (1) start tags with listed attributes in the
 * order of their table, (2) attribute values that are quoted and clean, (3) matching end tags, (4) the
 * four escapes, and no other < > " or &, (5) <details> only in its fixed form. */
#include "files/html_clean.h"

#include "base/link.h"
#include "files/html_rules.h"

struct check {
    struct str rest;
    const struct html_element *open[HTML_DEPTH];
    int depth;
};

static bool takes(struct check *c, struct str word) {
    if (!str_starts(c->rest, word)) return false;
    c->rest = (struct str){c->rest.p + word.n, c->rest.n - word.n};
    return true;
}

static char takes_escape(struct check *c) {
    return takes(c, S("&amp;"))    ? '&'
           : takes(c, S("&lt;"))   ? '<'
           : takes(c, S("&gt;"))   ? '>'
           : takes(c, S("&quot;")) ? '"'
                                   : 0;
}

static bool is_bare(char c) { return !html_is_control(c) && !in_set(c, "<>\"&"); }

/* Decodes the characters up to `end`. Returns false at a character that is not escaped. */
static bool check_until(struct check *c, char end, struct buf *out) {
    while (c->rest.n && c->rest.p[0] != end) {
        char one = takes_escape(c);
        if (!one && is_bare(c->rest.p[0])) {
            one = c->rest.p[0];
            c->rest = (struct str){c->rest.p + 1, c->rest.n - 1};
        }
        if (!one) return false;
        if (out) buf_char(out, one);
    }
    return true;
}

static const struct html_element *take_element(struct check *c) {
    char name[16];
    size_t n = 0;
    while (n < c->rest.n && n < sizeof name - 1 &&
           ((c->rest.p[n] >= 'a' && c->rest.p[n] <= 'z') || (c->rest.p[n] >= '0' && c->rest.p[n] <= '9')))
        n++;
    memcpy(name, c->rest.p, n);
    name[n] = 0;
    c->rest = (struct str){c->rest.p + n, c->rest.n - n};
    const struct html_element *e = html_element_named(name);
    return e && !(e->flags & HTML_DROP) ? e : NULL;
}

static bool check_attribute_value(struct check *c, const struct html_attribute *a) {
    struct buf value = {0}, clean = {0};
    bool ok = check_until(c, '"', &value) && takes(c, S("\"")) && html_value(&clean, a, buf_view(&value)) &&
              str_eq(buf_view(&value), buf_view(&clean));
    buf_free(&value);
    buf_free(&clean);
    return ok;
}

static bool take_attribute(struct check *c, const char *name) {
    size_t n = strlen(name);
    if (c->rest.n < n + 3 || c->rest.p[0] != ' ' || memcmp(c->rest.p + 1, name, n) != 0 ||
        memcmp(c->rest.p + 1 + n, "=\"", 2) != 0)
        return false;
    c->rest = (struct str){c->rest.p + n + 3, c->rest.n - n - 3};
    return true;
}

static bool check_fold(struct check *c) {
    if (c->depth == HTML_DEPTH) return false;
    c->open[c->depth++] = html_element_named("details");
    return true;
}

static bool check_start(struct check *c) {
    if (takes(c, (struct str){&HTML_FOLDED_BEGIN[1], sizeof HTML_FOLDED_BEGIN - 2})) return check_fold(c);
    const struct html_element *e = take_element(c);
    if (e == NULL || e->flags & HTML_FOLD) return false;
    bool link = strcmp(e->name, "a") == 0, led = false;
    for (const struct html_attribute *a = html_attributes; a->name; a++) {
        if (!html_may_have(e, a->name) || !take_attribute(c, a->name)) continue;
        if (!check_attribute_value(c, a)) return false;
        led = led || strcmp(a->name, "href") == 0;
    }
    if (link && !(led && takes(c, S(LINK_ATTRIBUTES)))) return false;
    if (e->flags & HTML_ALONE) return takes(c, S(">"));
    if (c->depth == HTML_DEPTH) return false;
    c->open[c->depth++] = e;
    return takes(c, S(">"));
}

static bool check_end(struct check *c) {
    return c->depth > 0 && take_element(c) == c->open[--c->depth] && takes(c, S(">"));
}

bool html_is_clean(struct str html) {
    struct check c = {.rest = html};
    if (!utf8_valid(html)) return false;
    while (check_until(&c, '<', NULL) && takes(&c, S("<")))
        if (!(takes(&c, S("/")) ? check_end(&c) : check_start(&c))) return false;
    return c.rest.n == 0 && c.depth == 0;
}
