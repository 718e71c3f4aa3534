/* From the HTTP edge to a handler and back.
 *
 * The checks run in the order of completions.md section 3: route 404, 405, 406, credentials, CSRF, role, rate, body, then the
 * handler's own: resource 404, preconditions 412, validation 400, state 400.
 *
 * A GET (and a POST that only asks) runs inline on its event loop, in one read snapshot with a budget; when the budget is spent it is
 * run again in the pool, since it is pure; a list that is likely to be long begins there. A write hops to the one writer thread, where it shares a COMMIT with others; what blocks or burns before it
 * (a password to verify or to hash) hops to the pool first. On a store whose statements wait for another process (db_blocks)
 * a call goes to the pool before its credentials are looked at. Wherever a call ends, finish() sends it, so no reply to a write leaves
 * before the COMMIT that holds it. */
#include "api/machine.h"

#include "api/input.h"
#include "api/reply.h"
#include "base/address.h"
#include "base/limits.h"
#include "base/log.h"
#include "core/change/finish.h"
#include "core/access/scope.h"
#include "core/login/session.h"
#include "core/desk/setting.h"
#include "core/words.h"

#include <endian.h>
#include <inttypes.h>
#include <stddef.h>
#include <unistd.h>
#include <xxhash.h>

/* The hops of a call: embedded, so that queueing allocates nothing. */
struct hop {
    struct call call;
    struct db_task write;
    struct pool_task pool;
    struct delay delay;
    int64_t began; /* clock_monotonic */
    int64_t counted;
    int rc;
    bool deferred, written;
    bool pooled;           /* it began in the pool, with the pool's budget */
    struct header *before; /* headers that stand when the handler's do not: after a failure, with a 304 */
};

static struct hop *hop_of_write(struct db_task *t) { return (struct hop *)(void *)((char *)t - offsetof(struct hop, write)); }
static struct hop *hop_of_delay(struct delay *t) { return (struct hop *)(void *)((char *)t - offsetof(struct hop, delay)); }
static struct hop *hop_of_pool(struct pool_task *t) { return (struct hop *)(void *)((char *)t - offsetof(struct hop, pool)); }

/* ---- the end ------------------------------------------------------------------------------------------------- */

/* Of downloads and pages, too. */
static void every_header(struct call *c) {
    char when[TIME_ISO_SIZE];
    http_add_header(c->http, "X-API-Version", S("1"));
    http_add_header(c->http, "Date-ISO", (struct str){when, time_iso(when, c->work.now)});
    http_add_header(c->http, "X-Request-ID", c->request_id);
}

static void common_headers(struct call *c) {
    struct http_request *r = c->http;
    if (c->status != 304) http_add_header(r, "Content-Type", S("application/json"));
    http_add_header(r, "Cache-Control", S("private, max-age=0, must-revalidate"));
    http_add_header(r, "X-Content-Type-Options", S("nosniff"));
    if (c->status == 503) http_add_header(r, "Retry-After", S("1"));
    http_add_header(r, "Vary", S("Authorization, Accept, X-Options, X-Requested-With"));
}

static void validators(struct call *c) {
    char when[TIME_HTTP_SIZE];
    if (c->etag.p) http_add_header(c->http, "ETag", STR_CAT(c->work.arena, S("\""), c->etag, S("\"")));
    if (c->etag.p && c->modified) http_add_header(c->http, "Last-Modified", (struct str){when, time_http(when, c->modified)});
}

static void challenge(struct call *c) {
    if (c->status != 401 || http_header(c->http, "X-Requested-With").p) return;
    http_add_header(c->http, "WWW-Authenticate", S("Basic realm=\"deskd\", charset=\"UTF-8\""));
    http_add_header(c->http, "WWW-Authenticate", S("Bearer realm=\"deskd\""));
}

static const char exposed[] =
    "ETag, Content-Location, Last-Modified, Link, Date-ISO, X-API-Version, X-CSRF-Token, X-Request-ID, X-Request-Token, "
    "X-RememberMe, Retry-After, Idempotent-Replayed, Content-Disposition, Content-Range, Repr-Digest";

