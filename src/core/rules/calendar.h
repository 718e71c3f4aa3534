/* Calendar days of a time zone, and the words that rules use for days and spans of them. Pure: the moment is an input.
 */
#ifndef CORE_CALENDAR_H
#define CORE_CALENDAR_H

#include "base/words.h"

/* Milliseconds: from <= x < to. */
struct period {
    int64_t from, to;
};

/* Days are counted from 1970-01-01, which is 0. */
#define DAY_FIRST (-719161)                 /* 0001-01-02: every zone's first whole day */
bool day_parse(struct str s, int64_t *day); /* YYYY-MM-DD, a date that exists */
struct str day_text(struct arena *a, int64_t day);
int64_t day_of(struct str zone, int64_t ms);                       /* the day that a moment falls on */
struct period day_span(struct str zone, int64_t first, int64_t n); /* n days; 23 and 25 hours where clocks change */

/* today, currentweek ... last365days (api.md "Definition"). A week begins on Monday; "last7days" are the seven days
 * that end with today, "lastweek" is the calendar week before this one. Numbers are of no meaning outside. */
extern const struct word relative_dates[];
extern const char *const relative_labels[];         /* parallel: "Today" */
bool relative_fits(int word, const char *sub_type); /* a field of the PAST (definition.sub_type) takes no tomorrow */
struct period relative_span(int word, struct str zone, int64_t now);

#endif
