/* Business time: the open time of business hours between two instants, and the instant at which so much
 * open time has passed. Pure functions. An open hour counts as long as it lasts in the zone: a clock
 * change may leave it out or repeat it.
 *
 * Units: milliseconds since 1970, from the year 1 to 9999. Times outside are taken as the nearest of them. */
#ifndef CORE_TIME_BUSINESS_TIME_H
#define CORE_TIME_BUSINESS_TIME_H

#include "core/time/hours.h"

struct business_time; /* prepared business hours; immutable */

/* Takes memory from `a`. Costs 150 us, with 1,000 holidays 450 us. Returns NULL if the zone is unknown. */
const struct business_time *business_time_prepare(struct arena *a, const struct hours *h);

/* The open time from <= t < to; negative if to < from. Costs the same for any distance. */
int64_t business_open(const struct business_time *b, int64_t from, int64_t to);

/* Sets *at to the first instant at which `open` milliseconds of open time have passed since `from`. open:
 * 0 or more. Returns false if that never happens: the calendar opens no more, or not before the year
 * 10000. */
bool business_after(const struct business_time *b, int64_t from, int64_t open, int64_t *at);

/* A stretch of time that is open or closed, for explanations. */
enum business_stretch { BUSINESS_OPEN = 1, BUSINESS_CLOSED, BUSINESS_HOLIDAY };
/* The kind of the stretch at `from`. Sets *until to its end, at most `to`. */
enum business_stretch business_stretch_at(const struct business_time *b, int64_t from, int64_t to,
                                          int64_t *until);

#endif
