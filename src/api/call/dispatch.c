/* The path of a call from the HTTP edge to its handler and back.
 *
 * A call runs through the stages below in this order. The specification fixes the order of the checks. The
 * handler checks the rest: resource 404, preconditions 412, validation 400, state 400. A stage runs on the
 * thread that the call has reached. If the rest must run elsewhere, the stage parks the call in a queue,
 * and another thread continues with the next stage.
 *
 *     stage      event loop             pool                                    one writer
 *
 *     ROUTE      404 405 406
 *     LEAVE        | `------------------> LANE_WORK, if the store blocks
 *     IDENTIFY     | <- 401 ------------- again, if the budget of the loop is spent
 *     DELAY        | `-- a password: after a while, if others failed before
 *     VERIFY       | `------------------> LANE_HASH: 401
 *     ADMIT        | <- CSRF, 403 ------- LANE_WORK
 *     RATE         | <- 429 (limits.h)
 *                  | `-- a write without login: 429 --------------------------> counts it
 *     BODY         | <- 400 413 415 ----- LANE_WORK <-----------------------------'
 *     LANE         |
 *     PREPARE      | `------------------> the lane of the route, if the body needs it: files, HTML
 *     WRITE        | `--------------------- handler of a write ---------------> handler, COMMIT
 *     READ         | `------------------> LANE_READ: a long list, or again if the budget is spent
 *     FETCH        | `------------------> LANE_STORE: contents, then PREPARE or READ again
 *                  v                        v                                     v
 *     call_send (send.c): headers, log, reply
 *
 * A GET (and a POST that only reads) runs on its event loop, in the read snapshot that found its actor,
 * with a budget. If the budget is spent, it runs again in the pool, because it is pure. A write goes to
 * the writer thread, where it shares a COMMIT with others. hop_end sends every reply, so no reply to a
 * write leaves before the COMMIT that holds it. */
#include "api/caller/limits.h"
#include "api/call/machine.h"
#include "api/caller/auth.h"
#include "api/caller/rate.h"

#include "api/rows/reply.h"
#include "base/limits.h"
#include "base/log.h"
#include "core/all/finish.h"
#include "core/desk/setting.h"
#include "core/login/session.h"
#include "core/words.h"
#include "db/refusal.h"
#include "files/content.h"

#include <stddef.h>

enum stage_name {
    ROUTE,
    LEAVE,
    IDENTIFY,
    DELAY,
    VERIFY,
    ADMIT,
    RATE,
    BODY,
    LANE,
    PREPARE,
    WRITE,
    READ,
    FETCH
};

/* The result of a stage, or a negative error, which becomes the reply. */
enum outcome {
    NEXT,   /* run the next stage here: the following one, or h->next if the stage set it */
    ANSWER, /* the reply is complete */
    PARKED, /* another thread continues with the call; this thread must not touch it any more */
    AWAY,   /* of a read: it needs contents that are in the object store */
};

/* A call in progress. Its queue nodes are embedded, so that queueing allocates nothing. */
struct hop {
    struct call call;
    struct db_task write;
    struct pool_task pool;
    struct delay delay;
    enum stage_name next;
    enum stage_name after_fetch; /* the stage that needs the contents: PREPARE or READ */
    enum executor executor;      /* set by LANE */
    int64_t began;               /* clock_micros */
    int64_t counted;             /* writes of this address in the current minute */
    uint64_t login;              /* key of its delayed logins */
    int delay_ms;                /* delay of the login, for DELAY */
    int rc;                      /* result of the handler of a write */
    bool deferred;               /* the call has left its event loop, so budgets are those of the pool */
    bool reading;                /* a snapshot is open on this thread */
    bool written;
    bool crowded;          /* the queue was full */
    const char *refused;   /* the constraint of the store that refused the write; NULL: none did */
    struct header *before; /* headers without those of the handler: used after a failure and for 304 */
};

static struct hop *hop_of_call(struct call *c) {
    return (struct hop *)(void *)((char *)c - offsetof(struct hop, call));
}
static struct hop *hop_of_write(struct db_task *t) {
    return (struct hop *)(void *)((char *)t - offsetof(struct hop, write));
}
static struct hop *hop_of_delay(struct delay *t) {
    return (struct hop *)(void *)((char *)t - offsetof(struct hop, delay));
}
static struct hop *hop_of_pool(struct pool_task *t) {
    return (struct hop *)(void *)((char *)t - offsetof(struct hop, pool));
}

