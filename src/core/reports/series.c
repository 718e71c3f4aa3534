#include "core/reports/series.h"

#include "base/ids.h"
#include "core/reports/rollup.h"
#include "core/time/hours.h"
#include "json/json.h"

#include <stdlib.h>

const struct word report_hours_words[] = {{REPORT_CALENDAR, "CALENDAR"}, {REPORT_BUSINESS, "BUSINESS"}, {0}};
const struct word report_groups[] = {{BY_CHANNEL, "CHANNEL"},
                                     {BY_TEAM_NOW, "TEAM"},
                                     {BY_AGENT_NOW, "AGENT"},
                                     {BY_PRIORITY, "PRIORITY"},
                                     {BY_SLA, "SLA"},
                                     {BY_EACH_TAG, "TAG"},
                                     {0}};

/* A fact, as far as a series needs it. */
struct piece {
    int key;    /* place in the keys */
    int bucket; /* -1: before the first */
    int part;
    int step;     /* of a duration */
    int n;        /* facts that are equal in all of this */
    int64_t took; /* seconds */
};

struct key_count {
    int64_t key, n;
    int group;
};

struct reading {
    struct work *work;
    const struct series_ask *ask;
    const struct report_metric *metric;
    enum report_dimension dimension;
    struct piece *pieces;
    int count, room;
    struct key_count *keys; /* sorted by key */
    int key_count, key_room, last_key;
    int64_t *split; /* quarters of an hour that a bucket does not have whole */
    int split_count, split_room;
    int64_t clock_day, clock_offset; /* of week_hour: seconds */
    bool clock_read, clock_changes;
    struct branches seen;
    enum report_dimension rolled; /* of the rollups: that of the groups, or of the only property */
    bool restricted, is_exact;
};

/* ---- pieces ---------------------------------------------------------------------------------- */

/* A key that no rollup has, after damage that deskd check finds, counts as none: place 0. */
static int key_place(struct reading *r, int64_t key) {
    if (r->last_key < r->key_count && r->keys[r->last_key].key == key) return r->last_key;
    const struct key_count *found = bsearch(&key, r->keys, (size_t)r->key_count, sizeof *r->keys, id_compare);
    return r->last_key = found ? (int)(found - r->keys) : 0;
}

static bool part_counts(const struct report_metric *m, int part) {
    return m->parts == 0 || (m->parts >> part & 1U);
}

/* The keys are known before (keys_add), so that their places stay. */
static void series_piece_add(struct reading *r, int64_t key, int bucket, int part, int step, int64_t took,
                             int n) {
    if (!part_counts(r->metric, part)) return;
    struct piece p = {key_place(r, key), bucket, part, step, n, took};
    struct piece *last = r->count ? &r->pieces[r->count - 1] : NULL;
    if (last && last->key == p.key && last->bucket == bucket && last->part == part && last->step == step &&
        last->took == took) {
        last->n += n;
        return;
    }
    r->pieces = arena_more(r->work->arena, r->pieces, r->count, &r->room, sizeof *r->pieces);
    r->pieces[r->count++] = p;
}

static void keys_add(struct reading *r, int64_t key) {
    if (r->key_count && r->keys[r->key_count - 1].key >= key) return;
    r->keys = arena_more(r->work->arena, r->keys, r->key_count, &r->key_room, sizeof *r->keys);
    r->keys[r->key_count++] = (struct key_count){.key = key};
}

static bool is_backlog(const struct reading *r) { return r->metric->method == METRIC_BACKLOG; }

/* A backlog counts all facts before the end. */
static int64_t reading_start(const struct reading *r) {
    return is_backlog(r) ? INT64_MIN / 4 : r->ask->buckets.starts[0];
}
static int64_t reading_end(const struct reading *r) { return r->ask->buckets.starts[r->ask->buckets.count]; }

static int cells_of(const struct series_ask *ask) { return ask->week_of.p ? WEEK_HOURS : ask->buckets.count; }

