/* The sweep for breaches. Its index (sla_metrics_due) has only clocks that run or ran out and are not
 * marked, so it reads what is due and nothing else. It locks the conversations as every write does, and
 * reads the clocks again under the locks. So a breach is raised once, whatever number of processes sweep.
 * A conversation that a write has locked is left for the next sweep. */
#include "core/sla/clocks.h"

#include "json/json.h"

#define DUE "m.stage <> 3 AND m.is_breached = 0 AND m.due_at IS NOT NULL AND m.due_at < :now"
QUERY(sweep_due_cases, "SELECT m.case_id FROM sla_metrics m WHERE " DUE " ORDER BY m.due_at LIMIT :most");
QUERY(sweep_lock_cases,
      "SELECT k.id FROM cases k WHERE k.id IN @LIST(:ids) AND k.state <> 5 ORDER BY k.id @SKIP@");
QUERY(sweep_due, "SELECT m.id, m.case_id, m.type, m.due_at, m.breached_at "
                 "FROM sla_metrics m WHERE m.case_id IN @LIST(:ids) AND " DUE " ORDER BY m.due_at, m.id");
QUERY(sweep_mark,
      "UPDATE sla_metrics SET is_breached = 1, breached_at = COALESCE(breached_at, :now), updated_at = :now "
      "WHERE id IN @LIST(:ids)");

/* A clock that is only marked has no change of its conversation, and reports follow the log. */
QUERY(sweep_log,
      "INSERT INTO change_log (kind, object_id, case_id, verb, property, actor_kind, cause, changed_at) "
      "SELECT DISTINCT 'case', m.case_id, m.case_id, 3, 'sla_metrics', CAST(:actor_kind AS INTEGER), "
      "CAST(:cause AS TEXT), CAST(:now AS BIGINT) FROM sla_metrics m WHERE m.id IN @LIST(:ids)");

#define PART 100 /* conversations of one write: the rules for each run in it */

int sla_sweep(struct work *w) {
    int64_t *ids, *metrics = NULL, *quiet = NULL;
    int due = db_ids(w->conn, &sweep_due_cases, BINDS(B_INT("now", w->now), B_INT("most", PART)), w->arena,
                     &ids),
        n = 0, room = 0, quiet_count = 0, quiet_room = 0, rc;
    if (due <= 0) return due;
    int locked = db_ids(w->conn, &sweep_lock_cases,
                        BINDS(B_TEXT("ids", json_ids(w->arena, ids, (size_t)due))), w->arena, &ids);
    if (locked <= 0) return locked;
    DB_ROWS(rc, w->conn, &sweep_due,
            BINDS(B_TEXT("ids", json_ids(w->arena, ids, (size_t)locked)), B_INT("now", w->now)), row) {
        metrics = arena_more(w->arena, metrics, n, &room, sizeof *metrics);
        metrics[n++] = col_int(row, 0);
        /* A run whose breach was raised before, under another target, is only marked. */
        if (col_null(row, 4)) {
            breach_raise(w, col_int(row, 1), (enum sla_target_type)col_int(row, 2), col_int(row, 3));
            continue;
        }
        quiet = arena_more(w->arena, quiet, quiet_count, &quiet_room, sizeof *quiet);
        quiet[quiet_count++] = col_int(row, 0);
    }
    TRY(rc);
    if (quiet_count)
        TRY(db_exec(w->conn, &sweep_log,
                    BINDS(B_TEXT("ids", json_ids(w->arena, quiet, (size_t)quiet_count)), B_INT("now", w->now),
                          B_INT("actor_kind", w->actor.kind), B_TEXT("cause", w->actor.cause))));
    TRY(db_exec(w->conn, &sweep_mark,
                BINDS(B_TEXT("ids", json_ids(w->arena, metrics, (size_t)n)), B_INT("now", w->now))));
    return due == PART && n > 0;
}
