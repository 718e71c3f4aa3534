/* Prepared business hours, kept in memory, because preparing them costs more than a whole write. They are
 * compared with the row that the caller has read, so that a change by another process takes effect at
 * once. */
#ifndef CORE_TIME_CALENDARS_H
#define CORE_TIME_CALENDARS_H

#include "core/time/business_time.h"

struct calendars;
struct calendars *calendars_new(void);
void calendars_free(struct calendars *c);

/* A row of business_hours. */
struct calendar_row {
    int64_t id;
    struct str zones, holidays, time_zone;
};

/* Between these calls the results of calendars_find stay valid. Run no statement in between, because other
 * threads wait. */
void calendars_lock(struct calendars *c);
void calendars_unlock(struct calendars *c);
/* NULL: the row is malformed. */
const struct business_time *calendars_find(struct calendars *c, const struct calendar_row *row);

#endif
