/* Sends deliveries to endpoints (core/endpoints/delivery.h): a thread of its own, so requests, jobs and mails
 * never wait for an endpoint. */
#ifndef OUTGOING_SENDER_H
#define OUTGOING_SENDER_H

#include "work/work.h"

#include <stdatomic.h>

struct sender;
struct sender *sender_start(struct desk *d); /* NULL: it can't be started. Sets d->wake_sender and d->sent */
/* waits 2 s at most for replies; the rest is sent again after the next start */
void sender_stop(struct sender *s);
void sender_free(struct sender *s); /* call it when no thread commits a delivery any more */

/* Counters of this process, and gauges of the desk that are up to 15 s old. */
struct sent {
    _Atomic int64_t succeeded, failed; /* attempts */
    /* waiting: PENDING deliveries; oldest_ms: age of the oldest of them */
    _Atomic int64_t in_flight, waiting, oldest_ms;
};

#endif
