#include "core/fields/field_value.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/pattern.h"
#include "core/desk/file.h"
#include "json/json.h"

#include <assert.h>
#include <inttypes.h>

QUERY(fields_locked,
      "SELECT id FROM custom_fields WHERE area = :area AND key IN @TEXTS(:keys) ORDER BY id @LOCK@");
QUERY(field_options_listed,
      "SELECT id, field_id FROM custom_field_options WHERE field_id IN @LIST(:fields) ORDER BY field_id, id");

#define THIS_VALUE "owner_id = :owner AND area = :area AND field_id = :field"
QUERY(value_exists, "SELECT 1 FROM field_values WHERE " THIS_VALUE);
QUERY(value_put, "INSERT INTO field_values (area, owner_id, field_id, value, value_key, file_id) "
                 "VALUES (:area, :owner, :field, :value, :key, :file) "
                 "ON CONFLICT (owner_id, area, field_id) DO UPDATE "
                 "SET value = excluded.value, value_key = excluded.value_key, file_id = excluded.file_id");
QUERY(value_drop, "DELETE FROM field_values WHERE " THIS_VALUE);
QUERY(value_files, "SELECT v.file_id, v.field_id FROM field_values v "
                   "WHERE v.owner_id = :owner AND v.area = :area AND v.file_id IS NOT NULL");
QUERY(values_drop, "DELETE FROM field_values WHERE area = :area AND owner_id IN @LIST(:owners)");

/* A write that stores values locks their owner's row until it ends. */
QUERY(case_held, "SELECT id FROM cases WHERE id = :owner @HOLD@");
QUERY(user_held, "SELECT id FROM users WHERE id = :owner @HOLD@");
QUERY(organization_held, "SELECT id FROM organizations WHERE id = :owner @HOLD@");
static const struct query *const held[] = {
    [AREA_CASES] = &case_held, [AREA_USERS] = &user_held, [AREA_ORGANIZATIONS] = &organization_held};

int fields_lock(struct work *w, enum field_area area, struct str keys) {
    int rc;
    DB_ROWS(rc, w->conn, &fields_locked, BINDS(B_INT("area", area), B_TEXT("keys", keys)), row) continue;
    return rc;
}

int field_options_of(struct work *w, struct str fields, struct field_option **out) {
    struct field_option *list = NULL;
    int n = 0, cap = 0, rc;
    DB_ROWS(rc, w->conn, &field_options_listed, BINDS(B_TEXT("fields", fields)), row) {
        list = arena_more(w->arena, list, n, &cap, sizeof *list);
        list[n++] = (struct field_option){col_int(row, 0), col_int(row, 1)};
    }
    *out = list;
    return rc < 0 ? rc : n;
}

/* ---- one value of a type --------------------------------------------------------------------- */

struct reading {
    struct arena *a;
    const struct custom_field *field;
    const struct field_option *options;
    int option_count;
    struct str text, *value;
};

static const char *field_read_line(struct reading *r) {
    *r->value = r->text;
    return text_wrong(r->a, r->text, LIMIT_TITLE, true);
}

static const char *read_lines(struct reading *r) {
    *r->value = r->text;
    return text_wrong(r->a, r->text, LIMIT_TEXT, false);
}

static bool is_option(const struct reading *r, int64_t id) {
    for (int i = 0; i < r->option_count; i++)
        if (r->options[i].id == id && r->options[i].field_id == r->field->id) return true;
    return false;
}

static const char *field_read_option(struct reading *r) {
    int64_t id;
    if (!str_to_int(r->text, &id) || !is_option(r, id))
        return "The id of an option of this field is expected.";
    *r->value = str_fmt(r->a, "%" PRId64, id);
    return NULL;
}

/* Sorted and without duplicates, so that equal choices are equal texts. */
static const char *read_options(struct reading *r) {
    int64_t ids[LIMIT_OPTIONS];
    int n = 0;
    for (struct str rest = r->text; rest.p;) {
        struct str item = str_trim(str_cut(&rest, ','));
        if (item.n == 0) continue;
        if (n == LIMIT_OPTIONS || !str_to_int(item, &ids[n]) || !is_option(r, ids[n]))
            return "Ids of options of this field are expected, separated by commas.";
        n++;
    }
    struct buf b = {0};
    n = ids_sort_once(ids, n);
    for (int i = 0; i < n; i++) {
        if (i) buf_char(&b, ',');
        buf_int(&b, ids[i]);
    }
    *r->value = buf_take(&b, r->a);
    return NULL;
}

