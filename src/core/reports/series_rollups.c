/* Series from rollups. */
#include "core/reports/series_reading.h"

QUERY(series_days, "SELECT d.day, d.key, d.records FROM report_days d WHERE d.kind = :kind "
                   "AND d.dimension = :dimension AND d.day BETWEEN :first AND :last ORDER BY d.day, d.key");
QUERY(series_days_of_key, "SELECT d.day, d.key, d.records FROM report_days d WHERE d.kind = :kind "
                          "AND d.dimension = :dimension AND d.day BETWEEN :first AND :last "
                          "AND d.key = :key ORDER BY d.day");

#define PARTS_LENGTH 128 /* of records: fewer are added one by one */

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
    int whole;          /* the place in `buckets` of all quarters; -1: they differ */
    int *counts;        /* by bucket, part and, with percentiles, step */
    int64_t *sums;      /* of the durations, without percentiles */
    int *met, steps, n; /* met: places in `counts` that are not zero */
};

static void tally_begin(struct reading *r, struct tally *t) {
    t->steps = r->percentiles ? STEPS : 1;
    size_t room = (size_t)(DAY_QUARTERS * FACT_PARTS * t->steps);
    t->counts = arena_array(r->work->arena, room, sizeof *t->counts);
    t->met = arena_array(r->work->arena, room, sizeof *t->met);
    t->sums = arena_array(r->work->arena, room, sizeof *t->sums);
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
    t->whole = t->quarters[0];
    for (int q = 1; q < DAY_QUARTERS; q++)
        if (t->quarters[q] != t->whole) t->whole = -1;
}

/* bucket: a place in `buckets` */
static void tally_add(const struct reading *r, struct tally *t, int bucket, int part, int step) {
    int place = (bucket * FACT_PARTS + part) * t->steps + (r->percentiles ? step : 0);
    if (t->counts[place]++ == 0) t->met[t->n++] = place;
    if (!r->percentiles) t->sums[place] += step_seconds(step);
}

/* Adds the counts that are not zero. */
static void tally_end(struct reading *r, int64_t key, struct tally *t) {
    for (int i = 0; i < t->n; i++) {
        int place = t->met[i], step = place % t->steps, part = place / t->steps % FACT_PARTS;
        int bucket = t->buckets[place / t->steps / FACT_PARTS], n = t->counts[place];
        if (r->percentiles) series_piece_add(r, key, bucket, part, step, step_seconds(step), n);
        else series_sum_add(r, key, bucket, part, n, t->sums[place]);
        t->counts[place] = 0;
        t->sums[place] = 0;
    }
    t->n = 0;
}

/* Records without steps of a day that is in one bucket: only their parts differ. */
static void marks_add(struct reading *r, int64_t key, struct str records, const struct tally *t) {
    int marks[256] = {0}, parts[FACT_PARTS] = {0};
    for (size_t i = 1; i < records.n; i += 2) marks[(unsigned char)records.p[i]]++;
    for (int mark = 0; mark < 256; mark++) {
        const char at[2] = {'A', (char)mark};
        if (marks[mark]) parts[fact_record_read(at, false).part] += marks[mark];
    }
    for (int part = 0; part < FACT_PARTS; part++)
        if (parts[part]) series_piece_add(r, key, t->buckets[t->whole], part, 0, 0, parts[part]);
}

static int step_read(const struct reading *r, const struct fact_record *record) {
    return r->ask->hours == REPORT_BUSINESS ? record->step_open : record->step;
}

static void records_add(struct reading *r, int64_t key, struct str records, struct tally *t) {
    bool durations = fact_has_duration(r->metric->kind);
    size_t width = record_width(r->metric->kind, BY_ALL);
    if (!durations && t->whole >= 0 && records.n >= PARTS_LENGTH) {
        marks_add(r, key, records, t);
        return;
    }
    for (size_t i = 0; i + width <= records.n; i += width) {
        struct fact_record record = fact_record_read(records.p + i, durations);
        int bucket = t->quarters[record.quarter], step = step_read(r, &record);
        if (bucket < 0) continue;
        tally_add(r, t, bucket, record.part, step);
    }
    tally_end(r, key, t);
}

