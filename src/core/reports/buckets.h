/* The buckets of a report: hours, days, weeks or months of a time zone. Pure functions.
 *
 * A bucket ends where the next one begins. Days with a clock change have 23 or 25 hours, and a bucket of an
 * hour is an hour that passes: the hour that the clock shows twice is two buckets. The first bucket begins
 * and the last one ends with the period, so both may be shorter. */
#ifndef CORE_REPORTS_BUCKETS_H
#define CORE_REPORTS_BUCKETS_H

#include "core/time/calendar.h"

enum report_interval { EVERY_HOUR = 1, EVERY_DAY, EVERY_WEEK, EVERY_MONTH };
extern const struct word report_intervals[];

struct buckets {
    int64_t *starts; /* milliseconds; starts[count] is the end of the last */
    int count;
};

/* Returns false if there are more than `most`. from < to. */
bool buckets_make(struct arena *a, enum report_interval interval, struct str zone, int64_t from, int64_t to,
                  int most, struct buckets *out);
int bucket_at(const struct buckets *b, int64_t at); /* -1: outside */

#endif
