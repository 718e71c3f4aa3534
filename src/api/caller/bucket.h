/* A token bucket: a function of time, without a clock and without a lock.
 *
 * A bucket of `quota` requests a minute holds at most `quota` tokens, and gets one back each minute /
 * quota. Its only state is the moment at which it is full again (the theoretical arrival time of the
 * generic cell rate algorithm):
 *
 *     tokens = quota - (full_at - now) / (minute / quota)
 *
 * So a bucket whose moment has passed is full, and need not be kept. After a change of the quota an empty
 * bucket fills at the new rate. If the clock was set back, the moment is at most a minute away. Units:
 * microseconds. */
#ifndef API_CALLER_BUCKET_H
#define API_CALLER_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

#define BUCKET_MINUTE INT64_C(60000000)
#define BUCKET_QUOTA 600000 /* the largest quota */
#define BUCKET_WHOLE 10     /* the cost of a request, in tenths */

struct bucket_state {
    bool refused;
    int64_t left;    /* whole requests that the bucket admits now */
    int64_t full_s;  /* seconds until it is full, rounded up */
    int64_t retry_s; /* refused: seconds until it admits one, rounded up, at least 1 */
};

/* Takes tokens for one request and returns the state afterwards. Without a whole token, takes nothing: the
 * request is refused. *full_at: 0 is a full bucket. quota: 1 to BUCKET_QUOTA. */
struct bucket_state bucket_take(int64_t *full_at, int64_t quota, int64_t now);
/* Gives back a part of a request that was admitted. */
struct bucket_state bucket_give(int64_t *full_at, int64_t quota, int64_t now, int tenths);
/* The state before a request: `refused` if bucket_take would refuse it. */
struct bucket_state bucket_look(int64_t full_at, int64_t quota, int64_t now);

#endif
