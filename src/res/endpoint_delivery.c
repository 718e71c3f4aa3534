/* Deliveries to endpoints, and the log of attempts (docs/RULES.md, "Endpoints"). */
#include "core/endpoints/delivery.h"

#include "api/rows/generic.h"
#include "core/endpoints/delivery_queue.h"
#include "core/words.h"
#include "res/groups.h"

#define MANAGE_ENDPOINTS "endpoints.manage"

static const struct field delivery_fields[] = {
    {"endpoint", F_REF, READONLY, .ref = "endpoint", .doc = "Endpoint."},
    {"case", F_REF, READONLY, .ref = "case", .column = "t.case_id", .doc = "Conversation. Null: a test."},
    {"event_id", F_TEXT, READONLY, .doc = "Id of the event, the same in each attempt: X-Desk-Event.",
     .example = "\"0b6f3c0e-5d0b-4f0e-9d0a-6a3f3f0c8b11\""},
    {"cause", F_TEXT, READONLY | NULLABLE, .doc = "Rule that sends it.", .example = "\"Trigger: Escalate\""},
    {"status", F_WORD, READONLY, .words = delivery_statuses,
     .doc = "PENDING, SENT, or FAILED after 24 hours without success.", .example = "\"SENT\""},
    {"attempts", F_INT, READONLY, .doc = "Number of attempts.", .example = "1"},
    {"next_attempt_at", F_TIME, READONLY | NULLABLE,
     .column = "CASE WHEN t.status = 1 THEN t.next_attempt_at END",
     .doc = "Time of the next attempt. Null: there is none."},
    {"body", F_LONG, READONLY | ON_DEMAND | NULLABLE, .scope = "conversations",
     .doc = "Text that is sent. Null: it was erased, because its person was purged, or the bearer token "
            "lacks the scope conversations."},
    {"endpoint_id", F_INT, HIDDEN, .column = "t.endpoint_id"},
    {"*", .group = row_times},
    {0},
};

static const struct field delivery_args[] = {
    {"status", F_WORD, .words = delivery_statuses, .filter = "t.status = :status",
     .doc = "Only deliveries with this status."},
    {"case_id", F_INT, .filter = "t.case_id = :case_id", .doc = "Only deliveries of this conversation."},
    {0},
};

static int post_endpoint_test(struct call *c) {
    TRY(api_of(c));
    TRY(api_input(c));
    int added = delivery_add_test(&c->work, c->vars[0].id, &c->id);
    TRY(added);
    if (!added) return fail_state(&c->work, "The endpoint is disabled. Enable it to send a test.");
    return api_reply(c);
}

static int post_delivery_replay(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(delivery_replay(&c->work, c->id));
    return api_reply(c);
}

static const struct route delivery_routes[] = {
    {GET, "/endpoints/:id/deliveries", AD, "configuration", LIST, api_list, .order = {.descending = true},
     .args = delivery_args, .summary = "List the deliveries of an endpoint",
     .doc = "The newest first. They are kept for 30 days."},
    {GET, "/endpoints/:id/deliveries/:delivery_id", AD, "configuration", ONE, api_get,
     .summary = "Get a delivery of an endpoint",
     .sample = {.path = "$ENDPOINT,$DELIVERY",
                .setup =
                    "ENDPOINT=$(curl {owner} -d title=Warehouse -d type=EMAIL -d "
                    "\"attributes[address]=warehouse@example.org\" \"{api}/endpoints\" | member "
                    "id)\nDELIVERY=$(curl {owner} -X POST \"{api}/endpoints/$ENDPOINT/test\" | member id)"}},
    {POST, "/endpoints/:id/deliveries/:delivery_id/replay", AD, "configuration", ONE, post_delivery_replay,
     .status = 200, .permission = MANAGE_ENDPOINTS, .input = no_fields, .summary = "Send a delivery again",
     .doc = "With the same event_id and body, also if it was SENT. It is tried for 24 hours.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE", .sample = {.path = "$ENDPOINT,$DELIVERY"}},
    {POST, "/endpoints/:id/test", AD, "configuration", ONE, post_endpoint_test,
     .permission = MANAGE_ENDPOINTS, .input = no_fields, .summary = "Send a test to an endpoint",
     .doc = "Adds a delivery without a conversation.", .errors = "RESOURCE_ACTION_NOT_AVAILABLE",
     .sample = {.path = "$ENDPOINT"}},
    {0},
};

const struct resource endpoint_delivery_resource = {
    .type = "endpoint_delivery",
    .scope = "configuration",
    .title = "Deliveries to endpoints",
    .doc = "Requests, e-mails and Slack messages that rules sent to an "
           "endpoint.",
    .url = "endpoints/:endpoint_id/deliveries/:id",
    .table = "endpoint_deliveries",
    .fields = delivery_fields,
    .routes = delivery_routes,
    .within = {"endpoint", "endpoint_id"},
    .unlogged = "deliveries are a log themselves"};

static const struct field attempt_fields[] = {
    {"delivery", F_REF, READONLY, .ref = "endpoint_delivery", .column = "t.delivery_id", .doc = "Delivery."},
    {"result", F_WORD, READONLY, .words = attempt_results, .doc = "SUCCESS or FAILURE.",
     .example = "\"SUCCESS\""},
    {"status_code", F_INT, READONLY | NULLABLE, .doc = "HTTP status of the reply. Null: there was no reply.",
     .example = "200"},
    {"message", F_LONG, READONLY | NULLABLE, .doc = "Reason of the result.",
     .example = "\"The server answered 200.\""},
    {"duration", F_INT, READONLY, .doc = "Duration in milliseconds.", .example = "35"},
    {"created_at", F_TIME, READONLY, .doc = "Time of the end of the attempt."},
    {0},
};

static const struct field attempt_args[] = {
    {"delivery_id", F_INT, .filter = "t.delivery_id = :delivery_id",
     .doc = "Only attempts of this delivery."},
    {"result", F_WORD, .words = attempt_results, .filter = "t.result = :result",
     .doc = "Only attempts with this result."},
    {0},
};

static const struct route attempt_routes[] = {
    {GET, "/endpoints/:id/attempts", AD, "configuration", LIST, api_list, .order = {.descending = true},
     .args = attempt_args, .summary = "List the attempts to send to an endpoint",
     .doc = "The newest first. They are kept for 30 days."},
    {0},
};

const struct resource endpoint_attempt_resource = {.type = "endpoint_attempt",
                                                   .scope = "configuration",
                                                   .title = "Attempts to send to endpoints",
                                                   .doc = "One attempt to send a delivery.",
                                                   .table = "endpoint_attempts",
                                                   .fields = attempt_fields,
                                                   .routes = attempt_routes,
                                                   .within = {"endpoint", "endpoint_id"},
                                                   .is_untyped = true,
                                                   .unlogged = "attempts are a log themselves"};
