#include "core/case.h"

#include "core/cascade.h"
#include "core/message.h"

#include <assert.h>

/* ---- counters ------------------------------------------------------------------------------------------------
 * A row for each (team, agent, kind of status), and for every team, every agent, and both (-1): what any caller's unfiltered list
 * has in all is a sum of a few rows, at any size. Only active conversations count.
 *
 * The rows of all and of nobody's are written by nearly every write, and on PostgreSQL a row is locked until the COMMIT: with one
 * row each, writes would be committed one after the other. So a count is spread over as many rows as are wanted, and a write adds
 * to the row of its connection's shard; the sum is exact in any snapshot, a single row may be below zero. On SQLite, where one
 * write runs at a time, there is one shard. (Rows that are only inserted and folded by a job were the alternative: they cost the
 * reader of a busy desk all that was not folded yet, and a job.) */

QUERY(case_counts_add, "INSERT INTO case_counts (team_id, agent_id, status_type, shard, n) VALUES (:team, :agent, :type, @SHARD@, :n) "
                       "ON CONFLICT (team_id, agent_id, status_type, shard) DO UPDATE SET n = case_counts.n + excluded.n");

static int count_add(struct work *w, int64_t team, int64_t agent, int type, int n) {
    const int64_t rows[][2] = {{team, agent}, {team, -1}, {-1, agent}, {-1, -1}};
    for (size_t i = 0; i < 4; i++)
        TRY(db_exec(w->conn, &case_counts_add,
                    BINDS(B_INT("team", rows[i][0]), B_INT("agent", rows[i][1]), B_INT("type", type), B_INT("n", n))));
    return 0;
}

QUERY(count_all, "SELECT COALESCE(SUM(n), 0) FROM case_counts WHERE team_id = -1 AND agent_id = -1");
QUERY(count_all_typed, "SELECT COALESCE(SUM(n), 0) FROM case_counts WHERE team_id = -1 AND agent_id = -1 AND status_type IN @LIST(:types)");
QUERY(count_self, "SELECT COALESCE(SUM(n), 0) FROM case_counts WHERE team_id = -1 AND agent_id = :me");
QUERY(count_self_typed, "SELECT COALESCE(SUM(n), 0) FROM case_counts WHERE team_id = -1 AND agent_id = :me AND status_type IN @LIST(:types)");
/* Own teams, whoever is assigned; one's own outside of them; those of nobody: of teams and agents that are gone, too. */
#define OF_NOBODY "team_id IN (SELECT 0 UNION ALL SELECT g.id FROM " GONE_TEAMS " g) AND agent_id IN (SELECT 0 UNION ALL SELECT g.id FROM " GONE_AGENTS " g)"
QUERY(count_teams,
      "SELECT (SELECT COALESCE(SUM(c.n), 0) FROM team_members m JOIN case_counts c ON c.team_id = m.team_id AND c.agent_id = -1 WHERE m.user_id = :me) "
      "+ (SELECT COALESCE(SUM(n), 0) FROM case_counts WHERE team_id = -1 AND agent_id = :me) "
      "- (SELECT COALESCE(SUM(c.n), 0) FROM team_members m JOIN case_counts c ON c.team_id = m.team_id AND c.agent_id = :me WHERE m.user_id = :me) "
      "+ (SELECT COALESCE(SUM(n), 0) FROM case_counts WHERE " OF_NOBODY ")");