static void cors(struct call *c) {
    struct str origin = http_header(c->http, "Origin");
    if (origin.n == 0) return;
    struct str allowed = setting_text(c->work.desk, "security.cors_origins", c->work.arena);
    bool named = origin_listed(c->work.desk, c->work.arena, origin), any = false;
    for (struct str rest = allowed; rest.p;) any = any || str_eq(str_trim(str_cut(&rest, ' ')), S("*"));
    http_add_header(c->http, "Vary", S("Origin"));
    if (!named && !any) return;
    http_add_header(c->http, "Access-Control-Allow-Origin", named ? origin : S("*"));
    if (named) http_add_header(c->http, "Access-Control-Allow-Credentials", S("true")); /* never to everybody */
    http_add_header(c->http, "Access-Control-Expose-Headers", str_of(exposed));
}

/* AJAX mode: the tag of all that was rendered. */
static void ajax_tag(struct call *c) {
    struct tag t;
    char hex[33];
    if (!c->options.ajax || c->method != GET || c->status != 200 || c->etag.p == NULL) return;
    tag_init(&t);
    tag_text(&t, S("ajax"));
    tag_text(&t, buf_view(&c->out));
    tag_end(&t, hex);
    c->etag = str_dup(c->work.arena, str_of(hex));
    c->modified = 0; /* of all that was rendered no last change is known */
    int rc = conditional(c);
    if (rc < 0) reply_error(c, rc);
}

static void download_drop(struct call *c) {
    if (c->download) close(c->download->fd);
    c->download = NULL;
}

/* A full queue refuses many requests: their lines are written once a second. */
static void log_reply(struct call *c, int64_t took) {
    struct str method = c->http->method, path = {0}, remote = c->http->remote;
    bool access = atomic_load(&c->api->access_log);
    if (access || c->status >= 500) path = log_path(c->work.arena, c->http->path);
    if (access)
        log_info("%.*s %.*s %d %zu bytes %" PRId64 " ms user %" PRId64 " from %.*s id %s", (int)method.n, method.p, (int)path.n, path.p,
                 c->status, c->download ? (size_t)c->download->n : c->out.n, took, c->work.actor.user_id, (int)remote.n, remote.p,
                 c->request_id.p);
    if (c->status == 503)
        log_often(LOG_ERROR, "requests answered 503", "%.*s %.*s answered 503, request %s", (int)method.n, method.p, (int)path.n, path.p,
                  c->request_id.p);
    else if (c->status >= 500)
        log_error("%.*s %.*s answered %d, request %s", (int)method.n, method.p, (int)path.n, path.p, c->status, c->request_id.p);
}

uint64_t call_sharer(const struct call *c) {
    char room[ADDRESS_TEXT];
    if (c->work.actor.user_id) return (uint64_t)c->work.actor.user_id;
    struct str address = address_counted_text(room, c->http->remote);
    return XXH3_64bits(address.p, address.n) | UINT64_C(1) << 63;
}

static bool is_read(const struct call *c) { return c->method == GET || (c->route && route_reads(c->route)); }

/* The reply may wait long for its reader. A write has happened, so its reply is never refused. */
static int hold_reply(struct call *c) {
    if (c->head || http_hold(c->http, call_sharer(c), c->out.n, !is_read(c))) return 0;
    log_often(LOG_WARN, "refused replies", "replies that wait for slow readers hold as many bytes as they may: a read was refused");
    return fail_field(&c->work, ERR_SERVICE_UNAVAILABLE, (struct str){0},
                      "Too many replies wait to be read. Read your open replies or close their connections, and try again.");
}

/* The work's memory goes first: its rows are many times the reply, which waits for its reader. */
static void send_reply(struct call *c) {
    struct buf body = c->out;
    struct http_request *r = c->http;
    const struct download *d = c->download;
    struct download file = d ? *d : (struct download){0};
    int status = c->status;
    arena_free(c->work.arena);
    if (d) http_reply_file(r, status, file.fd, file.at, file.n);
    else http_reply(r, status, &body);
}

static void hop_finish(struct hop *h, int rc) {
    struct call *c = &h->call;
    struct api_metrics *m = &c->api->metrics;
    if (rc >= 0 && (rc = hold_reply(c)) < 0) c->headers = h->before;
    if (rc < 0) download_drop(c);
    if (rc < 0) reply_error(c, rc);
    else if (!c->raw) ajax_tag(c);
    if (c->status == 304) c->headers = h->before;
    if (c->status == 304 || c->status == 204) c->out.n = 0;
    every_header(c);
    if (!c->raw) {
        common_headers(c);
        challenge(c);
    }
    validators(c);
    cors(c);
    for (const struct header *x = c->headers; x; x = x->next) http_add_header(c->http, x->name, x->value);
    int64_t took = clock_monotonic() - h->began;
    atomic_fetch_add(&m->requests[c->status / 100 < 6 ? c->status / 100 : 5], 1);
    atomic_fetch_add(&m->microseconds, took * 1000);
    log_reply(c, took);
    send_reply(c);
}