/* A date, or a time on it: the date is used as written, and the offset is ignored. */
static const char *read_date(struct reading *r) {
    static const char expected[] = "A date like 2026-11-21 or 2026-11-21T00:00:00+00:00 is expected.";
    int64_t ms;
    struct str s = r->text;
    if (s.n < 10 || s.n > LIMIT_DATE || s.p[4] != '-' || s.p[7] != '-') return expected;
    if (!time_parse_iso(s.n == 10 ? str_fmt(r->a, "%.10sT00:00:00+00:00", s.p) : str_dup(r->a, s), &ms))
        return expected;
    *r->value = (struct str){s.p, 10};
    return NULL;
}

/* field_files_usable checks existence and owner. */
static const char *field_read_file(struct reading *r) {
    int64_t id;
    if (!str_to_int(r->text, &id) || id <= 0) return "The id of a file of POST /files is expected.";
    *r->value = str_fmt(r->a, "%" PRId64, id);
    return NULL;
}

static const char *field_read_number(struct reading *r) {
    int64_t v;
    if (!str_to_int(r->text, &v)) return "A whole number is expected.";
    *r->value = str_fmt(r->a, "%" PRId64, v);
    return NULL;
}

static size_t count_digits(struct str s, size_t at) {
    size_t n = 0;
    while (at + n < s.n && s.p[at + n] >= '0' && s.p[at + n] <= '9') n++;
    return n;
}

static const char *read_decimal(struct reading *r) {
    static const char expected[] = "A number like 12.5 is expected, of at most 18 digits on either side of "
                                   "the point.";
    struct str s = r->text;
    bool minus = s.n && s.p[0] == '-';
    size_t at = minus, whole = count_digits(s, at);
    if (whole == 0 || whole > 18) return expected;
    size_t point = at + whole;
    if (point < s.n) {
        size_t fraction = s.p[point] == '.' ? count_digits(s, point + 1) : 0;
        if (fraction == 0 || fraction > 18 || point + 1 + fraction != s.n) return expected;
    }
    while (whole > 1 && s.p[at] == '0') at++, whole--;
    *r->value = str_fmt(r->a, "%s%.*s", minus ? "-" : "", (int)(s.n - at), s.p + at);
    return NULL;
}

static const char *read_yes_no(struct reading *r) {
    struct str s = r->text;
    bool yes = str_eqi(s, S("yes")) || str_eqi(s, S("true")) || str_eq(s, S("1"));
    bool no = str_eqi(s, S("no")) || str_eqi(s, S("false")) || str_eq(s, S("0"));
    *r->value = yes ? S("yes") : S("no");
    return yes || no ? NULL : "yes or no is expected.";
}

static const char *read_matching(struct reading *r) {
    const char *why = field_read_line(r);
    if (why || r->field->regular_expression.p == NULL) return why;
    int found = pattern_found(r->field->regular_expression, r->text);
    if (found < 0)
        return "The text could not be matched against the field's regular expression within the "
               "limits.";
    return found ? NULL : "The text does not match the field's regular expression.";
}

static const char *(*const readers[])(struct reading *r) = {
    [FIELD_TEXT] = field_read_line,
    [FIELD_TEXTAREA] = read_lines,
    [FIELD_CHECKBOX] = read_options,
    [FIELD_RADIO] = field_read_option,
    [FIELD_SELECT] = field_read_option,
    [FIELD_DATE] = read_date,
    [FIELD_FILE] = field_read_file,
    [FIELD_NUMERIC] = field_read_number,
    [FIELD_DECIMAL] = read_decimal,
    [FIELD_YESNO] = read_yes_no,
    [FIELD_CASCADINGSELECT] = field_read_option,
    [FIELD_REGEX] = read_matching,
};