static int64_t floor_hours(int64_t at) { return at / TIME_HOUR - (at % TIME_HOUR < 0); }

/* The hour of the week that the clock shows. A look for the offset costs more than a fact, so days without a
 * clock change have one look. */
static int week_hour(struct reading *r, int64_t at) {
    struct str zone = r->ask->week_of;
    int64_t day = fact_day(at), first = day * TIME_DAY;
    if (!r->clock_read || r->clock_day != day) {
        r->clock_read = true;
        r->clock_day = day;
        r->clock_offset = time_zone_offset(zone, first);
        r->clock_changes = time_zone_offset(zone, first + TIME_DAY) != r->clock_offset;
    }
    int64_t offset = r->clock_changes ? time_zone_offset(zone, at) : r->clock_offset;
    int64_t hours = floor_hours(at + TIME_SECOND * offset);
    return (int)(((hours + 3 * 24) % WEEK_HOURS + WEEK_HOURS) % WEEK_HOURS); /* 1970-01-01 was a Thursday */
}

/* The bucket of a moment in the period, or the hour of its week. */
static int place_in_time(struct reading *r, int64_t at) {
    return r->ask->week_of.p ? week_hour(r, at) : bucket_at(&r->ask->buckets, at);
}

static int64_t duration_of(const struct reading *r, int64_t took, int64_t open) {
    return r->ask->hours == REPORT_BUSINESS ? open : took;
}

/* ---- keys ------------------------------------------------------------------------------------ */

QUERY(series_keys, "SELECT DISTINCT d.key FROM report_days d WHERE d.kind = :kind "
                   "AND d.dimension = :dimension AND d.day BETWEEN :first AND :last ORDER BY d.key");

#define DAY_BINDS(r, dimension)                                        \
    B_INT("kind", (r)->metric->kind), B_INT("dimension", (dimension)), \
        B_INT("first", fact_day(reading_start(r))), B_INT("last", fact_day(reading_end(r) - 1))

/* All keys that facts of the period have, 0 for facts without one. */
static int keys_read(struct reading *r) {
    int rc;
    keys_add(r, 0);
    if (r->dimension == BY_ALL) return 0;
    DB_ROWS(rc, r->work->conn, &series_keys, BINDS(DAY_BINDS(r, r->dimension)), row)
    keys_add(r, col_int(row, 0));
    return rc;
}

/* ---- facts ----------------------------------------------------------------------------------- */

struct tagged_piece {
    struct reading *reading;
    int bucket, part;
    int64_t took;
};

static void tagged_add(void *arg, int64_t tag_id) {
    struct tagged_piece *t = arg;
    series_piece_add(t->reading, tag_id, t->bucket, t->part, 0, t->took, 1);
}

/* Columns of facts: at, part, took, took_open, keys, tags. */
#define FACT_CELLS \
    "f.at, f.part, f.took, f.took_open, f.channel, f.team_id, f.agent_id, f.priority_id, f.sla_id, f.tags"
enum { CELL_KEYS = 4, CELL_TAGS = 9 };

static void fact_add(struct reading *r, struct stmt *row) {
    int64_t at = col_int(row, 0), took = duration_of(r, col_int(row, 2), col_int(row, 3));
    int bucket = at < r->ask->buckets.starts[0] ? -1 : place_in_time(r, at), part = (int)col_int(row, 1);
    if (at >= reading_end(r) || at < reading_start(r)) return;
    if (r->dimension == BY_EACH_TAG) {
        struct tagged_piece t = {r, bucket, part, took};
        struct str tags = col_text(row, CELL_TAGS);
        fact_tags(tags, tagged_add, &t);
        if (tags.n == 0) series_piece_add(r, 0, bucket, part, 0, took, 1);
        return;
    }
    int64_t key = r->dimension == BY_ALL ? 0 : col_int(row, CELL_KEYS + (int)r->dimension - BY_CHANNEL);
    series_piece_add(r, key, bucket, part, 0, took, 1);
}