/* ---- snapshots ------------------------------------------------------------------------------- */

static int snapshot_open(struct hop *h) {
    if (h->reading) return 0;
    int rc = call_snapshot(&h->call, h->deferred ? BUDGET_POOL_MS : BUDGET_INLINE_MS);
    h->reading = rc >= 0;
    return rc;
}

static void snapshot_close(struct hop *h) {
    if (h->reading) db_read_end(h->call.work.conn);
    h->reading = false;
}

/* Replaces the open snapshot by a new one with its own budget. */
static int snapshot_renew(struct hop *h, struct conn *conn, int budget_ms) {
    snapshot_close(h);
    h->call.work.conn = conn;
    int rc = db_read_begin(conn, budget_ms);
    h->reading = rc >= 0;
    return rc < 0 ? rc : 0;
}

static int out_of_time(const struct call *c) {
    return UNAVAILABLE("reads given up", "%.*s %s exceeded the read budget of %d ms", (int)c->http->method.n,
                       c->http->method.p, c->route->path, BUDGET_POOL_MS);
}

/* The result of a read in the pool. */
static int read_in_time(const struct call *c, int rc) {
    return rc < 0 && c->work.conn && db_budget_spent(c->work.conn) ? out_of_time(c) : rc;
}

/* ---- parking --------------------------------------------------------------------------------- */

static void hop_advance(struct hop *h);

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

static void hop_end(struct hop *h, int rc) {
    snapshot_close(h);
    if (rc == -ERR_SERVICE_UNAVAILABLE && h->crowded && refuse_later(h)) return;
    call_send(&h->call, h->before, h->began, rc);
}

static void pool_resume(struct pool_task *t) { hop_advance(hop_of_pool(t)); }

static void leave_loop(struct hop *h) {
    snapshot_close(h);
    if (!h->deferred) http_defer(h->call.http);
    h->deferred = true;
}

/* Parks the call in a lane of the pool. Returns PARKED, or -ERR_SERVICE_UNAVAILABLE if the queue is full. */
static int park(struct hop *h, enum lane lane) {
    leave_loop(h);
    atomic_fetch_add(&h->call.api->metrics.pool_runs, 1);
    h->pool = (struct pool_task){.run = pool_resume, .whose = call_sharer(&h->call)};
    if (pool_submit(h->call.api->pool, lane, &h->pool)) return PARKED;
    h->crowded = h->call.subcall == NULL;
    return -ERR_SERVICE_UNAVAILABLE;
}

static int park_on_writer(struct hop *h, int (*run)(struct db_task *t, struct conn *conn),
                          void (*done)(struct db_task *t, int rc)) {
    leave_loop(h);
    h->write = (struct db_task){.run = run, .done = done, .begins_batch = h->call.route->shape == COUNT};
    db_submit(h->call.work.desk->db, &h->write);
    return PARKED;
}

/* Continues in the pool after a queue outside of it. */
static void park_or_end(struct hop *h, int rc, enum lane lane) {
    if (rc >= 0) rc = park(h, lane);
    if (rc != PARKED) hop_end(h, rc);
}

/* ---- authentication -------------------------------------------------------------------------- */

static int stage_route(struct hop *h) { return call_route(&h->call); }

static int stage_leave(struct hop *h) { return db_blocks(h->call.work.desk->db) ? park(h, LANE_WORK) : NEXT; }

/* On a busy machine, an event loop may spend the whole budget between two statements. A spent budget is
 * therefore no failure: the request starts again in the pool, because nothing has been done for it yet. */
static int stage_identify(struct hop *h) {
    struct call *c = &h->call;
    struct header *before = c->headers;
    int rc = auth_fast(c);
    if (rc == AUTH_DONE && c->route->caller) rc = c->route->caller(c);
    if (rc == AUTH_DONE) return h->next = ADMIT, NEXT;
    if (rc == AUTH_SLOW) rc = auth_delay(c, &h->login);
    h->delay_ms = rc;
    if (rc >= 0) return NEXT;
    if (!db_budget_spent(c->work.conn)) return rc;
    if (h->deferred) return out_of_time(c);
    atomic_fetch_add(&c->api->metrics.reruns, 1);
    c->headers = before;
    work_rewind(&c->work);
    h->next = IDENTIFY;
    return park(h, LANE_WORK);
}

