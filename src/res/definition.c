/* Definitions of the fields that rules may use. Objects with filters have their own lists
 * (api/rows/filter.c). */
#include "api/rows/generic.h"
#include "api/input/input.h"
#include "core/rules/rule_predicate.h"

/* Lists the definitions of a kind of rule. owner_id: a rule whose deleted values are listed, too; 0: none. */
static int list_definitions(struct call *c, enum rule_user user, enum rule_owner owner, int64_t owner_id) {
    struct definitions *d = ARENA_NEW(c->work.arena, struct definitions);
    const struct used_values *used;
    TRY(rule_values_used(&c->work, owner, owner_id, &used));
    TRY(definitions_load_used(&c->work, &case_subject, user, used, d));
    c->prepared = d;
    return api_list(c);
}

static int64_t rule_asked(struct call *c, const char *name) {
    return arg(c, name)->value.type == V_INT ? arg(c, name)->value.i : 0;
}

static int get_sla_definitions(struct call *c) {
    TRY(api_input(c));
    return list_definitions(c, RULE_SLA, RULE_OF_SLA, rule_asked(c, "sla_id"));
}

static int get_trigger_definitions(struct call *c) {
    TRY(api_input(c));
    return list_definitions(c, RULE_TRIGGER, RULE_OF_TRIGGER, rule_asked(c, "trigger_id"));
}

static int get_monitor_definitions(struct call *c) {
    TRY(api_input(c));
    return list_definitions(c, RULE_MONITOR, RULE_OF_MONITOR, rule_asked(c, "monitor_id"));
}

#define OF_RULE(name, what)                                                                                \
    {                                                                                                      \
        name, F_INT, .min = 1, .max = INT64_MAX,                                                           \
                     .doc = "Id of " what ". The values that it uses are listed also if they are deleted." \
    }

static const struct field of_sla[] = {OF_RULE("sla_id", "an SLA"), {0}};
static const struct field of_trigger[] = {OF_RULE("trigger_id", "a trigger"), {0}};
static const struct field of_monitor[] = {OF_RULE("monitor_id", "a monitor"), {0}};

#define CUSTOM_FIELDS                                                                              \
    "Custom fields of conversations are called casefields.<key>, those of requesters "             \
    "requesterfields.<key>, and those of their organizations organizationfields.<key>. Users and " \
    "organizations are completed by /autocomplete/users and /autocomplete/organizations."

static const struct route definition_routes[] = {
    {GET, "/slas/definitions", AD, "configuration", LIST_COUNT, get_sla_definitions, .args = of_sla,
     .summary = "List the definitions for SLAs", .doc = CUSTOM_FIELDS},
    {GET, "/triggers/definitions", AD, "configuration", LIST_COUNT, get_trigger_definitions,
     .args = of_trigger, .summary = "List the definitions for triggers",
     .doc = "History operators compare with the state before the change. A TIME is a number of hours since "
            "then. " CUSTOM_FIELDS},
    {GET, "/monitors/definitions", AD, "configuration", LIST_COUNT, get_monitor_definitions,
     .args = of_monitor, .summary = "List the definitions for monitors",
     .doc = "A TIME is a number of hours since then. " CUSTOM_FIELDS},
    {0},
};

const struct resource definition_resource = {
    .type = "definition",
    .scope = "",
    .title = "Definitions",
    .doc = "Fields that predicates may use, with their operators and values.",
    .fields = definition_fields,
    .routes = definition_routes,
    .rows = definition_rows};
