/* Views of conversations (docs/CONVERSATIONS.md "Views and macros"). */
#include "core/cases/case_view.h"

#include "api/rows/generic.h"
#include "api/input/input.h"
#include "api/rows/view.h"
#include "api/rows/visible.h"
#include "base/limits.h"
#include "core/access/permission.h"
#include "core/words.h"
#include "res/case_parts.h"
#include "res/groups.h"
#include "res/rule.h"
#include "res/share.h"
#include "res/view_cases.h"

/* ---- columns --------------------------------------------------------------------------------- */

/* The parameter becomes a JSON array of names. */
static int check_view_columns(struct call *c, struct in *in) {
    struct arena *a = c->work.arena;
    struct str *names = arena_array(a, in->json->count + 1, sizeof *names);
    int n = 0, problems = c->work.problem_count;
    if (in->json->count > LIMIT_VIEW_COLUMNS)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "At most %d columns are allowed.",
                       LIMIT_VIEW_COLUMNS);
    for (const struct json *j = in->json->first; j; j = j->next, n++) {
        const struct case_column *column = NULL;
        if (j->type == JSON_STRING) TRY(case_column_find(&c->work, str_trim(j->text), &column));
        names[n] = column ? str_of(column->name) : S("");
        if (!column)
            fail_at(&c->work, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d", n),
                    "There is no such column. GET /views/columns lists them.");
        for (int i = 0; column && i < n; i++)
            if (str_eq(names[i], names[n]))
                fail_at(&c->work, ERR_FIELD_DUPLICATE, in->name, in_place(c, in, "%d", n),
                        "The column is given twice.");
    }
    in->value = (struct value){V_TEXT, .s = json_texts(a, names, (size_t)n)};
    return c->work.problem_count > problems ? -(int)failure(&c->work) : 0;
}

static const struct json *cell_json(struct view *v, const struct value *own) {
    struct json *list;
    struct json_error err;
    if (own->type != V_TEXT || json_parse(v->c->work.arena, own->s, &list, &err) < 0 ||
        list->type != JSON_ARRAY)
        return NULL;
    return list;
}

static void render_columns(struct view *v, const struct row *row, const struct value *own) {
    const struct json *list = cell_json(v, own);
    (void)row;
    jw_array(&v->w);
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        jw_object(&v->w);
        jw_key(&v->w, S("name"));
        jw_str(&v->w, j->text);
        jw_key(&v->w, S("resource_type"));
        view_type(v, "view_column");
        jw_end(&v->w);
    }
    jw_end(&v->w);
}

/* ---- predicates ------------------------------------------------------------------------------ */

static void put_proposition_json(struct json_writer *w, const struct json *p) {
    jw_object(w);
    jw_key(w, S("field"));
    jw_json(w, json_named(p, S("field")));
    jw_key(w, S("operator"));
    jw_json(w, json_named(p, S("operator")));
    jw_key(w, S("value"));
    jw_json(w, json_named(p, S("value")));
    jw_end(w);
}

/* The stored form of a valid predicate; p NULL: it is empty. */
static struct str stored_predicate(struct arena *a, const struct json *list) {
    struct buf b = {0};
    struct json_writer w;
    if (list->count == 0) return (struct str){0};
    jw_init(&w, &b);
    jw_array(&w);
    for (const struct json *j = list->first; j; j = j->next) {
        jw_object(&w);
        jw_key(&w, S("propositions"));
        jw_array(&w);
        for (const struct json *p = json_named(j, S("propositions"))->first; p; p = p->next)
            put_proposition_json(&w, p);
        jw_end(&w);
        jw_end(&w);
    }
    jw_end(&w);
    return buf_take(&b, a);
}

static int check_collections(struct call *c, struct in *in) {
    struct definitions d;
    struct predicate *p;
    TRY(input_spelled_once(c, in));
    TRY(definitions_load(&c->work, &case_subject, RULE_FILTER, &d));
    TRY(predicate_read_collections(&c->work, &d, in->json, in->name, PREDICATE_NEW, &p));
    in->value = value_text(stored_predicate(c->work.arena, in->json));
    return 0;
}

