#include "core/cases/case_view.h"

#include "core/fields/custom_field.h"
#include "core/words.h"

#include <inttypes.h>

const struct word view_types[] = {{VIEW_INBOX, "INBOX"},
                                  {VIEW_SUSPENDED, "SUSPENDED"},
                                  {VIEW_TRASH, "TRASH"},
                                  {VIEW_CUSTOM, "CUSTOM"},
                                  {0}};
const struct word view_visibilities[] = {{VIEW_ALL, "ALL"}, {VIEW_SELF, "SELF"}, {VIEW_TEAM, "TEAM"}, {0}};
const struct word view_orders[] = {{VIEW_ASCENDING, "ASC"}, {VIEW_DESCENDING, "DESC"}, {0}};

/* ---- columns --------------------------------------------------------------------------------- */

/* People, teams and organizations are ordered by name. */
#define NAME_OF(column, table, name) \
    "COALESCE((SELECT n." name " FROM " table " n WHERE n.id = " column "), '')"

/* The due time of a clock that is not completed. Conversations without one come after all others. */
#define DUE_OF(which)                                                                                 \
    "COALESCE((SELECT MIN(n.due_at) FROM sla_metrics n WHERE n.case_id = t.id AND n.stage <> 3" which \
    "), 253402300800000)"

const struct case_column case_columns[] = {
    {"caseid", "Id", "t.id", false, true},
    {"subject", "Subject", "COALESCE(t.subject_key, '')", true, true},
    {"casestatusid", "Status", "t.status_id", false, true},
    {"casepriorityid", "Priority",
     "COALESCE((SELECT n.level FROM case_priorities n "
     "WHERE n.id = t.priority_id), 0)",
     false, true},
    {"casetypeid", "Type", "COALESCE(t.type_id, 0)", false, true},
    {"assigneeteamid", "Team", NAME_OF("t.assigned_team_id", "teams", "title"), true, true},
    {"assigneeagentid", "Agent", NAME_OF("t.assigned_agent_id", "users", "name_key"), true, true},
    {"requesterid", "Requester", NAME_OF("t.requester_id", "users", "name_key"), true, true},
    {"organizationid", "Organization", NAME_OF("t.organization_id", "organizations", "name_key"), true,
     false},
    {"brandid", "Brand", "COALESCE(t.brand_id, 1)", false, true},
    {"channel", "Channel", "t.channel", false, true},
    {"createdat", "Created", "t.created_at", false, true},
    {"updatedat", "Updated", "t.updated_at", false, false},
    {"lastrepliedat", "Last reply", "COALESCE(t.last_replied_at, 0)", false, true},
    {"lastagentrepliedat", "Last reply by staff", "COALESCE(t.last_reply_by_agent_at, 0)", false, true},
    {"lastrequesterrepliedat", "Last reply by the requester", "COALESCE(t.last_reply_by_requester_at, 0)",
     false, true},
    {"lastcompletedat", "Completed", "COALESCE(t.last_completed_at, 0)", false, true},
    {"latestassigneeupdate", "Last change by the assigned agent", "COALESCE(t.latest_assignee_update, 0)",
     false, false},
    {"latestagentupdate", "Last change by staff", "COALESCE(t.agent_updated_at, 0)", false, false},
    {"lastupdatedby", "Last updated by", NAME_OF("t.last_updated_by_id", "users", "name_key"), true, false},
    {"snoozeduntil", "Snoozed until", "COALESCE(t.snoozed_until, 253402300800000)", false, true},
    {"rating", "Rating", "COALESCE(t.rating, 0)", false, true},
    {"satisfactionstatus", "Satisfaction",
     "CASE WHEN t.rating IS NOT NULL "
     "THEN 3 WHEN t.surveyed_at IS NOT NULL THEN 2 ELSE 1 END",
     false, false},
    {"slafirstreplytime", "SLA: first reply", DUE_OF(" AND n.type = 1"), false, false},
    {"slanextreplytime", "SLA: next reply", DUE_OF(" AND n.type = 2"), false, false},
    {"slaresolutiontime", "SLA: resolution", DUE_OF(" AND n.type = 3"), false, false},
    {"slanextbreach", "SLA: next breach", DUE_OF(""), false, false},
    {"slaversionid", "SLA", NAME_OF("t.sla_version_id", "sla_versions", "title"), true, false},
    {"conversation", "Conversation", NULL, false, false},
    {0},
};

