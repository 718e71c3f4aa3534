#include "core/cases/macro.h"

#include "base/buf.h"
#include "base/limits.h"
#include "core/desk/setting.h"
#include "core/people/tag.h"
#include "core/text/template.h"

#include <inttypes.h>

const struct word macro_visibilities[] = {
    {MACRO_PRIVATE, "PRIVATE"}, {MACRO_TEAM, "TEAM"}, {MACRO_ALL, "ALL"}, {0}};
const struct word macro_replies[] = {{MACRO_REPLY, "REPLY"}, {MACRO_NOTE, "NOTE"}, {0}};
const struct word macro_assignees[] = {{ASSIGNEE_NOBODY, "UNASSIGNED"},
                                       {ASSIGNEE_CALLER, "CURRENT_AGENT"},
                                       {ASSIGNEE_TEAM, "TEAM"},
                                       {ASSIGNEE_AGENT, "AGENT"},
                                       {0}};
const struct word priority_actions[] = {
    {PRIORITY_INCREASE, "INCREASE_ONE_LEVEL"}, {PRIORITY_DECREASE, "DECREASE_ONE_LEVEL"}, {0}};

/* References to objects that are deleted, or to people who can't be assigned, are 0. */
QUERY(macro_by_id,
      "SELECT m.reply_type, m.reply_contents, COALESCE((SELECT s.id FROM case_statuses s "
      "WHERE s.id = m.status_id AND s.is_deleted = 0), 0), COALESCE(m.type_id, 0), "
      "COALESCE(m.priority_id, 0), COALESCE((SELECT g.id FROM teams g WHERE g.id = m.assigned_team_id "
      "AND g.deleted_at IS NULL), 0), COALESCE((SELECT u.id FROM users u "
      "WHERE u.id = m.assigned_agent_id AND u.is_enabled = 1 AND u.deleted_at IS NULL "
      "AND u.role_type >= 2), 0), COALESCE(m.assignee_type, 0), COALESCE(m.priority_action, 0) "
      "FROM macros m WHERE m.id = :id");

int macro_load(struct work *w, int64_t id, struct macro *out) {
    struct stmt *row;
    int rc = db_row(w->conn, &macro_by_id, BINDS(B_INT("id", id)), &row);
    if (rc <= 0) return rc;
    *out = (struct macro){.id = id,
                          .reply = (enum macro_reply)col_int(row, 0),
                          .contents = str_dup(w->arena, col_text(row, 1)),
                          .status_id = col_int(row, 2),
                          .type_id = col_int(row, 3),
                          .priority_id = col_int(row, 4),
                          .assigned_team_id = col_int(row, 5),
                          .assigned_agent_id = col_int(row, 6),
                          .assignee = (enum macro_assignee)col_int(row, 7),
                          .priority = (enum priority_action)col_int(row, 8)};
    stmt_end(row);
    return 1;
}

/* ---- the text -------------------------------------------------------------------------------- */

struct str macro_unknown_value(struct str contents) {
    const char *end = contents.p + contents.n, *at = contents.p, *close;
    while (at < end && (at = memmem(at, (size_t)(end - at), "{{", 2)) &&
           (close = memmem(at, (size_t)(end - at), "}}", 2))) {
        struct str name = str_trim((struct str){at + 2, (size_t)(close - at - 2)});
        bool known = false;
        for (struct str rest = S(MACRO_VALUES); rest.p && !known;) known = str_eq(str_cut(&rest, ' '), name);
        if (!known) return name;
        at = close + 2;
    }
    return (struct str){0};
}

QUERY(macro_names, "SELECT COALESCE(c.requester_name, r.full_name), a.full_name, b.name "
                   "FROM cases c JOIN users r ON r.id = c.requester_id "
                   "LEFT JOIN users a ON a.id = :me LEFT JOIN brands b ON b.id = COALESCE(c.brand_id, 1) "
                   "WHERE c.id = :id");

int case_text_fill_as(struct work *w, const struct case_now *c, int64_t agent_id, struct str text,
                      struct str (*escape)(struct arena *a, struct str value), struct str *out) {
    struct stmt *row;
    struct buf b = {0};
    TRY_FOUND(w, db_row(w->conn, &macro_names, BINDS(B_INT("id", c->id), B_INT("me", agent_id)), &row));
    struct meaning meanings[] = {{.name = "requester.name", .value = str_dup(w->arena, col_text(row, 0))},
                                 {.name = "agent.name", .value = str_dup(w->arena, col_text(row, 1))},
                                 {.name = "brand.name", .value = str_dup(w->arena, col_text(row, 2))},
                                 {.name = "case.id", .value = str_fmt(w->arena, "%" PRId64, c->id)},
                                 {.name = "case.subject", .value = c->subject},
                                 {.name = "desk", .value = setting_text(w->desk, "desk.name", w->arena)},
                                 {0}};
    stmt_end(row);
    for (struct meaning *m = meanings; escape && m->name; m++) m->value = escape(w->arena, m->value);
    template_fill(&b, text, meanings, false);
    *out = buf_take(&b, w->arena);
    return 0;
}

