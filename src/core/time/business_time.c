/* The time line is cut into pieces in which (1) the offset of the zone is constant and (2) either the week
 * applies or one exceptional day. Each piece has the sum of the open time before it. So the open time
 * before an instant is a search for its piece and the open time of the piece before the instant, which is
 * computed from the sum of a week. The difference of two such values is the result.
 *
 *     business_open(from, to) = F(to) - F(from),   F(t) = before[piece of t] + open time of the piece until t
 *
 * After the last exceptional day, zone and week repeat every 400 years. F of a later instant is F of the
 * same instant in the cycle, plus whole cycles. The inverse searches the same sums. */
#include "core/time/business_time.h"

#include "base/arena.h"
#include "base/clock.h"
#include "core/time/zone.h"

#include <stdlib.h>

#define HOUR_MS TIME_HOUR
#define WEEK (7 * TIME_DAY)
#define CYCLE (ZONE_CYCLE * TIME_SECOND)
#define MONDAY (-3 * TIME_DAY)                     /* 1969-12-29, a Monday, in wall time */
#define LAST (INT64_C(253402300800) * TIME_SECOND) /* 10000-01-01 */

/* From `start` until the next piece. */
struct piece {
    int64_t start, offset, before; /* before: open time before the piece */
    /* wall time of the start of an exceptional day, with `open`; NO_DAY: the week applies */
    int64_t day;
    uint32_t open;
};
#define NO_DAY INT64_MIN

struct business_time {
    struct piece *pieces;
    int count, room;
    uint32_t week[7];
    int64_t week_before[8]; /* open time before each weekday; [7]: of a week */
    int64_t cycle;          /* here the repetition begins */
    int64_t at_cycle;       /* F(cycle) */
    int64_t in_cycle;       /* open time of a whole cycle */
};

/* ---- wall time ------------------------------------------------------------------------------- */

