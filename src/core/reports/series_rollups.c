/* Series from rollups. */
#include "core/reports/choice.h"
#include "core/reports/series_reading.h"

QUERY(series_days, "SELECT d.place, d.records FROM report_days d WHERE d.place BETWEEN :first AND :last "
                   "ORDER BY d.place");
QUERY(series_days_of_key,
      "SELECT d.place, d.records FROM report_days d WHERE d.place BETWEEN :first AND :last "
      "AND (d.place & " PLACE_KEY ") = :key ORDER BY d.place");

#define PARTS_LENGTH 128 /* of records: fewer are added one by one */

/* The bucket of a span of time; -1: before the first; TIME_SPLIT: of several. */
static int span_place(struct reading *r, int64_t from, int64_t length) {
    int64_t last = from + length - 1, start = r->ask->buckets.starts[0], end = reading_end(r);
    if (from >= end || last < reading_start(r)) return TIME_OUTSIDE;
    if (last < start) return is_backlog(r) ? -1 : TIME_OUTSIDE;
    if (from < start || last >= end) return TIME_SPLIT;
    int place = place_in_time(r, from);
    return place_in_time(r, last) == place ? place : TIME_SPLIT;
}

/* Records that are counted before they become pieces, because a large desk has thousands of a day: those of
 * one key with the same buckets. */
struct tally {
    int64_t key;
    int quarters[DAY_QUARTERS]; /* place in `buckets` of each quarter of an hour; -1: of none */
    int buckets[DAY_QUARTERS], bucket_count;
    int whole;         /* the place in `buckets` of all quarters; -1: they differ */
    int *counts, room; /* by bucket, part and, with percentiles, step; room: in buckets */
    int64_t *sums;     /* of the durations, without percentiles */
    int *met, n;       /* places in `counts` that are not zero */
    int steps;
};

/* Adds the counts that are not zero. */
static void tally_end(struct reading *r, struct tally *t) {
    for (int i = 0; i < t->n; i++) {
        int place = t->met[i], step = place % t->steps, part = place / t->steps % FACT_PARTS;
        int bucket = t->buckets[place / t->steps / FACT_PARTS], n = t->counts[place];
        if (r->percentiles) series_piece_add(r, t->key, bucket, part, step, r->seconds[step], n);
        else series_sum_add(r, t->key, bucket, part, n, t->sums[place]);
        t->counts[place] = 0;
        t->sums[place] = 0;
    }
    t->n = 0;
}

/* The next records are of this key. */
static void tally_of(struct reading *r, struct tally *t, int64_t key) {
    if (t->key != key) tally_end(r, t);
    t->key = key;
}

static void tally_room(struct reading *r, struct tally *t) {
    if (t->bucket_count <= t->room) return;
    t->steps = r->percentiles ? STEPS : 1;
    t->room = t->bucket_count;
    size_t room = (size_t)(t->room * FACT_PARTS * t->steps);
    t->counts = arena_array(r->work->arena, room, sizeof *t->counts);
    t->met = arena_array(r->work->arena, room, sizeof *t->met);
    t->sums = arena_array(r->work->arena, room, sizeof *t->sums);
}

