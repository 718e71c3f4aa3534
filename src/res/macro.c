/* Macros (docs/CONVERSATIONS.md "Views and macros"). */
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "api/rows/visible.h"
#include "base/limits.h"
#include "core/cases/macro.h"
#include "core/desk/cascade.h"
#include "core/people/tag.h"
#include "core/words.h"
#include "res/case_parts.h"
#include "res/groups.h"
#include "res/share.h"
#include "res/tag.h"

/* ---- a macro in a request: its properties and tags ------------------------------------------- */

int macro_given(struct call *c, struct macro *out) {
    if (!given(c, "macro") || in(c, "macro")->value.type != V_INT) return 0;
    return macro_load(&c->work, in_int(c, "macro"), out);
}

QUERY(macro_closes, "SELECT id FROM case_statuses WHERE id = :id AND type = 5");

int macro_join(struct call *c, const struct macro *m, const struct case_now *now,
               struct case_change *change) {
    int64_t id;
    TRY(macro_changes(&c->work, m, now, change));
    if (c->work.actor.rank >= ROLE_ADMIN || !(change->set & CASE_STATUS)) return 0;
    int rc = db_int(c->work.conn, &macro_closes, BINDS(B_INT("id", change->status_id)), &id);
    if (rc <= 0) return rc;
    return in_fail(c, "macro", ERR_PERMISSIONS_DENIED, "Admins and owners close conversations.");
}

int macro_join_tags(struct call *c, const struct macro *m, int64_t case_id) {
    int64_t count = 0;
    if (given(c, "tags")) return 0;
    TRY(macro_tags_apply(&c->work, m, case_id));
    TRY(tags_count(&c->work, &case_tagging, case_id, &count));
    return count > LIMIT_TAGS
               ? in_fail(c, "macro", ERR_FIELD_INVALID, "At most %d tags are allowed.", LIMIT_TAGS)
               : 0;
}

extern const struct resource macro_resource;

/* ---- members --------------------------------------------------------------------------------- */

static void render_word(struct view *v, const struct word *words, const struct value *own) {
    int64_t id;
    const char *word = own->type == V_TEXT && str_to_int(own->s, &id) ? word_of(words, id) : NULL;
    jw_key(&v->w, S("type"));
    jw_str(&v->w, word ? str_of(word) : (struct str){0});
}

static void render_member(struct view *v, const struct row *row, const char *cell, const char *name,
                          const char *type) {
    const struct value *id = row_cell(row, cell);
    jw_key(&v->w, str_of(name));
    if (id->type == V_INT) view_reference(v, layout_of(resource_of(type)), id->i);
    else jw_null(&v->w);
}

static void render_end(struct view *v, const char *type) {
    jw_key(&v->w, S("resource_type"));
    view_type(v, type);
    jw_end(&v->w);
}

static void render_assignee(struct view *v, const struct row *row, const struct value *own) {
    jw_object(&v->w);
    render_word(v, macro_assignees, own);
    render_member(v, row, "assigned_team", "team", "team");
    render_member(v, row, "assigned_agent", "agent", "user");
    render_end(v, "macro_assignee");
}

static void render_visibility(struct view *v, const struct row *row, const struct value *own) {
    jw_object(&v->w);
    render_word(v, macro_visibilities, own);
    render_member(v, row, "visible_to_team", "team", "team");
    render_end(v, "macro_visibility");
}

#define TAGS_OF_MACRO(removed)                                                                                  \
    "SELECT k.macro_id, k.tag_id FROM macro_tags k WHERE k.macro_id IN @LIST(:ids) AND k.is_removed = " removed \
        TAG_IS_SHOWN("macro_tags", "macro_id",                                                                  \
                     " AND o.is_removed = k.is_removed") " ORDER BY k.macro_id, k.tag_id"

