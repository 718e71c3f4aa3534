/* Rollups: the facts of a day (UTC) with one key of a dimension, as one text (report_days).
 *
 * A record is what a report needs of a fact: its quarter of an hour, its part, and for durations the steps of
 * both times. Quarters, because the clocks of all zones are whole quarters from UTC.
 * Records have a fixed width for each kind and are sorted, so a fact is added and taken away without the
 * others, and the text that follows from a set of facts is unique.
 *
 *     hour  part and quarter  step  step in business time
 *     'A'   '#' + 4 * 0 + 3   "7f"  "03"                     "A&7f03"; kinds without duration: "A&"
 *
 * 256 steps: step 0 is under a second, the others grow by 7 % from a second to a year. */
#ifndef CORE_REPORTS_ROLLUP_H
#define CORE_REPORTS_ROLLUP_H

#include "core/reports/fact.h"

#define RECORD_MAX 6
static inline size_t record_width(enum fact_kind k) { return fact_has_duration(k) ? RECORD_MAX : 2; }

#define DAY_QUARTERS 96
#define TIME_QUARTER (15 * TIME_MINUTE)
struct fact_record {
    int quarter, part, step, step_open; /* quarter: of the day */
};

/* Quarters and parts are a range of printable characters without the backslash, which JSON escapes. */
#define RECORD_MARKS (4 * FACT_PARTS)
static inline char record_mark(int n) { return (char)('#' + n + (n >= '\\' - '#')); }
static inline int record_step(const char *at) {
    int high = at[0] <= '9' ? at[0] - '0' : at[0] - 'a' + 10,
        low = at[1] <= '9' ? at[1] - '0' : at[1] - 'a' + 10;
    return (high * 16 + low) & 255;
}
/* All numbers index arrays, also if the store is damaged. */
static inline struct fact_record fact_record_read(const char *at, bool has_duration) {
    int hour = (unsigned char)(at[0] - 'A') % 24;
    int mark = (unsigned char)(at[1] - '#' - (at[1] > '\\')) % RECORD_MARKS;
    struct fact_record r = {.quarter = 4 * hour + mark % 4, .part = mark / 4};
    if (has_duration) r.step = record_step(at + 2), r.step_open = record_step(at + 4);
    return r;
}

#define STEPS 256
#define STEP_ERROR_PERCENT 4 /* of a duration of a year or less that is read from its step */
int step_of(int64_t seconds);
int64_t step_seconds(int step); /* the geometric mean of its bounds */

static inline int64_t fact_day(int64_t at) { return at / TIME_DAY - (at % TIME_DAY < 0); }

/* Changes of rollups. */
struct rollup_changes {
    struct rollup_change *list;
    int count, room;
};
/* The fact is added (or taken away). */
void rollup_note(struct work *w, struct rollup_changes *changes, const struct fact *f, bool added);
/* Writes the changes. The caller has locked the cursor. */
int rollup_put(struct work *w, struct rollup_changes *changes);

/* Compares the rollups with the stored facts, for deskd check. Returns the number of days that differ, or a
 * negative error. */
int rollup_check(struct work *w, void (*report)(void *arg, int64_t kind, int64_t day), void *arg);

#endif