/* ---- running a handler ----------------------------------------------------------------------------------------- */

static void call_reset(struct call *c) {
    work_rewind(&c->work);
    c->out.n = 0;
    c->etag = (struct str){0};
    c->modified = 0;
    c->args = c->input = NULL;
    c->arg_count = c->input_count = c->id_count = 0;
    c->id = 0;
    c->branches = NULL;
    c->condition = NULL;
    c->ignored = NULL;
    c->secrets = NULL;
    c->compared = false;
    download_drop(c);
    c->status = c->route->status ? c->route->status : c->method == POST && c->route->shape == ONE ? 201 : 200;
}

static int run_handler(struct call *c) {
    int rc = c->route->handler(c);
    if (rc < 0 || failed(&c->work)) return rc < 0 ? rc : -(int)failure(&c->work);
    /* A write without a tag of its own matches nothing but "*". */
    struct str match = http_header(c->http, "If-Match");
    bool unmatched = match.p && !c->compared && (c->method == PUT || c->method == DELETE) && !str_eq(str_trim(match), S("*"));
    return unmatched ? fail(&c->work, ERR_RESOURCE_MODIFIED) : 0;
}

/* Runs a GET in the snapshot that is open, and closes it. 1: its budget is spent, run it again with more time. */
static int run_reading(struct hop *h) {
    struct call *c = &h->call;
    struct conn *conn = c->work.conn;
    h->before = c->headers;
    call_reset(c);
    int rc = run_handler(c);
    bool spent = rc < 0 && db_budget_spent(conn);
    db_read_end(conn);
    if (spent) c->headers = h->before;
    return spent ? 1 : rc;
}

static int writer_run(struct db_task *t, struct conn *conn) {
    struct hop *h = hop_of_write(t);
    struct call *c = &h->call;
    if (!h->written) h->before = c->headers;
    h->written = true;
    c->work.conn = conn;
    call_reset(c);
    int rc = idempotent(c, run_handler);
    if (rc >= 0 && !failed(&c->work)) rc = work_finish(&c->work);
    if (rc >= 0 && !failed(&c->work)) rc = session_wrote(&c->work);
    if (rc < 0) c->headers = h->before;
    if (rc < 0) reply_error(c, rc);
    h->rc = rc;
    return rc;
}

static void writer_done(struct db_task *t, int rc) {
    struct hop *h = hop_of_write(t);
    bool lost = rc < 0 && h->rc >= 0; /* the COMMIT failed: nothing of it was kept */
    if (lost) {
        work_rewind(&h->call.work);
        h->call.headers = h->before; /* what they name was undone: a token must not open what comes to be in its place */
    }
    if (rc >= 0) work_committed(&h->call.work);
    hop_finish(h, lost ? -ERR_SERVICE_UNAVAILABLE : 0);
}

static void leave_loop(struct hop *h) {
    if (!h->deferred) http_defer(h->call.http);
    h->deferred = true;
}

static void to_writer(struct hop *h) {
    leave_loop(h);
    atomic_fetch_add(&h->call.api->metrics.writer_runs, 1);
    h->write = (struct db_task){.run = writer_run, .done = writer_done};
    db_submit(h->call.work.desk->db, &h->write);
}

/* ---- stages ----------------------------------------------------------------------------------------------------- */

