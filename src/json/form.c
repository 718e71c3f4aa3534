/* Parses application/x-www-form-urlencoded (URL standard, section 5.1) and makes a tree of bracketed
 * names.
 *
 * form_put only collects pairs. form_end has all pairs: it groups them by the first part of their names,
 * and each group again by the next part. It sorts, for two reasons: (1) no choice of names costs more than
 * n log n, and (2) the meaning of a name does not depend on the order of the pairs. */
#include "json/json.h"

#include "base/error.h"

#include <stdlib.h>

#define DIGITS_(n) #n
#define DIGITS(n) DIGITS_(n)

/* ---- names ----------------------------------------------------------------------------------- */

struct pair {
    struct json *value; /* has the whole name until it is placed in the tree */
    struct str key;     /* the part of the name that the pairs are being grouped by */
    int64_t order;      /* position among the pairs of its level */
};

/* The use of a key, derived from the part behind it. */
enum use { USE_VALUE = 1, USE_LIST = 2, USE_INDEX = 4, USE_MEMBER = 8 };

/* Returns the part before the first bracket. Returns the whole name if that part is empty or the brackets are
 * unbalanced. */
static struct str first_key(struct str name) {
    size_t base = 0;
    while (base < name.n && name.p[base] != '[' && name.p[base] != ']') base++;
    bool open = false;
    for (size_t i = base; i < name.n; i++) {
        bool bracket = name.p[i] == '[' || name.p[i] == ']';
        if (bracket ? name.p[i] != (open ? ']' : '[') : !open) return name;
        if (bracket) open = !open;
    }
    return open || base == 0 ? name : (struct str){name.p, base};
}

/* Returns the part behind the key; p is NULL if there is none. */
static struct str next_key(const struct pair *pair) {
    const char *at = pair->key.p + pair->key.n, *end = pair->value->name.p + pair->value->name.n;
    if (at < end && *at == ']') at++;
    if (at == end) return (struct str){0};
    const char *close = memchr(at, ']', (size_t)(end - at));
    return (struct str){at + 1, (size_t)(close - at - 1)};
}

/* Returns the value of a list index in canonical decimal, or -1 if the key is a name. */
static int64_t list_index(struct str key) {
    int64_t i;
    if (!str_to_int(key, &i) || key.p[0] == '-' || (key.p[0] == '0' && key.n > 1)) return -1;
    return i < LIMIT_FORM_NAMES ? i : -1;
}

static unsigned use_of(struct str next) {
    if (next.p == NULL) return USE_VALUE;
    if (next.n == 0) return USE_LIST;
    return list_index(next) >= 0 ? USE_INDEX : USE_MEMBER;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static int by_order(const void *left, const void *right) {
    const struct pair *l = left, *r = right;
    return (l->order > r->order) - (l->order < r->order);
}

static int compare_keys(const void *left, const void *right) {
    const struct pair *l = left, *r = right;
    if (l->key.n != r->key.n) return l->key.n < r->key.n ? -1 : 1;
    int order = memcmp(l->key.p, r->key.p, l->key.n);
    return order ? order : by_order(l, r);
}

static struct json *fold(struct arena *a, struct json *root, struct pair *p, size_t n);

/* Appends one child to parent for each key of the pairs. In a list each [] is a key of its own. */
static void form_fill(struct arena *a, struct json *root, struct json *parent, struct pair *p, size_t n) {
    bool list = parent->type == JSON_ARRAY;
    size_t kept = 0;
    qsort(p, n, sizeof *p, compare_keys);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && str_eq(p[end].key, p[i].key) && !(list && p[i].key.n == 0);) end++;
        struct pair child = p[end - 1];
        if (list) child.order = child.key.n ? list_index(child.key) : LIMIT_FORM_NAMES + child.order;
        child.value = fold(a, root, p + i, end - i);
        if (child.value) p[kept++] = child;
    }
    qsort(p, kept, sizeof *p, by_order);
    for (size_t i = 0; i < kept; i++) {
        p[i].value->name = list ? (struct str){0} : p[i].key;
        json_append(parent, p[i].value);
    }
}

/* Returns the last value of one name, chained to the earlier ones, because a list may be given by
 * repeating a name. */