static int64_t floored(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* Open time of a day before `wall` milliseconds of it. */
static int64_t day_open(uint32_t open, int64_t wall) {
    if (wall <= 0) return 0;
    if (wall >= TIME_DAY) return __builtin_popcount(open) * HOUR_MS;
    int hour = (int)(wall / HOUR_MS);
    int64_t before = __builtin_popcount(open & (HOURS_OF_DAY(hour) - 1)) * HOUR_MS;
    return open & HOURS_OF_DAY(hour) ? before + wall % HOUR_MS : before;
}

/* Open time of the weekly pattern from MONDAY to a wall time; negative before. */
static int64_t week_open(const struct business_time *b, int64_t wall) {
    int64_t weeks = floored(wall - MONDAY, WEEK), rest = wall - MONDAY - weeks * WEEK;
    int day = (int)(rest / TIME_DAY);
    return weeks * b->week_before[7] + b->week_before[day] + day_open(b->week[day], rest % TIME_DAY);
}

/* The first wall time of a day at which `open` of its open time has passed; open: from 1 to all of it. */
static int64_t day_after(uint32_t open, int64_t wanted) {
    int64_t hours = (wanted - 1) / HOUR_MS;
    for (int64_t i = 0; i < hours; i++) open &= open - 1; /* drops the lowest hour */
    return __builtin_ctz(open) * HOUR_MS + wanted - hours * HOUR_MS;
}

/* The inverse of week_open: the first wall time with this value. The week has open hours. */
static int64_t week_after(const struct business_time *b, int64_t wanted) {
    int64_t weeks = floored(wanted - 1, b->week_before[7]), rest = wanted - weeks * b->week_before[7];
    int day = 0;
    while (b->week_before[day + 1] < rest) day++;
    return MONDAY + weeks * WEEK + day * TIME_DAY + day_after(b->week[day], rest - b->week_before[day]);
}

/* ---- preparation ----------------------------------------------------------------------------- */

static int64_t days_of_date(int year, int month, int day) {
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return zone_year_start(year) / 86400 + before[month - 1] + (month > 2 && leap) + day - 1;
}

/* Exceptional days: wall time of their start, sorted, each once. */
struct exception {
    int64_t day;
    uint32_t open;
    int place;
};

static int compare_exceptions(const void *x, const void *y) {
    const struct exception *a = x, *b = y;
    if (a->day != b->day) return a->day < b->day ? -1 : 1;
    return a->place - b->place;
}

/* If two holidays are on one day, the later in the list counts, as in hours_open_at. */
static int exceptions_of(struct arena *a, const struct hours *h, struct exception **out) {
    struct exception *list = arena_array(a, (size_t)h->holiday_count + 1, sizeof *list);
    int n = 0;
    for (int i = 0; i < h->holiday_count; i++) {
        const struct holiday *d = &h->holidays[i];
        list[i] = (struct exception){days_of_date(d->year, d->month, d->day) * TIME_DAY, d->open, i};
    }
    if (h->holiday_count) qsort(list, (size_t)h->holiday_count, sizeof *list, compare_exceptions);
    for (int i = 0; i < h->holiday_count; i++) {
        if (n && list[n - 1].day == list[i].day) n--;
        list[n++] = list[i];
    }
    *out = list;
    return n;
}

static int64_t piece_open(const struct business_time *b, const struct piece *p, int64_t until) {
    int64_t from = p->start + p->offset, to = until + p->offset;
    if (p->day == NO_DAY) return week_open(b, to) - week_open(b, from);
    return day_open(p->open, to - p->day) - day_open(p->open, from - p->day);
}

static void piece_add(struct arena *a, struct business_time *b, struct piece made) {
    struct piece *last = b->count ? &b->pieces[b->count - 1] : NULL;
    made.before = last ? last->before + piece_open(b, last, made.start) : 0;
    b->pieces = arena_more(a, b->pieces, b->count, &b->room, sizeof *b->pieces);
    b->pieces[b->count++] = made;
}

/* The pieces of one span of the zone, until `end`. e: n exceptional days; those that end before the span
 * are skipped. */
static void span_cut(struct arena *a, struct business_time *b, const struct zone_span *span, int64_t end,
                     const struct exception *e, int n) {
    int64_t start = span->start * TIME_SECOND, offset = span->offset * TIME_SECOND;
    for (; n && e->day < end + offset; e++, n--) {
        int64_t from = e->day - offset, to = from + TIME_DAY;
        if (to <= start) continue;
        if (from > start) piece_add(a, b, (struct piece){start, offset, 0, NO_DAY, 0});
        piece_add(a, b, (struct piece){from > start ? from : start, offset, 0, e->day, e->open});
        start = to < end ? to : end;
    }
    if (start < end) piece_add(a, b, (struct piece){start, offset, 0, NO_DAY, 0});
}

static void zone_cut(struct arena *a, struct business_time *b, const struct zone *z,
                     const struct exception *days, int n) {
    int passed = 0;
    for (int i = 0; i < z->count; i++) {
        int64_t end = i + 1 < z->count ? z->spans[i + 1].start : z->cycle + ZONE_CYCLE;
        while (passed < n && days[passed].day + 3 * TIME_DAY < z->spans[i].start * TIME_SECOND)
            passed++; /* 3 days: enough for any offset */
        span_cut(a, b, &z->spans[i], end * TIME_SECOND, days + passed, n - passed);
    }
}

static int piece_of(const struct business_time *b, int64_t t);

static int64_t open_before(const struct business_time *b, int64_t t) {
    const struct piece *p = &b->pieces[piece_of(b, t)];
    return p->before + piece_open(b, p, t);
}

/* Takes memory for the result from `a`, and other memory from `scratch`. */
static const struct business_time *prepare_with(struct arena *a, struct arena *scratch,
                                                const struct hours *h) {
    struct business_time *b = ARENA_NEW(a, struct business_time);
    struct exception *days;
    struct zone z;
    int n = exceptions_of(scratch, h, &days), year = 2040;
    while (n && year < 10000 && days[n - 1].day + 2 * TIME_DAY > zone_year_start(year) * TIME_SECOND) year++;
    if (!zone_read(scratch, str_of(h->time_zone), year, &z)) return NULL;
    for (int i = 0; i < 7; i++) {
        b->week[i] = h->week[i];
        b->week_before[i + 1] = b->week_before[i] + __builtin_popcount(h->week[i]) * HOUR_MS;
    }
    zone_cut(scratch, b, &z, days, n);
    b->pieces = memcpy(arena_array(a, (size_t)b->count, sizeof *b->pieces), b->pieces,
                       (size_t)b->count * sizeof *b->pieces);
    b->cycle = z.cycle * TIME_SECOND;
    b->at_cycle = open_before(b, b->cycle);
    b->in_cycle = open_before(b, b->cycle + CYCLE) - b->at_cycle;
    return b;
}

const struct business_time *business_time_prepare(struct arena *a, const struct hours *h) {
    struct arena *scratch = arena_new();
    const struct business_time *b = prepare_with(a, scratch, h);
    arena_free(scratch);
    return b;
}

/* ---- the functions --------------------------------------------------------------------------- */

/* The last piece that begins at t or before. */
static int piece_of(const struct business_time *b, int64_t t) {
    int low = 0, high = b->count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (b->pieces[middle].start <= t) low = middle;
        else high = middle;
    }
    return low;
}

