#include "core/reports/week.h"

#include "base/buf.h"
#include "core/time/hours.h"
#include "work/work.h"

#include <inttypes.h>

#define QUARTER (15 * TIME_MINUTE)

const struct word report_weekdays[] = {{1, "MONDAY"}, {2, "TUESDAY"},  {3, "WEDNESDAY"}, {4, "THURSDAY"},
                                       {5, "FRIDAY"}, {6, "SATURDAY"}, {7, "SUNDAY"},    {0}};

static int64_t floor_parts(int64_t at, int64_t length) { return at / length - (at % length < 0); }

/* A look for the offset costs more than a fact, so days without a clock change have one look. */
int week_clock_hour(struct week_clock *c, int64_t at) {
    int64_t day = floor_parts(at, TIME_DAY), first = day * TIME_DAY;
    if (!c->read || c->day != day) {
        c->read = true;
        c->day = day;
        c->offset = time_zone_offset(c->zone, first);
        c->changes = time_zone_offset(c->zone, first + TIME_DAY) != c->offset;
    }
    int64_t offset = c->changes ? time_zone_offset(c->zone, at) : c->offset;
    int64_t hours = floor_parts(at + TIME_SECOND * offset, TIME_HOUR);
    return (int)(((hours + 3 * 24) % WEEK_HOURS + WEEK_HOURS) % WEEK_HOURS); /* 1970-01-01 was a Thursday */
}

bool week_has(const struct week_only *only, int hour) {
    return (only->weekday == 0 || hour / 24 == only->weekday - 1) &&
           (only->hour < 0 || hour % 24 == only->hour);
}

/* The end of a time in which the clock shows one hour: of a quarter of an hour, or of a second of quarters
 * in which the hour changes, as in zones before they had whole quarters. */
static int64_t step_end(struct week_clock *c, int64_t at, int hour) {
    int64_t next = (floor_parts(at, QUARTER) + 1) * QUARTER;
    return week_clock_hour(c, next - 1) == hour ? next : (floor_parts(at, TIME_SECOND) + 1) * TIME_SECOND;
}

/* The end of a time that has none of these hours, or only them, on a day without a clock change: counted,
 * because a period of ten years has 350,000 quarters of an hour. */
static int64_t hours_end(const struct week_clock *c, const struct week_only *only, int64_t at, int hour,
                         bool has) {
    int64_t local = at + TIME_SECOND * c->offset, next = (floor_parts(local, TIME_HOUR) + 1) * TIME_HOUR;
    int of_day = hour % 24, more = only->hour < 0 ? 23 - of_day : has ? 0 : (only->hour - of_day + 23) % 24;
    int64_t end = next + more * TIME_HOUR - TIME_SECOND * c->offset, midnight = (c->day + 1) * TIME_DAY;
    return end < midnight ? end : midnight;
}

struct str week_spans(struct arena *a, const struct week_only *only, int64_t from, int64_t to) {
    struct week_clock clock = {.zone = only->zone};
    struct buf out = {0};
    int64_t begun = to;
    buf_char(&out, '[');
    for (int64_t at = from; at < to;) {
        int hour = week_clock_hour(&clock, at);
        bool has = week_has(only, hour);
        int64_t next = clock.changes ? step_end(&clock, at, hour) : hours_end(&clock, only, at, hour, has);
        if (has && begun == to) begun = at;
        if (begun < to && (!has || next >= to)) {
            buf_fmt(&out, "%s[%" PRId64 ",%" PRId64 "]", out.n > 1 ? "," : "", begun, has ? to : at);
            begun = to;
        }
        at = next;
    }
    buf_char(&out, ']');
    return buf_take(&out, a);
}
