/* Service level agreements (docs/RULES.md). */
#include "core/rules/sla.h"

#include "api/rows/generic.h"
#include "api/input/owned_rows.h"
#include "base/limits.h"
#include "core/rules/rule.h"
#include "core/words.h"
#include "res/groups.h"
#include "res/rule.h"

#define MANAGE_SLAS "slas.manage"

static void access_configuration(struct work *w, struct branches *out) {
    out->all = w->actor.rank >= ROLE_ADMIN;
}

/* ---- targets --------------------------------------------------------------------------------- */

#define PRIORITY_DOC "Priority of the conversations. Null: all priorities without a target of their own."
#define TYPE_DOC "The clock: FIRST_REPLY_TIME, NEXT_REPLY_TIME or RESOLUTION_TIME."
#define GOAL_DOC "Time until the clock must stop."
#define HOURS_DOC                                                                                       \
    "BUSINESS_HOURS: only the open hours of the assigned team count, or those of the default business " \
    "hours. CALENDAR_HOURS: all time counts."

static const struct field target_fields[] = {
    {"priority", F_REF, NULLABLE, .ref = "case_priority", .doc = PRIORITY_DOC},
    {"type", F_WORD, REQUIRED, .words = sla_target_types, .doc = TYPE_DOC, .example = "\"FIRST_REPLY_TIME\""},
    {"goal_in_seconds", F_INT, REQUIRED, .min = 1, .max = SLA_GOAL_MAX, .doc = GOAL_DOC, .example = "3600"},
    {"operational_hours", F_WORD, 0, .words = sla_hours, .initial = "BUSINESS_HOURS", .doc = HOURS_DOC,
     .example = "\"BUSINESS_HOURS\""},
    {"*", .group = row_times},
    {0},
};

static const struct route no_routes[] = {{0}};

const struct resource sla_target_resource = {.type = "sla_target",
                                             .scope = "configuration",
                                             .title = "Targets of SLAs",
                                             .doc = "A goal for one of the clocks of a conversation.",
                                             .table = "sla_targets",
                                             .where = "t.sla_id IS NOT NULL",
                                             .fields = target_fields,
                                             .routes = no_routes,
                                             .visible = access_configuration,
                                             .unlogged = "changes of targets are changes of their SLA"};

static int64_t target_number(const struct owned_item *item, const char *name) {
    const struct in *in = owned_in(item, name);
    return in->value.type == V_INT ? in->value.i : 0;
}

/* A clock has one goal for each priority. */
static int check_targets(struct call *c, struct in *in) {
    const struct owned *list = in->made;
    if (list->count == 0) return fail_at(&c->work, ERR_FIELD_EMPTY, in->name, in->pointer, NULL);
    int problems = c->work.problem_count;
    for (int i = 0; i < list->count; i++)
        for (int k = 0; k < i; k++)
            if (target_number(&list->items[i], "type") == target_number(&list->items[k], "type") &&
                target_number(&list->items[i], "priority") == target_number(&list->items[k], "priority")) {
                fail_at(&c->work, ERR_FIELD_DUPLICATE, in->name, in_place(c, in, "%d/type", i),
                        "The list has another target with this type and priority.");
                break;
            }
    return c->work.problem_count > problems ? -(int)failure(&c->work) : 0;
}

/* ---- versions -------------------------------------------------------------------------------- */

static const struct field version_fields[] = {
    {"title", F_TEXT, READONLY, .doc = "Title of the SLA when the version was made.", .example = "\"Gold\""},
    {"description", F_LONG, READONLY, .doc = "Description of the SLA when the version was made."},
    {"*", .group = row_times},
    {0},
};

const struct resource sla_version_resource = {.type = "sla_version",
                                              .scope = "configuration",
                                              .title = "SLA versions",
                                              .doc =
                                                  "An SLA as it was when it was attached to a conversation.",
                                              .table = "sla_versions",
                                              .texts_kept = CONFIGURATION_TEXTS,
                                              .fields = version_fields,
                                              .routes = no_routes,
                                              .visible = access_staff,
                                              .unlogged = "a new version is a change of its SLA"};

