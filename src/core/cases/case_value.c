#include "core/cases/case_value.h"

#include "core/change/change.h"

QUERY(case_values_now, "SELECT field_id, value FROM field_values WHERE owner_id = :id AND area = 1");
QUERY(case_values_missing,
      "SELECT f.key FROM custom_fields f "
      "WHERE f.area = 1 AND f.is_enabled = 1 AND f.is_system = 0 AND f.is_required_on_resolution = 1 "
      "AND NOT EXISTS (SELECT 1 FROM field_values v WHERE v.owner_id = :id AND v.area = 1 "
      "AND v.field_id = f.id) AND (:form = 0 OR EXISTS (SELECT 1 FROM case_form_fields m "
      "WHERE m.form_id = :form AND m.field_id = f.id)) "
      "ORDER BY f.sort_order, f.id");

/* Reads the stored value of each of the fields; p NULL: none. */
static int read_values_now(struct work *w, int64_t case_id, const struct field_value *values, int count,
                           struct str *now) {
    int rc;
    DB_ROWS(rc, w->conn, &case_values_now, BINDS(B_INT("id", case_id)), row)
    for (int i = 0; i < count; i++)
        if (values[i].field->id == col_int(row, 0)) now[i] = str_dup(w->arena, col_text(row, 1));
    return rc;
}

int case_values_change(struct work *w, int64_t case_id, const struct field_value *values, int count) {
    struct str *now = arena_array(w->arena, (size_t)count + 1, sizeof *now);
    struct field_value *differ = arena_array(w->arena, (size_t)count + 1, sizeof *differ);
    int n = 0;
    if (count == 0) return 0;
    TRY(read_values_now(w, case_id, values, count, now));
    for (int i = 0; i < count; i++) {
        struct str key = values[i].field->key, value = values[i].value;
        if ((value.p == NULL) == (now[i].p == NULL) && str_eq(value, now[i])) continue;
        differ[n++] = values[i];
        change_property(w, (struct changed){"case", case_id, case_id},
                        str_fmt(w->arena, "custom_fields.%.*s", (int)key.n, key.p).p, changed_text(now[i]),
                        changed_text(value));
    }
    return field_values_put(w, AREA_CASES, case_id, differ, n);
}

int case_check_resolution(struct work *w, int64_t case_id, int64_t form_id, enum status_type type) {
    int rc;
    if (!status_is_done(type) || w->actor.rank < ROLE_COLLABORATOR) return 0;
    DB_ROWS(rc, w->conn, &case_values_missing, BINDS(B_INT("id", case_id), B_INT("form", form_id)), row) {
        struct str key = str_dup(w->arena, col_text(row, 0));
        fail_at(w, ERR_FIELD_REQUIRED, S("field_values"),
                str_fmt(w->arena, "field_values/%.*s", (int)key.n, key.p),
                "The field needs a value before the conversation is completed or closed.");
    }
    if (rc < 0) return rc;
    return failed(w) ? -(int)failure(w) : 0;
}