static const struct {
    const char *is, *name;
} keyed[REPORT_DIMENSIONS] = {
    [BY_CHANNEL] = {" AND f.channel = :only_channel", ":only_channel"},
    [BY_TEAM_NOW] = {" AND f.team_id = :only_team", ":only_team"},
    [BY_AGENT_NOW] = {" AND f.agent_id = :only_agent", ":only_agent"},
    [BY_PRIORITY] = {" AND f.priority_id = :only_priority", ":only_priority"},
    [BY_SLA] = {" AND f.sla_id = :only_sla", ":only_sla"},
};

/* Adds the conditions on facts f. The text of tags is ",3,17,". */
static void only_condition(const struct report_only *only, struct arena *a, struct buf *sql,
                           struct branches *binds) {
    for (int d = BY_CHANNEL; d < KEYED_DIMENSIONS; d++) {
        if (!only->by[d]) continue;
        buf_text(sql, keyed[d].is);
        branch_bind_int(binds, keyed[d].name, only->key[d]);
    }
    if (!only->by[BY_EACH_TAG]) return;
    int64_t tag = only->key[BY_EACH_TAG];
    buf_text(sql, " AND f.tags LIKE :only_tag");
    branch_bind_text(binds, ":only_tag", tag ? str_fmt(a, "%%,%lld,%%", (long long)tag) : S(""));
}

static int facts_start(struct reading *r, struct buf *sql, struct branches *binds) {
    struct bind all[BRANCH_BINDS_MAX + 1] = {0};
    struct stmt *row;
    only_condition(&r->ask->only, r->work->arena, sql, binds);
    branch_bind_int(binds, ":fact_kind", r->metric->kind);
    buf_char(sql, 0);
    memcpy(all, binds->binds, (size_t)binds->bind_count * sizeof *all);
    int rc = db_start(r->work->conn, sql->p, all, &row);
    buf_free(sql);
    TRY(rc);
    while ((rc = stmt_step(row)) == 1) fact_add(r, row);
    stmt_end(row);
    return rc;
}

/* Facts between two moments of conversations that the caller sees. */
static int facts_visible(struct reading *r) {
    struct buf sql = {0};
    struct branches binds = r->seen;
    buf_text(&sql, "SELECT " FACT_CELLS " FROM report_facts f");
    if (r->restricted) buf_text(&sql, " JOIN cases t ON t.id = f.case_id");
    buf_text(&sql, " WHERE f.kind = :fact_kind AND f.at >= :fact_from AND f.at < :fact_to");
    if (r->restricted) {
        buf_text(&sql, " AND (1 = 0");
        for (int i = 0; i < r->seen.count; i++) buf_fmt(&sql, " OR (%s)", r->seen.where[i]);
        buf_char(&sql, ')');
    }
    branch_bind_int(&binds, ":fact_from", reading_start(r));
    branch_bind_int(&binds, ":fact_to", reading_end(r));
    return facts_start(r, &sql, &binds);
}

/* CROSS: SQLite would otherwise read all facts of the kind for each quarter. */
#define FACTS_OF_QUARTERS                                                              \
    "SELECT " FACT_CELLS " FROM @EACH_ID(:fact_quarters) q CROSS JOIN report_facts f " \
    "WHERE f.kind = :fact_kind AND f.at >= q.value AND f.at < q.value + 900000"

static int split_quarters_read(struct reading *r) {
    struct buf sql = {0};
    struct branches binds = {0};
    if (r->split_count == 0) return 0;
    ids_sort_once(r->split, r->split_count);
    buf_text(&sql, FACTS_OF_QUARTERS);
    branch_bind_text(&binds, ":fact_quarters", json_ids(r->work->arena, r->split, (size_t)r->split_count));
    return facts_start(r, &sql, &binds);
}