static const struct field macro_fields[] = {
    {"title", F_TEXT, READONLY, .doc = "Title.", .example = "\"Ask for the serial number\""},
    {"reply_type", F_WORD, READONLY, .words = macro_replies, .doc = "REPLY for a message, NOTE for a note.",
     .example = "\"REPLY\""},
    {"reply_contents", F_LONG, READONLY, .doc = "Text of the reply. Null: none.",
     .example = "\"Hello {{requester.name}}\""},
    {"agent", F_REF, READONLY, .ref = "user", .bound = ":me", .doc = "Person who made the macro."},
    {"assignee", F_COMPUTED, READONLY, .column = "t.assignee_type", .render = render_assignee,
     .doc = "New assignee. type: UNASSIGNED, CURRENT_AGENT, TEAM, AGENT; null: it stays.",
     .example = "{\"type\": \"CURRENT_AGENT\", \"team\": null, \"agent\": null, \"resource_type\": "
                "\"macro_assignee\"}"},
    {"type", F_REF, READONLY, .ref = "case_type", .doc = "New type. Null: it stays."},
    {"status", F_REF, READONLY, .ref = "case_status", .doc = "New status. Null: it stays."},
    {"priority_action", F_WORD, READONLY, .words = priority_actions,
     .doc = "Change of the priority by a level.", .example = "\"INCREASE_ONE_LEVEL\""},
    {"priority", F_REF, READONLY, .ref = "case_priority", .doc = "New priority. Null: it stays."},
    {"visibility", F_COMPUTED, READONLY, .column = "t.visibility_type", .render = render_visibility,
     .doc = "People who see the macro. Its type is ALL (all staff), TEAM (the team) or PRIVATE (the person "
            "who made it).",
     .example = "{\"type\": \"ALL\", \"team\": null, \"resource_type\": \"macro_visibility\"}"},
    TAG_NAMES_MEMBER,
    {"add_tags", F_MANY, READONLY, .ref = "tag", .many = TAGS_OF_MACRO("0"),
     .doc = "Tags that the macro adds."},
    {"remove_tags", F_MANY, READONLY, .ref = "tag", .many = TAGS_OF_MACRO("1"),
     .doc = "Tags that the macro removes."},
    {"usage_count", F_INT, READONLY, .doc = "Number of uses.", .example = "3"},
    {"last_used_at", F_TIME, READONLY, .doc = "Time of the last use."},
    {"assigned_team", F_REF, HIDDEN, COLUMN_UNLESS_GONE("t.assigned_team_id", GONE_TEAMS), .ref = "team"},
    {"assigned_agent", F_REF, HIDDEN, .column = "t.assigned_agent_id", .ref = "user"},
    {"visible_to_team", F_REF, HIDDEN, COLUMN_UNLESS_GONE("t.visible_to_team_id", GONE_TEAMS), .ref = "team"},
    {"*", .group = row_times},
    {0},
};

/* ---- input ----------------------------------------------------------------------------------- */

static int check_reply_text(struct call *c, struct in *in) {
    struct str name = in->value.s.p ? macro_unknown_value(in->value.s) : (struct str){0};
    if (name.p == NULL) return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                   "Unknown value {{%.*s}}. One of these is expected: %s.", (int)(name.n < 40 ? name.n : 40),
                   name.p, MACRO_VALUES);
}

QUERY(macro_tags_drop, "DELETE FROM macro_tags WHERE macro_id = :id AND is_removed = :removed");
QUERY(macro_tags_put, "INSERT INTO macro_tags (macro_id, tag_id, is_removed) "
                      "SELECT CAST(:id AS BIGINT), g.id, CAST(:removed AS INTEGER) "
                      "FROM tags g WHERE g.gone = 0 AND g.name_key IN @TEXTS(:keys)");

static int macro_tags_store(struct call *c, const struct in *in, int64_t id, int removed) {
    struct str keys;
    int count;
    const struct str *names = tags_given(in, &count);
    TRY(tags_made(&c->work, names, count, &keys));
    const struct bind *binds = BINDS(B_INT("id", id), B_INT("removed", removed), B_TEXT("keys", keys));
    TRY(db_exec(c->work.conn, &macro_tags_drop, binds));
    return db_exec(c->work.conn, &macro_tags_put, binds);
}
static int store_add_tags(struct call *c, const struct in *in, int64_t id) {
    return macro_tags_store(c, in, id, 0);
}
static int store_remove_tags(struct call *c, const struct in *in, int64_t id) {
    return macro_tags_store(c, in, id, 1);
}