static int check_body(struct call *c) {
    struct http_request *r = c->http;
    struct arena *a = c->work.arena;
    struct json_error err;
    struct json *tree = r->form;
    bool read = c->method == POST || c->method == PUT; /* on DELETE only for ids */
    c->body = json_new(a, JSON_OBJECT);
    if (c->bad_query.p) return fail_field(&c->work, ERR_BODY_INVALID, (struct str){0}, "%s", c->bad_query.p);
    if (r->body_error && read)
        return fail_field(&c->work, (enum error)r->body_error, (struct str){0}, r->body_reason ? "%s" : NULL, r->body_reason);
    if (tree == NULL && r->body.n == 0) return 0;
    if (tree == NULL) {
        struct str type = http_header(r, "Content-Type"), rest = type, essence = str_trim(str_cut(&rest, ';'));
        bool json = str_eqi(essence, S("application/json")), form = str_eqi(essence, S("application/x-www-form-urlencoded"));
        if (!json && !form) return read ? fail(&c->work, ERR_UNSUPPORTED_MEDIA_TYPE) : 0;
        int rc = json ? json_parse(a, r->body, &tree, &err) : form_parse(a, r->body, &tree, &err);
        if (rc < 0)
            return read ? fail_field(&c->work, ERR_BODY_INVALID, (struct str){0}, "The body is not well-formed: %s at byte %zu.",
                                     err.reason, err.offset)
                        : 0;
    }
    if (tree->type == JSON_ARRAY && tree->count == 0) return 0; /* [] is "no parameters" */
    if (tree->type != JSON_OBJECT) return fail_field(&c->work, ERR_BODY_INVALID, (struct str){0}, "The body must be an object.");
    c->body = tree;
    return 0;
}

int call_snapshot(struct call *c, int budget_ms) {
    c->work.conn = db_reader(c->work.desk->db);
    return c->work.conn ? db_read_begin(c->work.conn, budget_ms) : -ERR_SERVICE_UNAVAILABLE;
}

static int out_of_time(const struct call *c) {
    return UNAVAILABLE("reads given up", "%.*s %s took longer than %d ms to read: it was given up", (int)c->http->method.n,
                       c->http->method.p, c->route->path, BUDGET_POOL_MS);
}

/* The result of reading in the pool with this call's connection. */
static int read_in_time(const struct call *c, int rc) {
    return rc < 0 && c->work.conn && db_budget_spent(c->work.conn) ? out_of_time(c) : rc;
}

static bool on_replica(struct hop *h);

static void pool_read(struct pool_task *t) {
    struct hop *h = hop_of_pool(t);
    int rc = call_snapshot(&h->call, BUDGET_POOL_MS);
    if (rc >= 0 && on_replica(h)) return;
    if (rc >= 0) rc = run_reading(h);
    hop_finish(h, rc > 0 ? out_of_time(&h->call) : rc);
}

static void pool_prepare(struct pool_task *t) {
    struct hop *h = hop_of_pool(t);
    struct call *c = &h->call;
    int rc = call_snapshot(c, BUDGET_POOL_MS);
    if (rc >= 0) {
        call_reset(c);
        rc = read_in_time(c, c->route->prepare(c));
        db_read_end(c->work.conn);
    }
    if (rc < 0) hop_finish(h, rc);
    else to_writer(h);
}

static void to_lane(struct hop *h, enum lane lane, void (*fn)(struct pool_task *t)) {
    atomic_fetch_add(&h->call.api->metrics.pool_runs, 1);
    h->pool = (struct pool_task){.run = fn, .whose = call_sharer(&h->call)};
    leave_loop(h);
    if (pool_submit(h->call.api->pool, lane, &h->pool)) return;
    hop_finish(h, -ERR_SERVICE_UNAVAILABLE);
}

static void to_pool(struct hop *h, void (*fn)(struct pool_task *t)) { to_lane(h, LANE_WORK, fn); }

static enum lane lane_of_prepare(const struct call *c) {
    if (c->route->lane_for == NULL) return c->route->lane;
    for (struct str rest = str_of(c->route->lane_for); rest.p;) {
        struct str name = str_cut(&rest, ',');
        for (const struct http_file *f = c->http->files; f; f = f->next)
            if (name_eq(f->field, name)) return c->route->lane;
        if (json_named(c->body, name)) return c->route->lane;
    }
    return LANE_WORK;
}

static enum executor executor_of(const struct call *c) {
    if (c->route->executor != AUTO) return c->route->executor;
    bool reads = c->route->reads && http_header(c->http, "Idempotency-Key").p == NULL; /* with one, the outcome is kept */
    return c->method == GET || reads ? INLINE : WRITER;
}

/* Rows that a list is likely to load: its limit times the types it includes. */
static int64_t rows_expected(const struct call *c) {
    const struct json *limit = json_named(c->query, S("limit"));
    int64_t rows = DEFAULT_PAGE, types = 1;
    bool all = c->options.flat && c->options.include.p == NULL;
    if (c->route->shape != LIST) return 0;
    if (limit && limit->type == JSON_STRING && !str_to_int(limit->text, &rows)) return 0;
    for (struct str rest = c->options.include; rest.p; types++) all = str_eq(str_trim(str_cut(&rest, ',')), S("*")) || all;
    return (rows < LIMIT_PAGE ? rows : LIMIT_PAGE) * (all ? 10 : types);
}

