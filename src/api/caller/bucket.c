#include "api/caller/bucket.h"

#define SECOND INT64_C(1000000)

/* Rounds up. n: 0 or more. */
static int64_t whole_seconds(int64_t n) { return (n + SECOND - 1) / SECOND; }

/* The time until the bucket is full: at most that of an empty one. */
static int64_t missing_time(int64_t full_at, int64_t quota, int64_t now) {
    int64_t missing = full_at - now, most = BUCKET_MINUTE / quota * quota;
    return missing < 0 ? 0 : missing > most ? most : missing;
}

struct bucket_state bucket_look(int64_t full_at, int64_t quota, int64_t now) {
    int64_t token = BUCKET_MINUTE / quota, missing = missing_time(full_at, quota, now),
            left = (token * quota - missing) / token;
    struct bucket_state s = {.refused = left == 0, .left = left, .full_s = whole_seconds(missing)};
    if (s.refused) s.retry_s = whole_seconds(missing - token * (quota - 1));
    return s;
}

struct bucket_state bucket_take(int64_t *full_at, int64_t quota, int64_t now) {
    *full_at = now + missing_time(*full_at, quota, now);
    struct bucket_state s = bucket_look(*full_at, quota, now);
    if (s.refused) return s;
    *full_at += BUCKET_MINUTE / quota;
    s = bucket_look(*full_at, quota, now);
    s.refused = false;
    s.retry_s = 0;
    return s;
}

struct bucket_state bucket_give(int64_t *full_at, int64_t quota, int64_t now, int tenths) {
    *full_at -= BUCKET_MINUTE / quota * tenths / BUCKET_WHOLE;
    struct bucket_state s = bucket_look(*full_at, quota, now);
    s.refused = false;
    s.retry_s = 0;
    return s;
}
