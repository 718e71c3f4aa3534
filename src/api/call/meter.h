/* How long requests take: a histogram for each class of requests. */
#ifndef API_CALL_METER_H
#define API_CALL_METER_H

#include "api/table/resource.h"

#include <stdatomic.h>

/* Requests of one class cost about the same, so the histogram of a class shows when something is slow. */
enum request_class {
    REQUEST_ONE,   /* reads one resource, or a count */
    REQUEST_LIST,  /* reads a list */
    REQUEST_LONG,  /* a read that runs in the pool: searches, reports, exports */
    REQUEST_FILE,  /* a file, in or out */
    REQUEST_WRITE, /* changes one resource */
    REQUEST_BULK,  /* a write of many rows */
    REQUEST_LOGIN, /* hashes a password */
    REQUEST_PAGE,  /* pages outside of the API; their times are whole milliseconds */
    REQUEST_OTHER, /* no operation: malformed, not found, preflights */
    REQUEST_CLASSES
};
extern const char *const request_classes[REQUEST_CLASSES]; /* values of the label `class` */

/* A route of NULL is REQUEST_OTHER. */
enum request_class request_class_of(const struct route *route);

#define DURATION_BOUNDS 18
extern const int duration_bounds[DURATION_BOUNDS]; /* upper bounds of the buckets, in microseconds */

/* Each thread adds without a lock. A reader may see the parts of one reply at different times. */
struct durations {
    atomic_llong buckets[REQUEST_CLASSES][DURATION_BOUNDS + 1]; /* the last one has no bound */
    atomic_llong micros[REQUEST_CLASSES];                       /* sums */
};
void duration_note(struct durations *d, enum request_class class, int64_t micros);

#endif