static const struct field macro_input[] = {
    {"title", F_TEXT, REQUIRED, .fold = "title_key", .doc = "Title.",
     .example = "\"Ask for the serial number\""},
    {"visibility_type", F_WORD, 0, .words = macro_visibilities, .initial = "PRIVATE",
     .doc = "PRIVATE: only for the caller. TEAM: for the team visible_to_team_id. ALL: for all staff. TEAM "
            "and ALL need the permission macros.manage."},
    {"visible_to_team", F_REF, NULLABLE, .ref = "team", .doc = "Team of a macro with visibility TEAM."},
    {"reply_type", F_WORD, 0, .words = macro_replies, .initial = "REPLY",
     .doc = "REPLY for a message, NOTE for a note."},
    {"reply_contents", F_LONG, NULLABLE, .check = check_reply_text,
     .doc = "Text of the reply. {{requester.name}}, {{agent.name}}, {{brand.name}}, {{case.id}}, "
            "{{case.subject}} and {{desk}} stand for values of the conversation.",
     .example = "\"Hello {{requester.name}}, which serial number has it?\""},
    {"assignee_type", F_WORD, NULLABLE, .words = macro_assignees, .doc = "New assignee. Null: it stays.",
     .example = "\"CURRENT_AGENT\""},
    {"assigned_team", F_REF, NULLABLE, .ref = "team", .doc = "New team, with assignee_type TEAM or AGENT."},
    {"assigned_agent", F_REF, NULLABLE, .ref = "user", .check = check_assigned_agent,
     .doc = "New agent, with assignee_type AGENT."},
    {"priority", F_REF, NULLABLE, .ref = "case_priority", .doc = "New priority."},
    {"priority_action", F_WORD, NULLABLE, .words = priority_actions,
     .doc = "Change of the priority by a level, instead of priority_id.",
     .example = "\"INCREASE_ONE_LEVEL\""},
    {"status", F_REF, NULLABLE, .ref = "case_status", .doc = "New status."},
    {"type", F_REF, NULLABLE, .ref = "case_type", .doc = "New type."},
    {"add_tags", F_TEXTS, 0, .column = "", .check = check_tags, .store = store_add_tags,
     .doc = "Tags to add, at most 100.", .example = "[\"vip\"]"},
    {"remove_tags", F_TEXTS, 0, .column = "", .check = check_tags, .store = store_remove_tags,
     .doc = "Tags to remove, at most 100.", .example = "[\"new\"]"},
    {0},
};

/* ---- access ---------------------------------------------------------------------------------- */

static void macro_visible_to(struct work *w, struct branches *out) {
    if (w->actor.rank < ROLE_COLLABORATOR) return;
    branch_bind_int(out, ":me", w->actor.user_id);
    out->all = w->actor.rank >= ROLE_ADMIN;
    if (!out->all) branch_add(out, MACRO_IS_LISTED("t"));
}

#define MANAGE_MACROS "macros.manage"
QUERY(macro_now, "SELECT visibility_type, agent_id FROM macros WHERE id = :id");

static int macro_may_write(struct call *c, int64_t id) {
    struct stmt *row;
    TRY_FOUND(&c->work, db_row(c->work.conn, &macro_now, BINDS(B_INT("id", id)), &row));
    bool shared = col_int(row, 0) != MACRO_PRIVATE;
    int64_t agent = col_int(row, 1);
    stmt_end(row);
    return share_may_write(c, MANAGE_MACROS, shared, agent);
}

static int macro_share_asked(struct call *c) {
    bool shared = given(c, "visibility_type") && in_int(c, "visibility_type") != MACRO_PRIVATE;
    return shared ? share_may_write(c, MANAGE_MACROS, true, 0) : 0;
}

/* ---- handlers -------------------------------------------------------------------------------- */

static const struct field macro_list_args[] = {
    {"show_all", F_BOOL,
     .doc = "True: all macros of the desk, those of other people too. Admins and owners "
            "only."},
    {0}};

static int get_macros(struct call *c) {
    TRY(api_input(c));
    if (!show_all_asked(c)) c->where = MACRO_IS_LISTED("t");
    return api_list(c);
}

/* Clears what the types do not use. */
QUERY(macro_tidy,
      "UPDATE macros SET visible_to_team_id = CASE WHEN visibility_type = 2 THEN visible_to_team_id END, "
      "assigned_team_id = CASE WHEN assignee_type IN (3, 4) THEN assigned_team_id END, "
      "assigned_agent_id = CASE WHEN assignee_type = 4 THEN assigned_agent_id END "
      "WHERE id = :id");
/* A macro whose team was deleted lacks a team. It can be changed if the request gives neither the type nor
 * the team. */
