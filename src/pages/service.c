/* Paths outside /api/v1: health, metrics, the reference. */
#include "api/call/machine.h"
#include "api/docs/site.h"
#include "api/call/security_headers.h"
#include "live/asyncapi.h"
#include "live/live.h"
#include "pages/outside.h"
#include "base/log.h"
#include "mail/lmtp_session.h"
#include "outgoing/sender.h"

#include <inttypes.h>

static void reply_text(struct api *api, struct http_request *r, int status, const char *type,
                       struct buf *body) {
    http_add_header(r, "Content-Type", str_of(type));
    security_headers_add(api->desk, r, SECURITY_TEXT);
    http_reply(r, status, body);
}

static void asyncapi(struct api *api, struct http_request *r) {
    struct buf b = {0};
    asyncapi_write(api->desk, &b);
    reply_text(api, r, 200, "application/json", &b);
}

static bool store_answers(struct api *api) {
    struct conn *c = db_reader(api->desk->db);
    if (c == NULL || db_read_begin(c, 1000) < 0) return false;
    struct stmt *s;
    bool ok = db_start(c, "SELECT 1", NULL, &s) == 0;
    if (ok) ok = stmt_step(s) == 1, stmt_end(s);
    db_read_end(c);
    return ok;
}

static void healthz(struct api *api, struct http_request *r) {
    struct buf b = {0};
    buf_text(&b, "ok\n");
    reply_text(api, r, 200, "text/plain; charset=utf-8", &b);
}

static void say_ready(struct api *api, struct http_request *r) {
    struct buf b = {0};
    struct db_stats stats;
    bool draining = atomic_load(&api->draining), reads = store_answers(api);
    db_stats(api->desk->db, &stats);
    bool ready = !draining && reads && stats.writable && stats.sound;
    buf_text(&b, ready          ? "ready\n"
                 : draining     ? "draining\n"
                 : !stats.sound ? "the store is damaged: run deskd check\n"
                 : reads        ? "the store takes no writes\n"
                                : "the store can not be read\n");
    reply_text(api, r, ready ? 200 : 503, "text/plain; charset=utf-8", &b);
}

struct question {
    struct pool_task task;
    struct api *api;
    struct http_request *request;
};

static void pool_ready(struct pool_task *t) {
    struct question *q = (struct question *)(void *)t; /* the task is its first member */
    say_ready(q->api, q->request);
}

static void readyz(struct api *api, struct http_request *r) {
    if (!db_blocks(api->desk->db)) {
        say_ready(api, r);
        return;
    }
    struct question *q = ARENA_NEW(r->arena, struct question);
    *q = (struct question){.task = {.run = pool_ready}, .api = api, .request = r};
    http_defer(r);
    if (pool_submit(api->pool, LANE_WORK, &q->task)) return;
    struct buf b = {0};
    buf_text(&b, "the pool is full\n");
    reply_text(api, r, 503, "text/plain; charset=utf-8", &b);
}

static void metric(struct buf *b, const char *name, const char *type, const char *help, int64_t v) {
    buf_fmt(b, "# HELP deskd_%s %s\n# TYPE deskd_%s %s\ndeskd_%s %" PRId64 "\n", name, help, name, type, name,
            v);
}

static void metrics_of_deliveries(struct buf *b, struct sent *s) {
    if (s == NULL) return;
    metric(b, "deliveries_succeeded_total", "counter", "Attempts to send to an endpoint that succeeded.",
           atomic_load(&s->succeeded));
    metric(b, "deliveries_failed_total", "counter", "Attempts to send to an endpoint that failed.",
           atomic_load(&s->failed));
    metric(b, "deliveries_in_flight", "gauge", "Requests to endpoints without a reply yet.",
           atomic_load(&s->in_flight));
    metric(b, "deliveries_waiting", "gauge",
           "Deliveries that are not sent yet, of all processes; up to 15 s "
           "old.",
           atomic_load(&s->waiting));
    metric(b, "deliveries_oldest_seconds", "gauge", "Age of the oldest of them; up to 15 s old.",
           atomic_load(&s->oldest_ms) / 1000);
}

static void metrics_of_mails(struct buf *b, struct lmtp_counts *c) {
    if (c == NULL) return;
    metric(b, "lmtp_stored_total", "counter", "Mails stored by LMTP, one for each recipient.",
           atomic_load(&c->stored));
    metric(b, "lmtp_bytes_total", "counter", "Bytes of these mails.", atomic_load(&c->bytes));
    metric(b, "lmtp_unknown_total", "counter",
           "Recipients refused by LMTP, because the desk takes no mail for "
           "them.",
           atomic_load(&c->unknown));
    metric(b, "lmtp_refused_total", "counter", "Mails refused by LMTP, because they are too large.",
           atomic_load(&c->refused));
    metric(b, "lmtp_put_off_total", "counter",
           "Recipients that were answered to try again, because of trouble "
           "with the disk.",
           atomic_load(&c->put_off));
    metric(b, "lmtp_connections", "gauge", "Open LMTP connections.", atomic_load(&c->connections));
    metric(b, "lmtp_turned_away_total", "counter", "LMTP connections refused, because too many are open.",
           atomic_load(&c->turned_away));
}

