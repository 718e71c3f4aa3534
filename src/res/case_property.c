/* Statuses, priorities and types of conversations. */
#include "api/rows/generic.h"
#include "core/words.h"
#include "res/groups.h"

/* ---- statuses -------------------------------------------------------------------------------- */

static const struct field status_fields[] = {
    {"label", F_TEXT, REQUIRED, .doc = "Name of the status.", .example = "\"Waiting for the vendor\""},
    {"type", F_WORD, READONLY, .words = status_types,
     .doc = "Meaning of the status. Statuses that you create are CUSTOM."},
    {"sort_order", F_INT, READONLY, .doc = "Position in the list."},
    {"is_sla_active", F_BOOL, 0, .initial = "1",
     .doc = "True if SLA clocks run while a conversation has this status."},
    {"is_deleted", F_BOOL, READONLY,
     .doc = "True if the status is deleted. Conversations that have it still "
            "show it."},
    {"*", .group = row_times},
    {0},
};
QUERY(status_insert,
      "INSERT INTO case_statuses (label, type, sort_order, is_sla_active, is_system, "
      "is_deleted, created_at, updated_at) "
      "SELECT CAST(:label AS TEXT), 6, COALESCE(MAX(sort_order), 0) + 1, CAST(:active AS INTEGER), 0, "
      "0, CAST(:now AS BIGINT), CAST(:now AS BIGINT) "
      "FROM case_statuses RETURNING id");

static int post_status(struct call *c) {
    TRY(api_input(c));
    TRY(db_insert(c->work.conn, &status_insert,
                  BINDS(B_TEXT("label", in_text(c, "label")), B_INT("active", in_int(c, "is_sla_active")),
                        B_INT("now", c->work.now)),
                  &c->id));
    TRY(api_record_created(c));
    return api_reply(c);
}
QUERY(statuses_mark_deleted,
      "UPDATE case_statuses SET is_deleted = 1, updated_at = :now WHERE id IN @LIST(:ids)");

/* Conversations keep a deleted status until their status changes. It can't be set any more. */
static int delete_statuses(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_refuse(c, "t.is_system = 1", "A built-in status can't be deleted. Delete a status of your own."));
    TRY(db_exec(c->work.conn, &statuses_mark_deleted,
                BINDS(B_TEXT("ids", api_ids(c)), B_INT("now", c->work.now))));
    TRY(api_record_deleted(c));
    return api_reply(c);
}
static const struct field status_order[] = {
    {"status_ids", F_IDS, PRESENT, .doc = "All ids, in the new order.", .example = "[2, 1]"}, {0}};

static const struct route status_routes[] = {
    {GET, "/cases/statuses", PUBLIC, "", LIST_COUNT, api_list, .order = {.key = "t.sort_order"},
     .summary = "List statuses"},
    {GET, "/cases/statuses/:id", COL_PLUS, "conversations", ONE, api_get, .summary = "Get a status"},
    {POST, "/cases/statuses", AD, "configuration", ONE, post_status, .permission = "case_fields.manage",
     .summary = "Create a status"},
    {PUT, "/cases/statuses/reorder", AD, "configuration", NONE, api_reorder,
     .permission = "case_fields.manage", .input = status_order, .summary = "Reorder statuses"},
    {PUT, "/cases/statuses/:id", AD, "configuration", ONE, api_update, .permission = "case_fields.manage",
     .summary = "Update a status"},
    {DELETE, "/cases/statuses/:id", AD, "configuration", NONE, delete_statuses,
     .permission = "case_fields.manage", .summary = "Delete a status",
     .doc = "Conversations keep the status, shown as deleted, until their "
            "status changes.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {DELETE, "/cases/statuses", AD, "configuration", COUNT, delete_statuses,
     .permission = "case_fields.manage", .summary = "Delete several statuses",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {0},
};
const struct resource case_status_resource = {.type = "case_status",
                                              .scope = "",
                                              .title = "Statuses",
                                              .doc = "Statuses of conversations.",
                                              .url = "cases/statuses/:id",
                                              .table = "case_statuses",
                                              .texts_kept = CONFIGURATION_TEXTS,
                                              .alive = "t.is_deleted = 0",
                                              .fields = status_fields,
                                              .ordered = "sort_order",
                                              .routes = status_routes,
                                              .visible = access_everyone};

/* ---- priorities ------------------------------------------------------------------------------ */

static const struct field priority_fields[] = {
    {"label", F_TEXT, REQUIRED, .doc = "Name of the priority.", .example = "\"High\""},
    {"level", F_INT, 0, .min = 1, .max = 1000000,
     .doc = "Rank of the priority: a higher level is more urgent. Default: "
            "above all others.",
     .example = "3"},
    {"*", .group = row_times},
    {0},
};
QUERY(priority_insert, "INSERT INTO case_priorities (label, level, created_at, updated_at) "
                       "SELECT CAST(:label AS TEXT), COALESCE(CAST(:level AS INTEGER), MAX(level) + 1, 1), "
                       "CAST(:now AS BIGINT), CAST(:now AS BIGINT) "
                       "FROM case_priorities RETURNING id");

static int post_priority(struct call *c) {
    TRY(api_input(c));
    TRY(db_insert(c->work.conn, &priority_insert,
                  BINDS(B_TEXT("label", in_text(c, "label")), B_ID("level", in_int(c, "level")),
                        B_INT("now", c->work.now)),
                  &c->id));
    TRY(api_record_created(c));
    return api_reply(c);
}
static int delete_priorities(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_refuse(c,
                   "EXISTS (SELECT 1 FROM cases k WHERE k.state = 1 AND k.priority_id = t.id) "
                   "OR EXISTS (SELECT 1 FROM cases k WHERE k.state <> 1 AND k.priority_id = t.id)",
                   "The priority is in use. Give the conversations another priority first."));
    TRY(api_refuse(c,
                   "EXISTS (SELECT 1 FROM sla_targets g JOIN slas s ON s.id = g.sla_id "
                   "WHERE g.priority_id = t.id AND s.is_deleted = 0)",
                   "An SLA has a target for the priority. Remove the target first."));
    TRY(api_remove(c));
    return api_reply(c);
}
static const struct field priority_order[] = {{"priority_ids", F_IDS, PRESENT,
                                               .doc = "All ids, from the least to the most urgent.",
                                               .example = "[2, 1]"},
                                              {0}};

