/* Business hours: pure functions of zones, holidays and a time zone. */
#ifndef CORE_TIME_HOURS_H
#define CORE_TIME_HOURS_H

#include "base/str.h"

#define HOURS_OF_DAY(h) (1u << (h)) /* an hour h is open from h:00 to h+1:00 */

struct hours {
    uint32_t week[7]; /* open hours by weekday, Monday first: one bit for each hour */
    struct holiday {
        int year, month, day;
        uint32_t open; /* 0: closed all day */
    } * holidays;
    int holiday_count;
    const char *time_zone;
};

extern const char *const weekday_names[7]; /* "monday" ... "sunday" */

/* Parses the stored JSON texts. Returns 0, or -ERR_INTERNAL_ERROR if they are malformed. */
int hours_read(struct arena *a, struct str zones, struct str holidays, struct str time_zone,
               struct hours *out);
bool hours_open_at(const struct hours *h, int64_t ms);
bool time_zone_known(struct str name); /* name: in the system's tz database */
/* seconds east of UTC at that time; 0 for an unknown zone */
int time_zone_offset(struct str name, int64_t ms);
bool holiday_date(struct str text, int *day, int *month, int *year); /* D/MM/YYYY, a valid date */

#endif
