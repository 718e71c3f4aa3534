/* The hours of a week that the clock of a zone shows, those of Monday first. An hour that the clock shows
 * twice is one of them, and one that it leaves out has no time. */
#ifndef CORE_REPORTS_WEEK_H
#define CORE_REPORTS_WEEK_H

#include "base/words.h"

#define WEEK_HOURS (7 * 24)
extern const struct word report_weekdays[]; /* 1: Monday */

/* The offset of the last day that was asked for. Begins with the zone alone. */
struct week_clock {
    struct str zone;
    int64_t day, offset; /* offset: seconds */
    bool read, changes;  /* changes: the day has a clock change */
};
int week_clock_hour(struct week_clock *c, int64_t at); /* from 0 to WEEK_HOURS - 1 */

/* Only events at these times of the week. */
struct week_only {
    int weekday, hour; /* weekday: 1 is Monday; 0: each one. hour: -1: each one */
    struct str zone;
};
bool week_has(const struct week_only *only, int hour); /* hour: of week_clock_hour */
/* The parts of a period in which the clock shows one of these times, as JSON: [[from, to], ...]. */
struct str week_spans(struct arena *a, const struct week_only *only, int64_t from, int64_t to);

#endif