static struct json *given_again(const struct pair *p, size_t n) {
    for (size_t i = 1; i < n; i++)
        if (p[i].value->type == JSON_STRING && p[i - 1].value->type == JSON_STRING)
            p[i].value->earlier = p[i - 1].value;
    return p[n - 1].value;
}

/* Returns the value of pairs that have the same key, in their order. If the pairs disagree about its type,
 * appends them to the root under their whole names and returns NULL. */
static struct json *fold(struct arena *a, struct json *root, struct pair *p, size_t n) {
    unsigned uses = 0;
    for (size_t i = 0; i < n; i++) uses |= use_of(next_key(&p[i]));
    if (uses == USE_VALUE) return given_again(p, n);
    struct json *v = root;
    if ((uses & (USE_VALUE | USE_MEMBER)) == 0) v = json_new(a, JSON_ARRAY);
    else if ((uses & (USE_VALUE | USE_LIST)) == 0) v = json_new(a, JSON_OBJECT);
    for (size_t i = 0; i < n; i++) p[i].key = v == root ? p[i].value->name : next_key(&p[i]);
    form_fill(a, root, v, p, n);
    return v != root && v->count ? v : NULL;
}

int form_end(struct arena *a, struct json *root) {
    size_t n = 0;
    struct pair *p = arena_array(a, root->count, sizeof *p);
    for (struct json *v = root->first, *next; v; v = next) {
        next = v->next;
        v->next = NULL;
        p[n] = (struct pair){.value = v, .key = first_key(v->name), .order = (int64_t)n};
        n++;
    }
    root->first = root->last = NULL;
    root->count = 0;
    form_fill(a, root, root, p, n);
    return 0;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static bool text_valid(struct str s) { return utf8_valid(s) && (s.n == 0 || memchr(s.p, '\0', s.n) == NULL); }

static int form_refuse(struct json_error *err, const char *reason) {
    *err = (struct json_error){.reason = reason};
    return -ERR_BODY_INVALID;
}

int form_put(struct arena *a, struct json *root, struct str name, struct json *value,
             struct json_error *err) {
    if (root->count == LIMIT_FORM_NAMES)
        return form_refuse(err, "more than " DIGITS(LIMIT_FORM_NAMES) " pairs");
    if (!text_valid(name)) return form_refuse(err, "a name with invalid UTF-8 or a NUL");
    if (value->type == JSON_STRING && !text_valid(value->text))
        return form_refuse(err, "a value with invalid UTF-8 or a NUL");
    size_t brackets = 0;
    for (size_t i = 0; i < name.n; i++) brackets += name.p[i] == '[';
    if (brackets > LIMIT_FORM_DEPTH)
        return form_refuse(err, "more than " DIGITS(LIMIT_FORM_DEPTH) " brackets in a name");
    value->name = str_dup(a, name);
    json_append(root, value);
    return 0;
}

static int form_digit(char c) {
    char lower = (char)(c | 0x20);
    if (c >= '0' && c <= '9') return c - '0';
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* A percent sign that two hexadecimal digits don't follow stays as it is. */
struct str form_decode(struct arena *a, struct str s) {
    char *out = arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        int high = -1, low = -1;
        if (s.p[i] == '%' && s.n - i > 2) high = form_digit(s.p[i + 1]), low = form_digit(s.p[i + 2]);
        if (high >= 0 && low >= 0) out[n++] = (char)(high << 4 | low), i += 2;
        else out[n++] = s.p[i] == '+' ? ' ' : s.p[i];
    }
    return (struct str){out, n};
}

int form_parse(struct arena *a, struct str text, struct json **out, struct json_error *err) {
    struct json *root = *out = json_new(a, JSON_OBJECT);
    for (struct str rest = text; rest.p;) {
        struct str value = str_cut(&rest, '&');
        if (value.n == 0) continue;
        size_t offset = (size_t)(value.p - text.p);
        struct str name = str_cut(&value, '=');
        struct json *v = json_new(a, JSON_STRING);
        v->text = value.p ? form_decode(a, value) : S("");
        int rc = form_put(a, root, form_decode(a, name), v, err);
        if (rc < 0) {
            err->offset = offset;
            return rc;
        }
    }
    return form_end(a, root);
}