static void render_proposition(struct view *v, const struct json *p, int id) {
    jw_object(&v->w);
    jw_key(&v->w, S("id"));
    jw_int(&v->w, id);
    for (const struct json *member = p->first; member; member = member->next) {
        jw_key(&v->w, member->name);
        jw_json(&v->w, member);
    }
    jw_key(&v->w, S("resource_type"));
    view_type(v, "proposition");
    jw_end(&v->w);
}

/* Collections and propositions are numbered in their order. */
static void render_collections(struct view *v, const struct row *row, const struct value *own) {
    const struct json *list = cell_json(v, own);
    int id = 0, proposition = 0;
    (void)row;
    jw_array(&v->w);
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        const struct json *propositions = json_named(j, S("propositions"));
        jw_object(&v->w);
        jw_key(&v->w, S("id"));
        jw_int(&v->w, ++id);
        jw_key(&v->w, S("propositions"));
        jw_array(&v->w);
        for (const struct json *p = propositions ? propositions->first : NULL; p; p = p->next)
            render_proposition(v, p, ++proposition);
        jw_end(&v->w);
        jw_key(&v->w, S("resource_type"));
        view_type(v, "predicate_collection");
        jw_end(&v->w);
    }
    jw_end(&v->w);
}

/* ---- teams ----------------------------------------------------------------------------------- */

QUERY(view_teams_drop, "DELETE FROM view_teams WHERE view_id = :id");
QUERY(view_teams_add, "INSERT INTO view_teams (view_id, team_id) "
                      "SELECT CAST(:id AS BIGINT), t.id FROM teams t "
                      "WHERE t.id IN @LIST(:teams)");

static int store_view_teams(struct call *c, const struct in *in, int64_t id) {
    struct str teams = json_ids(c->work.arena, in->value.ids, (size_t)in->value.i);
    TRY(db_exec(c->work.conn, &view_teams_drop, BINDS(B_INT("id", id))));
    return db_exec(c->work.conn, &view_teams_add, BINDS(B_INT("id", id), B_TEXT("teams", teams)));
}

/* ---- the table ------------------------------------------------------------------------------- */

static void view_realtime_channel(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    write_realtime_channel(v, S("views"), row->id);
}

#define TEAMS_OF_VIEW                                                                           \
    "SELECT m.view_id, m.team_id FROM view_teams m "                                            \
    "JOIN teams g ON g.id = m.team_id WHERE m.view_id IN @LIST(:ids) AND g.deleted_at IS NULL " \
    "ORDER BY m.view_id, m.team_id"

static const struct field view_fields[] = {
    {"title", F_TEXT, READONLY, .doc = "Title.", .example = "\"Urgent\""},
    {"type", F_WORD, READONLY, .words = view_types,
     .doc = "CUSTOM, or the name of a system view: INBOX, SUSPENDED, TRASH.", .example = "\"CUSTOM\""},
    {"visibility_type", F_WORD, READONLY, .words = view_visibilities,
     .doc = "People who see the view. ALL: all staff. TEAM: the teams of visibility_to_teams. SELF: the "
            "person who made it.",
     .example = "\"SELF\""},
    {"agent", F_REF, READONLY, .ref = "user", .bound = ":me",
     .doc = "Person who made the view. Null for a system view."},
    {"visibility_to_teams", F_MANY, READONLY, .ref = "team", .many = TEAMS_OF_VIEW,
     .doc = "Teams that see a view with visibility TEAM."},
    {"columns", F_JSON, READONLY, .render = render_columns,
     .doc = "Columns in their order. GET /views/columns lists all.",
     .example = "[{\"name\": \"subject\", \"resource_type\": \"view_column\"}]"},
    {"predicate_collections", F_JSON, READONLY, .render = render_collections,
     .doc = "The predicate. All collections must hold. A collection holds if one of its propositions does.",
     .example = "[{\"id\": 1, \"propositions\": [{\"id\": 1, \"field\": \"cases.casepriorityid\", "
                "\"operator\": \"comparison_equalto\", \"value\": \"4\", \"resource_type\": "
                "\"proposition\"}], \"resource_type\": \"predicate_collection\"}]"},
    {"order_by_column", F_TEXT, READONLY, .doc = "Column by which the conversations are sorted.",
     .example = "\"updatedat\""},
    {"order_by", F_WORD, READONLY, .words = view_orders, .doc = "Direction.", .example = "\"DESC\""},
    {"sort_order", F_INT, READONLY, .doc = "Position in the list of views."},
    {"is_default", F_BOOL, READONLY, .doc = "True for the view that is opened first."},
    {"is_system", F_BOOL, READONLY, .doc = "True for a view that can't be deleted."},
    {"is_enabled", F_BOOL, READONLY, .doc = "True if the view is in use.", .example = "true"},
    {"realtime_channel", F_COMPUTED, READONLY, .column = "", .render = view_realtime_channel,
     .doc = "Channel of realtime events.", .example = "\"presence-0f@v1_views_4\""},
    {"*", .group = row_times},
    {0},
};

