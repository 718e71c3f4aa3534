/* Visibility of conversations as branches.
 *
 * A list of conversations is ordered by (created_at, id) and limited. With one condition joined by OR, the
 * store reads and sorts all visible rows: 300 ms at a million rows. Instead, each branch below is one
 * index range already in that order (the indexes of schema/0001). A list takes LIMIT rows of each branch,
 * merges them and stops: 0.1 ms at any size. Branches may overlap if disjoint ones would walk the rows of
 * another branch: most of an agent's own conversations are in the agent's teams, and leaving these out
 * read 200 rows to find 10.
 *
 *     ALL        every active conversation
 *     TEAMS      one branch for each team | assigned to the actor | without team and agent | with a deleted team or agent that the row
 *                still refers to (core/desk/cascade.c)
 *     SELF       assigned to the actor
 *     customer   requested by the actor; with MY_ORGANIZATION: of the actor's organization
 *     stranger   made with the fingerprint; for a page of a widget: of its brand, too
 *     a request token, or the reply to the caller's own POST: that one conversation
 *
 * Staff may have requested a conversation too, but see it only as their access allows. */
#include "core/access/access.h"

#include "base/ids.h"
#include "core/access/scope.h"
#include "core/desk/cascade.h"
#include "core/desk/kept_value.h"
#include "core/words.h"
#include "json/json.h"

#include <assert.h>

void branch_add(struct branches *b, const char *where) {
    assert(b->count < BRANCHES_MAX);
    b->where[b->count++] = where;
}

void branch_bind_int(struct branches *b, const char *name, int64_t v) {
    assert(b->bind_count < BRANCH_BINDS_MAX);
    b->binds[b->bind_count++] = (struct bind){.name = name, .type = BIND_INT, .i = v};
}

void branch_bind_text(struct branches *b, const char *name, struct str v) {
    assert(b->bind_count < BRANCH_BINDS_MAX);
    b->binds[b->bind_count++] = (struct bind){.name = name, .type = BIND_TEXT, .s = v};
}

QUERY(teams_of_user, "SELECT team_id FROM team_members WHERE user_id = :user ORDER BY team_id");

#define TEAMS_MAX 1024 /* teams of one person; more are ignored */
#define TEAM_BRANCHES \
    16 /* people in more teams get one branch for all teams: correct, but its cost grows with the teams */

static bool is_of_team(const struct case_assignment *of, int64_t team_id) {
    return !of->has_team || of->team_id == team_id;
}

static bool is_of_agent(const struct case_assignment *of, int64_t agent_id) {
    return !of->has_agent || of->agent_id == agent_id;
}

/* Returns the number of the actor's teams, or a negative error. Each request of an agent of teams asks for
 * them. */
static int teams_of_actor(struct work *w, int64_t teams[TEAMS_MAX]) {
    const struct kept_key key = {.of = &teams_of_user, .parts = {w->actor.user_id}};
    struct kept_value kept;
    int n = 0, rc;
    if (kept_value_find(w, KEPT_TEAMS, &key, &kept)) {
        if (kept.number) memcpy(teams, kept.text.p, kept.text.n);
        return (int)kept.number;
    }
    DB_ROWS(rc, w->conn, &teams_of_user, BINDS(B_INT("user", w->actor.user_id)), row)
    if (n < TEAMS_MAX) teams[n++] = col_int(row, 0);
    if (rc < 0) return rc;
    kept = (struct kept_value){n, {(const char *)teams, (size_t)n * sizeof *teams}};
    kept_value_put(w, KEPT_TEAMS, &key, &kept);
    return n;
}