static const struct route priority_routes[] = {
    {GET, "/cases/priorities", PUBLIC, "", LIST_COUNT, api_list, .order = {.key = "t.level"},
     .summary = "List priorities"},
    {GET, "/cases/priorities/:id", COL_PLUS, "conversations", ONE, api_get, .summary = "Get a priority"},
    {POST, "/cases/priorities", AD, "configuration", ONE, post_priority, .permission = "case_fields.manage",
     .summary = "Create a priority"},
    {PUT, "/cases/priorities/reorder", AD, "configuration", NONE, api_reorder,
     .permission = "case_fields.manage", .input = priority_order, .summary = "Reorder priorities"},
    {PUT, "/cases/priorities/:id", AD, "configuration", ONE, api_update, .permission = "case_fields.manage",
     .summary = "Update a priority"},
    {DELETE, "/cases/priorities/:id", AD, "configuration", NONE, delete_priorities,
     .permission = "case_fields.manage", .summary = "Delete a priority",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {DELETE, "/cases/priorities", AD, "configuration", COUNT, delete_priorities,
     .permission = "case_fields.manage", .summary = "Delete several priorities",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {0},
};
const struct resource case_priority_resource = {.type = "case_priority",
                                                .scope = "",
                                                .title = "Priorities",
                                                .doc = "Priorities of conversations.",
                                                .url = "cases/priorities/:id",
                                                .table = "case_priorities",
                                                .texts_kept = CONFIGURATION_TEXTS,
                                                .fields = priority_fields,
                                                .ordered = "level",
                                                .routes = priority_routes,
                                                .visible = access_everyone};

/* ---- types ----------------------------------------------------------------------------------- */

static const struct field type_fields[] = {
    {"label", F_TEXT, REQUIRED, .doc = "Name of the type.", .example = "\"Question\""},
    {"type", F_WORD, READONLY, .words = case_type_types,
     .doc = "Meaning of the type. Types that you create are CUSTOM."},
    {"*", .group = row_times},
    {0},
};
QUERY(type_insert, "INSERT INTO case_types (label, type, sort_order, created_at, updated_at) "
                   "SELECT CAST(:label AS TEXT), 5, COALESCE(MAX(sort_order), 0) + 1, CAST(:now AS BIGINT), "
                   "CAST(:now AS BIGINT) FROM case_types RETURNING id");

static int post_type(struct call *c) {
    TRY(api_input(c));
    TRY(db_insert(c->work.conn, &type_insert,
                  BINDS(B_TEXT("label", in_text(c, "label")), B_INT("now", c->work.now)), &c->id));
    TRY(api_record_created(c));
    return api_reply(c);
}
static int delete_types(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_refuse(c, "EXISTS (SELECT 1 FROM cases k WHERE k.type_id = t.id)",
                   "The type is in use. Give the conversations another type first."));
    TRY(api_remove(c));
    return api_reply(c);
}
static const struct field type_order[] = {
    {"type_ids", F_IDS, PRESENT, .doc = "All ids, in the new order.", .example = "[2, 1]"}, {0}};

static const struct route type_routes[] = {
    {GET, "/cases/types", PUBLIC, "", LIST_COUNT, api_list, .order = {.key = "t.sort_order"},
     .summary = "List types"},
    {GET, "/cases/types/:id", COL_PLUS, "conversations", ONE, api_get, .summary = "Get a type"},
    {POST, "/cases/types", AD, "configuration", ONE, post_type, .permission = "case_fields.manage",
     .summary = "Create a type"},
    {PUT, "/cases/types/reorder", AD, "configuration", NONE, api_reorder, .permission = "case_fields.manage",
     .input = type_order, .summary = "Reorder types"},
    {PUT, "/cases/types/:id", AD, "configuration", ONE, api_update, .permission = "case_fields.manage",
     .summary = "Update a type"},
    {DELETE, "/cases/types/:id", AD, "configuration", NONE, delete_types, .permission = "case_fields.manage",
     .summary = "Delete a type", .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {DELETE, "/cases/types", AD, "configuration", COUNT, delete_types, .permission = "case_fields.manage",
     .summary = "Delete several types", .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {0},
};
const struct resource case_type_resource = {.type = "case_type",
                                            .scope = "",
                                            .title = "Types",
                                            .doc = "Types of conversations.",
                                            .url = "cases/types/:id",
                                            .table = "case_types",
                                            .texts_kept = CONFIGURATION_TEXTS,
                                            .fields = type_fields,
                                            .ordered = "sort_order",
                                            .routes = type_routes,
                                            .visible = access_everyone};
