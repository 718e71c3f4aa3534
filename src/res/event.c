/* Events of people. Other systems report them by webhooks (res/webhook.c). */
#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "core/programs/event.h"

#define IDENTITY                                                                     \
    "CASE t.identity_kind WHEN 1 THEN (SELECT i.id FROM identity_emails i "          \
    "WHERE i.id = t.identity_id) WHEN 2 THEN (SELECT i.id FROM identity_phones i "   \
    "WHERE i.id = t.identity_id) WHEN 3 THEN (SELECT i.id FROM identity_twitter i "  \
    "WHERE i.id = t.identity_id) WHEN 4 THEN (SELECT i.id FROM identity_facebook i " \
    "WHERE i.id = t.identity_id) END"

static void event_identity(struct view *v, const struct row *row, const struct value *own) {
    static const char *const types[] = {[EVENT_EMAIL] = "identity_email",
                                        [EVENT_PHONE] = "identity_phone",
                                        [EVENT_TWITTER] = "identity_twitter",
                                        [EVENT_FACEBOOK] = "identity_facebook"};
    int64_t id;
    if (own->type != V_TEXT || !str_to_int(own->s, &id)) {
        jw_null(&v->w);
        return;
    }
    jw_object(&v->w);
    jw_key(&v->w, S("id"));
    jw_int(&v->w, id);
    jw_key(&v->w, S("resource_type"));
    jw_str(&v->w, str_of(types[row_cell(row, "identity_kind")->i]));
    jw_end(&v->w);
}

static const struct field event_fields[] = {
    {"uuid", F_TEXT, READONLY, .doc = "UUID of the event."},
    {"event", F_TEXT, READONLY, .doc = "Kind of event.", .example = "\"order.paid\""},
    {"user", F_REF, READONLY, .ref = "user_minimal", .doc = "Person whom the event concerns."},
    {"properties", F_JSON, READONLY, .doc = "Further data of the event.",
     .example = "{\"summary\": \"Paid 12 EUR\"}"},
    {"triggered_at", F_TIME, READONLY, .doc = "Time of the event."},
    {"created_at", F_TIME, READONLY, .doc = "Time at which the event was reported."},
    {"identity", F_COMPUTED, READONLY | ON_DEMAND, .column = IDENTITY, .render = event_identity,
     .to = TO_STAFF,
     .doc = "Identity by which the person was found, or with which the person was created. Null: it was "
            "deleted, or it is an id in another system.",
     .example = "{\"id\": 3, \"resource_type\": \"identity_email\"}"},
    {"identity_kind", F_INT, HIDDEN, .column = "COALESCE(t.identity_kind, 0)"},
    {0},
};

static const struct field event_list_args[] = {
    {"since", F_TIME, .filter = "t.triggered_at >= :since", .doc = "Only events at this time or later."},
    {"until", F_TIME, .filter = "t.triggered_at <= :until", .doc = "Only events at this time or earlier."},
    {0},
};

static const struct route event_routes[] = {
    {GET, "/users/:id/events", COL_PLUS, "users", LIST, api_list, .within = {"user", "user_id"},
     .args = event_list_args, .order = {.descending = true}, .summary = "List the events of a user",
     .doc = "Newest first."},
    {GET, "/cases/:id/events", COL_PLUS, "conversations", LIST, api_list, .of = "case",
     .where = "t.user_id = (SELECT k.requester_id FROM cases k WHERE k.id = :id)", .args = event_list_args,
     .order = {.descending = true}, .summary = "List the events of the requester of a case",
     .doc = "Newest first."},
    {GET, "/events/:id", COL_PLUS, "users", ONE, api_get, .summary = "Get an event"},
    {0},
};

const struct resource event_resource = {.type = "event",
                                        .scope = "users",
                                        .title = "Events",
                                        .doc = "Events of people that other systems reported.",
                                        .url = "events/:id",
                                        .table = "events",
                                        .fields = event_fields,
                                        .routes = event_routes,
                                        .visible = access_staff,
                                        .unlogged = "they are a log themselves",
                                        .keyset = true};