static void team_branches(struct work *w, const struct case_assignment *of, struct branches *b) {
    static const char *const where[TEAM_BRANCHES] = {
        "t.state = 1 AND t.assigned_team_id = :team0",  "t.state = 1 AND t.assigned_team_id = :team1",
        "t.state = 1 AND t.assigned_team_id = :team2",  "t.state = 1 AND t.assigned_team_id = :team3",
        "t.state = 1 AND t.assigned_team_id = :team4",  "t.state = 1 AND t.assigned_team_id = :team5",
        "t.state = 1 AND t.assigned_team_id = :team6",  "t.state = 1 AND t.assigned_team_id = :team7",
        "t.state = 1 AND t.assigned_team_id = :team8",  "t.state = 1 AND t.assigned_team_id = :team9",
        "t.state = 1 AND t.assigned_team_id = :team10", "t.state = 1 AND t.assigned_team_id = :team11",
        "t.state = 1 AND t.assigned_team_id = :team12", "t.state = 1 AND t.assigned_team_id = :team13",
        "t.state = 1 AND t.assigned_team_id = :team14", "t.state = 1 AND t.assigned_team_id = :team15"};
    int64_t teams[TEAMS_MAX];
    int n = teams_of_actor(w, teams);
    if (n < 0) {
        fail(w, error_of_result(n)); /* the list of visible rows would lack those of the teams */
        return;
    }
    for (int i = 0; n <= TEAM_BRANCHES && i < n; i++) {
        if (!is_of_team(of, teams[i])) continue;
        branch_add(b, where[i]);
        branch_bind_int(b, strstr(where[i], ":team"), teams[i]);
    }
    if (n > TEAM_BRANCHES && (!of->has_team || ids_have(teams, n, of->team_id)))
        branch_add(b, "t.state = 1 AND t.assigned_team_id IN @LIST(:teams)");
    branch_bind_text(b, ":teams", json_ids(w->arena, teams, (size_t)n));
}

/* Conversations without team and agent. Rows that refer to a deleted team or agent count too. They exist
 * only while a cascade runs. */
static void nobodys_branches(struct work *w, struct branches *b) {
    branch_add(b, "t.state = 1 AND t.assigned_team_id IS NULL AND t.assigned_agent_id IS NULL");
    if (nothing_is_gone(w) || !cascades_under_way(w)) return;
    branch_add(b, "t.state = 1 AND t.assigned_team_id IN " GONE_TEAMS
                  " AND (t.assigned_agent_id IS NULL OR t.assigned_agent_id IN " GONE_AGENTS ")");
    branch_add(b, "t.state = 1 AND t.assigned_agent_id IN " GONE_AGENTS " AND t.assigned_team_id IS NULL");
}

#define OF_WIDGET " AND COALESCE(t.brand_id, 1) = :widget_brand"

/* A page of a widget sees only conversations of its brand. */
static void stranger_branch(const struct actor *a, struct branches *out) {
    bool widget = a->rank == ROLE_PUBLIC && a->widget_brand_id;
    if (widget) branch_bind_int(out, ":widget_brand", a->widget_brand_id);
    if (a->token_case_id) {
        branch_add(out, widget ? "t.state = 1 AND t.id = :token_case" OF_WIDGET
                               : "t.state = 1 AND t.id = :token_case");
        branch_bind_int(out, ":token_case", a->token_case_id);
    } else if (a->fingerprint.n) {
        branch_add(out, widget ? "t.state = 1 AND t.fingerprint = :fingerprint" OF_WIDGET
                               : "t.state = 1 AND t.fingerprint = :fingerprint");
        branch_bind_text(out, ":fingerprint", a->fingerprint);
    }
}

void access_assigned_cases(struct work *w, const struct case_assignment *of, struct branches *out) {
    const struct actor *a = &w->actor;
    if (a->token_case_id || a->rank == ROLE_PUBLIC) {
        stranger_branch(a, out);
        return;
    }
    branch_bind_int(out, ":me", a->user_id);
    if (a->rank == ROLE_CUSTOMER) {
        branch_add(out, "t.state = 1 AND t.requester_id = :me");
        if (!a->sees_organization) return;
        /* While a cascade moves conversations of a person to another organization, users.organization_id
         * decides. */
        branch_add(out, cascades_under_way(w)
                            ? "t.state = 1 AND t.organization_id = :my_organization "
                              "AND t.requester_id <> :me AND EXISTS (SELECT 1 FROM users u "
                              "WHERE u.id = t.requester_id AND u.organization_id = :my_organization)"
                            : "t.state = 1 AND t.organization_id = :my_organization AND t.requester_id <> "
                              ":me");
        branch_bind_int(out, ":my_organization", a->organization_id);
    } else if (a->case_access == CASES_ALL) {
        branch_add(out, "t.state = 1");
    } else if (a->case_access == CASES_TEAMS) {
        out->overlap = true;
        team_branches(w, of, out);
        if (is_of_agent(of, a->user_id)) branch_add(out, "t.state = 1 AND t.assigned_agent_id = :me");
        if (is_of_team(of, 0) && is_of_agent(of, 0)) nobodys_branches(w, out);
    } else if (is_of_agent(of, a->user_id)) {
        branch_add(out, "t.state = 1 AND t.assigned_agent_id = :me");
    }
}