const char *field_value_read(struct arena *a, const struct custom_field *f,
                             const struct field_option *options, int option_count, struct str text,
                             struct str *value) {
    bool free_text = f->type == FIELD_TEXT || f->type == FIELD_TEXTAREA || f->type == FIELD_REGEX;
    struct reading r = {a, f, options, option_count, free_text ? text : str_trim(text), value};
    bool takes_values = f->type >= FIELD_TEXT && f->type <= FIELD_REGEX; /* the type comes from the store */
    return takes_values ? readers[f->type](&r) : "The type of this field takes no values.";
}

/* ---- keeping --------------------------------------------------------------------------------- */

int field_value_exists(struct work *w, const struct custom_field *f, int64_t owner_id) {
    int64_t one;
    return db_int(w->conn, &value_exists,
                  BINDS(B_INT("area", f->area), B_INT("owner", owner_id), B_INT("field", f->id)), &one);
}

static int put_values(struct work *w, enum field_area area, int64_t owner_id,
                      const struct field_value *values, int count) {
    for (int i = 0; i < count; i++) {
        struct str value = values[i].value,
                   key = value.p ? field_value_key(w->arena, values[i].field->type, value) : value;
        TRY(db_later(w->conn, value.p ? &value_put : &value_drop,
                     BINDS(B_INT("area", area), B_INT("owner", owner_id), B_INT("field", values[i].field->id),
                           B_TEXT("value", value), B_TEXT("key", key),
                           B_ID("file", field_value_file(&values[i])))));
    }
    return 0;
}

int field_values_put(struct work *w, enum field_area area, int64_t owner_id, const struct field_value *values,
                     int count) {
    const struct bind *binds = BINDS(B_INT("area", area), B_INT("owner", owner_id));
    struct str before, after;
    bool files = false;
    if (count == 0) return 0;
    int found = db_int(w->conn, held[area], binds, &owner_id);
    if (found <= 0) return found < 0 ? found : fail(w, ERR_RESOURCE_NOT_FOUND);
    for (int i = 0; i < count; i++) files = files || values[i].field->type == FIELD_FILE;
    if (!files) return put_values(w, area, owner_id, values, count);
    TRY(files_listed(w, &value_files, binds, &before));
    TRY(put_values(w, area, owner_id, values, count));
    TRY(files_listed(w, &value_files, binds, &after));
    TRY(files_attached(w, after));
    return files_released(w, before);
}

/* ---- files ----------------------------------------------------------------------------------- */

int64_t field_value_file(const struct field_value *v) {
    int64_t id = 0;
    return v->field->type == FIELD_FILE && v->value.p && str_to_int(v->value, &id) ? id : 0;
}

int field_files_usable(struct work *w, enum field_area area, int64_t owner_id,
                       const struct field_value *values, int count, bool *usable) {
    int64_t *ids = arena_array(w->arena, (size_t)count + 1, sizeof *ids), *own;
    int rc;
    size_t n = 0;
    for (int i = 0; i < count; i++)
        if (field_value_file(&values[i])) ids[n++] = field_value_file(&values[i]);
    if (n == 0) return 0;
    int found = files_own(w, json_ids(w->arena, ids, n), &own);
    TRY(found);
    for (int i = 0; i < count; i++) usable[i] = ids_have(own, found, field_value_file(&values[i]));
    DB_ROWS(rc, w->conn, &value_files, BINDS(B_INT("area", area), B_INT("owner", owner_id)), row)
    for (int i = 0; i < count; i++)
        if (field_value_file(&values[i]) == col_int(row, 0) && values[i].field->id == col_int(row, 1))
            usable[i] = true;
    return rc;
}

int field_values_drop(struct work *w, enum field_area area, struct str owners) {
    return db_exec(w->conn, &values_drop, BINDS(B_INT("area", area), B_TEXT("owners", owners)));
}

QUERY(value_files_drop,
      "DELETE FROM field_values WHERE owner_id = :owner AND area = :area AND file_id IS NOT NULL");

int field_files_drop(struct work *w, enum field_area area, int64_t owner_id) {
    const struct bind *binds = BINDS(B_INT("area", area), B_INT("owner", owner_id));
    struct str files;
    int n = files_listed(w, &value_files, binds, &files);
    if (n <= 0) return n;
    TRY(db_exec(w->conn, &value_files_drop, binds));
    return files_dropped(w, files);
}