QUERY(case_field_of_column,
      "SELECT type FROM custom_fields WHERE id = :id AND area = 1 AND is_system = 0 AND deleted_at IS NULL");

#define VALUE_OF_CASE "n.owner_id = t.id AND n.area = 1 AND n.field_id = "

/* Options are ordered by their positions, other values by their keys. A conversation without a value has
 * the least key. */
static const char *case_field_order(struct arena *a, enum field_kind type, int64_t id) {
    if (type == FIELD_CHECKBOX || type == FIELD_FILE) return NULL;
    if (!field_has_options(type))
        return str_fmt(a,
                       "COALESCE((SELECT n.value_key FROM field_values n WHERE " VALUE_OF_CASE "%" PRId64
                       "), '')",
                       id)
            .p;
    return str_fmt(a,
                   "COALESCE((SELECT o.sort_order FROM field_values n JOIN custom_field_options o "
                   "ON o.field_id = n.field_id AND CAST(o.id AS TEXT) = n.value WHERE " VALUE_OF_CASE
                   "%" PRId64 "), -1)",
                   id)
        .p;
}

bool is_case_column(struct str name) {
    struct str prefix = S(CASE_FIELD_COLUMN);
    int64_t id;
    for (const struct case_column *c = case_columns; c->name; c++)
        if (str_eq(name, str_of(c->name))) return true;
    return str_starts(name, prefix) && str_to_int((struct str){name.p + prefix.n, name.n - prefix.n}, &id);
}

int case_column_find(struct work *w, struct str name, const struct case_column **out) {
    struct str prefix = S(CASE_FIELD_COLUMN);
    int64_t id, type;
    *out = NULL;
    for (const struct case_column *c = case_columns; c->name && *out == NULL; c++)
        if (str_eqi(name, str_of(c->name))) *out = c;
    if (*out || name.n < prefix.n || !str_eqi((struct str){name.p, prefix.n}, prefix)) return 0;
    if (!str_to_int((struct str){name.p + prefix.n, name.n - prefix.n}, &id)) return 0;
    int rc = db_int(w->conn, &case_field_of_column, BINDS(B_INT("id", id)), &type);
    if (rc <= 0) return rc;
    struct case_column *made = ARENA_NEW(w->arena, struct case_column);
    made->name = str_fmt(w->arena, CASE_FIELD_COLUMN "%" PRId64, id).p;
    made->key = case_field_order(w->arena, (enum field_kind)type, id);
    made->is_text = made->is_logged = !field_has_options((enum field_kind)type);
    *out = made;
    return 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The index of hidden conversations (cases_hidden) has the condition `state <> 1`. */
static const struct {
    const char *state, *condition;
} fixed[] = {
    [VIEW_INBOX] = {"t.state = 1", "t.status_type IN (1, 2, 3, 6) AND t.snoozed_at IS NULL"},
    [VIEW_SUSPENDED] = {"t.state <> 1 AND t.state = 2", "1 = 1"},
    [VIEW_TRASH] = {"t.state <> 1 AND t.state = 3", "1 = 1"},
    [VIEW_CUSTOM] = {"t.state = 1", "1 = 1"},
};

int view_rows_read(struct work *w, const struct definitions *d, enum view_type type, struct str collections,
                   struct view_rows *out) {
    static struct bind nothing;
    struct case_assignment *of = &out->assigned;
    struct predicate *p;
    struct moment m;
    struct json *list;
    struct json_error err;
    if (type < VIEW_INBOX || type > VIEW_CUSTOM) type = VIEW_CUSTOM;
    *out = (struct view_rows){
        .type = type, .state = fixed[type].state, .condition = {fixed[type].condition, &nothing, 0}};
    if (type != VIEW_CUSTOM || collections.p == NULL) return 0;
    if (json_parse(w->arena, collections, &list, &err) < 0) list = json_new(w->arena, JSON_NULL);
    TRY(predicate_read_collections(w, d, list, S("predicate_collections"), PREDICATE_STORED, &p));
    TRY(moment_read(w, p->needs | NEEDS_CASCADES, &m));
    out->condition = predicate_condition(p, &m, w->arena);
    if (!m.no_cascades) return 0;
    of->has_team = predicate_requires(p, &m, "cases.assigneeteamid", &of->team_id);
    of->has_agent = predicate_requires(p, &m, "cases.assigneeagentid", &of->agent_id);
    return 0;
}