void access_cases(struct work *w, struct branches *out) {
    access_assigned_cases(w, &(struct case_assignment){0}, out);
}

bool access_sees_all_cases(const struct work *w) {
    return w->actor.rank >= ROLE_COLLABORATOR && w->actor.case_access == CASES_ALL && !w->actor.token_case_id;
}

bool access_is_by_assignment(const struct work *w) {
    return w->actor.rank >= ROLE_COLLABORATOR && w->actor.case_access != CASES_ALL;
}

struct case_reader {
    int64_t me, *teams;
    int access, team_count;
};

int access_case_reader(struct work *w, struct case_reader **out) {
    struct case_reader *r = *out = ARENA_NEW(w->arena, struct case_reader);
    *r = (struct case_reader){.me = w->actor.user_id,
                              .access = w->actor.rank < ROLE_COLLABORATOR ? 0 : w->actor.case_access};
    if (r->access != CASES_TEAMS) return 0;
    r->team_count = db_ids(w->conn, &teams_of_user, BINDS(B_INT("user", r->me)), w->arena, &r->teams);
    return r->team_count < 0 ? r->team_count : 0;
}

bool access_case_of(const struct case_reader *r, int64_t team_id, int64_t agent_id) {
    if (r->access == CASES_ALL) return true;
    if (r->access == 0) return false;
    if (agent_id == r->me) return true;
    if (r->access != CASES_TEAMS) return false;
    return ids_have(r->teams, r->team_count, team_id) || (team_id == 0 && agent_id == 0);
}

struct case_parts access_case_parts(const struct case_reader *r) {
    return (struct case_parts){r->me, r->teams, r->team_count, r->access == CASES_TEAMS};
}

void access_cases_of_any_state(struct work *w, struct branches *out) {
    static const char active[] = "t.state = 1";
    if (w->actor.rank < ROLE_COLLABORATOR) return;
    access_cases(w, out);
    for (int i = 0; i < out->count; i++) {
        assert(strncmp(out->where[i], active, sizeof active - 1) == 0);
        out->where[i] = STR_CAT(w->arena, S("t.state <> 5"), str_of(out->where[i] + sizeof active - 1)).p;
    }
}

void access_own_cases(struct work *w, struct branches *out) {
    if (w->actor.rank != ROLE_CUSTOMER) {
        access_cases(w, out);
        return;
    }
    branch_add(out, "t.state = 1 AND t.requester_id = :me");
    branch_bind_int(out, ":me", w->actor.user_id);
}

void access_organization_cases(struct work *w, struct branches *out) {
    const struct actor *a = &w->actor;
    if (a->rank != ROLE_CUSTOMER || !a->sees_organization || cascades_under_way(w)) {
        access_cases(w, out);
        return;
    }
    branch_add(out, "t.state = 1 AND t.organization_id = :my_organization");
    branch_bind_int(out, ":my_organization", a->organization_id);
}

/* Appends a condition, with the alias t replaced by c. */
static void about_parent(struct buf *out, const char *where) {
    for (const char *at = where; *at; at++) {
        bool alias = at[0] == 't' && at[1] == '.' && (at == where || at[-1] == ' ' || at[-1] == '(');
        buf_char(out, alias ? 'c' : *at);
    }
}

void access_everyone(struct work *w, struct branches *out) {
    (void)w;
    out->all = true;
}

void access_staff(struct work *w, struct branches *out) { out->all = w->actor.rank >= ROLE_COLLABORATOR; }

void access_through(struct work *w, const char *table, const char *column, const char *where,
                    const struct branches *parents, struct branches *out) {
    struct buf sql = {0};
    if (parents->all && where == NULL) {
        out->all = true;
        return;
    }
    buf_fmt(&sql, "EXISTS (SELECT 1 FROM %s c WHERE c.id = %s AND (%s", table, column,
            parents->all ? "1 = 1" : "1 = 0");
    for (int i = 0; i < parents->count; i++) {
        buf_text(&sql, " OR (");
        about_parent(&sql, parents->where[i]);
        buf_char(&sql, ')');
    }
    buf_char(&sql, ')');
    if (where) buf_text(&sql, " AND ");
    if (where) about_parent(&sql, where);
    buf_char(&sql, ')');
    branch_add(out, buf_take(&sql, w->arena).p);
    memcpy(out->binds, parents->binds, sizeof out->binds);
    out->bind_count = parents->bind_count;
}