QUERY(count_teams_typed,
      "SELECT (SELECT COALESCE(SUM(c.n), 0) FROM team_members m JOIN case_counts c ON c.team_id = m.team_id AND c.agent_id = -1 WHERE m.user_id = :me "
      "AND c.status_type IN @LIST(:types)) "
      "+ (SELECT COALESCE(SUM(n), 0) FROM case_counts WHERE team_id = -1 AND agent_id = :me AND status_type IN @LIST(:types)) "
      "- (SELECT COALESCE(SUM(c.n), 0) FROM team_members m JOIN case_counts c ON c.team_id = m.team_id AND c.agent_id = :me WHERE m.user_id = :me "
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

/* ---- making and loading ------------------------------------------------------------------------------------- */

QUERY(case_insert,
      "INSERT INTO cases (uuid, subject, channel, source, state, requester_id, requester_name, requester_is_new, fingerprint, creator_id, organization_id, "
      "status_id, status_type, priority_id, metadata, message_seq, reopen_count, created_at, updated_at) "
      "VALUES (:uuid, :subject, :channel, :source, 1, :requester, :requester_name, :is_new, :fingerprint, :creator, "
      "(SELECT organization_id FROM users WHERE id = :requester @HOLD@), :status, 1, CAST(:priority AS BIGINT), :metadata, 0, 0, :now, :now) RETURNING id");
QUERY(case_by_id, "SELECT requester_id, status_id, status_type, COALESCE(assigned_team_id, 0), COALESCE(assigned_agent_id, 0), channel, "
                  "message_seq, COALESCE(last_message_id, 0), creator_id, requester_name FROM cases WHERE id = :id @LOCK@");
QUERY(status_of_type, "SELECT id FROM case_statuses WHERE type = :type AND is_deleted = 0 ORDER BY is_system DESC, sort_order, id LIMIT 1");

int status_id_of_type(struct work *w, enum status_type type, int64_t *id) {
    int rc = db_int(w->conn, &status_of_type, BINDS(B_INT("type", type)), id);
    return rc < 0 ? rc : rc ? 0 : -ERR_INTERNAL_ERROR;
}

int case_load(struct work *w, int64_t id, struct case_now *out) {
    struct stmt *row;
    int rc = db_row(w->conn, &case_by_id, BINDS(B_INT("id", id)), &row);
    if (rc <= 0) return rc;
    *out = (struct case_now){.id = id,
                             .requester_id = col_int(row, 0),
                             .status_id = col_int(row, 1),
                             .status_type = (int)col_int(row, 2),
                             .assigned_team_id = col_int(row, 3),
                             .assigned_agent_id = col_int(row, 4),
                             .channel = (int)col_int(row, 5),
                             .message_seq = col_int(row, 6),
                             .last_message_id = col_int(row, 7),
                             .creator_id = col_int(row, 8),
                             .requester_name = str_dup(w->arena, col_text(row, 9))};
    stmt_end(row);
    return 1;
}

int case_create(struct work *w, const struct case_new *n, int64_t *id) {
    struct case_now c = {.requester_id = n->requester_id, .creator_id = n->creator_id, .status_type = STATUS_NEW};
    int64_t message;
    c.channel = n->source == SOURCE_MESSENGER ? CHANNEL_MESSENGER : CHANNEL_HELPCENTER;
    TRY(status_id_of_type(w, STATUS_NEW, &c.status_id));
    TRY(db_insert(w->conn, &case_insert,
                  BINDS(B_TEXT("uuid", random_uuid(w->arena)), B_TEXT("subject", n->subject), B_INT("channel", c.channel),
                        B_ID("source", n->source), B_INT("requester", n->requester_id), B_TEXT("requester_name", n->requester_name),
                        B_INT("is_new", n->requester_is_new), B_TEXT("fingerprint", w->actor.fingerprint),
                        B_INT("creator", n->creator_id), B_INT("status", c.status_id), B_ID("priority", n->priority_id),
                        B_TEXT("metadata", n->metadata), B_INT("now", w->now)), id));
    c.id = *id;
    TRY(count_add(w, 0, 0, STATUS_NEW, 1));
    struct message_new m = {.contents = n->contents, .client_id = n->client_id, .metadata = n->metadata, .creator_name = n->requester_name,
                            .creator_id = n->creator_id, .source = n->source};
    return message_post(w, &c, &m, &message);
}

/* ---- status ---------------------------------------------------------------------------------------------------
 *
 *     NEW ---> OPEN <---> PENDING          any but CLOSED -> any but NEW; a staff reply opens NEW, a requester's reply opens
 *                \  \        |             PENDING and COMPLETED. Nothing returns to NEW; CLOSED is final.
 *                 \  `--> COMPLETED ----.
 *                  `---- CUSTOM          `--> CLOSED */
static const bool allowed[][STATUS_CUSTOM + 1] = {
    [STATUS_NEW] = {[STATUS_NEW] = 1, [STATUS_OPEN] = 1, [STATUS_PENDING] = 1, [STATUS_COMPLETED] = 1, [STATUS_CLOSED] = 1, [STATUS_CUSTOM] = 1},
    [STATUS_OPEN] = {[STATUS_OPEN] = 1, [STATUS_PENDING] = 1, [STATUS_COMPLETED] = 1, [STATUS_CLOSED] = 1, [STATUS_CUSTOM] = 1},
    [STATUS_PENDING] = {[STATUS_OPEN] = 1, [STATUS_PENDING] = 1, [STATUS_COMPLETED] = 1, [STATUS_CLOSED] = 1, [STATUS_CUSTOM] = 1},
    [STATUS_COMPLETED] = {[STATUS_OPEN] = 1, [STATUS_PENDING] = 1, [STATUS_COMPLETED] = 1, [STATUS_CLOSED] = 1, [STATUS_CUSTOM] = 1},
    [STATUS_CLOSED] = {[STATUS_CLOSED] = 1},
    [STATUS_CUSTOM] = {[STATUS_OPEN] = 1, [STATUS_PENDING] = 1, [STATUS_COMPLETED] = 1, [STATUS_CLOSED] = 1, [STATUS_CUSTOM] = 1},
};

QUERY(status_type_of, "SELECT type FROM case_statuses WHERE id = :id AND is_deleted = 0");
QUERY(case_status_set, "UPDATE cases SET status_id = :status, status_type = :type, reopen_count = reopen_count + :reopened, updated_at = :now "
                       "WHERE id = :id");

int case_not_closed(struct work *w, const struct case_now *c) {
    if (c->status_type != STATUS_CLOSED) return 0;
    return fail_state(w, "The conversation is closed. Open a new one to continue.");
}

int case_set_status(struct work *w, struct case_now *c, int64_t status_id) {
    int64_t type = 0;
    if (status_id == c->status_id) return 0;
    int rc = db_int(w->conn, &status_type_of, BINDS(B_INT("id", status_id)), &type);
    if (rc <= 0) return rc < 0 ? rc : fail_field(w, ERR_FIELD_INVALID, S("status_id"), "There is no such status.");
    assert(type >= STATUS_NEW && type <= STATUS_CUSTOM);
    TRY(case_not_closed(w, c));
    if (!allowed[c->status_type][type])
        return fail_field(w, ERR_RESOURCE_ACTION_NOT_AVAILABLE, S("status_id"), "The conversation is not new any more. Choose the status of an open one.");
    TRY(db_exec(w->conn, &case_status_set,
                BINDS(B_INT("id", c->id), B_INT("status", status_id), B_INT("type", type),
                      B_INT("reopened", c->status_type == STATUS_COMPLETED && type == STATUS_OPEN), B_INT("now", w->now))));
    TRY(count_add(w, c->assigned_team_id, c->assigned_agent_id, c->status_type, -1));
    TRY(count_add(w, c->assigned_team_id, c->assigned_agent_id, (int)type, 1));
    c->status_id = status_id;
    c->status_type = (int)type;
    return 0;
}
