/* Shared by the parts of the machine: compiled routes, the pool, the credential cache. */
#ifndef API_CALL_MACHINE_H
#define API_CALL_MACHINE_H

#include "api/call/api.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- router ---------------------------------------------------------------------------------- */

#define PATH_SEGMENTS 8

struct compiled {
    const struct route *route;
    const struct resource *home, *reply;
    const struct within *within; /* NULL: not nested */
    const char *where;
    const struct field *args;           /* arguments of the route, with those that every list has */
    struct str segments[PATH_SEGMENTS]; /* a variable begins with a colon */
    int count, variables;
};

struct router {
    struct compiled *routes; /* by number of segments, then of variables */
    int count;
};

/* Checks the tables of one resource. Returns false, with one line in err, if something is missing. */
bool router_check(struct arena *a, const struct resource *r, char *err, size_t err_size);

/* Compiles and checks all tables. Returns false, with one line in err, if something is missing. */
bool router_make(struct router *r, struct arena *a, char *err, size_t err_size);

/* Finds the route of a raw request target. Returns 0, -ERR_RESOURCE_NOT_FOUND, or
 * -ERR_METHOD_NOT_SUPPORTED with *allow set. */
int router_match(const struct router *r, struct call *c, enum method m, struct str path, struct str *allow);
/* Splits the path after /api/v1 into at most PATH_SEGMENTS segments, the last without .json. Returns their
 * number, or -1 for another path. */
int path_split(struct arena *a, struct str path, struct str *segments);
/* Finds the address that a caller probably meant by a path without route, for people to read. Returns
 * false if none is near. */
bool router_nearest(const struct router *r, struct arena *a, enum method m, struct str path, struct str *out);
/* Decodes one segment of a request target. Returns false if it is not percent-encoded UTF-8 without NUL. */
bool segment_decode(struct arena *a, struct str s, struct str *out);
static inline bool segment_is_variable(struct str s) { return s.n && s.p[0] == ':'; } /* of a pattern */

/* ---- pool ------------------------------------------------------------------------------------ */

/* Threads for blocking or long work, in lanes (resource.h) with bounded queues. In each lane the callers
 * take turns. */
struct pool_task {
    void (*run)(struct pool_task *t);
    uint64_t whose; /* the caller: call_sharer or address_sharer */
    /* private */
    struct pool_task *turn; /* the next caller's first task */
    struct pool_task *next; /* the same caller's next task */
    struct pool_task *last; /* in a caller's first task: the last one */
    int waiting;            /* in a caller's first task: number of waiting tasks */
};
struct pool;
struct pool *pool_new(int threads); /* threads: of LANE_WORK */
void pool_free(struct pool *p);     /* waits for queued tasks */
/* false: the queue is full, in total or for this caller */
bool pool_submit(struct pool *p, enum lane lane, struct pool_task *t);
/* Called by a running task when its caller becomes known: the task now counts for this caller. Returns
 * false if the caller already runs a third of the lane's threads; the task should then continue in another
 * lane. */
bool pool_run_as(uint64_t whose);
int pool_queued(struct pool *p, enum lane lane);

/* ---- delays ---------------------------------------------------------------------------------- */

struct delay {
    void (*over)(struct delay *t); /* runs on the timer's thread; must not block */
    uint64_t key;                  /* the number of delays with one key is limited; 0: not */
    int64_t due;
    struct delay *next;
};
struct delays;
struct delays *delays_new(int most); /* most: delays at one time */
void delays_end(struct delays *d);   /* ends all delays now; no new ones are accepted */
void delays_free(struct delays *d);
bool delay(struct delays *d, struct delay *t, uint64_t key, int ms); /* false: too many delays */

/* ---- authentication: a stage before the executor --------------------------------------------- */

enum { AUTH_DONE = 0, AUTH_SLOW = 1 };
/* Identifies the caller and fills work.actor. Returns AUTH_DONE, AUTH_SLOW if a password must be verified
 * by auth_slow in the pool, or a negative error. */
int auth_fast(struct call *c);
/* After AUTH_SLOW: returns the milliseconds that this login must wait, with the key under which such
 * logins are counted; or a negative error. */
int auth_delay(struct call *c, uint64_t *key);
int auth_crowded(struct call *c); /* fails: too many such logins wait */
int auth_slow(struct call *c);    /* in LANE_HASH; its writes wait for the writer */
/* Checks the credentials before the body is received, without a hash and without using a token. Returns
 * AUTH_DONE or AUTH_SLOW as auth_fast, or the error. */
int auth_before_body(struct call *c);
int auth_csrf(struct call *c);
int auth_admit(struct call *c); /* checks role, scope and permission */
/* For pages: loads the actor of the cookie's live session into w. Returns 1, 0 if there is none or the
 * request is foreign, or a negative error. */
