/* The stages that run the handler of a call: the preparation of a body, a write, a read, and contents that a
 * read or a preparation waits for. */
#include "api/call/hop.h"

#include "api/rows/reply.h"
#include "base/log.h"
#include "core/all/finish.h"
#include "core/login/session.h"
#include "db/refusal.h"
#include "files/content.h"

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

enum lane hop_lane_of_prepare(const struct call *c) {
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

/* No transaction is open meanwhile. */
static int fetch_later(struct hop *h, enum stage_name stage) {
    h->after_fetch = stage;
    h->next = FETCH;
    return hop_park(h, LANE_STORE);
}

int stage_fetch(struct hop *h) {
    struct call *c = &h->call;
    for (const struct needed *n = c->needed; n; n = n->next)
        TRY(content_fetch(c->work.arena, c->work.desk->files, n->sha256, n->size));
    c->fetched = true;
    h->next = h->after_fetch;
    if (h->next == PREPARE) return hop_park(h, hop_lane_of_prepare(c));
    return hop_park(h, c->route->executor == POOL ? c->route->lane : LANE_WORK);
}

int stage_prepare(struct hop *h) {
    struct call *c = &h->call;
    call_reset(c);
    int rc = hop_in_time(c, c->route->prepare(c));
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

int stage_write(struct hop *h) {
    atomic_fetch_add(&h->call.api->metrics.writer_runs, 1);
    return hop_park_on_writer(h, writer_run, writer_done);
}

/* Runs a read in the open snapshot and closes it. Returns ANSWER, a negative error, NEXT if the budget is
 * spent and it must run again with more time, or AWAY. */
static int run_reading(struct hop *h) {
    struct call *c = &h->call;
    h->before = c->headers;
    call_reset(c);
    int rc = run_handler(c);
    bool spent = rc < 0 && db_budget_spent(c->work.conn);
    hop_snapshot_end(h);
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
    hop_snapshot_end(h);
    c->behind = c->route->follows->catch_up(c->work.desk) != 0;
    return hop_snapshot_renew(h, c->work.conn, BUDGET_POOL_MS);
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
    int rc = hop_snapshot_renew(h, replica, BUDGET_POOL_MS);
    if (rc >= 0 && read_is_behind(h) == 1) return hop_snapshot_renew(h, here, BUDGET_POOL_MS);
    if (rc >= 0) rc = run_reading(h);
    if (rc == NEXT) return hop_out_of_time(c);
    if (rc >= 0 || error_info(-rc)->status < 500) return rc;
    c->headers = h->before;
    return hop_snapshot_renew(h, here, BUDGET_POOL_MS);
}

/* Runs a read on an event loop or in LANE_WORK. If its budget is spent, it runs again in LANE_READ, so
 * that it delays neither. On a store that blocks there is no second run, because other processes may have
 * spent the budget. */
int stage_read(struct hop *h) {
    struct call *c = &h->call;
    bool last = h->executor == POOL || db_blocks(c->work.desk->db);
    int rc = read_on_replica(h);
    if (rc == AWAY) return fetch_later(h, READ);
    if (rc != NEXT) return rc;
    TRY(catch_up(h));
    if (!h->deferred) atomic_fetch_add(&c->api->metrics.inline_runs, 1);
    if (h->deferred && !last) TRY(hop_snapshot_renew(h, c->work.conn, BUDGET_INLINE_MS));
    rc = run_reading(h);
    if (rc == AWAY) return fetch_later(h, READ);
    if (rc != NEXT) return rc;
    if (last) return hop_out_of_time(c);
    atomic_fetch_add(&c->api->metrics.reruns, 1);
    h->executor = POOL;
    h->next = READ;
    return hop_park(h, LANE_READ);
}