void access_of_case(struct work *w, const char *column, struct branches *out) {
    struct branches cases = {0};
    access_cases(w, &cases);
    access_through(w, "cases", column, NULL, &cases, out);
}

void access_timeline(struct work *w, struct branches *out) {
    struct branches cases = {0};
    access_cases_of_any_state(w, &cases);
    if (cases.count) access_through(w, "cases", "t.case_id", NULL, &cases, out);
}

void access_case_or_none(struct work *w, const char *column, struct branches *out) {
    struct branches cases = {0};
    if (w->actor.rank < ROLE_COLLABORATOR) return;
    access_cases_of_any_state(w, &cases);
    access_through(w, "cases", column, NULL, &cases, out);
    out->where[0] =
        STR_CAT(w->arena, S("("), str_of(column), S(" IS NULL OR "), str_of(out->where[0]), S(")")).p;
}

void access_notes(struct work *w, struct branches *out) { access_case_or_none(w, "t.case_id", out); }

void access_activities(struct work *w, struct branches *out) {
    access_case_or_none(w, "t.owner_case_id", out);
}

#define OF_MESSAGE "(SELECT p.case_id FROM posts p WHERE p.id = t.post_id AND p.kind = 1)"
#define OF_NOTE "(SELECT n.case_id FROM notes n WHERE n.id = t.post_id)"

/* An attachment without a conversation is one of a note on a person or an organization. */
void access_attachments(struct work *w, struct branches *out) {
    if (w->actor.rank >= ROLE_COLLABORATOR)
        access_case_or_none(w, "COALESCE(" OF_MESSAGE ", " OF_NOTE ")", out);
    else access_of_case(w, OF_MESSAGE, out);
}

/* Three ways to take part in a conversation, after "SELECT t.id FROM cases t". In the conversations of an
 * organization indexes answer each of them: a row of a conversation costs as much as a participant. */
static const char *const takes_part[] = {
    " WHERE (t.requester_id = :person OR t.assigned_agent_id = :person)",
    " WHERE t.creator_id = :person AND t.creator_id <> t.requester_id",
    " JOIN case_participants p ON p.case_id = t.id WHERE p.user_id = :person"};
enum { WAYS = sizeof takes_part / sizeof *takes_part };

int access_person(struct work *w, int64_t user_id) {
    struct branches b = {0};
    struct buf sql = {0};
    struct stmt *s;
    if (w->actor.rank >= ROLE_COLLABORATOR || user_id == w->actor.user_id) return 1;
    access_cases(w, &b);
    branch_bind_int(&b, ":person", user_id);
    for (int i = 0; i < WAYS * b.count; i++)
        buf_fmt(&sql, "%sSELECT t.id FROM cases t%s AND %s", i ? " UNION ALL " : "", takes_part[i % WAYS],
                b.where[i / WAYS]);
    buf_text(&sql, " LIMIT 1");
    buf_char(&sql, 0);
    int rc = db_start(w->conn, sql.p, b.binds, &s);
    buf_free(&sql);
    if (rc < 0) return rc;
    rc = stmt_step(s);
    stmt_end(s);
    return rc;
}

void access_of_person(struct work *w, struct branches *out) {
    if (w->actor.rank >= ROLE_COLLABORATOR) {
        out->all = true;
        return;
    }
    branch_add(out, "t.user_id = :me");
    branch_bind_int(out, ":me", w->actor.user_id);
}

QUERY(actor_row,
      "SELECT r.type, u.role_id, r.denied, COALESCE(u.organization_id, 0), CASE WHEN u.is_enabled = 1 "
      "AND u.deleted_at IS NULL THEN 1 ELSE 0 END "
      "FROM users u JOIN roles r ON r.id = u.role_id "
      "WHERE u.id = :id");

int actor_of_person(struct work *w, int64_t user_id, struct actor *out) {
    struct stmt *row;
    int rc = db_row(w->conn, &actor_row, BINDS(B_INT("id", user_id)), &row);
    if (rc <= 0) return rc < 0 ? rc : ACTOR_UNKNOWN;
    *out = (struct actor){.kind = ACTOR_PERSON,
                          .rank = (int)col_int(row, 0),
                          .user_id = user_id,
                          .role_id = col_int(row, 1),
                          .denied = (uint64_t)col_int(row, 2),
                          .organization_id = col_int(row, 3),
                          .scopes = SCOPES_ALL};
    rc = col_int(row, 4) ? ACTOR_ABLE : ACTOR_BARRED;
    stmt_end(row);
    return rc;
}