/* Whether a read shall not run here: it is likely to be long, or its caller has a share of these threads already. */
static bool is_for_later(const struct hop *h) {
    bool pooled = db_blocks(h->call.work.desk->db);
    return rows_expected(&h->call) > LIMIT_INLINE_ROWS || (pooled && !pool_run_as(call_sharer(&h->call)));
}

/* On an event loop, or in LANE_WORK. It shall hold up neither: when its budget is spent it is run again in LANE_READ. Only on a store that
 * blocks there is no second run, because its budget would be spent by others. */
static void run_inline(struct hop *h) {
    struct call *c = &h->call;
    struct api_metrics *m = &c->api->metrics;
    bool blocks = db_blocks(c->work.desk->db);
    int rc = 0;
    atomic_fetch_add(&m->inline_runs, h->deferred ? 0 : 1);
    if (h->deferred && !blocks) {
        db_read_end(c->work.conn);
        rc = db_read_begin(c->work.conn, BUDGET_INLINE_MS);
    }
    if (rc >= 0) rc = run_reading(h);
    if (rc <= 0 || blocks) {
        hop_finish(h, rc > 0 ? out_of_time(c) : rc);
        return;
    }
    atomic_fetch_add(&m->reruns, 1);
    to_lane(h, LANE_READ, pool_read);
}

/* A read that nobody has to find newer is answered by the replica, where there is one; what fails there is read again here.
 * False: it is still to be read. */
static bool on_replica(struct hop *h) {
    struct call *c = &h->call;
    struct conn *here = c->work.conn, *replica = NULL;
    if (c->work.actor.session_id) replica = db_replica(c->work.desk->db, c->work.actor.wrote_at + REPLICA_SLACK_MS);
    if (replica == NULL) return false;
    db_read_end(here);
    h->before = c->headers;
    c->work.conn = replica;
    int rc = db_read_begin(replica, BUDGET_POOL_MS);
    if (rc >= 0) rc = run_reading(h);
    bool failed_there = rc < 0 && error_info(-rc)->status >= 500;
    if (!failed_there) {
        hop_finish(h, rc > 0 ? out_of_time(c) : rc);
        return true;
    }
    c->headers = h->before;
    c->work.conn = here;
    rc = db_read_begin(here, BUDGET_POOL_MS);
    if (rc < 0) hop_finish(h, rc);
    return rc < 0;
}

/* The body, then the handler where its route says. An inline GET goes on in the snapshot that found its actor. */
static void proceed(struct hop *h) {
    struct call *c = &h->call;
    int rc = check_body(c);
    enum executor e = executor_of(c);
    if (rc >= 0 && e == INLINE && is_for_later(h)) e = POOL;
    if (rc >= 0 && e == INLINE) {
        if (!on_replica(h)) run_inline(h);
        return;
    }
    db_read_end(c->work.conn);
    if (rc < 0) hop_finish(h, rc);
    else if (e == POOL) to_lane(h, LANE_READ, pool_read);
    else if (c->route->prepare) to_lane(h, lane_of_prepare(c), pool_prepare);
    else to_writer(h);
}

static void pool_proceed(struct pool_task *t) {
    struct hop *h = hop_of_pool(t);
    int rc = call_snapshot(&h->call, BUDGET_POOL_MS);
    if (rc < 0) hop_finish(h, rc);
    else proceed(h);
}

static int count_run(struct db_task *t, struct conn *conn) {
    struct hop *h = hop_of_write(t);
    return rate_count(conn, h->call.http->remote, h->call.work.now, &h->counted);
}

static int refuse_rate(struct call *c, int64_t seconds) {
    call_header(c, "Retry-After", str_fmt(c->work.arena, "%" PRId64, seconds));
    return fail(&c->work, ERR_RATE_LIMIT_REACHED);
}

/* On the thread that writes: a body is read elsewhere. */
static void count_done(struct db_task *t, int rc) {
    struct hop *h = hop_of_write(t);
    struct call *c = &h->call;
    int64_t wait = rc < 0 ? 0 : rate_counted(c->api, c->http->remote, c->work.now, h->counted);
    if (wait) rc = refuse_rate(c, wait);
    if (rc < 0) hop_finish(h, rc);
    else to_pool(h, pool_proceed);
}