/* ---- SLAs ------------------------------------------------------------------------------------ */

static const struct field sla_fields[] = {
    {"title", F_TEXT, READONLY, .doc = "Title.", .example = "\"Gold\""},
    {"description", F_LONG, READONLY, .doc = "Description."},
    {"execution_order", F_INT, READONLY,
     .doc = "Position. The first enabled SLA whose predicate holds is attached.", .example = "1"},
    {"predicate_collections", F_JSON, READONLY, .column = RULE_LINES_OF("1", "t.id"),
     .render = render_rule_references,
     .doc = "The predicate. All collections must hold. A collection holds if one of its propositions does.",
     .example = "[{\"id\": 1, \"propositions\": [{\"id\": 1, \"resource_type\": \"sla_proposition\"}], "
                "\"resource_type\": \"predicate_collection\"}]"},
    {"propositions", F_MANY, HIDDEN, .ref = "sla_proposition", .many = RULE_PROPOSITIONS_OF("1")},
    {"targets", F_MANY, READONLY, .ref = "sla_target", .owned_by = "sla_id", .doc = "Goals of the clocks."},
    {"is_enabled", F_BOOL, READONLY, .doc = "True if the SLA is attached to conversations.",
     .example = "true"},
    {"is_deleted", F_BOOL, READONLY, .doc = "True if the SLA is deleted."},
    {"*", .group = row_times},
    {0},
};

static int check_sla_predicate(struct call *c, struct in *in) {
    return rule_predicate_take(c, in, RULE_SLA, RULE_OF_SLA);
}

static const struct field sla_input[] = {
    {"title", F_TEXT, REQUIRED, .doc = "Title.", .example = "\"Gold\""},
    {"description", F_LONG, NULLABLE, .max = LIMIT_SLA_DESCRIPTION, .doc = "Description."},
    {"is_enabled", F_BOOL, 0, .initial = "1", .doc = "True if the SLA is attached to conversations."},
    {"predicate_collections", F_LIST, NULLABLE | BY_HANDLER, .column = "", .items = rule_collection_items,
     .check = check_sla_predicate,
     .doc = "The predicate: a list of collections {id, propositions: [{id, field, operator, value}]}. All "
            "collections must hold. A collection holds if one of its propositions does. GET "
            "/slas/definitions lists the fields. An object with an `id` keeps that collection or "
            "proposition, null adds one. Without collections the SLA is for every conversation.",
     .example = "[{\"propositions\": [{\"field\": \"cases.casepriorityid\", \"operator\": "
                "\"comparison_equalto\", \"value\": \"4\"}]}]"},
    {"targets", F_MANY, REQUIRED, .ref = "sla_target", .owned_by = "sla_id", .check = check_targets,
     .doc = "Goals of the clocks. The list replaces the existing targets. An object with the `id` of a "
            "target keeps it.",
     .example = "[{\"type\": \"FIRST_REPLY_TIME\", \"priority_id\": null, \"goal_in_seconds\": 3600, "
                "\"operational_hours\": \"BUSINESS_HOURS\"}]"},
    {0},
};

/* Stores the given predicate. *changed: it differs from the stored one. */
static int store_sla_predicate(struct call *c, bool *changed) {
    const struct in *list = in(c, "predicate_collections");
    struct rule_predicate nothing = {.owner_id = c->id}, *p = list->made;
    *changed = false;
    return list->given ? rule_predicate_store(&c->work, RULE_OF_SLA, c->id, p ? p : &nothing, changed) : 0;
}

QUERY(slas_present, "SELECT COUNT(*) FROM slas WHERE is_deleted = 0");

