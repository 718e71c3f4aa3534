#include "api/rows/generic.h"
#include "core/access/permission.h"
#include "core/people/authority.h"
#include "core/people/user.h"
#include "core/words.h"
#include "res/groups.h"

static const struct word types_to_make[] = {{ROLE_ADMIN, "ADMIN"}, {ROLE_AGENT, "AGENT"}, {0}};

static const struct field role_fields[] = {
    {"title", F_TEXT, REQUIRED, .doc = "Name of the role.", .example = "\"Second line\""},
    {"type", F_WORD, READONLY, .words = role_types, .doc = "Rank of the people in the role.",
     .example = "\"AGENT\""},
    {"is_system", F_BOOL, READONLY, .doc = "True for a built-in role. It can't be deleted."},
    {"agent_case_access", F_WORD, 0, .words = case_accesses,
     .column = "CASE WHEN t.type > 1 THEN t.agent_case_access END", .initial = "ALL",
     .doc = "Conversations that the people in the role see. Null if they are customers.",
     .example = "\"ALL\""},
    {"*", .group = row_times},
    {0},
};

static const struct field create_input[] = {
    {"title", F_TEXT, REQUIRED, .doc = "Name of the role.", .example = "\"Second line\""},
    {"type", F_WORD, REQUIRED, .words = types_to_make, .doc = "Rank: ADMIN or AGENT."},
    {"agent_case_access", F_WORD, 0, .words = case_accesses, .initial = "ALL",
     .doc = "Conversations that the people in the role see."},
    {0},
};

QUERY(role_insert,
      "INSERT INTO roles (title, type, is_system, agent_case_access, denied, created_at, updated_at) "
      "VALUES (:title, :type, 0, :access, 0, :now, :now) "
      "RETURNING id");

static int post_role(struct call *c) {
    TRY(api_input(c));
    TRY(db_insert(c->work.conn, &role_insert,
                  BINDS(B_TEXT("title", in_text(c, "title")), B_INT("type", in_int(c, "type")),
                        B_INT("access", in_int(c, "agent_case_access")), B_INT("now", c->work.now)),
                  &c->id));
    TRY(api_record_created(c));
    TRY(permissions_fill(c->work.conn, permissions, c->work.now));
    return api_reply(c);
}

/* Built-in roles and roles in use can't be deleted. */
static int delete_roles(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    int system =
        api_refuse(c, "t.is_system = 1", "A built-in role can't be deleted. Delete a role of your own.");
    TRY(api_refuse(c, "t.is_system = 0 AND EXISTS (SELECT 1 FROM users u WHERE u.role_id = t.id)",
                   "People have this role. Give them another role first."));
    TRY(system);
    TRY(api_remove(c));
    return api_reply(c);
}

/* agent_case_access does not apply to customers. */
static int role_ignore_access(struct call *c) {
    int64_t type = 0;
    TRY(role_type_of(&c->work, c->id, &type));
    if (type == ROLE_CUSTOMER) in_ignore(c, "agent_case_access", "it does not apply to customers");
    return 0;
}

static int put_role(struct call *c) {
    TRY(api_target(c));
    TRY(role_may_change(&c->work, c->id));
    TRY(role_ignore_access(c));
    TRY(api_input(c));
    TRY(api_store(c));
    return api_reply(c);
}

/* Customers see their own role: by include, and for its permissions. */
static void role_visible(struct work *w, struct branches *out) {
    access_staff(w, out);
    if (out->all) return;
    branch_add(out, "t.id = :my_role");
    branch_bind_int(out, ":my_role", w->actor.role_id);
}