static void to_count(struct hop *h) {
    leave_loop(h);
    h->write = (struct db_task){.run = count_run, .done = count_done};
    db_submit(h->call.work.desk->db, &h->write);
}

/* Everything between known credentials and the body. */
static void hop_admit(struct hop *h) {
    struct call *c = &h->call;
    int rc = auth_csrf(c);
    if (rc >= 0) rc = auth_admit(c);
    bool counts = rc >= 0 && c->work.actor.rank == ROLE_PUBLIC && c->method != GET && c->api->cfg.public_writes_a_minute;
    int64_t wait = counts ? rate_over(c->api, c->http->remote, c->work.now) : 0;
    if (wait) rc = refuse_rate(c, wait);
    if (rc >= 0 && !counts) {
        proceed(h);
        return;
    }
    db_read_end(c->work.conn);
    if (rc < 0) hop_finish(h, rc);
    else to_count(h);
}

static void pool_admit(struct pool_task *t) {
    struct hop *h = hop_of_pool(t);
    int rc = call_snapshot(&h->call, BUDGET_POOL_MS);
    if (rc < 0) hop_finish(h, rc);
    else hop_admit(h);
}

/* In the lane of those who hash, which is left as soon as it is known who calls. */
static void pool_auth(struct pool_task *t) {
    struct hop *h = hop_of_pool(t);
    struct call *c = &h->call;
    int rc = call_snapshot(c, BUDGET_POOL_MS), opened = rc;
    if (rc >= 0) rc = read_in_time(c, auth_slow(c));
    if (opened >= 0) db_read_end(c->work.conn);
    if (rc < 0) hop_finish(h, rc);
    else to_pool(h, pool_admit);
}

static void delay_over(struct delay *t) {
    struct hop *h = hop_of_delay(t);
    if (atomic_load(&h->call.api->draining))
        hop_finish(h, UNAVAILABLE("refused logins", "stopping: a login that waited for its turn is refused"));
    else to_lane(h, LANE_HASH, pool_auth);
}

/* A password is to be verified: now, or after a while. */
static void to_hash(struct hop *h, int ms, uint64_t key) {
    struct api *api = h->call.api;
    if (ms == 0) {
        to_lane(h, LANE_HASH, pool_auth);
        return;
    }
    atomic_fetch_add(&api->metrics.delays, 1);
    h->delay = (struct delay){.over = delay_over};
    leave_loop(h);
    if (!delay(api->delays, &h->delay, key, ms)) hop_finish(h, auth_crowded(&h->call));
}

static void pool_begin(struct pool_task *t);

/* On an event loop a busy machine may spend the whole budget between two statements. So a spent budget is no failure of a
 * request, be it a read or a write: it begins again in the pool, as nothing has been done for it yet. */
static void authenticate(struct hop *h) {
    struct call *c = &h->call;
    uint64_t key = 0;
    struct header *before = c->headers;
    int rc = call_snapshot(c, h->pooled ? BUDGET_POOL_MS : BUDGET_INLINE_MS), opened = rc;
    if (rc >= 0) rc = auth_fast(c);
    if (rc == AUTH_DONE) {
        hop_admit(h);
        return;
    }
    if (rc == AUTH_SLOW) rc = auth_delay(c, &key);
    bool spent = opened >= 0 && rc < 0 && db_budget_spent(c->work.conn);
    if (opened >= 0) db_read_end(c->work.conn);
    if (spent && !h->pooled) {
        atomic_fetch_add(&c->api->metrics.reruns, 1);
        c->headers = before;
        work_rewind(&c->work);
        to_pool(h, pool_begin);
    } else if (rc < 0) {
        hop_finish(h, spent ? out_of_time(c) : rc);
    } else {
        to_hash(h, rc, key);
    }
}

static void pool_begin(struct pool_task *t) {
    struct hop *h = hop_of_pool(t);
    h->pooled = true;
    authenticate(h);
}

/* ---- the beginning ------------------------------------------------------------------------------------------------ */

static bool method_of(struct str text, enum method *m, bool *head) {
    static const struct word words[] = {{GET, "GET"}, {POST, "POST"}, {PUT, "PUT"}, {DELETE, "DELETE"}, {GET, "HEAD"}, {0}};
    int id = word_id(words, text);
    *head = str_eq(text, S("HEAD"));
    *m = id < 0 ? METHODS : (enum method)id;
    return id >= 0;
}