static void metrics(struct api *api, struct http_request *r) {
    struct buf b = {0};
    struct db_stats d;
    struct http_stats h = {0};
    struct api_metrics *m = &api->metrics;
    db_stats(api->desk->db, &d);
    struct http_server *http = atomic_load(&api->http);
    if (http) http_stats(http, &h);
    buf_text(
        &b,
        "# HELP deskd_requests_total API requests by class of status.\n# TYPE deskd_requests_total counter\n");
    for (int i = 2; i < 6; i++)
        buf_fmt(&b, "deskd_requests_total{class=\"%dxx\"} %lld\n", i,
                (long long)atomic_load(&m->requests[i]));
    metric(&b, "request_microseconds_total", "counter", "Time from a complete request to its reply.",
           atomic_load(&m->microseconds));
    metric(&b, "inline_total", "counter", "Requests run on an event loop.", atomic_load(&m->inline_runs));
    metric(&b, "writer_total", "counter", "Requests run on the writer.", atomic_load(&m->writer_runs));
    metric(&b, "pool_total", "counter", "Requests passed to the pool.", atomic_load(&m->pool_runs));
    metric(&b, "pool_queued", "gauge", "Tasks waiting for short work in the pool.",
           pool_queued(api->pool, LANE_WORK));
    metric(&b, "logins_queued", "gauge", "Passwords waiting to be hashed.",
           pool_queued(api->pool, LANE_HASH));
    metric(&b, "reads_queued", "gauge", "Long reads waiting in the pool.", pool_queued(api->pool, LANE_READ));
    metric(&b, "pictures_queued", "gauge", "Pictures waiting to be decoded.",
           pool_queued(api->pool, LANE_PICTURE));
    metric(&b, "uploads_queued", "gauge", "Uploads waiting to be synced.", pool_queued(api->pool, LANE_SYNC));
    metric(&b, "logins_delayed_total", "counter", "Delayed logins.", atomic_load(&m->delays));
    metric(&b, "reruns_total", "counter",
           "Reads repeated in the pool, because they exceeded the inline "
           "budget.",
           atomic_load(&m->reruns));
    metric(&b, "password_hashes_total", "counter", "Password hashes computed.", atomic_load(&m->hashes));
    metric(&b, "store_commits_total", "counter", "Durable commits.", d.commits);
    metric(&b, "store_writes_total", "counter", "Writes in these commits.", d.tasks);
    metric(&b, "store_statements_total", "counter", "Statements run.", d.statements);
    metric(&b, "store_prepares_total", "counter", "Statements prepared.", d.prepares);
    metric(&b, "store_rung_total", "counter", "Notifications of writes by other processes.", d.notified);
    metric(&b, "store_replica_reads_total", "counter", "Reads sent to the replica.", d.replica_reads);
    metric(&b, "store_replica_usable", "gauge", "1 if there is a replica that does not lag.",
           d.replica_usable);
    metric(&b, "store_bytes", "gauge", "Size of the store.", d.store_bytes);
    metric(&b, "store_wal_bytes", "gauge", "Size of the write-ahead log.", d.wal_bytes);
    metric(&b, "store_writable", "gauge", "1 if the last commit succeeded.", d.writable);
    metric(&b, "store_sound", "gauge",
           "0 after the store reported damage, until deskd check finds no "
           "error.",
           d.sound);
    metric(&b, "http_connections", "gauge", "Open connections.", h.connections);
    metric(&b, "live_connections", "gauge", "Open connections of realtime.",
           live_connections(atomic_load(&api->live)));
    metric(&b, "http_held_bytes", "gauge", "Bytes of replies waiting to be sent.", h.held);
    metric(&b, "http_refused_total", "counter", "Requests refused by the edge.", h.refused);
    metric(&b, "http_timed_out_total", "counter", "Connections closed at a deadline.", h.timed_out);
    metric(&b, "http_spooled_bytes", "gauge", "Bytes of incoming uploads, on disk.", h.spooled);
    metric(&b, "http_bodies_bytes", "gauge", "Bytes of other incoming bodies, in memory.", h.bodies);
    metric(&b, "audit_last_place", "gauge", "Place of the last entry of the audit log; up to a minute old.",
           atomic_load(&api->desk->audit_seq));
    metric(&b, "audit_last_chain", "gauge", "The first 13 hex digits of its chain, as a number.",
           atomic_load(&api->desk->audit_bits));
    metrics_of_mails(&b, api->desk->mails);
    metrics_of_deliveries(&b, api->desk->sent);
    metric(&b, "uptime_seconds", "gauge", "Seconds since the start.",
           (clock_monotonic() - api->started) / 1000);
    reply_text(api, r, 200, "text/plain; version=0.0.4; charset=utf-8", &b);
}

bool service_handle(struct api *api, struct http_request *r) {
    static const struct {
        const char *path;
        void (*handle)(struct api *api, struct http_request *r);
    } pages[] = {
        {"/healthz", healthz}, {"/readyz", readyz}, {"/metrics", metrics}, {"/asyncapi.json", asyncapi}};
    if (!str_eq(r->method, S("GET")) && !str_eq(r->method, S("HEAD"))) return false;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        if (!str_eq(r->path, str_of(pages[i].path))) continue;
        pages[i].handle(api, r);
        return true;
    }
    return site_reply(api->site, api->desk, r);
}
