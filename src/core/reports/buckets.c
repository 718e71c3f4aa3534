#include "core/reports/buckets.h"

#include "base/arena.h"
#include "base/clock.h"

const struct word report_intervals[] = {
    {EVERY_HOUR, "HOUR"}, {EVERY_DAY, "DAY"}, {EVERY_WEEK, "WEEK"}, {EVERY_MONTH, "MONTH"}, {0}};

static void add(struct arena *a, struct buckets *b, int *room, int64_t at) {
    b->starts = arena_more(a, b->starts, b->count, room, sizeof *b->starts);
    b->starts[b->count++] = at;
}

/* The first day of the interval that has the day, and the first day of the next one. */
static int64_t interval_of(enum report_interval interval, int64_t day, int64_t *next) {
    int64_t first = day;
    if (interval == EVERY_WEEK) {
        first -= ((day + 3) % 7 + 7) % 7; /* 1970-01-01 was a Thursday */
        *next = first + 7;
    } else if (interval == EVERY_MONTH) {
        first = month_days(day, next);
    } else {
        *next = day + 1;
    }
    return first;
}

bool buckets_make(struct arena *a, enum report_interval interval, struct str zone, int64_t from, int64_t to,
                  int most, struct buckets *out) {
    int64_t day = day_of(zone, from), next;
    int room = 0;
    *out = (struct buckets){0};
    for (day = interval_of(interval, day, &next); out->count <= most; day = next) {
        interval_of(interval, day, &next);
        struct period span = day_span(zone, day, next - day);
        if (span.from >= to) break;
        int64_t step = interval == EVERY_HOUR ? TIME_HOUR : span.to - span.from;
        for (int64_t at = span.from; at < span.to && at < to && out->count <= most; at += step) {
            int64_t end = at + step < span.to ? at + step : span.to;
            if (end > from) add(a, out, &room, at < from ? from : at);
        }
    }
    if (out->count == 0 || out->count > most) return false;
    add(a, out, &room, to);
    out->count--;
    return true;
}

int bucket_at(const struct buckets *b, int64_t at) {
    int low = 0, high = b->count;
    if (at < b->starts[0] || at >= b->starts[b->count]) return -1;
    while (low + 1 < high) {
        int middle = (low + high) / 2;
        if (b->starts[middle] <= at) low = middle;
        else high = middle;
    }
    return low;
}
