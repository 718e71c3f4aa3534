/* Monitors (docs/RULES.md): like triggers, but without channel and event. */
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "base/limits.h"
#include "core/desk/cascade.h"
#include "core/rules/monitor.h"
#include "core/words.h"
#include "res/groups.h"
#include "res/rule.h"

#define MANAGE_RULES "automations.manage"

static void access_monitors(struct work *w, struct branches *out) { out->all = w->actor.rank >= ROLE_ADMIN; }

/* ---- the table ------------------------------------------------------------------------------- */

static const struct field monitor_fields[] = {
    {"title", F_TEXT, READONLY, .doc = "Title.", .example = "\"Escalate\""},
    {"predicate_collections", F_JSON, READONLY, .column = RULE_LINES_OF("3", "t.id"),
     .render = render_rule_predicate,
     .doc = "The predicate. All collections must hold. A collection holds if one of its propositions does.",
     .example = "[{\"id\": 1, \"propositions\": [{\"id\": 1, \"field\": \"cases.casepriorityid\", "
                "\"operator\": \"comparison_equalto\", \"value\": \"4\", \"resource_type\": "
                "\"proposition\"}], \"resource_type\": \"predicate_collection\"}]"},
    {"actions", F_JSON, READONLY, .column = RULE_ACTIONS_OF("3", "t.id"), .render = render_rule_actions,
     .doc = "Actions in their order.", .example = RULE_ACTIONS_EXAMPLE},
    {"execution_order", F_INT, READONLY, .doc = "Position: monitors run in this order.", .example = "1"},
    {"is_enabled", F_BOOL, READONLY, .doc = "True if the monitor runs.", .example = "true"},
    {"last_executed_at", F_TIME, READONLY, .doc = "Time of the last run. Null: none."},
    {"*", .group = row_times},
    {0},
};

static int check_monitor_predicate(struct call *c, struct in *in) {
    return rule_predicate_take(c, in, RULE_MONITOR, RULE_OF_MONITOR);
}
static int check_monitor_actions(struct call *c, struct in *in) {
    return rule_actions_take(c, in, RULE_OF_MONITOR);
}

static const struct field monitor_input[] = {
    {"title", F_TEXT, REQUIRED, .doc = "Title.", .example = "\"Escalate\""},
    {"is_enabled", F_BOOL, 0, .initial = "1", .doc = "True if the monitor runs."},
    {"predicate_collections", F_LIST, NULLABLE | BY_HANDLER, .column = "", .items = rule_collection_items,
     .check = check_monitor_predicate,
     .doc = "The predicate: a list of collections {id, propositions: [{id, field, operator, value}]}. All "
            "collections must hold. A collection holds if one of its propositions does. GET "
            "/monitors/definitions lists the fields. An object with an `id` keeps that collection or "
            "proposition, null adds one. Without collections the monitor acts on every conversation.",
     .example = "[{\"propositions\": [{\"field\": \"cases.casepriorityid\", \"operator\": "
                "\"comparison_equalto\", \"value\": \"4\"}]}]"},
    {"actions", F_LIST, REQUIRED | BY_HANDLER, .column = "", .items = rule_action_items,
     .check = check_monitor_actions, .doc = RULE_ACTIONS_DOC, .example = RULE_ACTIONS_SENT},
    {0},
};

/* ---- handlers -------------------------------------------------------------------------------- */

QUERY(monitor_place, "UPDATE monitors "
                     "SET execution_order = (SELECT COALESCE(MAX(o.execution_order), 0) + 1 FROM monitors o) "
                     "WHERE id = :id");
QUERY(monitors_present, "SELECT COUNT(*) FROM monitors");

/* Stores what is not in the row itself. */
static int keep_monitor(struct call *c) {
    const struct in *predicate = in(c, "predicate_collections");
    if (predicate->given) TRY(rule_predicate_keep(c, predicate, c->id, RULE_OF_MONITOR));
    TRY(rule_actions_keep(c, in(c, "actions"), RULE_OF_MONITOR));
    return predicate->given || given(c, "actions") ? monitor_begin_again(&c->work, c->id) : 0;
}

