/* Time is an input, so that tests can set it. All times are milliseconds since 1970 UTC. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/str.h"

#include <time.h>

#define TIME_SECOND ((int64_t)1000)
#define TIME_MINUTE (60 * TIME_SECOND)
#define TIME_HOUR (60 * TIME_MINUTE)
#define TIME_DAY (24 * TIME_HOUR)

struct clock {
    /* NULL: use the system's clock. Else a file of decimal milliseconds, read at every call (tests) */
    const char *file;
};

int64_t clock_now(const struct clock *c);
int64_t clock_monotonic(void);               /* for deadlines and durations within this process */
int64_t clock_micros(void);                  /* the same in microseconds, for short durations */
int64_t clock_steady(const struct clock *c); /* the same, but the time of the file if there is one */
/* the system's time in so many milliseconds, for pthread_cond_timedwait */
struct timespec clock_deadline(int64_t ms);

#define TIME_ISO_SIZE 26  /* 2026-11-21T09:30:00+00:00 */
#define TIME_HTTP_SIZE 30 /* Sat, 21 Nov 2026 09:30:00 GMT */
size_t time_iso(char out[TIME_ISO_SIZE], int64_t ms);
size_t time_http(char out[TIME_HTTP_SIZE], int64_t ms);
bool time_parse_iso(struct str s, int64_t *ms);  /* ISO 8601 date-time with zone: Z, +hh:mm, +hhmm */
bool time_parse_http(struct str s, int64_t *ms); /* RFC 9110 IMF-fixdate; also with +0000 for GMT */

#endif
