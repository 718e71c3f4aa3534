/* Calendar days in a time zone, and relative dates of rules ("lastweek"). Pure functions: the current time
 * is an argument. */
#ifndef CORE_TIME_CALENDAR_H
#define CORE_TIME_CALENDAR_H

#include "base/words.h"

/* Milliseconds: from <= x < to. */
struct period {
    int64_t from, to;
};

/* Days are counted from 1970-01-01 (day 0). */
#define DAY_FIRST (-719161)                 /* 0001-01-02: the first day that is whole in every zone */
bool day_parse(struct str s, int64_t *day); /* YYYY-MM-DD, a valid date */
struct str day_text(struct arena *a, int64_t day);
enum { DAY_ROOM = 16 };
struct str day_write(char *room, int64_t day); /* into DAY_ROOM bytes */
int64_t day_of(struct str zone, int64_t ms);   /* ms: Unix time */
/* the span of n days; days with a clock change have 23 or 25 hours */
struct period day_span(struct str zone, int64_t first, int64_t n);
/* Returns the first day of the month that has the day. *next: the first day of the next month. */
int64_t month_days(int64_t day, int64_t *next);

/* today, currentweek ... last365days, and nextweek ... next365days. A week begins on Monday. "last7days"
 * are the seven days that end with today, "next7days" those that begin with it. "lastweek" is the previous
 * calendar week. The numbers are internal. */
enum { RELATIVE_DATES = 22 };
extern const struct word relative_dates[];
extern const char *const relative_labels[]; /* parallel: "Today" */
bool relative_fits(int word,
                   const char *sub_type); /* a field with sub_type PAST does not accept "tomorrow" */
struct period relative_span(int word, struct str zone, int64_t now);

#endif
