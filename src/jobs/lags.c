/* Measures what waits (core/desk/lags.h). */
#include "core/desk/lags.h"
#include "jobs/periodic.h"

#include "mail/inbox.h"

#define READ_MS 1000

/* The partial index jobs_due has the pending jobs only. */
QUERY(lags_of_jobs,
      "SELECT kind, SUM(CASE WHEN run_at <= :now THEN 1 ELSE 0 END), MIN(run_at), COUNT(*), MIN(created_at) "
      "FROM jobs WHERE status IN (1, 2) GROUP BY kind");
/* the condition of the index sla_metrics_due */
QUERY(lags_of_breaches, "SELECT COALESCE(MIN(due_at), 0) FROM sla_metrics "
                        "WHERE stage <> 3 AND is_breached = 0 AND due_at IS NOT NULL");
QUERY(lags_of_mailboxes, "SELECT COUNT(*) FROM mailboxes WHERE imap_host IS NOT NULL AND is_enabled = 1 "
                         "AND deleted_at IS NULL AND imap_error IS NOT NULL");

static int64_t age(int64_t since, int64_t now) { return since && since < now ? now - since : 0; }

static void note_jobs(struct conn *c, struct lags *l, int64_t now) {
    int64_t jobs[JOB_NAMES] = {0}, late[JOB_NAMES] = {0}, letters = 0, letter_age = 0;
    int rc;
    DB_ROWS(rc, c, &lags_of_jobs, BINDS(B_INT("now", now)), row) {
        int k = JOB_NONE + 1;
        while (k < JOB_NAMES && !str_eq(col_text(row, 0), str_of(job_names[k]))) k++;
        if (k == JOB_NAMES) continue; /* of a newer version */
        jobs[k] = col_int(row, 1);
        late[k] = age(col_int(row, 2), now);
        if (k == JOB_MAIL) letters = col_int(row, 3), letter_age = age(col_int(row, 4), now);
    }
    if (rc < 0) return;
    for (int k = JOB_NONE + 1; k < JOB_NAMES; k++) {
        atomic_store(&l->jobs[k], jobs[k]);
        atomic_store(&l->job_late[k], late[k]);
    }
    atomic_store(&l->letters, letters);
    atomic_store(&l->letter_age, letter_age);
}

static void note_inbox(const struct desk *d, struct lags *l) {
    if (d->inbox.p == NULL) return;
    struct arena *a = arena_new();
    struct inbox_state state = inbox_state_of(a, d->inbox);
    atomic_store(&l->arrivals, state.waiting);
    atomic_store(&l->arrival_age, age(state.oldest, clock_now(&(struct clock){0})));
    atomic_store(&l->arrivals_failed, state.failed);
    arena_free(a);
}

void lags_measure(struct desk *d, struct lags *l) {
    struct conn *c = db_reader(d->db);
    int64_t now = clock_now(&d->clock), value;
    note_inbox(d, l);
    if (c == NULL || db_read_begin(c, READ_MS) < 0) return;
    note_jobs(c, l, now);
    if (db_int(c, &lags_of_breaches, NULL, &value) == 1) atomic_store(&l->breach_late, age(value, now));
    if (db_int(c, &lags_of_mailboxes, NULL, &value) == 1) atomic_store(&l->mailboxes_failing, value);
    db_read_end(c);
}