/* Whether Accept admits application/json (RFC 9110 section 12.5.1). */
static bool accepts_json(struct str accept) {
    bool named = false;
    for (struct str rest = accept; rest.p;) {
        struct str item = str_cut(&rest, ','), weight = item, type = str_trim(str_cut(&weight, ';'));
        bool none = false;
        if (type.n == 0) continue;
        named = true;
        while (weight.p) {
            struct str p = str_trim(str_cut(&weight, ';'));
            none = none || str_eqi(p, S("q=0")) || str_eqi(p, S("q=0.0")) || str_eqi(p, S("q=0.00")) || str_eqi(p, S("q=0.000"));
        }
        if (!none && (str_eqi(type, S("*/*")) || str_eqi(type, S("application/*")) || str_eqi(type, S("application/json")))) return true;
    }
    return !named;
}

static int check_route(struct call *c) {
    struct str allow;
    bool known = method_of(c->http->method, &c->method, &c->head);
    int rc = router_match(&c->api->router, c, c->method, c->http->path, &allow);
    if (rc == -ERR_METHOD_NOT_SUPPORTED || (rc < 0 && !known && allow.n)) call_header(c, "Allow", allow);
    if (rc < 0) return fail(&c->work, error_of_result(rc));
    if (!accepts_json(http_header(c->http, "Accept")) && !c->route->is_download) return fail(&c->work, ERR_NOT_ACCEPTABLE);
    return 0;
}

/* "_token" stands for a header and is not "token", though names are compared without underscores. */
static void set_credentials_apart(struct call *c, const struct json *query) {
    static const char *const names[] = {"_session_id", "_token", "_otp", "_fingerprint_id", "_remember_me"};
    struct json *plain = json_new(c->work.arena, JSON_OBJECT), *apart = json_new(c->work.arena, JSON_OBJECT);
    for (struct json *j = query->first, *next; j; j = next) {
        struct json *to = plain;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (j->name.n && j->name.p[0] == '_' && name_eq(j->name, str_of(names[i]))) to = apart;
        next = j->next;
        j->next = NULL;
        json_append(to, j);
    }
    c->query = plain;
    c->credentials = apart;
}

/* A query that is not well-formed is said where a body is: after the credentials. */
void call_read_query(struct call *c) {
    struct json *query;
    struct json_error err;
    c->query = json_new(c->work.arena, JSON_OBJECT);
    if (c->http->query.n == 0) return;
    if (form_parse(c->work.arena, c->http->query, &query, &err) < 0)
        c->bad_query = str_fmt(c->work.arena, "The query is not well-formed: %s at byte %zu.", err.reason, err.offset);
    else set_credentials_apart(c, query);
}

/* How the reply will be written, known before anything can fail; what is wrong in it is said by arguments_read. */
static void read_format(struct call *c) {
    struct route none = {0};
    const struct route *kept = c->route;
    if (kept == NULL) c->route = &none;
    arguments_read(c);
    work_rewind(&c->work);
    c->options.offset = c->options.limit = c->options.after_id = c->options.before_id = 0;
    c->route = kept;
}

static void preflight(struct hop *h) {
    struct call *c = &h->call;
    struct str allow;
    router_match(&c->api->router, c, METHODS, c->http->path, &allow);
    c->raw = true;
    c->status = allow.n ? 204 : 404;
    if (allow.n) call_header(c, "Allow", allow);
    if (allow.n && http_header(c->http, "Origin").n) {
        call_header(c, "Access-Control-Allow-Methods", allow);
        call_header(c, "Access-Control-Allow-Headers", http_header(c->http, "Access-Control-Request-Headers"));
        call_header(c, "Access-Control-Max-Age", S("600"));
    }
    hop_finish(h, 0);
}

static struct call *routed(const struct api *api, struct http_request *r, enum method m) {
    struct call *c = ARENA_NEW(r->arena, struct call);
    struct str allow;
    c->work.arena = r->arena;
    c->method = m;
    return router_match(&api->router, c, m, r->path, &allow) < 0 ? NULL : c;
}

/* Files are kept only where the route takes them, and not of a caller without any credentials. What is neither form nor JSON is a
 * file as it is, or not supported. *upload is the call that takes files; else NULL. */