static int post_sla(struct call *c) {
    int64_t count = 0;
    bool changed;
    TRY(api_input(c));
    TRY(db_lock(c->work.conn, S("slas")));
    TRY(db_int(c->work.conn, &slas_present, NULL, &count));
    if (count >= LIMIT_SLAS)
        return fail_state(&c->work, "The desk has %d SLAs. Delete one first.", LIMIT_SLAS);
    TRY(api_insert(c));
    TRY(store_sla_predicate(c, &changed));
    TRY(sla_place(&c->work, c->id));
    TRY(sla_version_keep(&c->work, c->id, true));
    TRY(rules_changed(&c->work));
    return api_reply(c);
}

static int put_sla(struct call *c) {
    bool changed;
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_store(c));
    TRY(store_sla_predicate(c, &changed));
    TRY(sla_version_keep(&c->work, c->id, changed));
    TRY(rules_changed(&c->work));
    return api_reply(c);
}

static int put_slas(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_store(c));
    TRY(rules_changed(&c->work));
    return api_reply(c);
}

static int put_slas_order(struct call *c) {
    TRY(rules_changed(&c->work));
    return api_reorder(c);
}

static int delete_slas(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(slas_delete(&c->work, api_ids(c)));
    TRY(rules_changed(&c->work));
    TRY(api_record_deleted(c));
    return api_reply(c);
}

static const struct field sla_order[] = {
    {"sla_ids", F_IDS, PRESENT, .doc = "Ids, in the new order. Other SLAs follow.", .example = "[2, 1]"},
    {0}};
static const struct field sla_switch[] = {
    {"is_enabled", F_BOOL, 0, .doc = "True if the SLAs are attached to conversations."}, {0}};

#define KEPT "Conversations keep the version that is attached to them, and its clocks go on."

static const struct route sla_routes[] = {
    {GET, "/slas", AD, "configuration", LIST, api_list, .order = {.key = "t.updated_at", .descending = true},
     .summary = "List SLAs", .doc = "The last changed one first."},
    {GET, "/slas/:id", AD, "configuration", ONE, api_get, .summary = "Get an SLA"},
    {POST, "/slas", AD, "configuration", ONE, post_sla, .permission = MANAGE_SLAS, .input = sla_input,
     .summary = "Create an SLA", .doc = "The pointer of an error locates it: targets/0/goal_in_seconds.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/slas/reorder", AD, "configuration", NONE, put_slas_order, .permission = MANAGE_SLAS,
     .input = sla_order, .summary = "Reorder SLAs",
     .doc = "The first enabled SLA whose predicate holds is attached to a "
            "conversation."},
    {PUT, "/slas/:id", AD, "configuration", ONE, put_sla, .permission = MANAGE_SLAS, .input = sla_input,
     .summary = "Update an SLA",
     .doc = "A change of the title, the description, the predicate or the targets makes a new version. "
            "Conversations keep their version until a field that an SLA tests changes."},
    {PUT, "/slas", AD, "configuration", COUNT, put_slas, .permission = MANAGE_SLAS, .input = sla_switch,
     .summary = "Enable or disable several SLAs", .doc = KEPT},
    {DELETE, "/slas/:id", AD, "configuration", NONE, delete_slas, .permission = MANAGE_SLAS,
     .summary = "Delete an SLA", .doc = KEPT},
    {DELETE, "/slas", AD, "configuration", COUNT, delete_slas, .permission = MANAGE_SLAS,
     .summary = "Delete several SLAs", .doc = KEPT},
    {0},
};

const struct resource sla_resource = {
    .type = "sla",
    .scope = "configuration",
    .title = "SLAs",
    .doc = "Service level agreements: goals for the time to replies and to the "
           "resolution.",
    .url = "slas/:id",
    .table = "slas",
    .texts_kept = CONFIGURATION_TEXTS,
    .alive = "t.is_deleted = 0",
    .fields = sla_fields,
    .ordered = "execution_order",
    .routes = sla_routes,
    .visible = access_configuration};