static int64_t clamped(int64_t t) {
    return t < ZONE_FIRST * TIME_SECOND ? ZONE_FIRST * TIME_SECOND : t > LAST ? LAST : t;
}

/* F(t) */
static int64_t open_until(const struct business_time *b, int64_t t) {
    t = clamped(t);
    int64_t cycles = t < b->cycle ? 0 : (t - b->cycle) / CYCLE;
    return open_before(b, t - cycles * CYCLE) + cycles * b->in_cycle;
}

int64_t business_open(const struct business_time *b, int64_t from, int64_t to) {
    return open_until(b, to) - open_until(b, from);
}

/* The first instant of the pieces with F(t) = wanted, which is more than 0 and at most the sum of all
 * pieces. */
static int64_t instant_of(const struct business_time *b, int64_t wanted) {
    int low = 0, high = b->count; /* the last piece with less than `wanted` before it */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (b->pieces[middle].before < wanted) low = middle;
        else high = middle;
    }
    const struct piece *p = &b->pieces[low];
    int64_t rest = wanted - p->before, from = p->start + p->offset;
    if (p->day == NO_DAY) return week_after(b, week_open(b, from) + rest) - p->offset;
    return p->day + day_after(p->open, day_open(p->open, from - p->day) + rest) - p->offset;
}

bool business_after(const struct business_time *b, int64_t from, int64_t open, int64_t *at) {
    int64_t before = open_until(b, from), cycles = 0, wanted;
    *at = from;
    if (open <= 0) return true;
    if (open > LAST) return false; /* no sum overflows */
    wanted = before + open;
    if (wanted > b->at_cycle) {
        if (b->in_cycle == 0) return false;
        cycles = (wanted - b->at_cycle - 1) / b->in_cycle;
    }
    if (cycles > LAST / CYCLE) return false;
    *at = instant_of(b, wanted - cycles * b->in_cycle) + cycles * CYCLE;
    return *at < LAST;
}

/* ---- explanations ---------------------------------------------------------------------------- */

/* The hours that apply at t, and the wall time of the start of its day. */
static uint32_t hours_at(const struct business_time *b, const struct piece *p, int64_t wall, int64_t *day) {
    *day = p->day == NO_DAY ? floored(wall, TIME_DAY) * TIME_DAY : p->day;
    return p->day == NO_DAY ? b->week[(*day - MONDAY - floored(*day - MONDAY, WEEK) * WEEK) / TIME_DAY]
                            : p->open;
}

/* One hour, or less before a clock change. */
static enum business_stretch hour_at(const struct business_time *b, int64_t t, int64_t *until) {
    int64_t cycles = t < b->cycle ? 0 : (t - b->cycle) / CYCLE, day;
    int i = piece_of(b, t - cycles * CYCLE);
    const struct piece *p = &b->pieces[i];
    int64_t wall = t - cycles * CYCLE + p->offset,
            end = i + 1 < b->count ? b->pieces[i + 1].start + cycles * CYCLE : LAST;
    uint32_t open = hours_at(b, p, wall, &day);
    int hour = (int)((wall - day) / HOUR_MS);
    *until = day + (hour + 1) * HOUR_MS - p->offset + cycles * CYCLE;
    if (*until > end) *until = end;
    if (open & HOURS_OF_DAY(hour)) return BUSINESS_OPEN;
    return p->day == NO_DAY ? BUSINESS_CLOSED : BUSINESS_HOLIDAY;
}

enum business_stretch business_stretch_at(const struct business_time *b, int64_t from, int64_t to,
                                          int64_t *until) {
    enum business_stretch kind = hour_at(b, from, until);
    for (int64_t next; *until < to && hour_at(b, *until, &next) == kind;) *until = next;
    if (*until > to) *until = to;
    return kind;
}