/* The records of a row with the keys of a block, or those of the only key. */
static void block_add(struct reading *r, int64_t block, struct str records, const struct tally *t) {
    bool durations = fact_has_duration(r->metric->kind), one = r->ask->only.by[r->rolled];
    int64_t only = r->ask->only.key[r->rolled] - block * BLOCK_KEYS;
    size_t width = record_width(r->metric->kind, r->rolled);
    for (size_t i = 0; i + width <= records.n; i += width) {
        int at = block_place(records.p + i);
        if (one && at != only) continue;
        struct fact_record record = fact_record_read(records.p + i + 2, durations);
        int bucket = t->quarters[record.quarter], step = step_read(r, &record);
        if (bucket < 0) continue;
        if (r->dimension == BY_ALL)
            series_piece_add(r, 0, t->buckets[bucket], record.part, step, step_seconds(step), 1);
        else series_block_add(r, block, at, t->buckets[bucket], record.part, step);
    }
}

/* True if the record has all keys that are asked for. */
static bool keys_match(struct reading *r, const int64_t *keys) {
    for (int d = BY_CHANNEL; d < KEYED_DIMENSIONS; d++) {
        if (!r->ask->only.by[d]) continue;
        if (keys[d] == KEY_UNKNOWN) r->unknown = true;
        if (keys[d] != r->ask->only.key[d]) return false;
    }
    if (keys[r->dimension] == KEY_UNKNOWN) r->unknown = true;
    return true;
}

/* The records of a team: those that the caller sees and that have all keys. */
static void whole_add(struct reading *r, int64_t team, struct str records, struct tally *t) {
    enum fact_kind kind = r->metric->kind;
    bool durations = fact_has_duration(kind), all = r->dimension == BY_ALL;
    size_t width = record_width(kind, BY_TEAM_WHOLE), keys_at = width - record_keys_width(kind);
    /* no agent has this id: does the team alone decide? */
    bool seen = r->reader == NULL || access_case_of(r->reader, team, INT64_MAX);
    int64_t keys[KEYED_DIMENSIONS] = {0}, assigned;
    for (size_t i = 0; i + width <= records.n; i += width) {
        record_keys_read(kind, records.p + i + keys_at, keys, &assigned);
        if (!seen && assigned == KEY_UNKNOWN) r->unknown = true;
        if (!seen && !access_case_of(r->reader, team, assigned)) continue;
        keys[BY_TEAM_NOW] = team;
        if (!keys_match(r, keys)) continue;
        struct fact_record record = fact_record_read(records.p + i, durations);
        int bucket = t->quarters[record.quarter], step = step_read(r, &record);
        if (bucket < 0) continue;
        if (all) tally_add(r, t, bucket, record.part, step);
        else
            series_piece_add(r, keys[r->dimension], t->buckets[bucket], record.part, step, step_seconds(step),
                             1);
    }
    tally_end(r, 0, t);
}

static void rollup_row_add(struct reading *r, int64_t key, struct str records, struct tally *t) {
    if (is_in_blocks(r->rolled)) block_add(r, key, records, t);
    else if (r->rolled == BY_TEAM_WHOLE) whole_add(r, key, records, t);
    else records_add(r, r->dimension == BY_ALL ? 0 : key, records, t);
}

int rollups_read(struct reading *r) {
    int64_t day = INT64_MIN;
    struct tally t = {0};
    int rc;
    bool one = r->rolled < REPORT_DIMENSIONS && r->ask->only.by[r->rolled];
    int64_t key = one ? r->ask->only.key[r->rolled] : 0;
    tally_begin(r, &t);
    DB_ROWS(rc, r->work->conn, one ? &series_days_of_key : &series_days,
            BINDS(DAY_BINDS(r, r->rolled), B_INT("key", is_in_blocks(r->rolled) ? key / BLOCK_KEYS : key)),
            row) {
        if (col_int(row, 0) != day) quarters_place(r, day = col_int(row, 0), &t);
        rollup_row_add(r, col_int(row, 1), col_text(row, 2), &t);
    }
    TRY(rc);
    return split_quarters_read(r);
}
