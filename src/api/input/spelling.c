/* Detects a member in two spellings inside the values of parameters: {"title": 1, "Title": 2}. One of the
 * two would be lost. */
#include "api/input/input.h"

#include <stdlib.h>

/* True for objects whose keys are data: "Size" and "size" are two keys. */
static bool holds_keys(struct str name) {
    static const char *const maps[] = {"metadata",    "properties", "field_values",
                                       "permissions", "values",     NULL};
    for (int i = 0; maps[i]; i++)
        if (name_eq(name, str_of(maps[i]))) return true;
    return false;
}

/* The next letter as name_eq compares it; -1 at the end. */
static int name_letter(struct str s, size_t *i) {
    while (*i < s.n && s.p[*i] == '_') ++*i;
    if (*i == s.n) return -1;
    unsigned char c = (unsigned char)s.p[(*i)++];
    return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

static int compare_spellings(const void *left, const void *right) {
    struct str l = (*(const struct json *const *)left)->name, r = (*(const struct json *const *)right)->name;
    for (size_t i = 0, k = 0;;) {
        int a = name_letter(l, &i), b = name_letter(r, &k);
        if (a != b) return a < b ? -1 : 1;
        if (a < 0) return 0;
    }
}

static int object_once(struct call *c, const struct in *in, const struct json *object, struct str at) {
    const struct json **members = arena_array(c->work.arena, object->count + 1, sizeof *members);
    size_t n = 0;
    for (const struct json *j = object->first; j; j = j->next) members[n++] = j;
    qsort(members, n, sizeof *members, compare_spellings);
    for (size_t i = 1; i < n; i++)
        if (compare_spellings(&members[i - 1], &members[i]) == 0)
            return fail_at(&c->work, ERR_PARAMETERS_INCONSISTENT, in->name,
                           STR_CAT(c->work.arena, at, S("/"), members[i]->name),
                           "The field is given in two spellings.");
    return 0;
}

static int spelled_once(struct call *c, const struct in *in, const struct json *j, struct str at) {
    struct arena *a = c->work.arena;
    char number[INT_TEXT];
    int64_t i = 0;
    if (j->type == JSON_OBJECT && j->count > 1) TRY(object_once(c, in, j, at));
    if (j->type != JSON_OBJECT && j->type != JSON_ARRAY) return 0;
    for (const struct json *inner = j->first; inner; inner = inner->next, i++) {
        bool open = inner->type == JSON_OBJECT || inner->type == JSON_ARRAY;
        if (!open || (j->type == JSON_OBJECT && holds_keys(inner->name))) continue;
        TRY(spelled_once(c, in, inner,
                         STR_CAT(a, at, S("/"), j->type == JSON_OBJECT ? inner->name : str_int(number, i))));
    }
    return 0;
}

int input_spelled_once(struct call *c, const struct in *in) {
    return in->json ? spelled_once(c, in, in->json, in->pointer.p ? in->pointer : in->name) : 0;
}
