/* A call on its way through the stages of dispatch.c: where it runs, in which snapshot, and how it goes on
 * elsewhere. */
#ifndef API_CALL_HOP_H
#define API_CALL_HOP_H

#include "api/call/machine.h"

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
    void (*advance)(struct hop *h); /* runs the stages from `next` on */
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

static inline struct hop *hop_of_call(struct call *c) {
    return (struct hop *)(void *)((char *)c - offsetof(struct hop, call));
}
static inline struct hop *hop_of_write(struct db_task *t) {
    return (struct hop *)(void *)((char *)t - offsetof(struct hop, write));
}
static inline struct hop *hop_of_delay(struct delay *t) {
    return (struct hop *)(void *)((char *)t - offsetof(struct hop, delay));
}
static inline struct hop *hop_of_pool(struct pool_task *t) {
    return (struct hop *)(void *)((char *)t - offsetof(struct hop, pool));
}

/* ---- snapshots (hop.c) ----------------------------------------------------------------------- */

/* Opens a snapshot with the budget of this thread, if none is open. Returns 0 or an error. */
int hop_snapshot(struct hop *h);
void hop_snapshot_end(struct hop *h);
/* Replaces the open snapshot by a new one with its own budget. Returns 0 or an error. */
int hop_snapshot_renew(struct hop *h, struct conn *conn, int budget_ms);
/* Logs that a read exceeded its budget. Returns -ERR_SERVICE_UNAVAILABLE. */
int hop_out_of_time(const struct call *c);
/* The result of a read in the pool: `rc`, or that of hop_out_of_time. */
int hop_in_time(const struct call *c, int rc);

/* ---- parking (hop.c) ------------------------------------------------------------------------- */

void hop_leave_loop(struct hop *h);
/* Parks the call in a lane of the pool. Returns PARKED, or -ERR_SERVICE_UNAVAILABLE if the queue is full. */
int hop_park(struct hop *h, enum lane lane);
/* Returns PARKED. `run` has the contract of db_task. */
int hop_park_on_writer(struct hop *h, int (*run)(struct db_task *t, struct conn *conn),
                       void (*done)(struct db_task *t, int rc));
/* Continues in the pool after a queue outside of it; `rc` < 0 is the reply. */
void hop_park_or_end(struct hop *h, int rc, enum lane lane);
/* Sends the reply: that of the handler, or of the error `rc`. */
void hop_end(struct hop *h, int rc);

/* ---- stages (handle.c) ------------------------------------------------------------------------ */

/* They return an enum outcome, or a negative error. */
int stage_prepare(struct hop *h);
int stage_write(struct hop *h);
int stage_read(struct hop *h);
int stage_fetch(struct hop *h);
/* The lane that prepares the body of a write: that of the route, or LANE_WORK if the body needs no other. */
enum lane hop_lane_of_prepare(const struct call *c);

#endif