static void delay_over(struct delay *t) {
    struct hop *h = hop_of_delay(t);
    bool ends = atomic_load(&h->call.api->draining);
    park_or_end(h, ends ? UNAVAILABLE("refused logins", "stopping: a delayed login is refused") : 0,
                LANE_HASH);
}

static int stage_delay(struct hop *h) {
    struct api *api = h->call.api;
    if (h->delay_ms == 0) return park(h, LANE_HASH);
    leave_loop(h);
    atomic_fetch_add(&api->metrics.delays, 1);
    h->delay = (struct delay){.over = delay_over};
    return delay(api->delays, &h->delay, h->login, h->delay_ms) ? PARKED : auth_crowded(&h->call);
}

/* Runs in LANE_HASH, and leaves it as soon as the caller is known. */
static int stage_verify(struct hop *h) {
    TRY(read_in_time(&h->call, auth_slow(&h->call)));
    return park(h, LANE_WORK);
}

/* ---- admission ------------------------------------------------------------------------------- */

static int stage_admit(struct hop *h) {
    TRY(auth_csrf(&h->call));
    TRY(auth_admit(&h->call));
    return NEXT;
}

static int count_run(struct db_task *t, struct conn *conn) {
    struct hop *h = hop_of_write(t);
    return rate_count(conn, h->call.http->remote, h->call.work.now, &h->counted);
}

/* Runs on the writer thread, so the body is parsed elsewhere. */
static void count_done(struct db_task *t, int rc) {
    struct hop *h = hop_of_write(t);
    struct call *c = &h->call;
    int64_t wait = rc < 0 ? 0 : rate_counted(c->api, c->http->remote, c->work.now, h->counted);
    park_or_end(h, wait ? call_wait(c, wait) : rc, LANE_WORK);
}

static int stage_rate(struct hop *h) {
    struct call *c = &h->call;
    if (c->subcall) return NEXT; /* the form of the page was counted */
    TRY(limits_count(c));
    if (c->work.actor.rank != ROLE_PUBLIC || c->work.actor.event_token_id || c->method == GET ||
        c->api->cfg.public_writes_a_minute == 0)
        return NEXT;
    int64_t wait = rate_over(c->api, c->http->remote, c->work.now);
    return wait ? call_wait(c, wait) : park_on_writer(h, count_run, count_done);
}

static int stage_body(struct hop *h) { return call_read_body(&h->call); }

/* ---- choice of the thread -------------------------------------------------------------------- */

static enum executor executor_of(const struct call *c) {
    if (c->route->executor != AUTO) return c->route->executor;
    /* with a key, the outcome is stored */
    bool reads = c->route->reads && http_header(c->http, "Idempotency-Key").p == NULL;
    return c->method == GET || reads ? INLINE : WRITER;
}

static bool prepares(const struct call *c) {
    return c->route->prepare && (c->route->needs_prepare == NULL || c->route->needs_prepare(c));
}

static enum lane lane_of_prepare(const struct call *c) {
    if (c->route->lane_for == NULL) return c->route->lane;
    if (c->route->body == FILES_ATTACHED && c->http->files) return c->route->lane;
    for (struct str rest = str_of(c->route->lane_for); rest.p;) {
        struct str name = str_cut(&rest, ',');
        for (const struct http_file *f = c->http->files; f; f = f->next)
            if (name_eq(f->field, name)) return c->route->lane;
        if (json_named(c->body, name)) return c->route->lane;
    }
    return LANE_WORK;
}

/* The expected number of rows of a list: its limit times the number of included types. */
static int64_t rows_expected(const struct call *c) {
    return c->route->shape == LIST
               ? c->options.limit * (c->options.include_all ? 10 : 1 + c->options.include_count)
               : 0;
}

/* True if a read should not run here, because (1) it is likely to be long, or (2) its caller already uses
 * its share of these threads. */
static bool is_for_later(const struct hop *h) {
    bool pooled = db_blocks(h->call.work.desk->db);
    return rows_expected(&h->call) > LIMIT_INLINE_ROWS || (pooled && !pool_run_as(call_sharer(&h->call)));
}

