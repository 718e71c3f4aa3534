/* Languages, statuses, priorities, types, business hours and forms. Rows that each desk has are found by
 * their type. */
#include "base/error.h"
#include "core/cases/case.h"
#include "core/desk/locale.h"
#include "transfer/deskapi_parts.h"
#include "transfer/foreign_row.h"

/* ---- languages ------------------------------------------------------------------------------- */

QUERY(locale_with_code, "SELECT id FROM locales WHERE locale = :locale");
static const struct api_kind_here locales_here = {"locale", "/locales", "languages", NULL};

int take_api_locale(struct foreign *f, const struct json *item) {
    struct json *body = json_new(f->item, JSON_OBJECT);
    int64_t here = 0;
    int rc =
        db_int(f->conn, &locale_with_code, BINDS(B_TEXT("locale", json_member_text(item, "locale"))), &here);
    if (rc <= 0) return rc;
    foreign_here(f, "locale", item_int(item, "id"), here);
    if (!json_member_true(item, "is_enabled") || f->maps_ids) return 0;
    api_put(body, "is_enabled", json_new(f->item, JSON_TRUE));
    api_put(body, "is_public",
            json_new(f->item, json_member_true(item, "is_public") ? JSON_TRUE : JSON_FALSE));
    return api_row_give(f, &locales_here, item, body, here);
}

/* ---- words of conversations ------------------------------------------------------------------ */

static const struct api_kind_here statuses = {"case_status", "/cases/statuses", "statuses", NULL},
                                  priorities = {"case_priority", "/cases/priorities", "priorities", NULL},
                                  case_types = {"case_type", "/cases/types", "types", NULL};

QUERY(status_here, "SELECT id FROM case_statuses WHERE type = :word AND type <> 6 ORDER BY id LIMIT 1");
QUERY(priority_here, "SELECT id FROM case_priorities WHERE level = :word ORDER BY id LIMIT 1");
QUERY(type_here, "SELECT id FROM case_types WHERE type = :word AND type <> 5 ORDER BY id LIMIT 1");
QUERY(status_named, "SELECT MIN(id) FROM case_statuses "
                    "WHERE label = :label AND type = 6 AND is_deleted = 0 HAVING COUNT(*) = 1");
QUERY(priority_named, "SELECT MIN(id) FROM case_priorities WHERE label = :label HAVING COUNT(*) = 1");
QUERY(type_named, "SELECT MIN(id) FROM case_types WHERE label = :label AND type = 5 HAVING COUNT(*) = 1");

struct same_word {
    const struct query *by_word, *by_label;
};
static const struct same_word status_same = {&status_here, &status_named},
                              priority_same = {&priority_here, &priority_named},
                              type_same = {&type_here, &type_named};

/* Gives the row of this desk that means the same the names of the source, or makes one. */
static int take_word(struct foreign *f, const struct api_kind_here *k, const struct same_word *same,
                     int64_t word, const struct json *item) {
    struct json *body = api_body(f, api_parameters(k), item, NULL);
    int64_t here = 0;
    int rc = word ? db_int(f->conn, same->by_word, BINDS(B_INT("word", word)), &here) : 0;
    if (rc == 0 && f->maps_ids)
        rc = db_int(f->conn, same->by_label, BINDS(B_TEXT("label", json_member_text(item, "label"))), &here);
    TRY(rc);
    bool is_new = here == 0 || foreign_find(f, str_fmt(f->item, "%s here", k->type).p, here);
    if (is_new) rc = api_row_make(f, k, item, body, 0, &here);
    else rc = api_row_give(f, k, item, body, here);
    if (rc >= 0 && here) foreign_here(f, str_fmt(f->memory, "%s here", k->type).p, here, here);
    return rc < 0 ? rc : 0;
}

int take_api_status(struct foreign *f, const struct json *item) {
    return take_word(f, &statuses, &status_same, api_word(status_types, json_member_text(item, "type")),
                     item);
}
int take_api_priority(struct foreign *f, const struct json *item) {
    return take_word(f, &priorities, &priority_same, item_int(item, "level"), item);
}
int take_api_type(struct foreign *f, const struct json *item) {
    return take_word(f, &case_types, &type_same, api_word(case_type_types, json_member_text(item, "type")),
                     item);
}

/* ---- business hours -------------------------------------------------------------------------- */

QUERY(default_hours_here, "SELECT id FROM business_hours WHERE is_default = 1");
static const struct api_kind_here business_hours = {"business_hour", "/businesshours", "business hours",
                                                    NULL};

int take_api_hours(struct foreign *f, const struct json *item) {
    struct json *body = api_body(f, api_parameters(&business_hours), item, NULL);
    int64_t here;
    if (!json_member_true(item, "is_default")) {
        int rc = api_row_make(f, &business_hours, item, body, 0, &here);
        return rc < 0 ? rc : 0;
    }
    foreign_explain(f, "default hours", item_int(item, "id"), (struct str){0}, 1);
    TRY(db_int(f->conn, &default_hours_here, NULL, &here));
    return api_row_give(f, &business_hours, item, body, here);
}

/* ---- forms ----------------------------------------------------------------------------------- */

static const struct api_kind_here forms = {"case_form", "/cases/forms", "forms", NULL};

static struct json *fields_of_form(struct foreign *f, const struct json *item) {
    struct json *ids = json_new(f->item, JSON_ARRAY);
    const struct json *list = item_list(item, "fields");
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        int64_t here = api_here(f, "case_field", item_int(j, "id"));
        if (here) json_append(ids, json_string(f->item, str_fmt(f->item, "%lld", (long long)here)));
    }
    return ids;
}

/* A form becomes the default if there is none. The times of change stay. */
QUERY(forms_no_default, "UPDATE case_forms SET is_default = 0 WHERE is_default = 1");
QUERY(form_the_default, "UPDATE case_forms SET is_default = 1 WHERE id = :id");
QUERY(form_no_default, "UPDATE case_forms SET is_default = 0 WHERE id = :id");

int take_api_form(struct foreign *f, const struct json *item) {
    struct json *body =
        api_body(f, api_parameters(&forms), item, "customer_title description case_field_ids");
    int64_t here;
    struct json *fields = fields_of_form(f, item);
    if (fields->count) api_put(body, "case_field_ids", fields);
    int rc = api_row_make(f, &forms, item, body, 0, &here);
    if (rc <= 0) return rc;
    bool is_default = json_member_true(item, "is_default") && !f->maps_ids;
    if (is_default) TRY(db_exec(f->conn, &forms_no_default, NULL));
    return db_exec(f->conn, is_default ? &form_the_default : &form_no_default, BINDS(B_INT("id", here)));
}