QUERY(macro_lacks,
      "SELECT CASE WHEN visibility_type = 2 AND visible_to_team_id IS NULL "
      "AND CAST(:shares AS INTEGER) = 1 THEN 1 WHEN assignee_type = 3 AND assigned_team_id IS NULL "
      "AND CAST(:assigns AS INTEGER) = 1 THEN 2 WHEN assignee_type = 4 AND assigned_agent_id IS NULL "
      "THEN 3 WHEN priority_id IS NOT NULL AND priority_action IS NOT NULL THEN 4 ELSE 0 END "
      "FROM macros WHERE id = :id");

static int macro_check(struct call *c) {
    int64_t lacks = 0;
    bool shares = given(c, "visibility_type") || given(c, "visible_to_team");
    bool assigns = given(c, "assignee_type") || given(c, "assigned_team");
    TRY(db_exec(c->work.conn, &macro_tidy, BINDS(B_INT("id", c->id))));
    TRY(db_int(c->work.conn, &macro_lacks,
               BINDS(B_INT("id", c->id), B_INT("shares", shares), B_INT("assigns", assigns)), &lacks));
    switch (lacks) {
    case 1:
        return in_fail(c, "visible_to_team", ERR_FIELD_REQUIRED,
                       "A macro with visibility TEAM needs a team.");
    case 2: return in_fail(c, "assigned_team", ERR_FIELD_REQUIRED, "assignee_type TEAM needs a team.");
    case 3: return in_fail(c, "assigned_agent", ERR_FIELD_REQUIRED, "assignee_type AGENT needs an agent.");
    case 4:
        return in_fail(c, "priority_action", ERR_FIELD_INVALID,
                       "A macro has either a priority or a priority_action.");
    default: return 0;
    }
}

QUERY(macros_of_agent, "SELECT COUNT(*) FROM macros WHERE agent_id = :me");

static int post_macro(struct call *c) {
    int64_t count = 0;
    TRY(api_input(c));
    TRY(macro_share_asked(c));
    TRY(db_lock(c->work.conn, S("macros")));
    TRY(db_int(c->work.conn, &macros_of_agent, BINDS(B_INT("me", c->work.actor.user_id)), &count));
    if (count >= LIMIT_VIEWS)
        return fail_state(&c->work, "You have %d macros. Delete one first.", LIMIT_VIEWS);
    TRY(api_insert(c));
    TRY(macro_check(c));
    return api_reply(c);
}

static int put_macro(struct call *c) {
    TRY(api_target(c));
    TRY(macro_may_write(c, c->id));
    TRY(api_input(c));
    TRY(macro_share_asked(c));
    TRY(api_store(c));
    TRY(macro_check(c));
    return api_reply(c);
}

static int delete_macros(struct call *c) {
    TRY(api_target(c));
    for (int i = 0; i < c->id_count; i++) TRY(macro_may_write(c, c->ids[i]));
    TRY(api_input(c));
    TRY(api_remove(c));
    return api_reply(c);
}

static int put_macro_used(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(macro_used(&c->work, c->id));
    return api_reply(c);
}

/* ---- the preview ----------------------------------------------------------------------------- */

static const struct field preview_args[] = {{"case_id", F_INT, PRESENT, .min = 1, .max = INT64_MAX,
                                             .doc = "Conversation that the macro would be applied to.",
                                             .example = "23"},
                                            {0}};

static int preview_tags(struct call *c, int64_t owner_id, int64_t **ids) {
    (void)owner_id;
    return macro_tags_after(&c->work, c->vars[0].id, arg(c, "case_id")->value.i, ids);
}

static const struct field preview_fields[] = {
    {"macro", F_REF, READONLY, .ref = "macro", .doc = "The macro."},
    {"case", F_REF, READONLY, .ref = "case", .doc = "The conversation."},
    {"reply_type", F_WORD, READONLY, .words = macro_replies, .doc = "REPLY for a message, NOTE for a note.",
     .example = "\"REPLY\""},
    {"contents", F_LONG, READONLY, .scope = "users",
     .doc =
         "Text of the reply with its values. Null: none, or the bearer token lacks the scope users, because "
         "people are among the values.",
     .example = "\"Hello Cora Customer\""},
    {"status", F_REF, READONLY, .ref = "case_status", .doc = "Status that the conversation would have."},
    {"priority", F_REF, READONLY, .ref = "case_priority", .doc = "Priority that it would have."},
    {"type", F_REF, READONLY, .ref = "case_type", .doc = "Type that it would have."},
    {"assigned_team", F_REF, READONLY, .ref = "team", .doc = "Team that it would have."},
    {"assigned_agent", F_REF, READONLY, .ref = "user", .doc = "Agent that it would have."},
    {"tags", F_MANY, READONLY, .ref = "tag", .made = preview_tags, .doc = "Tags that it would have."},
    {0},
};

