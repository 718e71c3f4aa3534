/* Decides whether the body of an upload is received.
 *
 * Files are written to disk while they arrive. Everything that is known of the caller is therefore checked
 * first: session, remembered password, token, role, and the limit of public writes. A caller who would be
 * refused gets the reply without sending the body: the call runs as usual and finds the same error. A
 * password that is not remembered must be hashed first. Such a body is received, and its bytes count only
 * for the address. If the store blocks, this runs in the pool, and the request is deferred. */
#include "api/caller/limits.h"
#include "api/call/machine.h"
#include "base/limits.h"
#include "core/words.h"
#include "api/caller/auth.h"
#include "api/caller/auth_admit.h"
#include "api/caller/rate.h"

struct upload {
    struct pool_task task; /* the first member */
    struct call *call;
    struct http_plan plan;
};

static bool is_over_rate(struct call *c) {
    bool counts = c->work.actor.rank == ROLE_PUBLIC && c->api->cfg.public_writes_a_minute;
    return counts && rate_over(c->api, c->http->remote, c->work.now);
}

/* Returns 0 or more if the body may come, or the error that the call will report. */
static int upload_admit(struct call *c) {
    int rc = auth_before_body(c);
    if (rc != AUTH_DONE) return rc;
    TRY(auth_csrf(c));
    TRY(auth_admit(c));
    return is_over_rate(c) || limits_over(c) ? -ERR_RATE_LIMIT_REACHED : 0;
}

static void upload_judge(struct call *c, int budget_ms, struct http_plan *plan) {
    int rc = call_snapshot(c, budget_ms), opened = rc;
    call_read_query(c);
    if (rc >= 0) rc = upload_admit(c);
    if (opened >= 0) db_read_end(c->work.conn);
    plan->person = rc == AUTH_DONE ? c->work.actor.user_id : 0;
    /* the call reports store errors */
    if (rc < 0 && error_info(error_of_result(rc))->status < 500) plan->body = HTTP_BODY_NONE;
}

static void pool_judge(struct pool_task *t) {
    struct upload *u = (struct upload *)(void *)t;
    upload_judge(u->call, BUDGET_POOL_MS, &u->plan);
    http_begun(u->call->http, &u->plan);
}

void upload_begin(struct call *c, struct http_plan *plan) {
    if (!db_blocks(c->work.desk->db)) {
        upload_judge(c, BUDGET_INLINE_MS, plan);
        return;
    }
    struct upload *u = ARENA_NEW(c->work.arena, struct upload);
    *u = (struct upload){.task = {.run = pool_judge, .whose = call_sharer(c)}, .call = c, .plan = *plan};
    http_defer(c->http);
    if (pool_submit(c->api->pool, LANE_WORK, &u->task)) return;
    u->plan.body = HTTP_BODY_NONE; /* the pool is full; the call reports it */
    http_begun(c->http, &u->plan);
}
