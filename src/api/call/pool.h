/* The pool: threads for blocking or long work. */
#ifndef API_CALL_POOL_H
#define API_CALL_POOL_H

#include "api/table/resource.h"

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
/* threads: of LANE_WORK. remote: files are in an object store, so LANE_SYNC and LANE_STORE mostly wait. */
struct pool *pool_new(int threads, bool remote);
void pool_free(struct pool *p); /* waits for queued tasks */
/* false: the queue is full, in total or for this caller */
bool pool_submit(struct pool *p, enum lane lane, struct pool_task *t);
/* Called by a running task when its caller becomes known: the task now counts for this caller. Returns
 * false if the caller already runs a third of the lane's threads; the task should then continue in another
 * lane. */
bool pool_run_as(uint64_t whose);
int pool_queued(struct pool *p, enum lane lane);

#endif