int auth_cookie(struct work *w, struct http_request *r);
/* The same for a page that only shows: the request may come from a link on another site, whose pages can't
 * read the reply. Records the activity. *csrf: the token of the session, in the request's memory; p NULL:
 * none. */
int auth_reader(struct work *w, struct http_request *r, struct str *csrf);
struct str user_agent_of(struct http_request *r); /* as stored in sessions */

/* ---- the origin of a request (cross_site.c) ------------------------------------------------------ */

/* Returns 1 if the browser's headers name a page of another site as the source, 0 if not, or a negative
 * error. */
int is_cross_site(struct work *w, const struct http_request *r);
/* true: the base URL's, or one of security.cors_origins */
bool origin_listed(const struct desk *d, struct arena *a, struct str origin);

struct credential {
    /* MAC of login, password, user agent, address and mode, by a key of this process */
    unsigned char key[MAC_SIZE];
    int64_t session_id, password_updated_at, logins_version, until;
};
#define CREDENTIALS 1024
struct credentials {
    pthread_mutex_t lock;
    struct credential place[CREDENTIALS];
};

/* ---- a call: receiving (receive.c), stages (dispatch.c), sending (send.c) --------------- */

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

int call_snapshot(struct call *c, int budget_ms); /* opens a snapshot of this thread's reader: c->work.conn */

/* Identifies the caller for shared limits: the person, or the address of a caller without login. */
uint64_t call_sharer(const struct call *c);
uint64_t address_sharer(struct str remote);
void download_drop(struct call *c);
/* Sends the reply, and frees the call. rc: the result; a negative one is written as the error. `before`:
 * the headers that stand with an error or a 304. began: clock_monotonic. */
void call_send(struct call *c, struct header *before, int64_t began, int rc);
/* Runs a call that a page made (api/call/subcall.h). From a task of the pool without an open snapshot. */
void subcall_run(struct api *api, struct http_request *r, struct subcall *page);
struct str exposed_headers(struct arena *a); /* value of Access-Control-Expose-Headers */

/* ---- uploads before their body (upload.c) ---------------------------------------------------- */

/* Decides whether the body of this call is received. May defer the request. */
void upload_begin(struct call *c, struct http_plan *plan);

/* ---- rate (rate.c) --------------------------------------------------------------------------- */

#define RATES 1024
struct rate { /* an address over the limit in this minute */
    uint64_t address;
    int64_t minute;
};
struct rates {
    pthread_mutex_t lock;
    struct rate place[RATES];
};

/* For a write without login: rate_over returns the seconds to wait if the address is known to be over the
 * limit, otherwise 0. Then rate_count counts the write, in its own write. Then rate_counted returns the
 * seconds to wait for that count. Nothing is counted if the limit is 0. */
int64_t rate_over(struct api *api, struct str remote, int64_t now);
int rate_count(struct conn *conn, struct str remote, int64_t now, int64_t *n);
int64_t rate_counted(struct api *api, struct str remote, int64_t now, int64_t n);
/* Calls all three for a posted form. Call it on a thread of the pool, because it waits for the writer.
 * Returns the seconds to wait, 0, or a negative error. */
int64_t rate_form(struct api *api, struct str remote, int64_t now);

/* Counts a reply outside of the API in the metrics, and writes its line of the access log. kind: "user" or
 * "client"; caller: the id, 0 if unknown. */
void reply_count_outside(struct api *api, struct http_request *r, int status, size_t bytes, const char *kind,
                         int64_t caller);

struct limits *limits_new(void); /* buckets of callers, limits.h; NULL: no memory */
void limits_free(struct limits *l);

/* ---- idempotency ----------------------------------------------------------------------------- */

#define IDEMPOTENCY_KEPT (24 * TIME_HOUR)

/* Runs the handler, or replays the reply of its first run. Called within the write. */
int idempotent(struct call *c, int (*run)(struct call *c));

/* ---- the machine ----------------------------------------------------------------------------- */

struct api_metrics {
    atomic_llong requests[6]; /* index: status / 100 */
    atomic_llong inline_runs, writer_runs, pool_runs, hashes, delays, reruns;
    atomic_llong microseconds;
};

struct api {
    struct desk *desk;
    struct api_config cfg;
    struct arena *arena;
    struct router router;
    struct site *site;  /* api/docs/site.h */
    struct str exposed; /* value of Access-Control-Expose-Headers */
    struct pool *pool;
    struct credentials credentials;
    struct rates rates;
    struct limits *limits;
    struct delays *delays, *refusals;   /* delayed logins; delayed replies 503 of a full queue */
    pthread_mutex_t hashing;            /* one hash at a time, in the lane and outside */
    _Atomic(struct http_server *) http; /* NULL until api_attach */
    struct api_metrics metrics;
    atomic_bool draining, access_log;
    atomic_ullong serial; /* for X-Request-ID */
    uint64_t serial_mask;
    int64_t started;    /* clock_monotonic */
    int64_t started_at; /* clock_now */
};

#endif
