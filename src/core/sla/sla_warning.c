/* The sweep reads the index of due times (sla_metrics_due) from the last one that it told, so it reads nothing
 * twice, and writes only if it tells something. A due time that was set when it was within the minutes already is
 * told by the write that set it: `updated_at` of the clock says when that was. */
#include "core/sla/sla_warning.h"

#include "core/desk/setting.h"

struct sla_warnings {
    struct sla_warning *first, **last;
};

const struct sla_warning *sla_warnings_of(const struct work *w) {
    return w->sla_warnings ? w->sla_warnings->first : NULL;
}

static void warning_add(struct work *w, int64_t case_id) {
    struct sla_warnings *all = w->sla_warnings;
    struct sla_warning *s = ARENA_NEW(w->arena, struct sla_warning);
    if (all == NULL) {
        all = w->sla_warnings = ARENA_NEW(w->arena, struct sla_warnings);
        all->first = NULL;
        all->last = &all->first;
    }
    *s = (struct sla_warning){case_id, NULL};
    *all->last = s;
    all->last = &s->next;
}

/* A desk that is being filled has no settings, and warns nobody. */
static int64_t lead_of(const struct work *w) {
    if (w->desk->settings == NULL) return 0;
    return setting_int(w->desk, "slas.warning_minutes") * TIME_MINUTE;
}

void sla_warning_judge(struct work *w, int64_t case_id, int64_t due, int64_t old_due) {
    if (due > w->now && due != old_due && due - w->now <= lead_of(w)) warning_add(w, case_id);
}

#define COMING                                                                              \
    "FROM sla_metrics m WHERE m.stage <> 3 AND m.is_breached = 0 AND m.due_at IS NOT NULL " \
    "AND m.due_at > :after AND m.due_at <= :until AND m.updated_at < m.due_at - :lead "
QUERY(warnings_told, "SELECT told_until FROM sla_warnings WHERE id = 1 @LOCK@");
QUERY(warnings_told_now, "SELECT told_until FROM sla_warnings WHERE id = 1");
QUERY(warnings_any, "SELECT 1 " COMING "LIMIT 1");
QUERY(warnings_coming, "SELECT m.case_id, m.due_at " COMING "ORDER BY m.due_at, m.id");
QUERY(warnings_tell, "UPDATE sla_warnings SET told_until = :until WHERE id = 1");

int sla_warning_sweep(struct work *w) {
    int64_t told = 0, lead = lead_of(w), until = w->now + lead, any;
    int rc;
    if (lead == 0) return 0;
    TRY(db_int(w->conn, &warnings_told_now, NULL, &told));
#define FROM_TOLD \
    BINDS(B_INT("after", told > w->now ? told : w->now), B_INT("until", until), B_INT("lead", lead))
    rc = db_int(w->conn, &warnings_any, FROM_TOLD, &any);
    if (rc <= 0) return rc;
    TRY(db_int(w->conn, &warnings_told, NULL, &told)); /* another process may have told them */
    int64_t last = told;
    DB_ROWS(rc, w->conn, &warnings_coming, FROM_TOLD, row) {
        warning_add(w, col_int(row, 0));
        last = col_int(row, 1);
    }
    TRY(rc);
    return last > told ? db_exec(w->conn, &warnings_tell, BINDS(B_INT("until", last))) : 0;
}
