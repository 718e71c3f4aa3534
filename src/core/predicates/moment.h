/* The values that a predicate needs besides the object: the present time and the caller. A compiled
 * predicate keeps words like "lastweek" and "(current_user)", so that it can be cached. They are resolved
 * for a moment. */
#ifndef CORE_MOMENT_H
#define CORE_MOMENT_H

#include "core/time/calendar.h"
#include "core/time/business_time.h"
#include "work/work.h"

/* The calendar of business hours. */
struct moment_hours {
    int64_t id;
    const struct business_time *time; /* NULL: the zone is unknown */
};

/* A time zone, with the spans that were computed for it. */
struct moment_zone {
    struct str name;
    int64_t *brands; /* brands that have the zone; NULL for the desk's zone */
    int brand_count;
    /* spans: in milliseconds; days: in days since 1970. */
    struct period spans[RELATIVE_DATES], days[RELATIVE_DATES];
    unsigned known; /* bits of spans */
};

/* One thread uses it, because it keeps the spans that it has computed. */
struct moment {
    int64_t now, user_id; /* user_id: the current user; 0: none */
    struct moment_zone desk;
    struct moment_zone *zones; /* zones of brands whose zone is not that of the desk */
    int zone_count;
    int64_t *teams; /* teams of the current user */
    int team_count;
    struct moment_hours *calendars;
    int calendar_count;
    int64_t *open; /* the ids of the calendars that are open now */
    int open_count;
    bool no_cascades; /* no row refers to an object that is being deleted (core/desk/cascade.h) */
};

/* Parts of a moment that only some predicates need. */
#define NEEDS_TEAMS 1u
#define NEEDS_HOURS 2u
#define NEEDS_ZONES 4u
#define NEEDS_CASCADES 8u /* no_cascades; without it, such rows are looked for */

/* Reads the moment of the work and its actor. needs: those of the predicates (struct predicate). Returns 0
 * or a negative error. */
int moment_read(struct work *w, unsigned needs, struct moment *out);

/* word: of relative_dates */
struct period moment_days(const struct moment *m, struct moment_zone *zone, int word);
struct period moment_span(const struct moment *m, struct moment_zone *zone, int word);
/* The zone of the brand, or the desk's. */
struct moment_zone *moment_zone_of(struct moment *m, int64_t brand_id);
/* The open milliseconds from a time until now, by the calendar with this id. Returns false if there is no
 * such calendar. */
bool moment_open_since(const struct moment *m, int64_t calendar, int64_t ms, int64_t *open);

#endif
