/* Forms of conversations. */
#include "core/cases/form.h"

#include "api/rows/generic.h"
#include "base/limits.h"
#include "res/groups.h"
#include "res/translation.h"

/* ---- input ----------------------------------------------------------------------------------- */

static int check_form_titles(struct call *c, struct in *in) {
    return check_translations(c, in, CUSTOMER_TITLE_OF_FORM);
}
static int check_form_descriptions(struct call *c, struct in *in) {
    return check_translations(c, in, DESCRIPTION_OF_FORM);
}
static int store_form_titles(struct call *c, const struct in *in, int64_t id) {
    return store_translations(c, in, id, CUSTOMER_TITLE_OF_FORM);
}
static int store_form_descriptions(struct call *c, const struct in *in, int64_t id) {
    return store_translations(c, in, id, DESCRIPTION_OF_FORM);
}

static int store_form_title(struct call *c, const struct in *in, int64_t id) {
    return translation_put(&c->work, CUSTOMER_TITLE_OF_FORM, id,
                           (struct translation){locale_now(&c->work), in->value.s});
}
static int store_form_description(struct call *c, const struct in *in, int64_t id) {
    return translation_put(&c->work, DESCRIPTION_OF_FORM, id,
                           (struct translation){locale_now(&c->work), in->value.s});
}

QUERY(fields_of_cases,
      "SELECT id FROM custom_fields WHERE id IN @LIST(:ids) AND area = 1 AND deleted_at IS NULL "
      "ORDER BY id @LOCK@");

static int check_form_fields(struct call *c, struct in *in) {
    struct work *w = &c->work;
    int64_t *known;
    int n = db_ids(w->conn, &fields_of_cases,
                   BINDS(B_TEXT("ids", json_ids(w->arena, in->value.ids, (size_t)in->value.i))), w->arena,
                   &known);
    TRY(n);
    return in_among(c, in, known, n,
                    "There is no field of conversations with this id. GET /cases/fields lists them.");
}

static int store_form_fields(struct call *c, const struct in *in, int64_t id) {
    return case_form_fields_put(&c->work, id, in->value.ids, (int)in->value.i);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Customers and callers without login get only fields that they see. */
#define FIELDS_OF_FORM                                                                      \
    "SELECT m.form_id, m.field_id FROM case_form_fields m "                                 \
    "JOIN custom_fields f ON f.id = m.field_id "                                            \
    "WHERE m.form_id IN @LIST(:ids) AND f.deleted_at IS NULL AND ((f.is_enabled = 1 "       \
    "AND f.is_visible_to_customers = 1) OR EXISTS (SELECT 1 FROM users u WHERE u.id = :me " \
    "AND u.role_type > 1)) ORDER BY m.form_id, m.sort_order, m.field_id"

static const struct field form_fields[] = {
    {"title", F_TEXT, REQUIRED, .doc = "Title for staff.", .example = "\"Repairs\""},
    {"is_visible_to_customers", F_BOOL, 0, .initial = "0", .doc = "True if customers may use the form."},
    {"customer_titles", F_MANY, NULLABLE, .ref = "locale_field", .many = TRANSLATIONS_OF("5"),
     .check = check_form_titles, .store = store_form_titles,
     .doc = "Titles that customers see: a list of {locale, translation}.",
     .example = "[{\"locale\": \"en-us\", \"translation\": \"Ask for a repair\"}]"},
    {"customer_title", F_TEXT, 0, .column = TRANSLATION_OF("5"), .store = store_form_title,
     .doc = "Title that customers see, in the default locale.", .example = "\"Ask for a repair\""},
    {"descriptions", F_MANY, NULLABLE, .ref = "locale_field", .many = TRANSLATIONS_OF("6"),
     .check = check_form_descriptions, .store = store_form_descriptions,
     .doc = "Descriptions in several locales: a list of {locale, translation}.",
     .example = "[{\"locale\": \"en-us\", \"translation\": \"For engines under warranty.\"}]"},
    {"description", F_LONG, 0, .column = TRANSLATION_OF("6"), .store = store_form_description,
     .doc = "Description in the default locale.", .example = "\"For engines under warranty.\""},
    {"is_enabled", F_BOOL, 0, .initial = "1",
     .doc = "True if new conversations may use the form. The default form is "
            "always enabled."},
    {"is_default", F_BOOL, READONLY,
     .doc = "True for the form that is offered first. PUT /cases/forms/default "
            "changes it."},
    {"is_deleted", F_BOOL, READONLY,
     .doc = "True if the form is deleted. Conversations that have it still show "
            "it."},
    {"sort_order", F_INT, READONLY, .doc = "Position in the list."},
    {"fields", F_MANY, READONLY, .ref = "case_field", .many = FIELDS_OF_FORM,
     .doc = "Fields of the form, in their order. Customers get only fields that they see."},
    {"case_field_ids", F_IDS, INPUT_ONLY, .column = "", .check = check_form_fields,
     .store = store_form_fields, .doc = "Ids of the fields of the form, in their order.",
     .example = "[8, 9]"},
    {"brand", F_REF, NULLABLE, .ref = "brand",
     .doc = "Brand whose conversations may use the form. Null: all brands."},
    {"*", .group = row_times},
    {0},
};

/* Admins see all forms, other staff the enabled ones, and everybody else those of these that are visible
 * to customers. */
static void form_visible(struct work *w, struct branches *out) {
    if (w->actor.rank >= ROLE_ADMIN) out->all = true;
    else if (w->actor.rank >= ROLE_COLLABORATOR) branch_add(out, "t.is_enabled = 1");
    else branch_add(out, "t.is_enabled = 1 AND t.is_visible_to_customers = 1");
}

/* ---- handlers -------------------------------------------------------------------------------- */

static int post_form(struct call *c) {
    TRY(api_input(c));
    TRY(db_lock(c->work.conn, S(FORMS_LOCK)));
    TRY(api_insert(c));
    TRY(case_form_place(&c->work, c->id));
    return api_reply(c);
}

static int put_form(struct call *c) {
    TRY(db_lock(c->work.conn, S(FORMS_LOCK)));
    TRY(api_target(c));
    TRY(api_input(c));
    if (given(c, "is_enabled") && !in_int(c, "is_enabled"))
        TRY(api_refuse(c, "t.is_default = 1",
                       "The default form can't be disabled. Make another form the default "
                       "first."));
    TRY(api_store(c));
    return api_reply(c);
}

static int delete_forms(struct call *c) {
    TRY(db_lock(c->work.conn, S(FORMS_LOCK)));
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_refuse(c,
                   "t.is_default = 1 AND EXISTS (SELECT 1 FROM case_forms f WHERE f.id <> t.id "
                   "AND f.is_deleted = 0)",
                   "The default form can't be deleted. Make another form the default first."));
    TRY(case_forms_remove(&c->work, api_ids(c)));
    TRY(api_record_deleted(c));
    return api_reply(c);
}