static const struct field view_predicate[] = {
    {"predicate_collections", F_LIST, NULLABLE, .items = rule_collection_items, .check = check_collections,
     .doc = "The predicate: a list of collections {propositions: [{field, operator, value}]}. All "
            "collections must hold. A collection holds if one of its propositions does. GET "
            "/views/definitions lists the fields. Without collections the view has every active "
            "conversation.",
     .example = "[{\"propositions\": [{\"field\": \"cases.casepriorityid\", \"operator\": "
                "\"comparison_equalto\", \"value\": \"4\"}]}]"},
    {0},
};

static const struct field view_input[] = {
    {"title", F_TEXT, REQUIRED, .doc = "Title.", .example = "\"Urgent\""},
    {"visibility_type", F_WORD, 0, .words = view_visibilities, .initial = "SELF",
     .doc = "SELF: only for the caller. TEAM: for the teams `team_ids`. ALL: for all staff. TEAM and ALL "
            "need the permission case_views.manage."},
    {"team_ids", F_IDS, 0, .column = "", .check = check_team_ids, .store = store_view_teams,
     .doc = "Teams of a view with visibility TEAM.", .example = "[1]"},
    {"columns", F_TEXTS, 0,
     .initial = "subject,requesterid,casestatusid,casepriorityid,assigneeagentid,updatedat",
     .check = check_view_columns, .doc = "Names of columns, in their order.",
     .example = "[\"subject\", \"updatedat\"]"},
    {"*", .group = view_predicate},
    {"order_by_column", F_TEXT, 0, .initial = VIEW_ORDER, .check = check_view_order,
     .doc = "Column by which the conversations are sorted."},
    {"order_by", F_WORD, 0, .words = view_orders, .initial = "DESC", .doc = "Direction."},
    {"is_default", F_BOOL, 0, .initial = "0",
     .doc = "True for the view that is opened first. It must be for all staff."},
    {"is_enabled", F_BOOL, 0, .initial = "1", .doc = "False: the view is in use by nobody."},
    {0},
};

static void view_visible_to(struct work *w, struct branches *out) {
    if (w->actor.rank < ROLE_COLLABORATOR) return;
    branch_bind_int(out, ":me", w->actor.user_id);
    out->all = w->actor.rank >= ROLE_ADMIN;
    if (!out->all) branch_add(out, VIEW_IS_LISTED);
}

/* ---- reading --------------------------------------------------------------------------------- */

static const struct field view_list_args[] = {
    {"show_all", F_BOOL,
     .doc = "True: all views of the desk, those of other people and disabled ones too. "
            "Admins and owners only."},
    {0}};

static int get_views(struct call *c) {
    TRY(api_input(c));
    if (!show_all_asked(c)) c->where = VIEW_IS_LISTED;
    return api_list(c);
}

