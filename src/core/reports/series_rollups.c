/* Series from rollups. */
#include "core/reports/series_reading.h"

QUERY(series_days, "SELECT d.day, d.key, d.records FROM report_days d WHERE d.kind = :kind "
                   "AND d.dimension = :dimension AND d.day BETWEEN :first AND :last ORDER BY d.day, d.key");
QUERY(series_days_of_key, "SELECT d.day, d.key, d.records FROM report_days d WHERE d.kind = :kind "
                          "AND d.dimension = :dimension AND d.day BETWEEN :first AND :last "
                          "AND d.key = :key ORDER BY d.day");

enum { TIME_SPLIT = -2, TIME_OUTSIDE = -3 };

/* The bucket of a span of time; -1: before the first; TIME_SPLIT: of several. */
static int span_place(struct reading *r, int64_t from, int64_t length) {
    int64_t last = from + length - 1, start = r->ask->buckets.starts[0], end = reading_end(r);
    if (from >= end || last < reading_start(r)) return TIME_OUTSIDE;
    if (last < start) return is_backlog(r) ? -1 : TIME_OUTSIDE;
    if (from < start || last >= end) return TIME_SPLIT;
    int place = place_in_time(r, from);
    return place_in_time(r, last) == place ? place : TIME_SPLIT;
}

/* A day of rollups. Equal records of a row are counted before they become a piece, because a large desk has
 * thousands of a day. */
struct tally {
    int quarters[DAY_QUARTERS]; /* place in `buckets` of each quarter of an hour; -1: of none */
    int buckets[DAY_QUARTERS], bucket_count;
    int *counts;        /* by bucket, part and step */
    int *met, steps, n; /* met: places in `counts` that are not zero */
};

static void tally_begin(struct reading *r, struct tally *t) {
    t->steps = fact_has_duration(r->metric->kind) ? STEPS : 1;
    size_t room = (size_t)(DAY_QUARTERS * FACT_PARTS * t->steps);
    t->counts = arena_array(r->work->arena, room, sizeof *t->counts);
    t->met = arena_array(r->work->arena, room, sizeof *t->met);
}

static int tally_bucket(struct tally *t, int bucket) {
    if (bucket < -1) return -1;
    if (t->bucket_count == 0 || t->buckets[t->bucket_count - 1] != bucket)
        t->buckets[t->bucket_count++] = bucket;
    return t->bucket_count - 1;
}

/* The bucket of each quarter of an hour of a day. Quarters of several buckets are read from facts. */
static void quarters_place(struct reading *r, int64_t day, struct tally *t) {
    t->bucket_count = 0;
    for (int hour = 0; hour < 24; hour++) {
        int64_t from = day * TIME_DAY + hour * TIME_HOUR;
        int whole = span_place(r, from, TIME_HOUR);
        for (int q = 0; q < 4; q++, from += TIME_QUARTER) {
            int place = whole == TIME_SPLIT ? span_place(r, from, TIME_QUARTER) : whole;
            t->quarters[4 * hour + q] = tally_bucket(t, place);
            if (place != TIME_SPLIT) continue;
            r->split = arena_more(r->work->arena, r->split, r->split_count, &r->split_room, sizeof *r->split);
            r->split[r->split_count++] = from;
        }
    }
}

static void records_add(struct reading *r, int64_t key, struct str records, struct tally *t) {
    size_t width = record_width(r->metric->kind);
    bool durations = t->steps > 1, open = r->ask->hours == REPORT_BUSINESS;
    for (size_t i = 0; i + width <= records.n; i += width) {
        struct fact_record record = fact_record_read(records.p + i, durations);
        int bucket = t->quarters[record.quarter], step = open ? record.step_open : record.step;
        if (bucket < 0) continue;
        int place = (bucket * FACT_PARTS + record.part) * t->steps + step;
        if (t->counts[place]++ == 0) t->met[t->n++] = place;
    }
    for (int i = 0; i < t->n; i++) {
        int place = t->met[i], step = place % t->steps, part = place / t->steps % FACT_PARTS;
        series_piece_add(r, key, t->buckets[place / t->steps / FACT_PARTS], part, step, step_seconds(step),
                         t->counts[place]);
        t->counts[place] = 0;
    }
    t->n = 0;
}

int rollups_read(struct reading *r) {
    int64_t day = INT64_MIN;
    struct tally t = {0};
    int rc;
    bool one = r->ask->only.by[r->rolled];
    tally_begin(r, &t);
    DB_ROWS(rc, r->work->conn, one ? &series_days_of_key : &series_days,
            BINDS(DAY_BINDS(r, r->rolled), B_INT("key", r->ask->only.key[r->rolled])), row) {
        if (col_int(row, 0) != day) quarters_place(r, day = col_int(row, 0), &t);
        records_add(r, r->dimension == BY_ALL ? 0 : col_int(row, 1), col_text(row, 2), &t);
    }
    TRY(rc);
    return split_quarters_read(r);
}
