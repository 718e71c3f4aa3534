/* The strict reader (RFC 8259) and the tree it makes.
 *
 * The text is copied into the arena once and decoded in place, because (1) no escape is shorter than its
 * character and
 * (2) the closing quote leaves room for the NUL behind a string. The copy ends in a NUL, which the grammar
 * never accepts, so no other check of the end is needed. */
#include "json/json.h"

#include "base/error.h"

#include <stdlib.h>

#define DIGITS_(n) #n
#define DIGITS(n) DIGITS_(n)

struct reader {
    struct arena *arena;
    char *p;
    unsigned depth, values;
    const char *reason; /* reason of the failure at p */
};

static bool json_fail(struct reader *r, const char *reason) {
    r->reason = reason;
    return false;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void json_skip_blanks(struct reader *r) {
    while (*r->p == ' ' || *r->p == '\n' || *r->p == '\r' || *r->p == '\t') r->p++;
}

/* ---- strings --------------------------------------------------------------------------------- */

/* Returns the code unit of a \uXXXX at p, or -1 if there is none. */
static int32_t code_unit(const char *p) {
    if (p[0] != '\\' || p[1] != 'u') return -1;
    int32_t unit = 0;
    for (int i = 2; i < 6; i++) {
        int letter = p[i] | 0x20;
        if (p[i] >= '0' && p[i] <= '9') unit = unit * 16 + p[i] - '0';
        else if (letter >= 'a' && letter <= 'f') unit = unit * 16 + letter - 'a' + 10;
        else return -1;
    }
    return unit;
}

static char *put_utf8(char *to, int32_t c) {
    int tail = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    int lead = tail ? 0xF00 >> (tail + 1) : 0; /* a leading 1 bit for each byte of the sequence */
    *to++ = (char)(lead | c >> 6 * tail);
    while (tail--) *to++ = (char)(0x80 | (c >> 6 * tail & 0x3F));
    return to;
}

/* Decodes the \u escape at p, or both of a surrogate pair, to *to. */
static bool unicode_escape(struct reader *r, char **to) {
    int32_t c = code_unit(r->p);
    if (c < 0) return json_fail(r, "\\u is followed by four hexadecimal digits");
    int32_t low = c >> 10 == 0xD800 >> 10 ? code_unit(r->p + 6) : -1;
    if (low >> 10 == 0xDC00 >> 10) {
        c = 0x10000 + ((c & 0x3FF) << 10) + (low & 0x3FF);
        r->p += 6;
    } else if (c >> 11 == 0xD800 >> 11) {
        return json_fail(r, "a surrogate has no partner");
    }
    r->p += 6;
    *to = put_utf8(*to, c);
    return true;
}

static bool read_escape(struct reader *r, char **to) {
    static const char letters[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
    if (r->p[1] == 'u') return unicode_escape(r, to);
    const char *at = r->p[1] ? strchr(letters, r->p[1]) : NULL;
    if (at == NULL) return json_fail(r, "an unknown escape");
    *(*to)++ = meaning[at - letters];
    r->p += 2;
    return true;
}

/* Returns the number of bytes at p that need no decoding inside a string. ORs them into *bits. */
static size_t read_plain_run(const char *p, unsigned char *bits) {
    const unsigned char *at = (const unsigned char *)p;
    for (; *at >= 0x20 && *at != '"' && *at != '\\'; at++) *bits |= *at;
    return (size_t)(at - (const unsigned char *)p);
}

static bool string(struct reader *r, struct str *out) {
    char *begin = ++r->p, *to = begin;
    unsigned char bits = 0;
    for (;;) {
        size_t n = read_plain_run(r->p, &bits);
        if (to != r->p) memmove(to, r->p, n);
        to += n;
        r->p += n;
        if (*r->p == '"') break;
        if (*r->p != '\\') return json_fail(r, "a control character, or the end, inside a string");
        if (!read_escape(r, &to)) return false;
    }
    r->p++;
    *to = '\0';
    *out = (struct str){begin, (size_t)(to - begin)};
    /* Escapes decode to valid UTF-8, so invalid bytes were in the text itself. */
    if (bits < 0x80 || utf8_valid(*out)) return true;
    r->p = begin;
    return json_fail(r, "a string that is not UTF-8");
}

/* ---- duplicate members ----------------------------------------------------------------------- */

struct member {
    struct json *v;
    unsigned at;
};

static int by_name_and_place(const void *left, const void *right) {
    const struct member *l = left, *r = right;
    if (l->v->name.n != r->v->name.n) return l->v->name.n < r->v->name.n ? -1 : 1;
    int order = memcmp(l->v->name.p, r->v->name.p, l->v->name.n);
    return order ? order : l->at < r->at ? -1 : 1;
}

/* Drops each member that a later one of the same name replaces. Sorts, because comparing all pairs, or
 * hashing without a secret, would let a hostile body cost the square of its length. */
static void keep_later(struct arena *a, struct json *object) {
    unsigned n = 0, dropped = 0;
    struct arena_mark mark = arena_mark(a);
    struct member *m = arena_array(a, object->count, sizeof *m);
    for (struct json *v = object->first; v; v = v->next, n++) m[n] = (struct member){v, n};
    qsort(m, n, sizeof *m, by_name_and_place);
    for (unsigned i = 1; i < n; i++)
        if (str_eq(m[i - 1].v->name, m[i].v->name)) m[i - 1].v->name.p = NULL, dropped++;
    arena_return(a, mark);
    if (dropped == 0) return;
    struct json *v = object->first;
    for (object->first = object->last = NULL, object->count = 0; v;) {
        struct json *next = v->next;
        v->next = NULL;
        if (v->name.p) json_append(object, v);
        v = next;
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool read_some_digits(struct reader *r) {
    if (!is_digit(*r->p)) return json_fail(r, "a digit is missing");
    while (is_digit(*r->p)) r->p++;
    return true;
}

static bool json_read_number(struct reader *r, struct str *out) {
    char *begin = r->p;
    if (*r->p != '-' && !is_digit(*r->p)) return json_fail(r, "a value is expected");
    if (*r->p == '-') r->p++;
    if (*r->p == '0') r->p++;
    else if (!read_some_digits(r)) return false;
    if (*r->p == '.') {
        r->p++;
        if (!read_some_digits(r)) return false;
    }
    if (*r->p == 'e' || *r->p == 'E') {
        r->p++;
        if (*r->p == '+' || *r->p == '-') r->p++;
        if (!read_some_digits(r)) return false;
    }
    *out = (struct str){begin, (size_t)(r->p - begin)};
    return true;
}

static bool json_read_word(struct reader *r, const char *word) {
    size_t n = strlen(word);
    if (strncmp(r->p, word, n) != 0) return json_fail(r, "a value is expected");
    r->p += n;
    return true;
}

static bool container(struct reader *r, struct json *v, char close);

static struct json *value(struct reader *r) {
    struct json *v = ARENA_NEW(r->arena, struct json);
    bool ok;
    if (++r->values > LIMIT_JSON_VALUES)
        return json_fail(r, "more than " DIGITS(LIMIT_JSON_VALUES) " values"), NULL;
    switch (*r->p) {
    case '{': v->type = JSON_OBJECT, ok = container(r, v, '}'); break;
    case '[': v->type = JSON_ARRAY, ok = container(r, v, ']'); break;
    case '"': v->type = JSON_STRING, ok = string(r, &v->text); break;
    case 'n': v->type = JSON_NULL, ok = json_read_word(r, "null"); break;
    case 't': v->type = JSON_TRUE, ok = json_read_word(r, "true"); break;
    case 'f': v->type = JSON_FALSE, ok = json_read_word(r, "false"); break;
    default: v->type = JSON_NUMBER, ok = json_read_number(r, &v->text);
    }
    return ok ? v : NULL;
}

static bool member_name(struct reader *r, struct str *name) {
    if (*r->p != '"') return json_fail(r, "the name of a member is expected");
    if (!string(r, name)) return false;
    json_skip_blanks(r);
    if (*r->p != ':') return json_fail(r, "a colon is expected");
    r->p++;
    json_skip_blanks(r);
    return true;
}

static bool child(struct reader *r, struct json *parent) {
    struct str name = {0};
    if (parent->type == JSON_OBJECT && !member_name(r, &name)) return false;
    struct json *v = value(r);
    if (v == NULL) return false;
    v->name = name;
    json_append(parent, v);
    json_skip_blanks(r);
    return true;
}

static bool container(struct reader *r, struct json *v, char close) {
    if (r->depth == LIMIT_JSON_DEPTH) return json_fail(r, "more than " DIGITS(LIMIT_JSON_DEPTH) " levels");
    r->depth++;
    r->p++;
    json_skip_blanks(r);
    while (*r->p != close) {
        if (v->count) {
            if (*r->p != ',') return json_fail(r, "a comma or the closing bracket is expected");
            r->p++;
            json_skip_blanks(r);
        }
        if (!child(r, v)) return false;
    }
    r->p++;
    r->depth--;
    if (v->type == JSON_OBJECT) keep_later(r->arena, v);
    return true;
}

int json_parse(struct arena *a, struct str text, struct json **out, struct json_error *err) {
    char *copy = arena_alloc(a, text.n + 1);
    if (text.n) memcpy(copy, text.p, text.n);
    struct reader r = {.arena = a, .p = copy};
    json_skip_blanks(&r);
    struct json *v = value(&r);
    if (v) json_skip_blanks(&r);
    if (v && r.p != copy + text.n) v = NULL, json_fail(&r, "something follows the document");
    if (v == NULL) *err = (struct json_error){(size_t)(r.p - copy), r.reason};
    *out = v;
    return v ? 0 : -ERR_BODY_INVALID;
}

/* ---- the tree -------------------------------------------------------------------------------- */

struct json *json_new(struct arena *a, enum json_type type) {
    struct json *v = ARENA_NEW(a, struct json);
    v->type = type;
    return v;
}

struct json *json_string(struct arena *a, struct str s) {
    struct json *v = json_new(a, JSON_STRING);
    v->text = str_dup(a, s);
    return v;
}

void json_append(struct json *parent, struct json *child) {
    *(parent->last ? &parent->last->next : &parent->first) = child;
    parent->last = child;
    parent->count++;
}

struct str json_scalar(const struct json *j) {
    switch (j->type) {
    case JSON_TRUE: return S("1");
    case JSON_FALSE: return S("0");
    case JSON_NULL: return S("");
    case JSON_STRING:
    case JSON_NUMBER: return j->text;
    default: return (struct str){0};
    }
}

const struct json *json_member(const struct json *object, struct str name) {
    if (object == NULL || object->type != JSON_OBJECT) return NULL;
    for (const struct json *v = object->first; v; v = v->next)
        if (str_eq(v->name, name)) return v;
    return NULL;
}

struct str json_member_text(const struct json *object, const char *name) {
    const struct json *j = json_member(object, str_of(name));
    return j && j->type == JSON_STRING ? j->text : (struct str){0};
}

bool json_member_true(const struct json *object, const char *name) {
    const struct json *j = json_member(object, str_of(name));
    return j && j->type == JSON_TRUE;
}

const struct json *json_named(const struct json *object, struct str name) {
    if (object == NULL || object->type != JSON_OBJECT) return NULL;
    const struct json *found = NULL;
    for (const struct json *v = object->first; v; v = v->next)
        if (name_eq(v->name, name)) found = v;
    return found;
}
