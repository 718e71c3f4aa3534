/* The machine: its state, and the functions by which a call passes from stage to stage. */
#ifndef API_CALL_MACHINE_H
#define API_CALL_MACHINE_H

#include "api/call/api.h"
#include "api/call/delay.h"
#include "api/call/meter.h"
#include "api/call/pool.h"
#include "api/table/router.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- a call: receiving (receive.c), stages (dispatch.c, handle.c), sending (send.c) ---------- */

void call_init(struct call *c, struct api *api, struct http_request *r, struct arena *memory);
struct str request_id(struct api *api, struct arena *a);
void call_read_query(struct call *c); /* query and credentials */
/* reads the query, finds the route, reads the common arguments: 0, or 404, 405, 406 */
int call_route(struct call *c);
int call_read_body(struct call *c);  /* 0, or 400, 413, 415 */
void call_preflight(struct call *c); /* the reply to OPTIONS */
/* Decides how the edge receives the body of a request. Files are kept only if the route takes files and
 * the caller sent credentials. A body that is neither form nor JSON is one file, or not supported. Sets
 * *upload to the call if it takes files, else to NULL. */
enum http_body call_body(const struct api *api, struct http_request *r, struct call **upload);

void call_reset(struct call *c); /* before each run of the handler: forgets what the last run left */
int call_snapshot(struct call *c, int budget_ms); /* opens a snapshot of this thread's reader: c->work.conn */

/* Decides whether the body of this call is received. May defer the request. */
void upload_begin(struct call *c, struct http_plan *plan);

#define IDEMPOTENCY_KEPT (24 * TIME_HOUR)
/* Runs the handler, or replays the reply of its first run. Called within the write. */
int idempotent(struct call *c, int (*run)(struct call *c));

/* Identifies the caller for shared limits: the person, or the address of a caller without login. */
uint64_t call_sharer(const struct call *c);
uint64_t address_sharer(struct str remote);
void download_drop(struct call *c);
/* Sends the reply, and frees the call. rc: the result; a negative one is written as the error. `before`:
 * the headers that stand with an error or a 304. began: clock_micros. */
void call_send(struct call *c, struct header *before, int64_t began, int rc);
/* Runs a call that a page made (api/call/subcall.h). From a task of the pool without an open snapshot. */
void subcall_run(struct api *api, struct http_request *r, struct subcall *page);
struct str exposed_headers(struct arena *a); /* value of Access-Control-Expose-Headers */

/* Counts a reply outside of the API in the metrics, and writes its line of the access log. kind: "user" or
 * "client"; caller: the id, 0 if unknown. */
void reply_count_outside(struct api *api, struct http_request *r, int status, size_t bytes, const char *kind,
                         int64_t caller);

void reply_count_call(const struct call *c, int64_t micros); /* the same for a call */

struct limits *limits_new(void); /* buckets of callers, limits.h; NULL: no memory */
void limits_free(struct limits *l);

/* ---- the machine ----------------------------------------------------------------------------- */

struct api_metrics {
    atomic_llong requests[6]; /* index: status / 100 */
    atomic_llong inline_runs, writer_runs, pool_runs, hashes, delays, reruns;
    struct durations durations;
};

struct api {
    struct desk *desk;
    struct api_config cfg;
    struct arena *arena;
    struct router router;
    struct site *site;  /* api/docs/site.h */
    struct str exposed; /* value of Access-Control-Expose-Headers */
    struct pool *pool;
    struct slots *logins; /* caller/remembered_login.h */
    struct slots *rates;  /* caller/rate.h */
    struct limits *limits;
    struct delays *delays, *refusals;   /* delayed logins; delayed replies 503 of a full queue */
    pthread_mutex_t hashing;            /* one hash at a time, in the lane and outside */
    _Atomic(struct http_server *) http; /* NULL until api_attach */
    _Atomic(struct live *) live;        /* live/live.h; NULL: realtime is not served */
    struct api_metrics metrics;
    atomic_bool draining, access_log;
    atomic_ullong serial; /* for X-Request-ID */
    uint64_t serial_mask;
    int64_t started;    /* clock_monotonic */
    int64_t started_at; /* clock_now */
};

#endif
