#include "jobs/sweep.h"

#include "base/log.h"
#include "core/outbox.h"
#include "core/session.h"
#include "jobs/sweep_files.h"

QUERY(sweep_failures, "DELETE FROM login_failures WHERE created_at <= :before");
QUERY(sweep_links, "DELETE FROM links WHERE expires_at <= :before");
QUERY(sweep_mails, "DELETE FROM outgoing_mails WHERE letter IS NULL AND updated_at <= :before");
/* A thousand at a time: a desk may have slept for long. */
QUERY(sweep_sessions, "DELETE FROM sessions WHERE id IN (SELECT s.id FROM sessions s WHERE s.last_activity_at <= :before LIMIT 1000)");
QUERY(sweep_outbox, "DELETE FROM outbox WHERE created_at <= :before");
QUERY(sweep_public_writes, "DELETE FROM public_writes WHERE minute <= CAST(:before AS BIGINT) / 60000");

/* What is of no use any more, a row a table. */
static const struct sweep {
    const struct query *query;
    int64_t kept;
} sweeps[] = {
    {&sweep_failures, LOGIN_FAILURES_KEPT},
    {&sweep_links, 0},
    {&sweep_mails, 30 * TIME_DAY},
    {&sweep_sessions, 31 * TIME_DAY}, /* a day more than any may rest */
    {&sweep_outbox, OUTBOX_KEPT},
    {&sweep_public_writes, 2 * TIME_MINUTE},
};

static int run(struct conn *c, void *arg) {
    const int64_t *now = arg;
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++)
        TRY(db_exec(c, sweeps[i].query, BINDS(B_INT("before", *now - sweeps[i].kept))));
    return 0;
}

void sweep(struct desk *d) {
    int64_t now = clock_now(&d->clock);
    if (db_write(d->db, run, &now) < 0) log_warn("what is old was not swept; it is tried again");
    sweep_files(d);
}