static int stage_lane(struct hop *h) {
    const struct call *c = &h->call;
    h->executor = executor_of(c);
    if (h->executor == WRITER && prepares(c)) return park(h, lane_of_prepare(c));
    if (h->executor == WRITER) return h->next = WRITE, NEXT;
    if (h->executor == INLINE && is_for_later(h)) h->executor = POOL;
    h->next = READ;
    if (h->executor != POOL) return NEXT;
    return park(h, c->route->executor == POOL ? c->route->lane : LANE_READ);
}

/* ---- the handler ----------------------------------------------------------------------------- */

void call_reset(struct call *c) {
    work_rewind(&c->work);
    c->out.n = 0;
    c->etag = (struct str){0};
    c->modified = 0;
    c->args = c->input = NULL;
    c->arg_count = c->input_count = c->id_count = 0;
    c->by_ids = false;
    c->id = 0;
    c->branches = NULL;
    c->condition = NULL;
    c->order = NULL;
    if (c->cursor)
        c->options.keyset = c->options.backwards = false; /* set by its arguments, which are read again */
    c->cursor = NULL;
    c->ignored = NULL;
    c->secrets = c->plain = NULL;
    c->warnings = NULL;
    c->posts = (struct str){0};
    c->compared = false;
    c->retry_after = 0;
    c->needed = NULL;
    download_drop(c);
    c->status = c->route->status ? c->route->status : c->method == POST && c->route->shape == ONE ? 201 : 200;
}

/* ---- contents in the object store ------------------------------------------------------------ */

int call_needs_content(struct call *c, struct str sha256, int64_t size) {
    struct arena *a = c->work.arena;
    if (c->fetched || content_is_here(a, c->work.desk->files, sha256, size)) return 0;
    struct needed *n = ARENA_NEW(a, struct needed);
    *n = (struct needed){str_dup(a, sha256), size, c->needed};
    c->needed = n;
    return -ERR_SERVICE_UNAVAILABLE;
}

/* No transaction is open meanwhile. */
static int fetch_later(struct hop *h, enum stage_name stage) {
    h->after_fetch = stage;
    h->next = FETCH;
    return park(h, LANE_STORE);
}

static int stage_fetch(struct hop *h) {
    struct call *c = &h->call;
    for (const struct needed *n = c->needed; n; n = n->next)
        TRY(content_fetch(c->work.arena, c->work.desk->files, n->sha256, n->size));
    c->fetched = true;
    h->next = h->after_fetch;
    if (h->next == PREPARE) return park(h, lane_of_prepare(c));
    return park(h, c->route->executor == POOL ? c->route->lane : LANE_WORK);
}

static int stage_prepare(struct hop *h) {
    struct call *c = &h->call;
    call_reset(c);
    int rc = read_in_time(c, c->route->prepare(c));
    if (c->needed) {
        work_rewind(&c->work);
        return fetch_later(h, PREPARE);
    }
    return rc < 0 ? rc : NEXT;
}

/* A foreign key or a unique index refused what the checks of the handler had accepted, so the store or
 * this program has a defect: the caller can't correct it. */
static int run_explained(struct hop *h, int rc) {
    struct call *c = &h->call;
    const char *why = rc < 0 && !failed(&c->work) ? db_refusal(c->work.conn) : "";
    if ((rc != -ERR_FIELD_INVALID && rc != -ERR_FIELD_DUPLICATE) || *why == 0) return rc;
    h->refused = str_dup(c->work.arena, str_of(why)).p;
    return -ERR_INTERNAL_ERROR;
}

static int run_handler(struct call *c) {
    int rc = run_explained(hop_of_call(c), c->route->handler(c));
    if (rc < 0 || failed(&c->work)) return rc < 0 ? rc : -(int)failure(&c->work);
    /* A write without its own tag matches only "*". */
    struct str match = http_header(c->http, "If-Match");
    bool unmatched = match.p && !c->compared && (c->method == PUT || c->method == DELETE) &&
                     !str_eq(str_trim(match), S("*"));
    return unmatched ? fail(&c->work, ERR_RESOURCE_MODIFIED) : 0;
}

