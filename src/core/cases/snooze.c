#include "core/cases/snooze.h"

#include "json/json.h"

const char *case_why_not_snoozed(struct work *w, const struct case_now *c) {
    (void)w;
    return status_is_done(c->status_type)
               ? "A completed or closed conversation can't be snoozed. Reopen it first."
               : NULL;
}

/* ---- waking ---------------------------------------------------------------------------------- */

#define PART 100 /* conversations of one write: the rules for each run in it */

QUERY(snoozed_due, "SELECT t.id FROM cases t WHERE t.snoozed_at IS NOT NULL AND t.snoozed_until <= :now "
                   "ORDER BY t.snoozed_until, t.id LIMIT :most");
QUERY(snoozed_lock, "SELECT k.id FROM cases k WHERE k.id IN @LIST(:ids) ORDER BY k.id @SKIP@");

/* The row is read again under its lock, because another process may have woken it. */
static int case_wake(struct work *w, int64_t id) {
    struct case_now c;
    int rc = case_load(w, id, &c);
    if (rc <= 0 || !c.is_snoozed || c.snoozed_until == 0 || c.snoozed_until > w->now) return rc < 0 ? rc : 0;
    TRY(case_change(w, &c, &(struct case_change){.set = CASE_SNOOZE}));
    return 1;
}

/* A conversation that a write has locked is left for the next sweep. */
int snooze_sweep(struct work *w) {
    int64_t *ids;
    int woken = 0;
    int due = db_ids(w->conn, &snoozed_due, BINDS(B_INT("now", w->now), B_INT("most", PART)), w->arena, &ids);
    if (due <= 0) return due;
    int locked = db_ids(w->conn, &snoozed_lock, BINDS(B_TEXT("ids", json_ids(w->arena, ids, (size_t)due))),
                        w->arena, &ids);
    for (int i = 0; i < locked; i++) {
        int rc = case_wake(w, ids[i]);
        TRY(rc);
        woken += rc;
    }
    return locked < 0 ? locked : due == PART && woken > 0;
}

/* ---- counting -------------------------------------------------------------------------------- */

int snoozed_count(struct work *w, const char *where, const struct bind *binds, int count, int64_t *n) {
    struct bind *all = arena_array(w->arena, (size_t)count + 2, sizeof *all);
    struct stmt *row;
    for (int i = 0; i < count; i++) all[i] = binds[i];
    all[count] = (struct bind)B_INT("me", w->actor.user_id);
    all[count + 1] = (struct bind){0};
    struct str sql =
        str_fmt(w->arena,
                "SELECT COUNT(*) FROM cases t WHERE t.snoozed_at IS NOT NULL AND t.state = 1 AND %s", where);
    TRY(db_start(w->conn, sql.p, all, &row));
    int rc = stmt_step(row);
    if (rc == 1) *n = col_int(row, 0);
    stmt_end(row);
    return rc < 0 ? rc : 0;
}