/* ---- writing --------------------------------------------------------------------------------- */

#define MANAGE "case_views.manage"

QUERY(view_now, "SELECT is_system, visibility_type, COALESCE(agent_id, 0) FROM views WHERE id = :id");
QUERY(views_of_agent, "SELECT COUNT(*) FROM views WHERE agent_id = :me");
QUERY(view_place,
      "UPDATE views "
      "SET sort_order = (SELECT COALESCE(MAX(v.sort_order), 0) + 1 FROM views v WHERE v.id <> :id) "
      "WHERE id = :id");
QUERY(view_unshare,
      "DELETE FROM view_teams "
      "WHERE view_id = :id AND EXISTS (SELECT 1 FROM views v WHERE v.id = :id AND v.visibility_type <> 3)");
QUERY(view_lacks_teams,
      "SELECT 1 FROM views v "
      "WHERE v.id = :id AND v.visibility_type = 3 AND NOT EXISTS (SELECT 1 FROM view_teams m "
      "WHERE m.view_id = v.id)");
QUERY(view_wrong_default,
      "SELECT 1 FROM views v WHERE v.id = :id AND v.visibility_type <> 1 AND v.is_default = 1");

/* Fails unless the caller may write the view. */
static int view_may_write(struct call *c, int64_t id, bool *is_system) {
    struct stmt *row;
    TRY_FOUND(&c->work, db_row(c->work.conn, &view_now, BINDS(B_INT("id", id)), &row));
    int64_t agent = col_int(row, 2);
    bool shared = col_int(row, 1) != VIEW_SELF;
    *is_system = col_int(row, 0) != 0;
    stmt_end(row);
    return share_may_write(c, MANAGE, shared, agent);
}

static int share_asked(struct call *c) {
    bool shared = in_int(c, "visibility_type") != VIEW_SELF;
    bool asked =
        (given(c, "visibility_type") && shared) || (given(c, "is_default") && in_int(c, "is_default"));
    return asked ? share_may_write(c, MANAGE, true, 0) : 0;
}

/* After the write. A view whose team was deleted lacks teams, and can be changed if the request gives neither
 * visibility_type nor team_ids. */
static int view_check_share(struct call *c) {
    int64_t one;
    int rc = 0;
    const struct bind *id = BINDS(B_INT("id", c->id));
    TRY(db_exec(c->work.conn, &view_unshare, id));
    if (given(c, "visibility_type") || given(c, "team_ids"))
        rc = db_int(c->work.conn, &view_lacks_teams, id, &one);
    if (rc > 0) return in_fail(c, "team_ids", ERR_FIELD_REQUIRED, "A view with visibility TEAM needs teams.");
    if (rc == 0) rc = db_int(c->work.conn, &view_wrong_default, id, &one);
    if (rc > 0)
        return in_fail(c, "visibility_type", ERR_FIELD_INVALID, "The default view must have visibility ALL.");
    return rc;
}

static int post_view(struct call *c) {
    int64_t count = 0;
    TRY(api_input(c));
    TRY(share_asked(c));
    TRY(db_lock(c->work.conn, S("views")));
    TRY(db_int(c->work.conn, &views_of_agent, BINDS(B_INT("me", c->work.actor.user_id)), &count));
    if (count >= LIMIT_VIEWS)
        return fail_state(&c->work, "You have %d views. Delete one first.", LIMIT_VIEWS);
    TRY(api_insert(c));
    TRY(db_exec(c->work.conn, &view_place, BINDS(B_INT("id", c->id))));
    TRY(view_check_share(c));
    return api_reply(c);
}

