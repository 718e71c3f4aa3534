#include "core/people/team.h"

#include "api/rows/generic.h"
#include "core/desk/kept_value.h"
#include "core/people/user.h"
#include "res/groups.h"
#include "res/people_csv.h"

extern const struct resource team_resource;

static const struct field team_fields[] = {
    {"legacy_id", F_TEXT, CREATE_ONLY | NULLABLE | UNIQUE, .to = TO_STAFF,
     .doc = "Id in the system that the team was imported from.", .example = "\"T-7\""},
    {"title", F_TEXT, REQUIRED, .doc = "Name of the team.", .example = "\"First line\""},
    {"businesshour", F_REF, NULLABLE, .ref = "business_hour", .to = TO_STAFF,
     .column = "COALESCE(t.businesshour_id, (SELECT b.id FROM business_hours b WHERE b.is_default = 1))",
     .doc = "Business hours of the team. Default: the default business hours."},
    {"member_count", F_INT, READONLY,
     .column = "(SELECT COUNT(*) FROM team_members m WHERE m.team_id = t.id)", .to = TO_STAFF,
     .doc = "Number of members.", .example = "4"},
    {"created_at", F_TIME, READONLY, .to = TO_STAFF, .doc = "Time of creation."},
    {"updated_at", F_TIME, READONLY, .to = TO_STAFF, .doc = "Time of the last change."},
    {0},
};

/* Its conversations become unassigned. */
static int get_available_teams(struct call *c) {
    int64_t *ids;
    TRY(api_input(c));
    int n = teams_available(&c->work, &ids);
    TRY(n);
    return api_reply_list_of(c, ids, n);
}

/* ---- members --------------------------------------------------------------------------------- */

/* Finds the staff with these ids (or, for a removal, the members). Reports each absent id. */
static int check_people(struct call *c, const struct in *in, const char *condition, const char *absent) {
    for (int64_t i = 0; i < in->value.i; i++) {
        struct stmt *row;
        struct str sql = str_fmt(c->work.arena,
                                 "SELECT u.id FROM users u "
                                 "WHERE u.id = :user AND u.deleted_at IS NULL AND %s",
                                 condition);
        TRY(db_start(c->work.conn, sql.p,
                     BINDS(B_INT("user", in->value.ids[i]), B_INT("team", c->vars[0].id)), &row));
        int rc = stmt_step(row);
        stmt_end(row);
        if (rc < 0) return rc;
        if (rc == 0)
            fail_at(&c->work, ERR_FIELD_INVALID, str_of(in->field->name),
                    str_fmt(c->work.arena, "%s/%lld", in->field->name, (long long)i), "%s", absent);
    }
    return failed(&c->work) ? -(int)failure(&c->work) : 0;
}

static void set_targets(struct call *c, const struct in *in) {
    c->ids = arena_array(c->work.arena, (size_t)in->value.i + 1, sizeof *c->ids);
    c->id_count = (int)in->value.i;
    for (int i = 0; i < c->id_count; i++) c->ids[i] = in->value.ids[i];
}

/* The reply to one id is a user, to several ids a list. Present members stay members. */
static int post_team_members(struct call *c) {
    TRY(api_of(c));
    TRY(api_input(c));
    const struct in *people = in(c, "agent_ids");
    TRY(check_people(c, people, "u.role_type >= 2",
                     "There is no member of staff with this id. GET /users lists people "
                     "and their roles."));
    set_targets(c, people);
    TRY(team_add_members(&c->work, c->vars[0].id, api_ids(c)));
    return c->id_count == 1 ? api_reply_one(c, c->ids[0]) : api_reply_list_of(c, c->ids, c->id_count);
}

static int delete_team_members(struct call *c) {
    static const char *const either[] = {"agent_id", "agent_ids", NULL};
    TRY(api_of(c));
    TRY(api_input(c));
    const struct in *one = arg(c, "agent_id"), *many = arg(c, "agent_ids");
    if (one->given && many->given)
        return fail_field(&c->work, ERR_PARAMETERS_INCONSISTENT, S("agent_ids"),
                          "Send agent_id or agent_ids, not both.");
    if (!one->given && !many->given) return fail_any(&c->work, (struct str){0}, either);
    if (one->given && one->value.i != 1)
        return fail_field(&c->work, ERR_FIELD_INVALID, S("agent_id"),
                          "A single id is expected. Send several ids in agent_ids.");
    const struct in *people = one->given ? one : many;
    TRY(check_people(c, people,
                     "EXISTS (SELECT 1 FROM team_members m WHERE m.team_id = :team "
                     "AND m.user_id = u.id)",
                     "The team has no member with this id. GET /teams/:id/members lists them."));
    set_targets(c, people);
    TRY(team_remove_members(&c->work, c->vars[0].id, api_ids(c)));
    return one->given ? api_reply_none(c) : api_reply_count(c, c->id_count);
}