/* ---- rollups --------------------------------------------------------------------------------- */

QUERY(series_days, "SELECT d.day, d.key, d.records FROM report_days d WHERE d.kind = :kind "
                   "AND d.dimension = :dimension AND d.day BETWEEN :first AND :last ORDER BY d.day, d.key");
QUERY(series_days_of_key, "SELECT d.day, d.key, d.records FROM report_days d WHERE d.kind = :kind "
                          "AND d.dimension = :dimension AND d.day BETWEEN :first AND :last "
                          "AND d.key = :key ORDER BY d.day");
QUERY(series_count, "SELECT CAST(COALESCE(SUM(LENGTH(d.records)), 0) AS BIGINT) FROM report_days d "
                    "WHERE d.kind = :kind AND d.dimension = 0 AND d.day BETWEEN :first AND :last");

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

static int rollups_read(struct reading *r) {
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

/* ---- cells ----------------------------------------------------------------------------------- */

int64_t parts_sum(const int64_t *parts, unsigned bits) {
    int64_t n = 0;
    for (int i = 0; i < FACT_PARTS; i++)
        if (bits >> i & 1U) n += parts[i];
    return n;
}

static int64_t backlog_of(const int64_t *parts) {
    return parts_sum(parts, 15U << BACKLOG_ENTERS) - parts_sum(parts, 15U << BACKLOG_LEAVES);
}

/* Counts a piece for the rank of its key: a backlog by its end, others by their facts. */
static int64_t piece_weight(const struct reading *r, const struct piece *p) {
    if (is_backlog(r)) return p->part >= BACKLOG_LEAVES ? -p->n : p->n;
    return p->bucket >= 0 ? p->n : 0;
}

static int rank_compare(const void *x, const void *y) {
    const struct key_count *a = *(struct key_count *const *)x, *b = *(struct key_count *const *)y;
    if (a->n != b->n) return a->n > b->n ? -1 : 1;
    return (a->key > b->key) - (a->key < b->key);
}

/* Gives each key its group: one of the largest, or the rest. */
static void groups_make(struct reading *r, struct series *out) {
    struct arena *a = r->work->arena;
    struct key_count **ranked = arena_array(a, (size_t)r->key_count, sizeof *ranked);
    bool *used = arena_array(a, (size_t)r->key_count, sizeof *used);
    int n = 0, cells = cells_of(r->ask);
    for (int i = 0; i < r->count; i++) {
        r->keys[r->pieces[i].key].n += piece_weight(r, &r->pieces[i]);
        used[r->pieces[i].key] = true;
    }
    for (int i = 0; i < r->key_count; i++)
        if (used[i] || r->dimension == BY_ALL) ranked[n++] = &r->keys[i];
    if (n) qsort(ranked, (size_t)n, sizeof *ranked, rank_compare);
    int most = r->ask->most_groups ? r->ask->most_groups : SERIES_GROUPS;
    out->group_count = n > most ? most + 1 : n;
    out->groups = arena_array(a, (size_t)out->group_count + 1, sizeof *out->groups);
    for (int i = 0; i < n; i++) {
        ranked[i]->group = i < most ? i : most;
        struct series_group *g = &out->groups[ranked[i]->group];
        g->is_rest = i >= most;
        g->key = g->is_rest ? 0 : ranked[i]->key;
    }
    for (int i = 0; i < out->group_count; i++)
        out->groups[i].cells = arena_array(a, (size_t)cells, sizeof *out->groups[i].cells);
}

static void cell_add(struct series_cell *cell, const struct piece *p) {
    cell->n += p->n;
    cell->parts[p->part] += p->n;
    cell->sum += (double)p->took * p->n;
}

static void pieces_count(struct reading *r, struct series *out) {
    for (int i = 0; i < r->count; i++) {
        const struct piece *p = &r->pieces[i];
        struct series_group *g = &out->groups[r->keys[p->key].group];
        if (p->bucket < 0) {
            g->before[p->part] += p->n;
            continue;
        }
        cell_add(&g->cells[p->bucket], p);
        cell_add(&g->total, p);
        g->n += p->n;
    }
}

/* ---- percentiles ----------------------------------------------------------------------------- */

static int took_compare(const void *x, const void *y) {
    const struct piece *a = *(const struct piece *const *)x, *b = *(const struct piece *const *)y;
    return (a->took > b->took) - (a->took < b->took);
}

/* The nearest rank: the least value that at least this part of the facts do not exceed. */
static int64_t nearest_rank(int64_t n, int percent) { return (n * percent + 99) / 100; }

/* Pieces in the order of their durations. With steps they are counted, because there may be a million. */
static void percentiles_set(const struct reading *r, const struct piece **pieces, int count,
                            struct series_cell *cell) {
    int64_t half = nearest_rank(cell->n, 50), most = nearest_rank(cell->n, 90), seen = 0, steps[STEPS] = {0};
    cell->half = cell->most = -1;
    if (cell->n == 0) return;
    if (r->is_exact) qsort(pieces, (size_t)count, sizeof *pieces, took_compare);
    else
        for (int i = 0; i < count; i++) steps[pieces[i]->step] += pieces[i]->n;
    for (int i = 0; i < (r->is_exact ? count : STEPS) && cell->most < 0; i++) {
        seen += r->is_exact ? pieces[i]->n : steps[i];
        int64_t took = r->is_exact ? pieces[i]->took : step_seconds(i);
        if (cell->half < 0 && seen >= half) cell->half = took;
        if (seen >= most) cell->most = took;
    }
}

static int group_of(const struct reading *r, const struct piece *p) { return r->keys[p->key].group; }

/* Sorts the pieces by group and bucket, and sets the percentiles of each cell, group and all. */
static void percentiles_make(struct reading *r, struct series *out) {
    int buckets = cells_of(r->ask), cells = out->group_count * buckets;
    int *ends = arena_array(r->work->arena, (size_t)cells + 1, sizeof *ends);
    const struct piece **sorted = arena_array(r->work->arena, (size_t)r->count + 1, sizeof *sorted);
    for (int i = 0; i < r->count; i++) ends[group_of(r, &r->pieces[i]) * buckets + r->pieces[i].bucket + 1]++;
    for (int i = 0; i < cells; i++) ends[i + 1] += ends[i];
    for (int i = 0; i < r->count; i++)
        sorted[ends[group_of(r, &r->pieces[i]) * buckets + r->pieces[i].bucket]++] = &r->pieces[i];
    for (int g = 0; g < out->group_count; g++) {
        struct series_group *group = &out->groups[g];
        int first = g ? ends[g * buckets - 1] : 0, at = first;
        for (int b = 0; b < buckets; at = ends[g * buckets + b++])
            percentiles_set(r, sorted + at, ends[g * buckets + b] - at, &group->cells[b]);
        percentiles_set(r, sorted + first, at - first, &group->total);
    }
    percentiles_set(r, sorted, r->count, &out->all.total);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void all_of_groups(const struct series_ask *ask, struct series *out) {
    out->all.cells = NULL;
    for (int g = 0; g < out->group_count; g++) {
        const struct series_group *group = &out->groups[g];
        out->all.n += group->n;
        out->all.total.n += group->total.n;
        out->all.total.sum += group->total.sum;
        for (int i = 0; i < FACT_PARTS; i++) {
            out->all.total.parts[i] += group->total.parts[i];
            out->all.before[i] += group->before[i];
        }
    }
    (void)ask;
}

/* Returns true if no rollup has these facts: it has those of one property. */
static bool needs_facts(struct reading *r) {
    int given = 0;
    r->rolled = r->dimension;
    for (int d = BY_CHANNEL; d < REPORT_DIMENSIONS; d++) {
        if (!r->ask->only.by[d]) continue;
        given++;
        r->rolled = (enum report_dimension)d;
    }
    return given > 1 || (given == 1 && r->dimension != BY_ALL);
}

/* Reads the pieces from facts or from rollups. */
static int pieces_read(struct reading *r) {
    int64_t length = 0;
    r->restricted = access_is_by_assignment(r->work);
    if (r->restricted) access_cases(r->work, &r->seen);
    TRY(keys_read(r));
    bool facts = needs_facts(r) || r->restricted;
    if (!facts && r->metric->method == METRIC_DURATION)
        TRY(db_int(r->work->conn, &series_count, BINDS(DAY_BINDS(r, BY_ALL)), &length));
    bool few = r->metric->method == METRIC_DURATION && length / RECORD_MAX < EXACT_FACTS;
    r->is_exact = facts || few || r->metric->method != METRIC_DURATION;
    return facts || few ? facts_visible(r) : rollups_read(r);
}

static int read_by(struct work *w, const struct series_ask *ask, enum report_dimension dimension,
                   struct series *out) {
    struct reading r = {
        .work = w, .ask = ask, .metric = &report_metrics[ask->metric], .dimension = dimension};
    *out = (struct series){0};
    TRY(pieces_read(&r));
    groups_make(&r, out);
    pieces_count(&r, out);
    all_of_groups(ask, out);
    out->is_exact = r.is_exact;
    if (r.metric->method == METRIC_DURATION) percentiles_make(&r, out);
    return 0;
}

int series_read(struct work *w, const struct series_ask *ask, struct series *out) {
    struct series once;
    TRY(read_by(w, ask, ask->group, out));
    if (ask->group != BY_EACH_TAG) return 0;
    TRY(read_by(w, ask, BY_ALL, &once));
    out->all = once.all;
    return 0;
}

bool metric_value(const struct report_metric *m, const struct series_cell *cell, const int64_t *before,
                  double *out) {
    int64_t good = 0, of = 0;
    switch (m->method) {
    case METRIC_COUNT: *out = (double)cell->n; return true;
    case METRIC_BACKLOG: *out = (double)(backlog_of(before) + backlog_of(cell->parts)); return true;
    case METRIC_DURATION: *out = (double)cell->half; return cell->n > 0;
    case METRIC_GOOD: good = cell->parts[0], of = cell->n; break;
    case METRIC_KEPT:
        good = parts_sum(cell->parts, m->say[SLA_KEPT].parts);
        of = good + parts_sum(cell->parts, m->say[SLA_BROKEN].parts);
        break;
    }
    *out = of ? 100.0 * (double)good / (double)of : 0;
    return of > 0;
}

/* ---- the conversations ----------------------------------------------------------------------- */

static void part_list(struct buf *sql, unsigned bits) {
    const char *comma = "";
    buf_text(sql, "(");
    for (int i = 0; i < FACT_PARTS; i++) {
        if (!(bits >> i & 1U)) continue;
        buf_fmt(sql, "%s%d", comma, i);
        comma = ", ";
    }
    buf_text(sql, ")");
}

void report_cases_select(struct arena *a, const struct report_metric *m, const struct report_only *only,
                         const struct metric_part *part, int64_t from, int64_t to, struct buf *sql,
                         struct branches *binds) {
    unsigned bits = m->parts;
    if (part) bits = part->parts & (bits ? bits : ~0U);
    buf_text(sql, "SELECT f.case_id FROM report_facts f WHERE f.kind = :fact_kind "
                  "AND f.at >= :fact_from AND f.at < :fact_to");
    branch_bind_int(binds, ":fact_kind", m->kind);
    branch_bind_int(binds, ":fact_from", from);
    branch_bind_int(binds, ":fact_to", to);
    only_condition(only, a, sql, binds);
    if (!bits) return;
    buf_text(sql, " AND f.part IN ");
    part_list(sql, bits);
}
