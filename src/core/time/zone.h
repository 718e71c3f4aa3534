/* Time zones as spans of constant offset, read from the system's tz database (RFC 8536). */
#ifndef CORE_TIME_ZONE_H
#define CORE_TIME_ZONE_H

#include "base/str.h"

/* From `start` until the next span, the local clock is `offset` seconds ahead of UTC. */
struct zone_span {
    int64_t start; /* seconds since 1970 */
    int offset;
};

#define ZONE_FIRST (INT64_C(-62135596800)) /* 0001-01-01, in seconds: the start of the first span */
#define ZONE_CYCLE_YEARS 400 /* the Gregorian calendar repeats after 400 years, which are whole weeks */
#define ZONE_CYCLE (INT64_C(146097) * 86400)

struct zone {
    struct zone_span *spans;
    int count;
    /* from this second on, the spans repeat every ZONE_CYCLE seconds. The last span ends at cycle +
     * ZONE_CYCLE */
    int64_t cycle;
};

/* Reads a zone. The cycle begins on a January 1 of `year` or later. Takes memory from `a`. Returns false
 * if there is no such zone, or its file is malformed. */
bool zone_read(struct arena *a, struct str name, int year, struct zone *out);

/* Seconds from 1970-01-01 to January 1 of a year. */
int64_t zone_year_start(int year);

#endif