/* bucket: a place in `buckets` */
static inline void tally_add(const struct reading *r, struct tally *t, int bucket, const char *time) {
    int step = r->layout.has_steps ? record_step(time, r->business) : 0;
    int place = (bucket * FACT_PARTS + record_part(time)) * t->steps + (r->percentiles ? step : 0);
    if (t->counts[place]++ == 0) t->met[t->n++] = place;
    if (!r->percentiles) t->sums[place] += r->seconds[step];
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

/* Days in one bucket follow each other, and go on with its counts. */
static void day_begin(struct reading *r, int64_t day, struct tally *t) {
    int place = span_place(r, day * TIME_DAY, TIME_DAY);
    if (place >= -1 && t->whole >= 0 && t->buckets[t->whole] == place) return;
    tally_end(r, t);
    quarters_place(r, day, t);
    tally_room(r, t);
}

/* The bucket of a record, as a place in `buckets`; -1: none. */
static inline int record_bucket(const struct tally *t, const char *time) {
    return t->whole >= 0 ? t->whole : t->quarters[record_quarter(time)];
}

/* Records without steps of a day that is in one bucket: only their parts differ. */
static void marks_add(struct reading *r, struct str records, const struct tally *t) {
    int marks[256] = {0}, parts[FACT_PARTS] = {0};
    for (size_t i = (size_t)r->layout.time_at; i + 1 < records.n; i += r->layout.width)
        marks[(unsigned char)records.p[i + 1]]++;
    for (int mark = 0; mark < 256; mark++)
        if (marks[mark]) parts[record_mark((char)mark) / 4] += marks[mark];
    for (int part = 0; part < FACT_PARTS; part++)
        if (parts[part]) series_piece_add(r, t->key, t->buckets[t->whole], part, 0, 0, parts[part]);
}

/* Durations of a key, for its percentiles. */
static void steps_enter(struct reading *r, int64_t key, struct str records, const struct tally *t) {
    size_t width = r->layout.width;
    int place = series_key(r, key);
    struct entry *first = series_entries_room(r, records.n / width), *next = first;
    for (size_t i = 0; i + width <= records.n; i += width) {
        const char *time = records.p + i + r->layout.time_at;
        int bucket = record_bucket(t, time), part = record_part(time);
        if (bucket >= 0 && part_counts(r->metric, part))
            *next++ = entry_make(place, t->buckets[bucket], part, record_step(time, r->business));
    }
    r->entries->count += (size_t)(next - first);
}

static void records_add(struct reading *r, int64_t key, struct str records, struct tally *t) {
    size_t width = r->layout.width;
    if (r->percentiles && r->dimension != BY_ALL) {
        steps_enter(r, key, records, t);
        return;
    }
    tally_of(r, t, key);
    if (!r->layout.has_steps && t->whole >= 0 && records.n >= PARTS_LENGTH) {
        marks_add(r, records, t);
        return;
    }
    for (size_t i = 0; i + width <= records.n; i += width) {
        const char *time = records.p + i + r->layout.time_at;
        int bucket = record_bucket(t, time);
        if (bucket >= 0) tally_add(r, t, bucket, time);
    }
}

/* The step of a record, whose time this is; 0: it has none. */
static inline int step_at(const struct reading *r, const char *time) {
    return r->layout.has_steps ? record_step(time, r->business) : 0;
}

/* The counters of a part by place in a block. */
static int *part_counts_of(struct reading *r, int **of_part) {
    if (*of_part == NULL) *of_part = arena_array(r->work->arena, BLOCK_KEYS, sizeof **of_part);
    return *of_part;
}

/* Counts durations by their keys, and keeps them as marks. */
static void block_mark(struct reading *r, int64_t block, struct str records) {
    size_t width = r->layout.width;
    int *counts = part_counts_of(r, &series_block_counts(r, block)[FACT_PARTS]);
    uint32_t *mark = series_marks_room(r, records.n / width);
    for (size_t i = 0; i + width <= records.n; i += width) {
        const char *time = records.p + i + r->layout.time_at;
        int at = block_place(records.p + i);
        counts[at]++;
        *mark++ = mark_make(block, at, record_part(time), record_step(time, r->business));
    }
    r->marks->count += records.n / width;
}

/* Counts facts without durations by their keys and parts. Those of several buckets are kept as marks. */
static void block_count(struct reading *r, int64_t block, struct str records, const struct tally *t) {
    size_t width = r->layout.width;
    bool marked = cells_of(r->ask) > 1;
    int **counts = series_block_counts(r, block);
    uint32_t *first = marked ? series_marks_room(r, records.n / width) : NULL, *mark = first;
    for (size_t i = 0; i + width <= records.n; i += width) {
        const char *time = records.p + i + r->layout.time_at;
        int at = block_place(records.p + i), part = record_part(time), bucket = record_bucket(t, time);
        if (bucket < 0) continue;
        bucket = t->buckets[bucket];
        if (marked && bucket >= 0) *mark++ = mark_make(block, at, part, bucket);
        part_counts_of(r, &counts[(bucket < 0 ? 0 : FACT_PARTS) + part])[at]++;
    }
    if (marked) r->marks->count += (size_t)(mark - first);
}

/* Counts the records of a row by their keys in its block. The counters of 25,000 keys stay in the cache of a
 * processor. Returns false if there are none for the row. */
static bool block_counted(struct reading *r, int64_t block, struct str records, const struct tally *t) {
    bool steps = r->layout.has_steps, marked = steps || cells_of(r->ask) > 1;
    if (steps && (!r->percentiles || t->whole < 0 || cells_of(r->ask) > 1)) return false;
    if (marked && r->metric->parts) return false;
    if (block < 0 || block >= (marked ? BLOCKS_MARKED : BLOCKS_COUNTED)) return false;
    if (steps) block_mark(r, block, records);
    else block_count(r, block, records, t);
    return true;
}

/* The records of a row with the keys of a block, or those of the only key. */
static void block_add(struct reading *r, int64_t block, struct str records, struct tally *t) {
    bool one = r->ask->only.by[r->rolled];
    if (!one && r->dimension == r->rolled && block_counted(r, block, records, t)) return;
    int64_t only = r->ask->only.key[r->rolled] - block * BLOCK_KEYS;
    size_t width = r->layout.width;
    tally_of(r, t, 0);
    if (r->percentiles) series_entries_room(r, records.n / width);
    for (size_t i = 0; i + width <= records.n; i += width) {
        const char *time = records.p + i + r->layout.time_at;
        int at = block_place(records.p + i), bucket = record_bucket(t, time);
        if (bucket < 0 || (one && at != only)) continue;
        if (r->dimension == BY_ALL) tally_add(r, t, bucket, time);
        else
            entry_add(r, series_block_key(r, block, at), t->buckets[bucket], record_part(time),
                      step_at(r, time));
    }
}

/* ---- whole records -------------------------------------------------------------------------------- */

struct whole_reading {
    struct reading *reading;
    struct tally *tally;
    int64_t day;
    struct choice choice;
};

/* Adds the records of a row that count. group: the key of the groups in records; digits 0: all are of
 * `key`. */
static void whole_add(struct reading *r, int64_t key, struct record_key group, struct str records,
                      struct tally *t, struct choice *c) {
    bool tallied = group.digits == 0 && !(r->percentiles && r->dimension != BY_ALL);
    int place = tallied ? 0 : series_key(r, key);
    tally_of(r, t, key);
    if (r->percentiles && !tallied) series_entries_room(r, records.n / r->layout.width);
    for (size_t i = 0; i + r->layout.width <= records.n; i += r->layout.width) {
        const char *record = records.p + i, *time = record + r->layout.time_at;
        int bucket = record_bucket(t, time);
        if (bucket < 0 || !record_counts(c, record)) continue;
        if (tallied) {
            tally_add(r, t, bucket, time);
            continue;
        }
        if (group.digits && (key = record_key(record, group)) == KEY_UNKNOWN) r->unknown = true;
        if (group.digits) place = series_key(r, key);
        entry_add(r, place, t->buckets[bucket], record_part(time), step_at(r, time));
    }
}

/* Adds a row of a team, an agent or a tag. */
static void whole_row(void *arg, int64_t day, int64_t key, struct str records) {
    struct whole_reading *w = arg;
    struct reading *r = w->reading;
    struct record_key group = {0};
    r->layout = w->choice.layout;
    if (r->dimension == BY_EACH_TAG) group = r->layout.tag;
    if (r->dimension < KEYED_DIMENSIONS) group = r->layout.keys[r->dimension];
    if (r->dimension == BY_ALL) key = 0;
    if (day != w->day) day_begin(r, w->day = day, w->tally);
    if (choice_has_row(&w->choice) && group.digits == 0) records_add(r, key, records, w->tally);
    else whole_add(r, key, group, records, w->tally, &w->choice);
}

static int whole_read(struct reading *r, struct tally *t) {
    struct whole_reading *w = ARENA_NEW(r->work->arena, struct whole_reading);
    struct choice_ask ask = {.reader = r->reader,
                             .only = &r->ask->only,
                             .kind = r->metric->kind,
                             .rolled = r->rolled,
                             .first = fact_day(reading_start(r)),
                             .last = fact_day(reading_end(r) - 1),
                             .no_keys = r->dimension == BY_ALL || r->dimension == BY_TEAM_NOW};
    *w = (struct whole_reading){.reading = r, .tally = t, .day = INT64_MIN};
    TRY(choice_rows(r->work, &ask, &w->choice, whole_row, w));
    if (w->choice.unknown) r->unknown = true;
    return 0;
}

/* ---- rows ----------------------------------------------------------------------------------------- */

/* Rows whose keys are the groups, or those of the only property. */
static int keyed_read(struct reading *r, struct tally *t) {
    enum report_dimension property = r->rolled == BY_TAG_SHORT ? BY_EACH_TAG : r->rolled;
    bool one = r->ask->only.by[property];
    int64_t day = INT64_MIN, key = one ? r->ask->only.key[property] : 0;
    int rc;
    DB_ROWS(rc, r->work->conn, one ? &series_days_of_key : &series_days,
            BINDS(DAY_BINDS(r, r->rolled), B_INT("key", is_in_blocks(r->rolled) ? key / BLOCK_KEYS : key)),
            row) {
        int64_t place = col_int(row, 0);
        if (place_day(place) != day) day_begin(r, day = place_day(place), t);
        if (is_in_blocks(r->rolled)) block_add(r, place_key(place), col_text(row, 1), t);
        else records_add(r, r->dimension == BY_ALL ? 0 : place_key(place), col_text(row, 1), t);
    }
    return rc;
}

int rollups_read(struct reading *r) {
    struct tally t = {.whole = -1};
    r->layout = record_layout(r->metric->kind, r->rolled);
    r->seconds = steps_seconds();
    r->business = r->ask->hours == REPORT_BUSINESS;
    TRY(is_whole(r->rolled) || is_of_tags(r->rolled) ? whole_read(r, &t) : keyed_read(r, &t));
    tally_end(r, &t);
    series_block_counts_rank(r);
    return split_quarters_read(r);
}