static int post_monitor(struct call *c) {
    int64_t count = 0;
    TRY(api_input(c));
    TRY(db_lock(c->work.conn, S("monitors")));
    TRY(db_int(c->work.conn, &monitors_present, NULL, &count));
    if (count >= LIMIT_MONITORS)
        return fail_state(&c->work, "The desk has %d monitors. Delete one first.", LIMIT_MONITORS);
    TRY(api_insert(c));
    TRY(db_exec(c->work.conn, &monitor_place, BINDS(B_INT("id", c->id))));
    TRY(keep_monitor(c));
    return api_reply(c);
}

static int put_monitor(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_store(c));
    TRY(keep_monitor(c));
    return api_reply(c);
}

static int put_monitors(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_store(c));
    return api_reply(c);
}

static int put_monitors_order(struct call *c) {
    TRY(db_lock(c->work.conn, S("monitors")));
    return api_reorder(c);
}

static int delete_monitors(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(rule_predicates_delete(&c->work, RULE_OF_MONITOR, api_ids(c)));
    TRY(rule_actions_delete(&c->work, RULE_OF_MONITOR, api_ids(c)));
    TRY(api_remove(c));
    TRY(cascade(&c->work, CASCADE_MONITOR, api_ids(c)));
    return api_reply(c);
}

/* ---- routes ---------------------------------------------------------------------------------- */

static const struct field monitor_order[] = {{"monitor_ids", F_IDS, PRESENT,
                                              .doc = "Ids, in the new order. Other monitors follow.",
                                              .example = "[2, 1]"},
                                             {0}};
static const struct field monitor_switch[] = {{"is_enabled", F_BOOL, 0, .doc = "True if the monitors run."},
                                              {0}};

static const struct route monitor_routes[] = {
    {GET, "/monitors", AD, "configuration", LIST, api_list, .order = {.key = "t.execution_order"},
     .summary = "List monitors", .doc = "In the order in which they run."},
    {GET, "/monitors/:id", AD, "configuration", ONE, api_get, .summary = "Get a monitor"},
    {POST, "/monitors", AD, "configuration", ONE, post_monitor, .permission = MANAGE_RULES,
     .input = monitor_input, .summary = "Create a monitor",
     .doc = "The pointer of an error locates it: actions/0/value.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/monitors/reorder", AD, "configuration", NONE, put_monitors_order, .permission = MANAGE_RULES,
     .input = monitor_order, .summary = "Reorder monitors"},
    {PUT, "/monitors/:id", AD, "configuration", ONE, put_monitor, .permission = MANAGE_RULES,
     .input = monitor_input, .summary = "Update a monitor"},
    {PUT, "/monitors", AD, "configuration", COUNT, put_monitors, .permission = MANAGE_RULES,
     .input = monitor_switch, .summary = "Enable or disable several monitors"},
    {DELETE, "/monitors/:id", AD, "configuration", NONE, delete_monitors, .permission = MANAGE_RULES,
     .summary = "Delete a monitor"},
    {DELETE, "/monitors", AD, "configuration", COUNT, delete_monitors, .permission = MANAGE_RULES,
     .summary = "Delete several monitors"},
    {0},
};

const struct resource monitor_resource = {.type = "monitor",
                                          .scope = "configuration",
                                          .title = "Monitors",
                                          .doc = "Rules that run every five minutes.",
                                          .url = "monitors/:id",
                                          .table = "monitors",
                                          .texts_kept = CONFIGURATION_TEXTS,
                                          .fields = monitor_fields,
                                          .ordered = "execution_order",
                                          .routes = monitor_routes,
                                          .visible = access_monitors,
                                          .changes_unseen = true};