static const struct field member_args[] = {
    {"is_enabled", F_BOOL, .filter = "t.is_enabled = :is_enabled",
     .doc = "Only enabled people (true), or only disabled ones (false)."},
    {0},
};
static const struct field add_input[] = {
    {"agent_ids", F_IDS, REQUIRED, .doc = "Ids of staff members, as a list or separated by commas.",
     .example = "[2]"},
    {0},
};
static const struct field remove_args[] = {
    {"agent_id", F_IDS, .doc = "Id of the member to remove."},
    {"agent_ids", F_IDS,
     .doc = "Ids of the members to remove, separated by commas. The reply has their "
            "number."},
    {0},
};
static const struct field import_input[] = {
    {"teams", F_LIST, REQUIRED, .doc = "Teams to create, at most 200.",
     .example = "[{\"title\": \"First line\", \"legacy_id\": \"T-7\"}]"},
    {0},
};

static const struct route team_routes[] = {
    {GET, "/teams", COL_PLUS, "users", LIST, api_list, .summary = "List teams"},
    {GET, "/teams/availability", AD, "users", LIST_COUNT, get_available_teams, .chosen = true,
     .summary = "List the teams that are available now",
     .doc = "A team is available if (1) it has an enabled member and (2) its business hours are open now."},
    {GET, "/teams/:id", COL_PLUS, "users", ONE, api_get, .summary = "Get a team"},
    {POST, "/teams", AD, "users", ONE, api_create, .permission = "teams.manage", .summary = "Create a team"},
    {POST, "/bulk/teams", AD, "users", ONE, api_import, .permission = "teams.manage", .status = 202,
     .reply = "bulk_job", .label = "job", .input = import_input, .args = import_args,
     .records = &team_resource, .record_list = "teams", .summary = "Import teams",
     .doc = "The job lists the invalid records when it has ended."},
    {PUT, "/teams/:id", AD, "users", ONE, api_update, .permission = "teams.manage",
     .summary = "Update a team"},
    {DELETE, "/teams/:id", AD, "users", NONE, api_delete, .permission = "teams.manage",
     .summary = "Delete a team", .doc = "Its conversations become unassigned."},
    {DELETE, "/teams", AD, "users", COUNT, api_delete, .permission = "teams.manage",
     .summary = "Delete several teams"},
    {GET, "/teams/:id/members", AG_PLUS, "users", LIST, get_users, .has_csv = true, .args = member_args,
     .reply = "user", .of = "team",
     .where = "t.id IN (SELECT m.user_id FROM team_members m WHERE m.team_id = :id)",
     .order = {.descending = true}, .summary = "List the members of a team"},
    {POST, "/teams/:id/members", AD, "users", ONE, post_team_members, .permission = "teams.manage",
     .also = LIST_COUNT, .reply = "user", .of = "team", .input = add_input,
     .summary = "Add members to a team",
     .doc = "The reply to a single id is the user, to several ids a list."},
    {DELETE, "/teams/:id/members", AD, "users", NONE, delete_team_members, .also = COUNT,
     .permission = "teams.manage", .of = "team", .args = remove_args, .summary = "Remove members from a team",
     .doc = "With agent_ids, the reply also has their number.", .sample = {.query = "agent_id=2"}},
    {0},
};

const struct resource team_resource = {.type = "team",
                                       .scope = "users",
                                       .title = "Teams",
                                       .doc = "Groups of staff to which conversations are assigned.",
                                       .url = "teams/:id",
                                       .table = "teams",
                                       .where = "t.deleted_at IS NULL",
                                       .fields = team_fields,
                                       .remove = teams_delete,
                                       .routes = team_routes,
                                       /* customers see the title: .to of the fields */
                                       .visible = access_everyone,
                                       .reference_also = "legacy_id",
                                       .reference_kept = KEPT_TEAMS};
