/* Events of people (api.md "Event"): what other systems told of them. Webhooks, which make them, are yet to come. */
#include "api/generic.h"

static const struct field event_fields[] = {
    {"uuid", F_TEXT, READONLY, .doc = "Its universal id."},
    {"event", F_TEXT, READONLY, .doc = "What happened.", .example = "\"order.paid\""},
    {"user", F_REF, READONLY, .ref = "user_minimal", .doc = "To whom."},
    {"properties", F_JSON, READONLY, .doc = "What else was told.", .example = "{\"summary\": \"Paid 12 EUR\"}"},
    {"triggered_at", F_TIME, READONLY, .doc = "When it happened."},
    {"created_at", F_TIME, READONLY, .doc = "When it was told."},
    {0},
};

static const struct field list_args[] = {
    {"since", F_TIME, .filter = "t.triggered_at >= :since", .doc = "Only what happened then or later."},
    {"until", F_TIME, .filter = "t.triggered_at <= :until", .doc = "Only what happened then or before."},
    {0},
};

static const struct route event_routes[] = {
    {GET, "/users/:id/events", COL_PLUS, "users", LIST, api_list, .within = {"user", "user_id"}, .args = list_args,
     .order = {.descending = true}, .summary = "List the events of a person", .doc = "The newest first."},
    {GET, "/events/:id", COL_PLUS, "users", ONE, api_get, .summary = "Read an event"},
    {0},
};

const struct resource event_resource = {.type = "event",
                                        .title = "Events",
                                        .doc = "What other systems told of people.",
                                        .url = "events/:id",
                                        .table = "events",
                                        .fields = event_fields,
                                        .routes = event_routes,
                                        .visible = access_staff,
                                        .keyset = true};