static int writer_run(struct db_task *t, struct conn *conn) {
    struct hop *h = hop_of_write(t);
    struct call *c = &h->call;
    if (h->written) c->headers = h->before;
    h->before = c->headers;
    h->written = true;
    c->work.conn = conn;
    h->refused = NULL;
    call_reset(c);
    int rc = idempotent(c, run_handler);
    if (rc >= 0 && !failed(&c->work)) rc = run_explained(h, work_finish(&c->work));
    if (rc >= 0 && !failed(&c->work)) rc = session_wrote(&c->work);
    if (rc < 0) c->headers = h->before;
    if (rc < 0) reply_error(c, rc);
    h->rc = rc;
    return rc;
}

static void writer_done(struct db_task *t, int rc) {
    struct hop *h = hop_of_write(t);
    bool lost = rc < 0 && h->rc >= 0; /* the COMMIT failed, so nothing was stored */
    if (lost) {
        work_rewind(&h->call.work);
        /* The handler's headers name rolled-back rows. A token must not open rows that get the same id
         * later. */
        h->call.headers = h->before;
    }
    if (rc >= 0) work_committed(&h->call.work);
    const struct http_request *r = h->call.http;
    if (h->refused)
        log_error("store: %.*s %s: %s", (int)r->method.n, r->method.p, h->call.route->path, h->refused);
    hop_end(h, lost ? -ERR_SERVICE_UNAVAILABLE : 0);
}

static int stage_write(struct hop *h) {
    atomic_fetch_add(&h->call.api->metrics.writer_runs, 1);
    return park_on_writer(h, writer_run, writer_done);
}

/* Runs a read in the open snapshot and closes it. Returns ANSWER, a negative error, NEXT if the budget is
 * spent and it must run again with more time, or AWAY. */
static int run_reading(struct hop *h) {
    struct call *c = &h->call;
    h->before = c->headers;
    call_reset(c);
    int rc = run_handler(c);
    bool spent = rc < 0 && db_budget_spent(c->work.conn);
    snapshot_close(h);
    if (spent || c->needed) c->headers = h->before;
    if (!spent && c->needed) return AWAY;
    if (rc >= 0 && c->route->outside) rc = c->route->outside(c);
    return spent ? NEXT : rc < 0 ? rc : ANSWER;
}

/* 1: rows that the read shows do not follow all changes of the open snapshot; 0; or a negative error */
static int read_is_behind(struct hop *h) {
    const struct follower *f = h->call.route->follows;
    return f ? f->is_behind(&h->call.work) : 0;
}

/* Brings the derived rows up to date that the read shows, and opens a snapshot that sees them. */
static int catch_up(struct hop *h) {
    struct call *c = &h->call;
    int rc = read_is_behind(h);
    if (rc != 1) return rc;
    snapshot_close(h);
    c->behind = c->route->follows->catch_up(c->work.desk) != 0;
    return snapshot_renew(h, c->work.conn, BUDGET_POOL_MS);
}

/* Runs a read on the replica, if there is one and it is current enough for this session. A read that fails
 * there runs again here. Returns ANSWER, NEXT if the call is not answered yet, or a negative error. */
static int read_on_replica(struct hop *h) {
    struct call *c = &h->call;
    struct conn *here = c->work.conn, *replica = NULL;
    if (c->work.actor.session_id)
        replica = db_replica(c->work.desk->db, c->work.actor.wrote_at + REPLICA_SLACK_MS);
    if (replica == NULL) return NEXT;
    h->before = c->headers;
    int rc = snapshot_renew(h, replica, BUDGET_POOL_MS);
    if (rc >= 0 && read_is_behind(h) == 1) return snapshot_renew(h, here, BUDGET_POOL_MS);
    if (rc >= 0) rc = run_reading(h);
    if (rc == NEXT) return out_of_time(c);
    if (rc >= 0 || error_info(-rc)->status < 500) return rc;
    c->headers = h->before;
    return snapshot_renew(h, here, BUDGET_POOL_MS);
}

/* Runs a read on an event loop or in LANE_WORK. If its budget is spent, it runs again in LANE_READ, so
 * that it delays neither. On a store that blocks there is no second run, because other processes may have
 * spent the budget. */
