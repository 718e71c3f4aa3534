#include "pages/metrics.h"

#include "api/call/machine.h"
#include "core/desk/lags.h"
#include "files/remote.h"
#include "live/live.h"
#include "mail/lmtp_session.h"
#include "outgoing/sender.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- the format ------------------------------------------------------------------------------ */

static void metric_family(struct buf *b, const char *name, const char *type, const char *help) {
    buf_fmt(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* A metric of one value. `name` is without deskd_. */
static void metric(struct buf *b, const char *name, const char *type, const char *help, int64_t v) {
    char whole[80];
    snprintf(whole, sizeof whole, "deskd_%s", name);
    metric_family(b, whole, type, help);
    buf_fmt(b, "%s %" PRId64 "\n", whole, v);
}

static void counter(struct buf *b, const char *name, const char *help, int64_t v) {
    metric(b, name, "counter", help, v);
}

static void gauge(struct buf *b, const char *name, const char *help, int64_t v) {
    metric(b, name, "gauge", help, v);
}

static void decimal(struct buf *b, int64_t v, int64_t unit) {
    int digits = unit == 1000 ? 3 : 6;
    buf_fmt(b, "%" PRId64 ".%0*" PRId64 "\n", v / unit, digits, v % unit);
}

/* A gauge of seconds. */
static void gauge_ms(struct buf *b, const char *name, const char *help, int64_t ms) {
    char whole[80];
    snprintf(whole, sizeof whole, "deskd_%s", name);
    metric_family(b, whole, "gauge", help);
    buf_fmt(b, "%s ", whole);
    decimal(b, ms, 1000);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* The sum and the buckets are read one after the other, so +Inf is the sum of what was read. */
static void metrics_of_durations(struct buf *b, struct durations *d) {
    metric_family(b, "deskd_request_duration_seconds", "histogram",
                  "Time from a complete request to its reply, by class of request.");
    for (int k = 0; k < REQUEST_CLASSES; k++) {
        int64_t count = 0;
        for (int i = 0; i <= DURATION_BOUNDS; i++) {
            count += atomic_load(&d->buckets[k][i]);
            buf_fmt(b, "deskd_request_duration_seconds_bucket{class=\"%s\",le=\"", request_classes[k]);
            if (i == DURATION_BOUNDS) buf_text(b, "+Inf");
            else buf_fmt(b, "%g", (double)duration_bounds[i] / 1e6);
            buf_fmt(b, "\"} %" PRId64 "\n", count);
        }
        buf_fmt(b, "deskd_request_duration_seconds_sum{class=\"%s\"} ", request_classes[k]);
        decimal(b, atomic_load(&d->micros[k]), 1000000);
        buf_fmt(b, "deskd_request_duration_seconds_count{class=\"%s\"} %" PRId64 "\n", request_classes[k],
                count);
    }
}

static void metrics_of_requests(struct buf *b, struct api *api) {
    struct api_metrics *m = &api->metrics;
    metric_family(b, "deskd_requests_total", "counter", "Requests by class of status.");
    for (int i = 2; i < 6; i++)
        buf_fmt(b, "deskd_requests_total{class=\"%dxx\"} %lld\n", i, (long long)atomic_load(&m->requests[i]));
    metrics_of_durations(b, &m->durations);
    counter(b, "inline_total", "Requests run on an event loop.", atomic_load(&m->inline_runs));
    counter(b, "writer_total", "Requests run on the writer.", atomic_load(&m->writer_runs));
    counter(b, "pool_total", "Requests passed to the pool.", atomic_load(&m->pool_runs));
    counter(b, "reruns_total", "Reads repeated in the pool, because they exceeded the inline budget.",
            atomic_load(&m->reruns));
    counter(b, "logins_delayed_total", "Delayed logins.", atomic_load(&m->delays));
    counter(b, "password_hashes_total", "Password hashes computed.", atomic_load(&m->hashes));
}

static void metrics_of_pool(struct buf *b, struct api *api) {
    static const char *const lanes[LANES] = {
        [LANE_WORK] = "work",       [LANE_READ] = "read",   [LANE_HASH] = "password",
        [LANE_PICTURE] = "picture", [LANE_SYNC] = "upload", [LANE_OUTSIDE] = "outside",
        [LANE_STORE] = "store"};
    metric_family(b, "deskd_queued_tasks", "gauge", "Tasks that wait for a thread of the pool, by lane.");
    for (int i = 0; i < LANES; i++)
        buf_fmt(b, "deskd_queued_tasks{lane=\"%s\"} %d\n", lanes[i], pool_queued(api->pool, (enum lane)i));
}

static void metrics_of_edge(struct buf *b, struct api *api) {
    struct http_stats h = {0};
    struct http_server *http = atomic_load(&api->http);
    if (http) http_stats(http, &h);
    gauge(b, "http_connections", "Open connections.", h.connections);
    gauge(b, "live_connections", "Open connections of realtime.", live_connections(atomic_load(&api->live)));
    gauge(b, "http_held_bytes", "Bytes of replies waiting to be sent.", h.held);
    gauge(b, "http_spooled_bytes", "Bytes of incoming uploads, on disk.", h.spooled);
    gauge(b, "http_bodies_bytes", "Bytes of other incoming bodies, in memory.", h.bodies);
    counter(b, "http_refused_total", "Requests refused by the edge.", h.refused);
    counter(b, "http_timed_out_total", "Connections closed at a deadline.", h.timed_out);
}

/* ---- the store ------------------------------------------------------------------------------- */

static void metrics_of_store(struct buf *b, struct desk *desk) {
    struct db_stats d;
    db_stats(desk->db, &d);
    counter(b, "store_commits_total", "Durable commits.", d.commits);
    counter(b, "store_writes_total", "Writes in these commits.", d.tasks);
    counter(b, "store_statements_total", "Statements run.", d.statements);
    counter(b, "store_prepares_total", "Statements prepared.", d.prepares);
    counter(b, "store_rung_total", "Notifications of writes by other processes.", d.notified);
    counter(b, "store_replica_reads_total", "Reads sent to the replica.", d.replica_reads);
    gauge(b, "store_replica_usable", "1 if there is a replica that does not lag.", d.replica_usable);
    gauge(b, "store_bytes", "Size of the store.", d.store_bytes);
    gauge(b, "store_wal_bytes", "Size of the write-ahead log.", d.wal_bytes);
    gauge(b, "store_writable", "1 if the last commit succeeded.", d.writable);
    gauge(b, "store_sound", "0 after the store reported damage, until deskd check finds no error.", d.sound);
    gauge(b, "search_unindexed",
          "Changes of texts by this process that the search index has not followed yet.",
          atomic_load(&desk->unindexed));
    gauge(b, "audit_last_place", "Place of the last entry of the audit log; up to a minute old.",
          atomic_load(&desk->audit_seq));
    gauge(b, "audit_last_chain", "The first 13 hex digits of its chain, as a number.",
          atomic_load(&desk->audit_bits));
}

/* ---- the object store ------------------------------------------------------------------------ */

static const char *const s3_operation_names[S3_OPERATIONS] = {"read", "write", "delete", "list"};
static const char *const s3_result_names[S3_RESULTS] = {"ok", "absent", "refused", "failed", "broken"};

static void metrics_of_store_durations(struct buf *b, const struct s3_counts *c) {
    metric_family(b, "deskd_object_store_duration_seconds", "histogram",
                  "Time of a request to the object store, by operation.");
    for (int o = 0; o < S3_OPERATIONS; o++) {
        const char *name = s3_operation_names[o];
        int64_t count = 0;
        for (int i = 0; i <= S3_BOUNDS; i++) {
            count += atomic_load(&c->buckets[o][i]);
            buf_fmt(b, "deskd_object_store_duration_seconds_bucket{operation=\"%s\",le=\"", name);
            if (i == S3_BOUNDS) buf_text(b, "+Inf");
            else buf_fmt(b, "%g", s3_bounds[i] / 1e3);
            buf_fmt(b, "\"} %" PRId64 "\n", count);
        }
        buf_fmt(b, "deskd_object_store_duration_seconds_sum{operation=\"%s\"} ", name);
        decimal(b, atomic_load(&c->ms[o]), 1000);
        buf_fmt(b, "deskd_object_store_duration_seconds_count{operation=\"%s\"} %" PRId64 "\n", name, count);
    }
}

/* Zeros without a bucket: alerts and dashboards find all names. */
static void metrics_of_object_store(struct buf *b, const struct contents *k) {
    static const struct s3_counts none;
    const struct s3_counts *c = k && k->remote ? s3_counts(remote_s3(k->remote)) : &none;
    metric_family(b, "deskd_object_store_requests_total", "counter",
                  "Requests to the object store, by operation and result.");
    for (int o = 0; o < S3_OPERATIONS; o++)
        for (int i = 0; i < S3_RESULTS; i++)
            buf_fmt(b, "deskd_object_store_requests_total{operation=\"%s\",result=\"%s\"} %" PRId64 "\n",
                    s3_operation_names[o], s3_result_names[i], (int64_t)atomic_load(&c->requests[o][i]));
    metrics_of_store_durations(b, c);
    counter(b, "object_store_retries_total", "Requests to the object store that were sent again.",
            atomic_load(&c->retries));
    counter(b, "object_store_given_up_total",
            "Requests to the object store that failed at the last attempt, or were refused.",
            atomic_load(&c->given_up));
}

/* ---- what waits ------------------------------------------------------------------------------ */

static void metrics_of_jobs(struct buf *b, struct lags *l) {
    metric_family(b, "deskd_jobs_due", "gauge",
                  "Jobs that are due or under way, of all processes; up to 15 s old.");
    for (int k = JOB_NONE + 1; k < JOB_NAMES; k++)
        buf_fmt(b, "deskd_jobs_due{kind=\"%s\"} %" PRId64 "\n", job_names[k], atomic_load(&l->jobs[k]));
    metric_family(b, "deskd_jobs_late_seconds", "gauge",
                  "How long the first of them has been due; up to 15 s old.");
    for (int k = JOB_NONE + 1; k < JOB_NAMES; k++) {
        buf_fmt(b, "deskd_jobs_late_seconds{kind=\"%s\"} ", job_names[k]);
        decimal(b, atomic_load(&l->job_late[k]), 1000);
    }
}

static void metrics_of_lags(struct buf *b, struct lags *l) {
    if (l == NULL) return;
    metrics_of_jobs(b, l);
    gauge(b, "letters_waiting", "Mails to people that are not sent yet, of all processes; up to 15 s old.",
          atomic_load(&l->letters));
    gauge_ms(b, "letters_oldest_seconds", "Age of the oldest of them; up to 15 s old.",
             atomic_load(&l->letter_age));
    gauge(b, "inbox_waiting", "Mails in the inbox that are not stored yet; up to 15 s old.",
          atomic_load(&l->arrivals));
    gauge_ms(b, "inbox_oldest_seconds", "Age of the oldest of them; up to 15 s old.",
             atomic_load(&l->arrival_age));
    gauge(b, "inbox_failed", "Mails that can't be processed, in the folder mail/failed; up to 15 s old.",
          atomic_load(&l->arrivals_failed));
    gauge(b, "mailboxes_failing", "IMAP accounts whose last attempt failed; up to 15 s old.",
          atomic_load(&l->mailboxes_failing));
    gauge_ms(b, "sla_breach_late_seconds",
             "How long the first breach of an SLA has not been raised; up to 15 s old.",
             atomic_load(&l->breach_late));
}

static void metrics_of_deliveries(struct buf *b, struct sent *s) {
    if (s == NULL) return;
    counter(b, "deliveries_succeeded_total", "Attempts to send to an endpoint that succeeded.",
            atomic_load(&s->succeeded));
    counter(b, "deliveries_failed_total", "Attempts to send to an endpoint that failed.",
            atomic_load(&s->failed));
    gauge(b, "deliveries_in_flight", "Requests to endpoints without a reply yet.",
          atomic_load(&s->in_flight));
    gauge(b, "deliveries_waiting", "Deliveries that are not sent yet, of all processes; up to 15 s old.",
          atomic_load(&s->waiting));
    gauge(b, "deliveries_oldest_seconds", "Age of the oldest of them; up to 15 s old.",
          atomic_load(&s->oldest_ms) / 1000);
}

static void metrics_of_lmtp(struct buf *b, struct lmtp_counts *c) {
    if (c == NULL) return;
    counter(b, "lmtp_stored_total", "Mails stored by LMTP, one for each recipient.", atomic_load(&c->stored));
    counter(b, "lmtp_bytes_total", "Bytes of these mails.", atomic_load(&c->bytes));
    counter(b, "lmtp_unknown_total", "Recipients refused by LMTP, because the desk takes no mail for them.",
            atomic_load(&c->unknown));
    counter(b, "lmtp_refused_total", "Mails refused by LMTP, because they are too large.",
            atomic_load(&c->refused));
    counter(b, "lmtp_put_off_total",
            "Recipients that were answered to try again, because of trouble with the disk.",
            atomic_load(&c->put_off));
    gauge(b, "lmtp_connections", "Open LMTP connections.", atomic_load(&c->connections));
    counter(b, "lmtp_turned_away_total", "LMTP connections refused, because too many are open.",
            atomic_load(&c->turned_away));
}

/* ---- the process ----------------------------------------------------------------------------- */

static int64_t resident_bytes(void) {
    long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f == NULL) return 0;
    if (fscanf(f, "%*d %lld", &pages) != 1) pages = 0;
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

/* Names that Prometheus' own clients use, without the prefix of deskd. */
static void metrics_of_process(struct buf *b, struct api *api) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    metric_family(b, "process_cpu_seconds_total", "counter", "CPU of the process, user and system.");
    buf_text(b, "process_cpu_seconds_total ");
    decimal(b,
            1000000 * (int64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + use.ru_utime.tv_usec +
                use.ru_stime.tv_usec,
            1000000);
    metric_family(b, "process_resident_memory_bytes", "gauge", "Resident memory, with mapped files.");
    buf_fmt(b, "process_resident_memory_bytes %" PRId64 "\n", resident_bytes());
    gauge(b, "uptime_seconds", "Seconds since the start.", (clock_monotonic() - api->started) / 1000);
    metric_family(b, "deskd_build_info", "gauge", "1; the label is the version.");
    buf_text(b, "deskd_build_info{version=\"" DESKD_VERSION "\"} 1\n");
}

void metrics_text(struct api *api, struct buf *out) {
    metrics_of_requests(out, api);
    metrics_of_pool(out, api);
    metrics_of_edge(out, api);
    metrics_of_store(out, api->desk);
    metrics_of_object_store(out, api->desk->files);
    metrics_of_lags(out, api->desk->lags);
    metrics_of_deliveries(out, api->desk->sent);
    metrics_of_lmtp(out, api->desk->mails);
    metrics_of_process(out, api);
}
