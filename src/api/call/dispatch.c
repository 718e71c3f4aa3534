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
 * write leaves before the COMMIT that holds it. Snapshots and parking are in hop.c, the stages that run the
 * handler (PREPARE, WRITE, READ, FETCH) in handle.c. */
#include "api/call/hop.h"
#include "api/caller/auth.h"
#include "api/caller/auth_admit.h"
#include "api/caller/limits.h"
#include "api/caller/rate.h"

#include "base/log.h"
#include "core/desk/setting.h"

/* ---- authentication -------------------------------------------------------------------------- */

static int stage_route(struct hop *h) { return call_route(&h->call); }

static int stage_leave(struct hop *h) {
    return db_blocks(h->call.work.desk->db) ? hop_park(h, LANE_WORK) : NEXT;
}

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
    if (h->deferred) return hop_out_of_time(c);
    atomic_fetch_add(&c->api->metrics.reruns, 1);
    c->headers = before;
    work_rewind(&c->work);
    h->next = IDENTIFY;
    return hop_park(h, LANE_WORK);
}

static void delay_over(struct delay *t) {
    struct hop *h = hop_of_delay(t);
    bool ends = atomic_load(&h->call.api->draining);
    hop_park_or_end(h, ends ? UNAVAILABLE("refused logins", "stopping: a delayed login is refused") : 0,
                    LANE_HASH);
}

static int stage_delay(struct hop *h) {
    struct api *api = h->call.api;
    if (h->delay_ms == 0) return hop_park(h, LANE_HASH);
    hop_leave_loop(h);
    atomic_fetch_add(&api->metrics.delays, 1);
    h->delay = (struct delay){.over = delay_over};
    return delay(api->delays, &h->delay, h->login, h->delay_ms) ? PARKED : auth_crowded(&h->call);
}

/* Runs in LANE_HASH, and leaves it as soon as the caller is known. */
static int stage_verify(struct hop *h) {
    TRY(hop_in_time(&h->call, auth_slow(&h->call)));
    return hop_park(h, LANE_WORK);
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
    hop_park_or_end(h, wait ? call_wait(c, wait) : rc, LANE_WORK);
}

static int stage_rate(struct hop *h) {
    struct call *c = &h->call;
    if (c->subcall) return NEXT; /* the form of the page was counted */
    TRY(limits_count(c));
    if (c->work.actor.rank != ROLE_PUBLIC || c->work.actor.event_token_id || c->method == GET ||
        c->api->cfg.public_writes_a_minute == 0)
        return NEXT;
    int64_t wait = rate_over(c->api, c->http->remote, c->work.now);
    return wait ? call_wait(c, wait) : hop_park_on_writer(h, count_run, count_done);
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
    if (h->executor == WRITER && prepares(c)) return hop_park(h, hop_lane_of_prepare(c));
    if (h->executor == WRITER) return h->next = WRITE, NEXT;
    if (h->executor == INLINE && is_for_later(h)) h->executor = POOL;
    h->next = READ;
    if (h->executor != POOL) return NEXT;
    return hop_park(h, c->route->executor == POOL ? c->route->lane : LANE_READ);
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
        if (s->reads) rc = hop_snapshot(h);
        if (rc >= 0) rc = s->run(h);
    }
    if (rc != PARKED) hop_end(h, rc);
}

/* ---- callbacks of the edge ------------------------------------------------------------------- */

static struct hop *hop_new(struct api *api, struct http_request *r) {
    struct hop *h = ARENA_NEW(r->arena, struct hop);
    h->advance = hop_advance;
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

static void on_rest(void *ctx) { db_rest(((struct api *)ctx)->desk->db); }
static void on_end(void *ctx, struct http_request *r) { (void)ctx, (void)r; }

const struct http_app *api_app(void) {
    static const struct http_app app = {
        .begin = on_begin, .handle = on_handle, .end = on_end, .refuse = on_refuse, .rest = on_rest};
    return &app;
}
