/* A call has a snapshot, and goes to another thread through a queue. */
#include "api/call/hop.h"

#include "base/log.h"

/* ---- snapshots ------------------------------------------------------------------------------- */

int hop_snapshot(struct hop *h) {
    if (h->reading) return 0;
    int rc = call_snapshot(&h->call, h->deferred ? BUDGET_POOL_MS : BUDGET_INLINE_MS);
    h->reading = rc >= 0;
    return rc;
}

void hop_snapshot_end(struct hop *h) {
    if (h->reading) db_read_end(h->call.work.conn);
    h->reading = false;
}

int hop_snapshot_renew(struct hop *h, struct conn *conn, int budget_ms) {
    hop_snapshot_end(h);
    h->call.work.conn = conn;
    int rc = db_read_begin(conn, budget_ms);
    h->reading = rc >= 0;
    return rc < 0 ? rc : 0;
}

int hop_out_of_time(const struct call *c) {
    return UNAVAILABLE("reads given up", "%.*s %s exceeded the read budget of %d ms", (int)c->http->method.n,
                       c->http->method.p, c->route->path, BUDGET_POOL_MS);
}

int hop_in_time(const struct call *c, int rc) {
    return rc < 0 && c->work.conn && db_budget_spent(c->work.conn) ? hop_out_of_time(c) : rc;
}

/* ---- parking --------------------------------------------------------------------------------- */

static void refusal_over(struct delay *t) {
    struct hop *h = hop_of_delay(t);
    call_send(&h->call, h->before, h->began, -ERR_SERVICE_UNAVAILABLE);
}

/* A client may try again at once, whatever Retry-After says. Many of them would leave no time for the
 * queue, because a refusal costs half of a read and the threads of reads have a lower priority. So a
 * refusal waits, which holds its connection and costs nothing. */
static bool refuse_later(struct hop *h) {
    h->delay = (struct delay){.over = refusal_over};
    return delay(h->call.api->refusals, &h->delay, 0, REFUSAL_MS);
}

void hop_end(struct hop *h, int rc) {
    hop_snapshot_end(h);
    if (rc == -ERR_SERVICE_UNAVAILABLE && h->crowded && refuse_later(h)) return;
    call_send(&h->call, h->before, h->began, rc);
}

static void pool_resume(struct pool_task *t) {
    struct hop *h = hop_of_pool(t);
    h->advance(h);
}

void hop_leave_loop(struct hop *h) {
    hop_snapshot_end(h);
    if (!h->deferred) http_defer(h->call.http);
    h->deferred = true;
}

int hop_park(struct hop *h, enum lane lane) {
    hop_leave_loop(h);
    atomic_fetch_add(&h->call.api->metrics.pool_runs, 1);
    h->pool = (struct pool_task){.run = pool_resume, .whose = call_sharer(&h->call)};
    if (pool_submit(h->call.api->pool, lane, &h->pool)) return PARKED;
    h->crowded = h->call.subcall == NULL;
    return -ERR_SERVICE_UNAVAILABLE;
}

int hop_park_on_writer(struct hop *h, int (*run)(struct db_task *t, struct conn *conn),
                       void (*done)(struct db_task *t, int rc)) {
    hop_leave_loop(h);
    h->write = (struct db_task){.run = run, .done = done, .begins_batch = h->call.route->shape == COUNT};
    db_submit(h->call.work.desk->db, &h->write);
    return PARKED;
}

void hop_park_or_end(struct hop *h, int rc, enum lane lane) {
    if (rc >= 0) rc = hop_park(h, lane);
    if (rc != PARKED) hop_end(h, rc);
}