static int stage_read(struct hop *h) {
    struct call *c = &h->call;
    bool last = h->executor == POOL || db_blocks(c->work.desk->db);
    int rc = read_on_replica(h);
    if (rc == AWAY) return fetch_later(h, READ);
    if (rc != NEXT) return rc;
    TRY(catch_up(h));
    if (!h->deferred) atomic_fetch_add(&c->api->metrics.inline_runs, 1);
    if (h->deferred && !last) TRY(snapshot_renew(h, c->work.conn, BUDGET_INLINE_MS));
    rc = run_reading(h);
    if (rc == AWAY) return fetch_later(h, READ);
    if (rc != NEXT) return rc;
    if (last) return out_of_time(c);
    atomic_fetch_add(&c->api->metrics.reruns, 1);
    h->executor = POOL;
    h->next = READ;
    return park(h, LANE_READ);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct stage {
    int (*run)(struct hop *h); /* returns an enum outcome, or a negative error */
    bool reads;                /* needs a snapshot, which is opened before if none is open */
} stages[] = {
    [ROUTE] = {stage_route},
    [LEAVE] = {stage_leave},
    [IDENTIFY] = {stage_identify, true},
    [DELAY] = {stage_delay},
    [VERIFY] = {stage_verify, true},
    [ADMIT] = {stage_admit, true},
    [RATE] = {stage_rate},
    [BODY] = {stage_body},
    [LANE] = {stage_lane},
    [PREPARE] = {stage_prepare, true},
    [WRITE] = {stage_write},
    [READ] = {stage_read, true},
    [FETCH] = {stage_fetch},
};

/* Runs stages from h->next on, until one parks the call or the reply is complete. */
static void hop_advance(struct hop *h) {
    int rc = NEXT;
    while (rc == NEXT) {
        const struct stage *s = &stages[h->next++];
        if (s->reads) rc = snapshot_open(h);
        if (rc >= 0) rc = s->run(h);
    }
    if (rc != PARKED) hop_end(h, rc);
}

/* ---- callbacks of the edge ------------------------------------------------------------------- */

static struct hop *hop_new(struct api *api, struct http_request *r) {
    struct hop *h = ARENA_NEW(r->arena, struct hop);
    h->began = clock_micros();
    call_init(&h->call, api, r, arena_new());
    h->call.request_id = request_id(api, r->arena);
    return h;
}

void subcall_run(struct api *api, struct http_request *r, struct subcall *page) {
    struct hop *h = hop_new(api, r);
    h->call.subcall = page;
    h->deferred = true; /* the request of the page is */
    hop_advance(h);
}

/* True if a handler outside of the API keeps the files of this form. */
static bool outside_takes_files(const struct api *api, const struct http_request *r) {
    for (const struct outside *o = api->cfg.outside; o && o->handle; o++)
        if (o->takes_files && o->takes_files(r)) return true;
    return false;
}

static bool outside_handles(struct api *api, struct http_request *r) {
    for (const struct outside *o = api->cfg.outside; o && o->handle; o++)
        if (o->handle(api, r)) return true;
    return false;
}

static void on_begin(void *ctx, struct http_request *r, struct http_plan *plan) {
    struct api *api = ctx;
    struct call *upload;
    *plan = (struct http_plan){.body = call_body(api, r, &upload), .limit = LIMIT_BODY};
    if (plan->body == HTTP_BODY_MEMORY && outside_takes_files(api, r)) plan->body = HTTP_BODY_UPLOAD;
    plan->file_limit =
        plan->body == HTTP_BODY_MEMORY ? 0 : setting_int(api->desk, "files.max_megabytes") << 20;
    if (upload == NULL || (!r->has_body && plan->body != HTTP_BODY_FILE)) return;
    call_init(upload, api, r, r->arena);
    upload_begin(upload, plan);
}

static void on_handle(void *ctx, struct http_request *r) {
    struct api *api = ctx;
    if (outside_handles(api, r)) return;
    struct hop *h = hop_new(api, r);
    if (str_eq(r->method, S("OPTIONS"))) {
        call_preflight(&h->call);
        hop_end(h, 0);
    } else {
        hop_advance(h);
    }
}

/* Replies to malformed requests, and to requests over a limit of the edge. */
static void on_refuse(void *ctx, struct http_request *r, int err, const char *reason) {
    struct hop *h = hop_new(ctx, r);
    hop_end(h, fail_field(&h->call.work, (enum error)err, (struct str){0}, "%s", reason));
}

static void on_end(void *ctx, struct http_request *r) { (void)ctx, (void)r; }

const struct http_app *api_app(void) {
    static const struct http_app app = {
        .begin = on_begin, .handle = on_handle, .end = on_end, .refuse = on_refuse};
    return &app;
}
