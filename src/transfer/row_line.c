#include "transfer/row_line.h"

#include <errno.h>
#include <math.h>
#include <sodium.h>
#include <stdlib.h>

#include "base/error.h"
#include "json/json.h"

static const struct {
    const char *name;
    enum value_kind kind;
} types[] = {{"integer", VALUE_INT}, {"real", VALUE_REAL}, {"text", VALUE_TEXT}, {"bytes", VALUE_BYTES}};
enum { TYPES = sizeof types / sizeof *types };

const char *column_type(enum value_kind kind) {
    int i = 0;
    while (i < TYPES - 1 && types[i].kind != kind) i++;
    return types[i].name;
}

bool column_kind(struct str type, enum value_kind *out) {
    for (int i = 0; i < TYPES; i++) {
        if (!str_eq(type, str_of(types[i].name))) continue;
        *out = types[i].kind;
        return true;
    }
    return false;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void bytes_write(struct buf *out, struct str bytes) {
    size_t room = sodium_base64_encoded_len(bytes.n, sodium_base64_VARIANT_ORIGINAL); /* with a NUL */
    buf_char(out, '"');
    buf_reserve(out, room);
    sodium_bin2base64(out->p + out->n, room, (const unsigned char *)bytes.p, bytes.n,
                      sodium_base64_VARIANT_ORIGINAL);
    out->n += room - 1;
    buf_char(out, '"');
}

static const char *value_write(struct buf *out, struct json_writer *w, const struct value *v) {
    switch (v->kind) {
    case VALUE_NULL: buf_text(out, "null"); break;
    case VALUE_INT: buf_int(out, v->i); break;
    case VALUE_REAL:
        if (!isfinite(v->r)) return "is not a finite number";
        buf_fmt(out, "%.17g", v->r);
        break;
    case VALUE_TEXT:
        if (v->s.n && memchr(v->s.p, 0, v->s.n))
            return "contains U+0000, which JSON of this format can't express";
        jw_str(w, v->s);
        break;
    case VALUE_BYTES: bytes_write(out, v->s); break;
    case VALUE_OWN: break;
    }
    return NULL;
}

int row_write(struct buf *out, const struct move_table *t, const struct value *row, struct why why) {
    for (int i = 0; i < t->count; i++) {
        struct json_writer w;
        buf_char(out, i ? ',' : '{');
        buf_char(out, '"');
        buf_text(out, t->columns[i].name);
        buf_text(out, "\":");
        jw_init(&w, out);
        const char *wrong = value_write(out, &w, &row[i]);
        if (wrong)
            return db_refuse(why, "%s.%s of a row %s: correct that row first", t->name, t->columns[i].name,
                             wrong);
    }
    buf_text(out, "}\n");
    return 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool real_read(struct arena *a, struct str text, double *out) {
    const char *p = str_dup(a, text).p;
    char *end;
    errno = 0;
    *out = strtod(p, &end);
    return *end == 0 && isfinite(*out);
}

static bool bytes_read(struct arena *a, struct str text, struct str *out) {
    unsigned char *p = arena_bytes(a, text.n + 1);
    size_t n;
    const char *end;
    int rc = sodium_base642bin(p, text.n + 1, text.p, text.n, NULL, &n, &end, sodium_base64_VARIANT_ORIGINAL);
    *out = (struct str){(const char *)p, n};
    return rc == 0 && end == text.p + text.n;
}

static bool value_read(struct arena *a, const struct json *j, enum value_kind kind, struct value *out) {
    *out = (struct value){.kind = j->type == JSON_NULL ? VALUE_NULL : kind};
    if (j->type == JSON_NULL) return true;
    switch (kind) {
    case VALUE_INT: return j->type == JSON_NUMBER && str_to_int(j->text, &out->i);
    case VALUE_REAL: return j->type == JSON_NUMBER && real_read(a, j->text, &out->r);
    case VALUE_TEXT: out->s = j->text; return j->type == JSON_STRING;
    case VALUE_BYTES: return j->type == JSON_STRING && bytes_read(a, j->text, &out->s);
    case VALUE_NULL:
    case VALUE_OWN: break;
    }
    return false;
}

/* Refuses members of which the table has no column. */
static int unknown_member(const struct json *object, const struct move_table *t, struct why why) {
    for (const struct json *j = object->first; j; j = j->next) {
        int i = 0;
        while (i < t->count && !str_eq(j->name, str_of(t->columns[i].name))) i++;
        if (i == t->count)
            return db_refuse(why, "the table %s has no column \"%.*s\"", t->name,
                             (int)(j->name.n < 60 ? j->name.n : 60), j->name.p);
    }
    return db_refuse(why, "the line has too many members");
}

int row_read(struct arena *a, struct str line, const struct move_table *t, struct value *row,
             struct why why) {
    struct json *object;
    struct json_error wrong;
    if (json_parse(a, line, &object, &wrong) < 0)
        return db_refuse(why, "byte %zu: %s", wrong.offset + 1, wrong.reason);
    if (object->type != JSON_OBJECT) return db_refuse(why, "the line is not a JSON object");
    const struct json *next = object->first;
    for (int i = 0; i < t->count; i++) {
        struct str name = str_of(t->columns[i].name);
        const struct json *j = next && str_eq(next->name, name) ? next : json_member(object, name);
        if (!j) return db_refuse(why, "the member \"%s\" is missing", name.p);
        if (!value_read(a, j, t->columns[i].kind, &row[i]))
            return db_refuse(why, "%s must be of the type %s, or null", name.p,
                             column_type(t->columns[i].kind));
        next = j->next;
    }
    return (int)object->count == t->count ? 0 : unknown_member(object, t, why);
}
