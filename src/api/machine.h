/* What the parts of the machine share: compiled routes, the pool, the credential cache. */
#ifndef API_MACHINE_H
#define API_MACHINE_H

#include "api/api.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- router ----------------------------------------------------------------------------------------------- */

#define PATH_SEGMENTS 8

struct compiled {
    const struct route *route;
    const struct resource *home, *reply;
    const struct within *within; /* NULL: not nested */
    const char *where;
    const struct field *args;           /* of the route, and those that every list takes */
    struct str segments[PATH_SEGMENTS]; /* a variable's begins with its colon */
    int count, variables;
};

struct router {
    struct compiled *routes; /* by number of segments, those with fewer variables first */
    int count;
};

/* Checks the tables of one resource; one line in err and false when something is missing. */
bool router_check(struct arena *a, const struct resource *r, char *err, size_t err_size);

/* Checks all tables; one line in err and false when something is missing. */
bool router_make(struct router *r, struct arena *a, char *err, size_t err_size);

/* Finds the route of a raw request target. 0, or -ERR_RESOURCE_NOT_FOUND, or -ERR_METHOD_NOT_SUPPORTED with *allow filled. */
int router_match(const struct router *r, struct call *c, enum method m, struct str path, struct str *allow);

/* ---- pool ------------------------------------------------------------------------------------------------- */

/* Threads for what blocks or burns, in lanes (resource.h) with bounded queues. In each lane the callers take turns. */
struct pool_task {
    void (*run)(struct pool_task *t);
    uint64_t whose; /* a caller; 0: nobody's, and then any number may run */
    /* private */
    struct pool_task *turn; /* of the next caller */
    struct pool_task *next; /* of the same caller */
    struct pool_task *last; /* in the first one of a caller: their last one */
    int waiting;            /* in the first one: how many wait */
};
struct pool;
struct pool *pool_new(int threads);                                    /* of LANE_WORK */
void pool_free(struct pool *p);                                        /* waits for what is queued */
bool pool_submit(struct pool *p, enum lane lane, struct pool_task *t); /* false: too many wait, in total or of this caller */
/* On a thread of the pool, when the caller becomes known: the running task is theirs. Returns false if they run a third of the lane's threads
 * already: then it should go on in another lane. */
bool pool_run_as(uint64_t whose);
int pool_queued(struct pool *p, enum lane lane);

/* ---- delays ----------------------------------------------------------------------------------------------- */

struct delay {
    void (*over)(struct delay *t); /* on the timer's thread: it must hand on */
    uint64_t key;                  /* so many of one may wait */
    int64_t due;
    struct delay *next;
};
struct delays;
struct delays *delays_new(void);
void delays_end(struct delays *d); /* those that wait are over now, and none is taken */
void delays_free(struct delays *d);
bool delay(struct delays *d, struct delay *t, uint64_t key, int ms); /* false: too many wait */

/* ---- authentication: a stage of its own before the executor ------------------------------------------------- */

enum { AUTH_DONE = 0, AUTH_SLOW = 1 };
/* Who calls: fills work.actor. AUTH_SLOW: a password must be verified, go on with auth_slow in the pool. Or error. */
int auth_fast(struct call *c);
bool auth_presented(struct http_request *r,
                    unsigned roles); /* whether there is anything that may be credentials for a route of these roles */
/* After AUTH_SLOW: how many milliseconds this login is to wait first, and by what key such logins are counted; or error. */
int auth_delay(struct call *c, uint64_t *key);
int auth_crowded(struct call *c); /* too many such logins wait: the error */
int auth_slow(struct call *c);    /* in its lane of the pool; writes wait for the writer */
/* Before a body is received: what can be told of the credentials without a hash and without spending a token. AUTH_DONE and AUTH_SLOW
 * as of auth_fast; or the error. */
int auth_before_body(struct call *c);
int auth_csrf(struct call *c);
int auth_admit(struct call *c); /* role, scope, permission */
/* For pages: loads the actor of the cookie's live session into w. Returns 1, 0 if there is none or the request is foreign, or an error. */
int auth_cookie(struct work *w, struct http_request *r);
struct str user_agent_of(struct http_request *r); /* as sessions keep it */

/* ---- where a request comes from (origin.c) ------------------------------------------------------------------- */

/* Returns 1 if a browser says that a page of another site made the request, 0 if not, or a negative error. */
int origin_foreign(struct work *w, const struct http_request *r);
bool origin_listed(const struct desk *d, struct arena *a, struct str origin); /* the base URL's, or one of security.cors_origins */

struct credential {
    unsigned char key[MAC_SIZE]; /* of login, password, agent, address and mode, under a key of this process */
    int64_t session_id, password_updated_at, logins_version, until;
};
#define CREDENTIALS 1024
struct credentials {
    pthread_mutex_t lock;
    struct credential place[CREDENTIALS];
};

/* ---- a call (dispatch.c) ------------------------------------------------------------------------------------ */

void call_init(struct call *c, struct api *api, struct http_request *r, struct arena *memory);
/* Whose request it is where callers share something: a person, or the address of a caller without login. */
uint64_t call_sharer(const struct call *c);
void call_read_query(struct call *c);             /* query and credentials */
int call_snapshot(struct call *c, int budget_ms); /* of this thread's reader: c->work.conn */

/* ---- uploads before their body (upload.c) --------------------------------------------------------------------- */

/* Plans whether the body of this call is received. It may defer the request. */
void upload_begin(struct call *c, struct http_plan *plan);

/* ---- rate (rate.c) ------------------------------------------------------------------------------------------ */

#define RATES 1024
struct rate { /* an address that is over the limit in this minute */
    uint64_t address;
    int64_t minute;
};
struct rates {
    pthread_mutex_t lock;
    struct rate place[RATES];
};

/* Of a write without login: seconds to wait when this address is known to be over; then count it, in a write of its own; then
 * what that says. Nothing is counted when the limit is 0. */
int64_t rate_over(struct api *api, struct str remote, int64_t now);
int rate_count(struct conn *conn, struct str remote, int64_t now, int64_t *n);
int64_t rate_counted(struct api *api, struct str remote, int64_t now, int64_t n);

/* ---- idempotency ------------------------------------------------------------------------------------------ */

#define IDEMPOTENCY_KEPT (24 * TIME_HOUR)

/* Runs the handler, or replays what its first run answered. On the writer. */
int idempotent(struct call *c, int (*run)(struct call *c));

/* ---- service pages outside /api/v1 --------------------------------------------------------------------------- */

bool service_handle(struct api *api, struct http_request *r); /* true: replied */

/* ---- the whole -------------------------------------------------------------------------------------------- */

struct api_metrics {
    atomic_llong requests[6]; /* by status / 100 */
    atomic_llong inline_runs, writer_runs, pool_runs, hashes, delays, reruns;
    atomic_llong microseconds;
};

struct api {
    struct desk *desk;
    struct api_config cfg;
    struct arena *arena;
    struct router router;
    struct site *site; /* api/docs/site.h */
    struct pool *pool;
    struct credentials credentials;
    struct rates rates;
    struct delays *delays;
    pthread_mutex_t hashing;            /* also of what is hashed outside of the lane */
    _Atomic(struct http_server *) http; /* loops run before it is known */
    struct api_metrics metrics;
    atomic_bool draining, access_log;
    atomic_ullong serial; /* of X-Request-ID */
    uint64_t serial_mask;
    int64_t started;    /* clock_monotonic */
    int64_t started_at; /* clock_now */
};

#endif