static enum http_body body_of(const struct api *api, struct http_request *r, struct call **upload) {
    struct str rest = http_header(r, "Content-Type"), type = str_trim(str_cut(&rest, ';'));
    enum method m;
    bool head;
    *upload = NULL;
    if (str_eqi(type, S("application/json")) || str_eqi(type, S("application/x-www-form-urlencoded"))) return HTTP_BODY_MEMORY;
    if (!method_of(r->method, &m, &head) || m == GET) return HTTP_BODY_MEMORY;
    struct call *c = routed(api, r, m);
    if (c == NULL || (c->route->body != RAW_FILE && c->route->body != FILES_TAKEN)) return HTTP_BODY_MEMORY;
    if (!(c->route->roles & 1) && !auth_presented(r, c->route->roles)) return HTTP_BODY_NONE;
    *upload = c;
    return c->route->body == RAW_FILE ? HTTP_BODY_FILE : HTTP_BODY_UPLOAD;
}

static void on_begin(void *ctx, struct http_request *r, struct http_plan *plan) {
    struct api *api = ctx;
    struct call *upload;
    *plan = (struct http_plan){.body = body_of(api, r, &upload), .limit = LIMIT_BODY};
    plan->file_limit = plan->body == HTTP_BODY_MEMORY ? 0 : setting_int(api->desk, "files.max_megabytes") << 20;
    if (upload == NULL || !r->has_body) return;
    call_init(upload, api, r, r->arena);
    upload_begin(upload, plan);
}

#define USER_AGENT 512 /* bytes that count */

/* It is stored and shown: bytes that are no UTF-8 become question marks. */
struct str user_agent_of(struct http_request *r) {
    struct str sent = http_header(r, "User-Agent");
    if (sent.p == NULL) return S("");
    sent.n = sent.n > USER_AGENT ? USER_AGENT : sent.n;
    if (utf8_valid(sent)) return sent;
    struct str copy = str_dup(r->arena, sent);
    for (char *at = (char *)copy.p; at < copy.p + copy.n; at++)
        if ((unsigned char)*at >= 0x80) *at = '?';
    return copy;
}

/* Of 64 bits, none of them twice: odd multiples of a number that counts. */
static struct str request_id(struct api *api, struct arena *a) {
    uint64_t id = htobe64(atomic_fetch_add(&api->serial, 1) * 0x9E3779B97F4A7C15u ^ api->serial_mask);
    return str_hex(a, &id, sizeof id);
}

void call_init(struct call *c, struct api *api, struct http_request *r, struct arena *memory) {
    work_init(&c->work, api->desk, memory);
    c->api = api;
    c->http = r;
    c->status = 200;
    c->work.actor.scopes = SCOPES_ALL; /* without credentials there is no token to narrow them */
    c->work.actor.remote = r->remote;
    c->work.actor.user_agent = user_agent_of(r);
    c->query = c->credentials = c->body = json_new(r->arena, JSON_OBJECT);
}

static struct hop *hop_new(struct api *api, struct http_request *r) {
    struct hop *h = ARENA_NEW(r->arena, struct hop);
    h->began = clock_monotonic();
    call_init(&h->call, api, r, arena_new());
    h->call.request_id = request_id(api, r->arena);
    return h;
}

static void on_handle(void *ctx, struct http_request *r) {
    struct api *api = ctx;
    if (service_handle(api, r)) return;
    struct hop *h = hop_new(api, r);
    struct call *c = &h->call;
    if (str_eq(r->method, S("OPTIONS"))) {
        preflight(h);
        return;
    }
    call_read_query(c);
    read_format(c);
    int rc = check_route(c);
    if (rc < 0) hop_finish(h, rc);
    else if (db_blocks(api->desk->db)) to_pool(h, pool_begin);
    else authenticate(h);
}

/* What is no request, or over a limit of the edge, has a reply like all others. */
static void on_refuse(void *ctx, struct http_request *r, int err, const char *reason) {
    struct hop *h = hop_new(ctx, r);
    hop_finish(h, fail_field(&h->call.work, (enum error)err, (struct str){0}, "%s", reason));
}

static void on_end(void *ctx, struct http_request *r) { (void)ctx, (void)r; }

const struct http_app *api_app(void) {
    static const struct http_app app = {.begin = on_begin, .handle = on_handle, .end = on_end, .refuse = on_refuse};
    return &app;
}
