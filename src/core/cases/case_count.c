#include "core/cases/case_count.h"

#include "core/change/cascade.h"

/* ---- counters ------------------------------------------------------------------------------------------------
 *
 * There is a row for each (team, agent, status type), for all teams, for all agents, and for both (-1). The total of any caller's
 * unfiltered list is the sum of a few rows, at any size. Only active conversations are counted.
 *
 * Nearly every write changes the rows of all (-1) and of unassigned (0). On PostgreSQL a row is locked until the COMMIT, so with single
 * rows all writes would commit one after the other. A count is therefore spread over several rows (shards), and a write adds to the row
 * of its connection's shard. The sum is exact in any snapshot; a single row may be negative. On SQLite one write runs at a time, so
 * there is one shard. The alternative, rows that are only inserted and folded by a job, costs readers of a busy desk every row that is
 * not folded yet. */

QUERY(case_counts_add, "INSERT INTO case_counts (team_id, agent_id, status_type, shard, n) VALUES (:team, :agent, :type, @SHARD@, :n) "
                       "ON CONFLICT (team_id, agent_id, status_type, shard) DO UPDATE SET n = case_counts.n + excluded.n");

/* The pending difference of one row of case_counts. */
struct case_counts {
    int64_t team, agent;
    int type, n;
    struct case_counts *next;
};

static void count_row(struct work *w, int64_t team, int64_t agent, int type, int n) {
    struct case_counts *c = w->counts;
    while (c && (c->team != team || c->agent != agent || c->type != type)) c = c->next;
    if (c == NULL) {
        c = ARENA_NEW(w->arena, struct case_counts);
        *c = (struct case_counts){team, agent, type, 0, w->counts};
        w->counts = c;
    }
    c->n += n;
}

void case_counted(struct work *w, int64_t team_id, int64_t agent_id, int status_type, int n) {
    count_row(w, team_id, agent_id, status_type, n);
    count_row(w, team_id, -1, status_type, n);
    count_row(w, -1, agent_id, status_type, n);
    count_row(w, -1, -1, status_type, n);
}

int case_counts_finish(struct work *w) {
    for (const struct case_counts *c = w->counts; c; c = c->next) {
        if (c->n == 0) continue;
        TRY(db_exec(w->conn, &case_counts_add,
                    BINDS(B_INT("team", c->team), B_INT("agent", c->agent), B_INT("type", c->type), B_INT("n", c->n))));
    }
    return 0;
}

QUERY(count_all, "SELECT COALESCE(SUM(n), 0) FROM case_counts WHERE team_id = -1 AND agent_id = -1");
QUERY(count_all_typed, "SELECT COALESCE(SUM(n), 0) FROM case_counts WHERE team_id = -1 AND agent_id = -1 AND status_type IN @LIST(:types)");
QUERY(count_self, "SELECT COALESCE(SUM(n), 0) FROM case_counts WHERE team_id = -1 AND agent_id = :me");
QUERY(count_self_typed,
      "SELECT COALESCE(SUM(n), 0) FROM case_counts WHERE team_id = -1 AND agent_id = :me AND status_type IN @LIST(:types)");
/* Conversations of the actor's teams, those assigned to the actor in other teams, and those without team and agent (deleted ones
 * included). */
#define OF_NOBODY                                                                                                                         \
    "team_id IN (SELECT 0 UNION ALL SELECT g.id FROM " GONE_TEAMS " g) AND agent_id IN (SELECT 0 UNION ALL SELECT g.id FROM " GONE_AGENTS \
    " g)"
QUERY(count_teams, "SELECT (SELECT COALESCE(SUM(c.n), 0) FROM team_members m JOIN case_counts c ON c.team_id = m.team_id AND c.agent_id = "
                   "-1 WHERE m.user_id = :me) "
                   "+ (SELECT COALESCE(SUM(n), 0) FROM case_counts WHERE team_id = -1 AND agent_id = :me) "
                   "- (SELECT COALESCE(SUM(c.n), 0) FROM team_members m JOIN case_counts c ON c.team_id = m.team_id AND c.agent_id = :me "
                   "WHERE m.user_id = :me) "
                   "+ (SELECT COALESCE(SUM(n), 0) FROM case_counts WHERE " OF_NOBODY ")");
QUERY(count_teams_typed,
      "SELECT (SELECT COALESCE(SUM(c.n), 0) FROM team_members m JOIN case_counts c ON c.team_id = m.team_id AND c.agent_id = -1 WHERE "
      "m.user_id = :me "
      "AND c.status_type IN @LIST(:types)) "
      "+ (SELECT COALESCE(SUM(n), 0) FROM case_counts WHERE team_id = -1 AND agent_id = :me AND status_type IN @LIST(:types)) "
      "- (SELECT COALESCE(SUM(c.n), 0) FROM team_members m JOIN case_counts c ON c.team_id = m.team_id AND c.agent_id = :me WHERE "
      "m.user_id = :me "
      "AND c.status_type IN @LIST(:types)) "
      "+ (SELECT COALESCE(SUM(n), 0) FROM case_counts WHERE " OF_NOBODY " AND status_type IN @LIST(:types))");

int case_count(struct work *w, struct str types, int64_t *total) {
    const struct actor *a = &w->actor;
    const struct query *q = a->case_access == CASES_ALL     ? types.p ? &count_all_typed : &count_all
                            : a->case_access == CASES_TEAMS ? types.p ? &count_teams_typed : &count_teams
                            : types.p                       ? &count_self_typed
                                                            : &count_self;
    return db_int(w->conn, q, BINDS(B_INT("me", a->user_id), B_TEXT("types", types)), total);
}