int case_text_fill(struct work *w, const struct case_now *c, int64_t agent_id, struct str text,
                   struct str *out) {
    return case_text_fill_as(w, c, agent_id, text, NULL, out);
}

int macro_contents(struct work *w, const struct macro *m, const struct case_now *c, struct str *out) {
    *out = (struct str){0};
    return m->contents.p ? case_text_fill(w, c, w->actor.user_id, m->contents, out) : 0;
}

/* ---- the changes ----------------------------------------------------------------------------- */

static int macro_priority(struct work *w, const struct macro *m, const struct case_now *c,
                          struct case_change *change) {
    int64_t id = m->priority_id;
    if (change->set & CASE_PRIORITY) return 0;
    if (id == 0 && m->priority) {
        TRY(case_priority_next(w, c->priority_id, m->priority == PRIORITY_INCREASE, &id));
        if (id == c->priority_id) return 0;
    }
    if (id == 0) return 0;
    change->set |= CASE_PRIORITY;
    change->priority_id = id;
    return 0;
}

/* A team without agent unassigns the agent. */
static void macro_assignment(const struct work *w, const struct macro *m, struct case_change *change) {
    int64_t team = m->assigned_team_id, agent = m->assigned_agent_id;
    bool sets_team = m->assignee == ASSIGNEE_NOBODY ||
                     ((m->assignee == ASSIGNEE_TEAM || m->assignee == ASSIGNEE_AGENT) && team);
    bool sets_agent = m->assignee == ASSIGNEE_NOBODY || m->assignee == ASSIGNEE_CALLER ||
                      (m->assignee == ASSIGNEE_TEAM && team) || (m->assignee == ASSIGNEE_AGENT && agent);
    if (m->assignee == ASSIGNEE_CALLER) agent = w->actor.user_id;
    if (sets_team && !(change->set & CASE_TEAM)) {
        change->set |= CASE_TEAM;
        change->assigned_team_id = m->assignee == ASSIGNEE_NOBODY ? 0 : team;
    }
    if (sets_agent && !(change->set & CASE_AGENT)) {
        change->set |= CASE_AGENT;
        change->assigned_agent_id =
            m->assignee == ASSIGNEE_NOBODY || m->assignee == ASSIGNEE_TEAM ? 0 : agent;
    }
}

int macro_changes(struct work *w, const struct macro *m, const struct case_now *c,
                  struct case_change *change) {
    TRY(macro_priority(w, m, c, change));
    macro_assignment(w, m, change);
    if (m->status_id && !(change->set & CASE_STATUS)) {
        change->set |= CASE_STATUS;
        change->status_id = m->status_id;
    }
    if (m->type_id && !(change->set & CASE_TYPE)) {
        change->set |= CASE_TYPE;
        change->type_id = m->type_id;
    }
    return 0;
}

/* ---- tags ------------------------------------------------------------------------------------ */

QUERY(macro_tag_names, "SELECT g.name FROM macro_tags k JOIN tags g ON g.id = k.tag_id "
                       "WHERE k.macro_id = :id AND k.is_removed = :removed AND g.name <> '' "
                       "ORDER BY g.id LIMIT :most");
QUERY(macro_tag_ids_after,
      "SELECT g.id FROM tags g WHERE (g.id IN (SELECT k.tag_id FROM case_tags k WHERE k.case_id = :case) "
      "OR g.id IN (SELECT k.tag_id FROM macro_tags k WHERE k.macro_id = :id AND k.is_removed = 0)) "
      "AND g.id NOT IN (SELECT k.tag_id FROM macro_tags k WHERE k.macro_id = :id AND k.is_removed = 1) "
      "ORDER BY g.id");

static int macro_tags_read(struct work *w, int64_t id, int removed, struct str **out) {
    int rc, n = 0;
    *out = arena_array(w->arena, LIMIT_TAGS, sizeof **out);
    DB_ROWS(rc, w->conn, &macro_tag_names,
            BINDS(B_INT("id", id), B_INT("removed", removed), B_INT("most", LIMIT_TAGS)), row)
    (*out)[n++] = str_dup(w->arena, col_text(row, 0));
    return rc < 0 ? rc : n;
}

int macro_tags_apply(struct work *w, const struct macro *m, int64_t case_id) {
    struct str *names;
    int n = macro_tags_read(w, m->id, 0, &names);
    TRY(n);
    if (n) TRY(tags_add(w, &case_tagging, case_id, names, n));
    n = macro_tags_read(w, m->id, 1, &names);
    TRY(n);
    return n ? tags_remove(w, &case_tagging, case_id, names, n) : 0;
}

int macro_tags_after(struct work *w, int64_t macro_id, int64_t case_id, int64_t **ids) {
    return db_ids(w->conn, &macro_tag_ids_after, BINDS(B_INT("id", macro_id), B_INT("case", case_id)),
                  w->arena, ids);
}

QUERY(macro_count_use, "UPDATE macros SET usage_count = usage_count + 1, last_used_at = :now WHERE id = :id");

int macro_used(struct work *w, int64_t id) {
    return db_exec(w->conn, &macro_count_use, BINDS(B_INT("id", id), B_INT("now", w->now)));
}