QUERY(form_is_enabled, "SELECT is_enabled FROM case_forms WHERE id = :id");

static int put_form_default(struct call *c) {
    int64_t enabled = 0;
    TRY(db_lock(c->work.conn, S(FORMS_LOCK)));
    TRY(api_input(c));
    c->id = in_int(c, "form");
    TRY(db_int(c->work.conn, &form_is_enabled, BINDS(B_INT("id", c->id)), &enabled));
    if (!enabled)
        return in_fail(c, "form", ERR_RESOURCE_ACTION_NOT_AVAILABLE,
                       "The form is disabled. Enable it first.");
    TRY(case_form_set_default(&c->work, c->id));
    return api_reply_one(c, c->id);
}

static const struct field forms_order[] = {
    {"form_ids", F_IDS, PRESENT, .doc = "All ids, in the new order.", .example = "[2, 1]"}, {0}};
static const struct field default_input[] = {
    {"form", F_REF, PRESENT, .ref = "case_form", .doc = "Id of the form."}, {0}};

#define MANAGED .permission = "case_fields.manage"

static const struct route form_routes[] = {
    {GET, "/cases/forms", PUBLIC, "", LIST_COUNT, api_list, .order = {.key = "t.sort_order"},
     .summary = "List forms",
     .doc = "Sorted by position. Customers get the enabled forms that are visible to customers."},
    {GET, "/cases/forms/:id", PUBLIC, "", ONE, api_get, .summary = "Get a form"},
    {POST, "/cases/forms", AD, "configuration", ONE, post_form, MANAGED, .summary = "Create a form",
     .doc = "The first enabled form becomes the default."},
    {PUT, "/cases/forms/default", AD, "configuration", ONE, put_form_default, MANAGED, .input = default_input,
     .summary = "Make a form the default", .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/cases/forms/reorder", AD, "configuration", NONE, api_reorder, MANAGED, .input = forms_order,
     .summary = "Reorder forms"},
    {PUT, "/cases/forms/:id", AD, "configuration", ONE, put_form, MANAGED, .summary = "Update a form",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {DELETE, "/cases/forms/:id", AD, "configuration", NONE, delete_forms, MANAGED, .summary = "Delete a form",
     .doc = "Conversations keep the form, shown as deleted.", .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {0},
};

const struct resource case_form_resource = {
    .type = "case_form",
    .scope = "conversations configuration",
    .title = "Forms",
    .doc = "Forms of conversations: the custom fields that a conversation asks "
           "for.",
    .url = "cases/forms/:id",
    .table = "case_forms",
    .texts_kept = CONFIGURATION_TEXTS,
    .alive = "t.is_deleted = 0",
    .fields = form_fields,
    .ordered = "sort_order",
    .routes = form_routes,
    .visible = form_visible,
    .changes_unseen = true};