static void put_id(const struct row *row, const char *name, unsigned set, int64_t wanted, int64_t now) {
    int64_t id = set ? wanted : now;
    if (id) *row_cell(row, name) = (struct value){V_INT, .i = id};
}

static int get_macro_preview(struct call *c) {
    struct work *w = &c->work;
    struct macro m;
    struct case_now now;
    struct case_change change = {0};
    struct str contents;
    TRY(api_of(c));
    TRY(api_input(c));
    int64_t id = arg(c, "case_id")->value.i;
    int seen = api_visible(c, resource_of("case"), id);
    TRY(seen);
    if (!seen) return fail_field(w, ERR_FIELD_INVALID, S("case_id"), "%s", api_absent(c, "case"));
    TRY_FOUND(w, macro_load(w, c->vars[0].id, &m));
    TRY_FOUND(w, case_read(w, id, &now));
    TRY(macro_contents(w, &m, &now, &contents));
    TRY(macro_changes(w, &m, &now, &change));
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    put_id(row, "macro", 1, m.id, 0);
    put_id(row, "case", 1, id, 0);
    *row_cell(row, "reply_type") = (struct value){V_INT, .i = m.reply};
    *row_cell(row, "contents") = value_text(contents);
    put_id(row, "status", change.set & CASE_STATUS, change.status_id, now.status_id);
    put_id(row, "priority", change.set & CASE_PRIORITY, change.priority_id, now.priority_id);
    put_id(row, "type", change.set & CASE_TYPE, change.type_id, now.type_id);
    put_id(row, "assigned_team", change.set & CASE_TEAM, change.assigned_team_id, now.assigned_team_id);
    put_id(row, "assigned_agent", change.set & CASE_AGENT, change.assigned_agent_id, now.assigned_agent_id);
    TRY(view_follow(v, row));
    return envelope_row(v, row);
}

/* ---- routes ---------------------------------------------------------------------------------- */

static const struct route macro_routes[] = {
    {GET, "/cases/macros", COL_PLUS, "conversations", LIST_COUNT, get_macros, .args = macro_list_args,
     .order = {.key = "t.title_key"}, .summary = "List macros",
     .doc = "The macros for all staff, those for the caller's teams, and the "
            "caller's own, sorted by title."},
    {GET, "/cases/macros/:id", COL_PLUS, "conversations", ONE, api_get, .summary = "Get a macro"},
    {GET, "/cases/macros/:id/preview", COL_PLUS, "conversations", ONE, get_macro_preview, .of = "macro",
     .reply = "macro_preview", .args = preview_args, .summary = "Preview a macro for a conversation",
     .doc = "The text with its values, and the properties that the conversation would have. Nothing "
            "changes."},
    {POST, "/cases/macros", COL_PLUS, "conversations", ONE, post_macro, .input = macro_input,
     .summary = "Create a macro", .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/cases/macros/:id", COL_PLUS, "conversations", ONE, put_macro, .input = macro_input,
     .summary = "Update a macro",
     .doc = "Staff change their own macros; others need the permission macros.manage."},
    {PUT, "/cases/macros/:id/used", COL_PLUS, "conversations", ONE, put_macro_used, .input = no_fields,
     .summary = "Count a use of a macro",
     .doc = "For programs that apply a macro themselves. macro_id of other operations counts by itself."},
    {DELETE, "/cases/macros/:id", COL_PLUS, "conversations", NONE, delete_macros,
     .summary = "Delete a macro"},
    {DELETE, "/cases/macros", COL_PLUS, "conversations", COUNT, delete_macros,
     .summary = "Delete several macros"},
    {0},
};

const struct resource macro_resource = {.type = "macro",
                                        .scope = "conversations",
                                        .title = "Macros",
                                        .doc = "Reply texts and changes that staff apply to conversations.",
                                        .url = "cases/macros/:id",
                                        .table = "macros",
                                        .fields = macro_fields,
                                        .routes = macro_routes,
                                        .visible = macro_visible_to,
                                        .changes_unseen = true};

const struct resource macro_preview_resource = {.type = "macro_preview",
                                                .scope = "conversations",
                                                .title = "Previews of macros",
                                                .doc = "The result that a macro would have.",
                                                .fields = preview_fields};