static int refuse_system_change(struct call *c) {
    static const char *const fixed[] = {"title", "visibility_type", "team_ids", "predicate_collections",
                                        "is_enabled"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (given(c, fixed[i]))
            in_fail(c, fixed[i], ERR_RESOURCE_ACTION_NOT_AVAILABLE,
                    "Of a system view, only columns, order and is_default can change. Create a view of your "
                    "own.");
    return failed(&c->work) ? -(int)failure(&c->work) : 0;
}

static int put_view(struct call *c) {
    bool is_system;
    TRY(api_target(c));
    TRY(view_may_write(c, c->id, &is_system));
    TRY(api_input(c));
    TRY(share_asked(c));
    if (is_system) TRY(refuse_system_change(c));
    TRY(api_store(c));
    TRY(view_check_share(c));
    return api_reply(c);
}

static int delete_views(struct call *c) {
    bool is_system;
    TRY(api_target(c));
    for (int i = 0; i < c->id_count; i++) TRY(view_may_write(c, c->ids[i], &is_system));
    TRY(api_input(c));
    TRY(api_refuse(c, "t.is_system = 1", "The view is a system view. Delete only views of your own."));
    TRY(api_remove(c));
    return api_reply(c);
}

/* ---- routes ---------------------------------------------------------------------------------- */

static const struct field views_order[] = {
    {"view_ids", F_IDS, PRESENT, .doc = "Ids, in the new order. Other views follow.", .example = "[2, 1]"},
    {0}};

static const struct route view_routes[] = {
    {GET, "/views", COL_PLUS, "conversations", LIST, get_views, .args = view_list_args,
     .order = {.key = "t.sort_order"}, .summary = "List views",
     .doc = "The views for all staff, those for the caller's teams, and the "
            "caller's own, sorted by position."},
    {GET, "/views/definitions", COL_PLUS, "conversations", LIST_COUNT, api_list, .reply = "definition",
     .label = "definition", .summary = "List the definitions for views",
     .doc = "Custom fields of conversations are called casefields.<key>, those of requesters "
            "requesterfields.<key>, and those of their organizations organizationfields.<key>."},
    {GET, "/views/columns", COL_PLUS, "conversations", LIST_COUNT, api_list, .reply = "view_column",
     .label = "column", .summary = "List the columns that views may show"},
    {GET, "/views/:id", COL_PLUS, "conversations", ONE, api_get, .summary = "Get a view"},
    {GET, "/views/:id/cases", COL_PLUS, "conversations", LIST, get_view_cases, .reply = "case", .of = "view",
     .args = view_cases_args, .order = {.key = "t.updated_at", .descending = true}, .count = count_view_cases,
     .summary = "List the conversations of a view",
     .doc = "Only conversations that the caller may see, in the order of the view."},
    {POST, "/views/preview", COL_PLUS, "conversations", LIST, post_view_preview, .reply = "case",
     .input = view_predicate, .reads = true, .order = {.key = "t.updated_at", .descending = true},
     .count = count_view_cases, .summary = "List the conversations of a view before it is stored"},
    {POST, "/views", COL_PLUS, "conversations", ONE, post_view, .input = view_input,
     .summary = "Create a view",
     .doc = "The pointer of an error locates it: predicate_collections/0/propositions/1/operator.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/views/reorder", AG_PLUS, "conversations", NONE, api_reorder, .permission = MANAGE,
     .input = views_order, .summary = "Reorder views"},
    {PUT, "/views/:id", COL_PLUS, "conversations", ONE, put_view, .input = view_input,
     .summary = "Update a view",
     .doc = "Staff change their own views; others need the permission case_views.manage.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {DELETE, "/views/:id", COL_PLUS, "conversations", NONE, delete_views, .summary = "Delete a view",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {DELETE, "/views", COL_PLUS, "conversations", COUNT, delete_views, .summary = "Delete several views",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {0},
};

const struct resource view_resource = {.type = "view",
                                       .scope = "conversations",
                                       .title = "Views",
                                       .doc = "Stored filters of conversations, with columns and an order.",
                                       .url = "views/:id",
                                       .table = "views",
                                       .fields = view_fields,
                                       .ordered = "sort_order",
                                       .routes = view_routes,
                                       .visible = view_visible_to,
                                       .subject = &case_subject,
                                       .has_default = true,
                                       .changes_unseen = true};
