/* Events of people that other systems report (api.md "Event"). The webhooks that create them are not implemented yet. */
#include "api/generic.h"

static const struct field event_fields[] = {
    {"uuid", F_TEXT, READONLY, .doc = "UUID of the event."},
    {"event", F_TEXT, READONLY, .doc = "Kind of event.", .example = "\"order.paid\""},
    {"user", F_REF, READONLY, .ref = "user_minimal", .doc = "Person whom the event concerns."},
    {"properties", F_JSON, READONLY, .doc = "Further data of the event.", .example = "{\"summary\": \"Paid 12 EUR\"}"},
    {"triggered_at", F_TIME, READONLY, .doc = "Time of the event."},
    {"created_at", F_TIME, READONLY, .doc = "Time at which the event was reported."},
    {0},
};

static const struct field list_args[] = {
    {"since", F_TIME, .filter = "t.triggered_at >= :since", .doc = "Only events at this time or later."},
    {"until", F_TIME, .filter = "t.triggered_at <= :until", .doc = "Only events at this time or earlier."},
    {0},
};

static const struct route event_routes[] = {
    {GET, "/users/:id/events", COL_PLUS, "users", LIST, api_list, .within = {"user", "user_id"}, .args = list_args,
     .order = {.descending = true}, .summary = "List the events of a user", .doc = "Newest first."},
    {GET, "/events/:id", COL_PLUS, "users", ONE, api_get, .summary = "Get an event"},
    {0},
};

const struct resource event_resource = {.type = "event",
                                        .title = "Events",
                                        .doc = "Events of people that other systems reported.",
                                        .url = "events/:id",
                                        .table = "events",
                                        .fields = event_fields,
                                        .routes = event_routes,
                                        .visible = access_staff,
                                        .keyset = true};
