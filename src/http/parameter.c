#include "http/multipart.h"

#include "base/limits.h"

/* Reads the value of one `name=value`. Clients disagree about quoting. So a backslash escapes only a quote
 * or a backslash, otherwise it is kept: `filename="C:\dir\a.txt"` of old browsers keeps its folders here,
 * and filename_of removes them. */
static bool take_value(struct arena *a, struct str *rest, struct str *out) {
    const char *p = rest->p, *end = p + rest->n;
    if (p < end && *p == '"') {
        char *text = arena_alloc(a, rest->n + 1);
        size_t n = 0;
        for (p++; p < end && *p != '"'; p++) {
            if (*p == '\\' && p + 1 < end && (p[1] == '"' || p[1] == '\\')) p++;
            text[n++] = *p;
        }
        if (p == end) return false;
        *out = (struct str){text, n};
        p++;
    } else {
        while (p < end && *p != ';' && *p != ' ' && *p != '\t') p++;
        *out = (struct str){rest->p, (size_t)(p - rest->p)};
    }
    *rest = (struct str){p, (size_t)(end - p)};
    return true;
}

static void parameter_skip_blanks(struct str *s) {
    while (s->n && (*s->p == ' ' || *s->p == '\t')) s->p++, s->n--;
}

/* Reads the next parameter of a list, at its semicolon. Returns 1 if there is one, 0 at the end, -1 if the
 * list is malformed. */
static int next_parameter(struct arena *a, struct str *rest, struct str *name, struct str *value) {
    for (;;) {
        parameter_skip_blanks(rest);
        if (rest->n == 0) return 0;
        if (*rest->p != ';') return -1;
        rest->p++, rest->n--;
        parameter_skip_blanks(rest);
        if (rest->n && *rest->p != ';') break; /* skip empty parameters */
    }
    const char *equals = memchr(rest->p, '=', rest->n);
    if (equals == NULL || memchr(rest->p, ';', (size_t)(equals - rest->p))) return -1;
    *name = str_trim((struct str){rest->p, (size_t)(equals - rest->p)});
    rest->n -= (size_t)(equals + 1 - rest->p);
    rest->p = equals + 1;
    parameter_skip_blanks(rest);
    return name->n && take_value(a, rest, value) ? 1 : -1;
}

static int percent_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes RFC 8187: UTF-8'language'percent-encoded. p is NULL for another charset or a malformed text;
 * then the plain parameter counts, which senders add for such cases. */
static struct str extended_value(struct arena *a, struct str s) {
    struct str rest = s, charset = str_cut(&rest, '\'');
    if (rest.p == NULL || !str_eqi(charset, S("UTF-8"))) return (struct str){0};
    str_cut(&rest, '\'');
    if (rest.p == NULL) return (struct str){0};
    char *text = arena_alloc(a, rest.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < rest.n; i++) {
        if (rest.p[i] != '%') {
            text[n++] = rest.p[i];
            continue;
        }
        if (i + 2 >= rest.n) return (struct str){0};
        int high = percent_digit(rest.p[i + 1]), low = percent_digit(rest.p[i + 2]);
        if (high < 0 || low < 0) return (struct str){0};
        text[n++] = (char)(high << 4 | low);
        i += 2;
    }
    return (struct str){text, n};
}

bool header_parameter(struct arena *a, struct str value, struct str name, struct str *out) {
    const char *semicolon = value.n ? memchr(value.p, ';', value.n) : NULL;
    struct str rest = {0}, key, found;
    int more;
    *out = (struct str){0};
    if (semicolon) rest = (struct str){semicolon, value.n - (size_t)(semicolon - value.p)};
    while ((more = next_parameter(a, &rest, &key, &found)) > 0)
        if (out->p == NULL && str_eqi(key, name)) *out = found;
    if (out->p && name.p[name.n - 1] == '*') *out = extended_value(a, *out);
    return more == 0;
}

struct str filename_of(struct arena *a, struct str disposition) {
    struct str name, plain;
    header_parameter(a, disposition, S("filename*"), &name);
    header_parameter(a, disposition, S("filename"), &plain);
    if (name.p == NULL) name = plain;
    return str_leaf(name);
}
