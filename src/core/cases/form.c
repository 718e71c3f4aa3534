#include "core/cases/form.h"

#include "core/change/change.h"

QUERY(form_fits, "SELECT 1 FROM case_forms f "
                 "WHERE f.id = :form AND f.is_enabled = 1 AND f.is_deleted = 0 AND (f.brand_id IS NULL "
                 "OR f.brand_id = :brand OR (:brand = 0 AND f.brand_id IN (SELECT b.id FROM brands b "
                 "WHERE b.is_default = 1)))");
QUERY(form_of_case, "SELECT COALESCE(form_id, 0) FROM cases WHERE id = :id");
QUERY(form_fields_listed,
      "SELECT field_id FROM case_form_fields WHERE form_id = :form ORDER BY sort_order, field_id");
QUERY(form_fields_drop, "DELETE FROM case_form_fields WHERE form_id = :form");
QUERY(form_field_put,
      "INSERT INTO case_form_fields (form_id, field_id, sort_order) VALUES (:form, :field, :place)");
QUERY(form_placed,
      "UPDATE case_forms SET sort_order = (SELECT COALESCE(MAX(f.sort_order), 0) + 1 FROM case_forms f), "
      "is_default = CASE WHEN EXISTS (SELECT 1 FROM case_forms f WHERE f.is_default = 1) "
      "OR is_enabled = 0 THEN 0 ELSE 1 END WHERE id = :form");
QUERY(form_default_now, "SELECT id FROM case_forms WHERE is_default = 1");
QUERY(form_default_unset, "UPDATE case_forms SET is_default = 0, updated_at = :now WHERE is_default = 1");
QUERY(form_default_set, "UPDATE case_forms SET is_default = 1, updated_at = :now WHERE id = :form");
QUERY(forms_mark_deleted,
      "UPDATE case_forms SET is_deleted = 1, is_enabled = 0, is_default = 0, updated_at = :now "
      "WHERE id IN @LIST(:ids)");

int case_form_check(struct work *w, int64_t form_id, int64_t brand_id) {
    int64_t one;
    if (form_id == 0) return 0;
    int rc = db_int(w->conn, &form_fits, BINDS(B_INT("form", form_id), B_INT("brand", brand_id)), &one);
    if (rc) return rc < 0 ? rc : 0;
    return fail_field(w, ERR_FIELD_INVALID, S("form_id"),
                      "The form is disabled, or belongs to another brand. Send a form of the conversation's "
                      "brand.");
}

int case_form_of(struct work *w, int64_t case_id, int64_t *form_id) {
    *form_id = 0;
    return db_int(w->conn, &form_of_case, BINDS(B_INT("id", case_id)), form_id);
}

int case_form_fields(struct work *w, int64_t form_id, int64_t **ids) {
    return db_ids(w->conn, &form_fields_listed, BINDS(B_INT("form", form_id)), w->arena, ids);
}

int case_form_fields_put(struct work *w, int64_t form_id, const int64_t *ids, int count) {
    TRY(db_exec(w->conn, &form_fields_drop, BINDS(B_INT("form", form_id))));
    for (int i = 0; i < count; i++)
        TRY(db_exec(w->conn, &form_field_put,
                    BINDS(B_INT("form", form_id), B_INT("field", ids[i]), B_INT("place", i + 1))));
    return 0;
}

int case_form_place(struct work *w, int64_t form_id) {
    return db_exec(w->conn, &form_placed, BINDS(B_INT("form", form_id)));
}

int case_form_set_default(struct work *w, int64_t form_id) {
    int64_t before = 0;
    const struct bind *binds = BINDS(B_INT("form", form_id), B_INT("now", w->now));
    TRY(db_int(w->conn, &form_default_now, NULL, &before));
    if (before == form_id) return 0;
    if (before)
        change_property(w, (struct changed){"case_form", before, 0}, "is_default", changed_bool(true),
                        changed_bool(false));
    change_property(w, (struct changed){"case_form", form_id, 0}, "is_default", changed_bool(false),
                    changed_bool(true));
    TRY(db_exec(w->conn, &form_default_unset, binds));
    return db_exec(w->conn, &form_default_set, binds);
}

int case_forms_remove(struct work *w, struct str ids) {
    return db_exec(w->conn, &forms_mark_deleted, BINDS(B_TEXT("ids", ids), B_INT("now", w->now)));
}
