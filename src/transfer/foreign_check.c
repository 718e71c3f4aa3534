/* Members of items: reading them, and checking items against the shapes of the systems. */
#include "transfer/foreign.h"

#include <string.h>

#include "base/clock.h"
#include "core/words.h"

/* ---- reading --------------------------------------------------------------------------------- */

bool whole_number(const struct json *value, int64_t *out) {
    if (!value || (value->type != JSON_NUMBER && value->type != JSON_STRING)) return false;
    struct str fraction = value->text, whole = str_cut(&fraction, '.');
    for (size_t i = 0; i < fraction.n; i++)
        if (fraction.p[i] != '0') return false;
    return str_to_int(whole, out);
}

int64_t item_int(const struct json *item, const char *name) {
    int64_t n = 0;
    return whole_number(json_member(item, str_of(name)), &n) ? n : 0;
}

static bool item_false(const struct json *item, const char *name) {
    const struct json *j = json_member(item, str_of(name));
    return j && j->type == JSON_FALSE;
}

int64_t item_time(const struct json *item, const char *name) {
    struct str text = json_member_text(item, name);
    int64_t ms = 0;
    return text.p && time_parse_iso(text, &ms) ? ms : 0;
}

const struct json *item_list(const struct json *item, const char *name) {
    const struct json *j = json_member(item, str_of(name));
    return j && j->type == JSON_ARRAY ? j : NULL;
}

bool foreign_is_empty(const struct json *value) {
    if (!value || value->type == JSON_NULL || value->type == JSON_FALSE) return true;
    if (value->type == JSON_STRING) return value->text.n == 0;
    if (value->type != JSON_ARRAY && value->type != JSON_OBJECT) return false;
    for (const struct json *j = value->first; j; j = j->next)
        if (!foreign_is_empty(j)) return false;
    return true;
}

/* ---- checking -------------------------------------------------------------------------------- */

static bool is_time(const struct json *value) {
    int64_t ms;
    return value->type == JSON_STRING && (value->text.n == 0 || time_parse_iso(value->text, &ms));
}

static unsigned types_of(const struct json *value) {
    int64_t n;
    unsigned types = whole_number(value, &n) ? MEMBER_ID : 0;
    switch (value->type) {
    case JSON_STRING: return types | MEMBER_TEXT | (is_time(value) ? MEMBER_TIME : 0);
    case JSON_TRUE:
    case JSON_FALSE: return MEMBER_FLAG;
    case JSON_ARRAY: return MEMBER_LIST;
    case JSON_OBJECT: return MEMBER_OBJECT;
    default: return types;
    }
}

static const char *words_of_types(struct arena *a, unsigned types) {
    static const char *const words[] = {"a whole number", "a text", "a time (ISO 8601)",
                                        "true or false",  "a list", "an object"};
    struct str said = S("");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (types & 1U << i)
            said = str_fmt(a, "%.*s%s%s", (int)said.n, said.p, said.n ? " or " : "", words[i]);
    return said.p;
}

static int check_member(struct foreign *f, const struct foreign_member *m, const struct json *value,
                        const char *path) {
    bool given = value && value->type != JSON_NULL;
    int64_t n;
    if (!given && m->is & MEMBER_NEEDED) return db_refuse(f->why, "%s%s is missing", path, m->name);
    if (given && !m->left && !(types_of(value) & m->is))
        return db_refuse(f->why, "%s%s is not %s", path, m->name, words_of_types(f->item, m->is));
    if (m->is == (MEMBER_ID | MEMBER_NEEDED) && whole_number(value, &n) && n <= 0)
        return db_refuse(f->why, "%s%s is not above 0", path, m->name);
    return 0;
}

bool foreign_lists(const char *words, struct str word) {
    for (const char *p = words; p && *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        if (n == word.n && memcmp(p, word.p, n) == 0) return true;
        p += n;
    }
    return false;
}

static bool shape_has(const struct foreign_shape *shape, struct str name) {
    const struct foreign_member *m = shape->members;
    while (m->name && !str_eq(str_of(m->name), name)) m++;
    return m->name || foreign_lists(shape->ignored, name);
}

enum { NAME_SHOWN = 60 };

/* In Zammad, a field of one's own is a member among the others. Its name goes to a terminal, so it loses
 * all bytes that are not ASCII. */
static void skip_unknown(struct foreign *f, const struct foreign_shape *shape, struct str name, int64_t id) {
    char shown[NAME_SHOWN + 1] = "";
    for (size_t i = 0; i < name.n && i < NAME_SHOWN; i++)
        shown[i] = name.p[i] > ' ' && name.p[i] < 0x7F ? name.p[i] : '?';
    foreign_skip(f, str_fmt(f->item, "values of the unknown member %s of %s", shown, shape->name).p, id);
}

int foreign_check(struct foreign *f, const struct foreign_shape *shape, const struct json *object,
                  const char *path, int64_t id) {
    if (object->type != JSON_OBJECT)
        return db_refuse(f->why, "%.*s is not an object", (int)strlen(path) - 1, path);
    for (const struct foreign_member *m = shape->members; m->name; m++) {
        const struct json *value = json_member(object, str_of(m->name));
        TRY(check_member(f, m, value, path));
        if (m->left && !foreign_is_empty(value)) foreign_skip(f, m->left, id);
    }
    for (const struct json *j = object->first; j; j = j->next)
        if (!foreign_is_empty(j) && !shape_has(shape, j->name)) skip_unknown(f, shape, j->name, id);
    return 0;
}

int foreign_word(struct foreign *f, const struct word *words, struct str text, int otherwise,
                 const char *unknown, int64_t id) {
    int found = text.n ? word_id(words, text) : otherwise;
    if (found < 0) foreign_skip(f, unknown, id);
    return found < 0 ? otherwise : found;
}

void foreign_fill(struct foreign *f, const struct foreign_shape *shape, const struct json *object, int64_t id,
                  void *record) {
    for (const struct foreign_member *m = shape->members; m->name; m++) {
        void *to = (char *)record + m->into - 1;
        struct str text = json_member_text(object, m->name);
        if (m->into == 0) continue;
        if (m->words) *(int64_t *)to = foreign_word(f, m->words, text, m->otherwise, m->unknown, id);
        else if (m->is & MEMBER_ID) *(int64_t *)to = item_int(object, m->name);
        else if (m->is & MEMBER_TIME) *(int64_t *)to = item_time(object, m->name);
        else if (m->is & MEMBER_LIST) *(const struct json **)to = item_list(object, m->name);
        else if (m->is & MEMBER_TEXT) *(struct str *)to = text;
        else if (m->is_negated ? item_false(object, m->name) : json_member_true(object, m->name))
            *(bool *)to = true;
    }
}
