/* The audit trail, as staff read it (completions.md section 6). */
#include "api/generic.h"
#include "api/view.h"
#include "core/words.h"

/* Values of a purged person are never shown, even while the purge is still running (core/change/cascade.c). */
#define UNLESS_PURGED(values) \
    "CASE WHEN EXISTS (SELECT 1 FROM users u WHERE u.id = t.owner_user_id AND u.purged_at IS NOT NULL) THEN NULL ELSE " values " END"

/* Returns the item at a place of a JSON array of texts, or NULL if the array was erased or the item is null. */
static const struct json *text_at(const struct json *list, size_t at) {
    const struct json *j = list && list->type == JSON_ARRAY ? list->first : NULL;
    for (; j && at; at--) j = j->next;
    return j && j->type == JSON_STRING ? j : NULL;
}

static const struct json *activity_texts(struct view *v, const struct row *row, const char *member) {
    struct json *list = NULL;
    struct json_error err;
    const struct value *text = row_cell(row, member);
    if (text->type != V_TEXT || json_parse(v->c->work.arena, text->s, &list, &err) < 0) return NULL;
    return list;
}

static void activity_write_text(struct json_writer *w, struct view *v, const char *name, const struct json *text) {
    jw_key(w, str_of(name));
    if (text) jw_str(&v->w, text->text);
    else jw_null(&v->w);
}

static void render_changes(struct view *v, const struct row *row, const struct value *own) {
    const struct json *fields = activity_texts(v, row, "fields"), *previous = activity_texts(v, row, "previous_values"),
                      *current = activity_texts(v, row, "current_values");
    size_t at = 0;
    (void)own;
    jw_array(&v->w);
    for (const struct json *field = fields ? fields->first : NULL; field; field = field->next, at++) {
        jw_object(&v->w);
        activity_write_text(&v->w, v, "field", field);
        activity_write_text(&v->w, v, "previous_value", text_at(previous, at));
        activity_write_text(&v->w, v, "current_value", text_at(current, at));
        jw_end(&v->w);
    }
    jw_end(&v->w);
}

/* 4: USER_MAIL_FAILED */
#define ACTOR                                                                                                                             \
    "COALESCE((SELECT u.full_name FROM users u WHERE u.id = t.actor_id), CASE t.name WHEN 4 THEN 'A mail server' ELSE COALESCE(t.cause, " \
    "'Somebody without a login') END)"

static const struct field activity_fields[] = {
    {"owner", F_TEXT, HIDDEN,
     .column = "CASE WHEN t.owner_case_id IS NOT NULL THEN 'cases/' || t.owner_case_id WHEN t.owner_organization_id IS NOT NULL THEN "
               "'organizations/' || t.owner_organization_id ELSE 'users/' || t.owner_user_id END",
     .doc = "The object of the activity, as the beginning of its address."},
    {"name", F_WORD, READONLY, .words = activity_names, .doc = "Kind of activity."},
    {"summary", F_TEXT, READONLY, .column = ACTOR " || ' ' || t.did", .doc = "The activity as a sentence.",
     .example = "\"Agnes Agent changed full_name\""},
    {"actor", F_REF, READONLY, .ref = "user",
     .doc = "Person who made the change. Null: the caller was not logged in, as with a mailed link, or the server made the change."},
    {"fields", F_LONG, HIDDEN, .doc = "Names of the changed fields, as a JSON array."},
    {"previous_values", F_LONG, HIDDEN, .column = UNLESS_PURGED("t.previous_values"), .doc = "Values before the change."},
    {"current_values", F_LONG, HIDDEN, .column = UNLESS_PURGED("t.current_values"), .doc = "Values after the change."},
    {"changes", F_COMPUTED, READONLY, .column = "", .render = render_changes,
     .doc = "Each changed field with its values before and after. Of a list, they are the removed and the added items. Of a failed e-mail, "
            "the fields are mail, recipient, status and reason. A value is null if there was none, if it is a secret, and after a purge.",
     .example = "[{\"field\": \"full_name\", \"previous_value\": \"Ada Byron\", \"current_value\": \"Ada Lovelace\"}]"},
    {"created_at", F_TIME, READONLY, .doc = "Time of the activity."},
    {0},
};

#define ABOUT_USER .within = {"user", "owner_user_id"}, .of_gone = true

#define ABOUT_CASE .within = {"case", "owner_case_id"}

static const struct route activity_routes[] = {
    {GET, "/cases/:id/activities", COL_PLUS, "conversations", LIST, api_list, ABOUT_CASE, .order = {.descending = true},
     .summary = "List the activities of a conversation", .doc = "The newest first."},
    {GET, "/cases/:id/activities/:activity_id", COL_PLUS, "conversations", ONE, api_get, ABOUT_CASE,
     .summary = "Get an activity of a conversation"},
    {GET, "/users/:id/activities", COL_PLUS, "users", LIST, api_list, ABOUT_USER, .order = {.descending = true},
     .summary = "List the activities of a user",
     .doc = "Works for deleted users, too. The list includes e-mails that did not reach the user, with the reason."},
    {GET, "/users/:id/activities/:activity_id", COL_PLUS, "users", ONE, api_get, ABOUT_USER, .summary = "Get an activity of a user"},
    {0},
};

const struct resource activity_resource = {
    .type = "activity",
    .title = "Activities",
    .doc = "The audit trail: who changed which field, when, and the values before and after. Rows are only added.",
    .url = ":owner/activities/:id",
    .table = "activities",
    .fields = activity_fields,
    .routes = activity_routes,
    .visible = access_activities};