static const struct route role_routes[] = {
    {GET, "/roles", COL_PLUS, "users", LIST, api_list, .summary = "List roles"},
    {GET, "/roles/:id", COL_PLUS, "users", ONE, api_get, .summary = "Get a role"},
    {POST, "/roles", AD, "configuration", ONE, post_role, .permission = "roles.manage", .input = create_input,
     .summary = "Create a role"},
    {PUT, "/roles/:id", AD, "configuration", ONE, put_role, .permission = "roles.manage",
     .summary = "Update a role"},
    {DELETE, "/roles/:id", AD, "configuration", NONE, delete_roles, .permission = "roles.manage",
     .summary = "Delete a role", .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {DELETE, "/roles", AD, "configuration", COUNT, delete_roles, .permission = "roles.manage",
     .summary = "Delete several roles", .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {0},
};

const struct resource role_resource = {.type = "role",
                                       .scope = "users configuration",
                                       .title = "Roles",
                                       .doc = "Roles: the rank of people, and the conversations they see.",
                                       .url = "roles/:id",
                                       .table = "roles",
                                       .texts_kept = CONFIGURATION_TEXTS,
                                       .fields = role_fields,
                                       .routes = role_routes,
                                       .visible = role_visible,
                                       .expanded_for = ALL};

/* ---- permissions ----------------------------------------------------------------------------- */

static const struct field permission_fields[] = {
    {"role_id", F_INT, HIDDEN, .doc = "Role of the permission."},
    {"name", F_TEXT, READONLY, .doc = "Dotted key.", .example = "\"teams.manage\""},
    {"value", F_BOOL, READONLY,
     .column = "CASE WHEN (SELECT r.type FROM roles r "
               "WHERE r.id = t.role_id) = 5 THEN 1 ELSE t.value END",
     .doc = "True if the role has the permission. Owners have all permissions."},
    {"*", .group = row_times},
    {0},
};

static int put_role_permissions(struct call *c) {
    static const char *const names[] = {"permission", NULL};
    struct work *w = &c->work;
    int count = 0;
    TRY(api_of(c));
    TRY(role_may_change(w, c->vars[0].id));
    TRY(api_input(c));
    bool wrapped = given(c, "permission") && in(c, "permission")->json;
    const struct json *pairs = wrapped ? in(c, "permission")->json : c->body;
    for (const struct json *j = pairs->first; j; j = j->next, count++) {
        bool yes = j->type == JSON_TRUE || str_eq(j->text, S("1")) || str_eqi(j->text, S("true"));
        bool no = j->type == JSON_FALSE || str_eq(j->text, S("0")) || str_eqi(j->text, S("false"));
        const struct permission *p = permission_of(j->name);
        struct str name = str_dup(w->arena, j->name);
        struct str place = wrapped ? STR_CAT(w->arena, S("permission/"), name) : (struct str){0};
        if (p == NULL)
            fail_at(w, ERR_FIELD_INVALID, name, place,
                    "There is no such permission. GET /roles/:id/permissions lists "
                    "them.");
        else if (!yes && !no) fail_at(w, ERR_FIELD_INVALID, name, place, "0 or 1 is expected.");
        else if (yes && !permitted(&w->actor, p->name))
            fail_at(w, ERR_PERMISSIONS_DENIED, name, place,
                    "Your own role does not have this permission, so you can't grant "
                    "it.");
        else if (!failed(w)) TRY(permission_set(w, c->vars[0].id, p, yes));
    }
    if (count == 0) fail_any(w, (struct str){0}, names);
    return failed(w) ? -(int)failure(w) : api_reply_count(c, count);
}

/* The names may be parameters of their own, so no parameter is unknown here. */
static const struct field pairs_input[] = {
    {"permission", F_OBJECT, 0,
     .doc = "Pairs of a permission's name and 0 or 1. They may also be members "
            "of the body itself.",
     .example = "{\"teams.manage\": 0}"},
    {0},
};

static const struct route permission_routes[] = {
    {GET, "/roles/:id/permissions", ALL, "configuration", LIST_COUNT, api_list,
     .summary = "List the permissions of a role", .doc = "Customers see the permissions of their own role."},
    {GET, "/roles/:id/permissions/:permission_id", ALL, "configuration", ONE, api_get,
     .summary = "Get a permission of a role", .doc = "Customers see the permissions of their own role."},
    {PUT, "/roles/:id/permissions", AD, "configuration", COUNT, put_role_permissions,
     .permission = "roles.manage", .input = pairs_input, .any_names = true,
     .summary = "Update the permissions of a role",
     .doc = "Pairs of name and 0 or 1. total_count is the number of pairs."},
    {0},
};

const struct resource permission_resource = {
    .type = "permission",
    .scope = "configuration",
    .title = "Permissions",
    .doc = "Permissions of a role. They restrict the operations that the rank allows, and never add any.",
    .url = "roles/:role_id/permissions/:id",
    .table = "role_permissions",
    .texts_kept = CONFIGURATION_TEXTS,
    .fields = permission_fields,
    .routes = permission_routes,
    .within = {"role", "role_id"}};
