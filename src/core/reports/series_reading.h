/* The reading of a series: its keys and pieces, from facts or from rollups, and the cells that they make.
 *
 *     series.c ──> facts_visible or rollups_read ──> cells_make
 *                                     series_piece_add
 */
#ifndef CORE_REPORTS_SERIES_READING_H
#define CORE_REPORTS_SERIES_READING_H

#include "core/reports/place.h"
#include "core/reports/record.h"
#include "core/reports/series_ask.h"

/* Facts that are equal in all of this. */
struct piece {
    int key;    /* place in the keys */
    int bucket; /* -1: before the first */
    int part;
    int n;
    int64_t sum; /* of the seconds of all n */
};

/* Equal durations of a key, for percentiles. They are not a part of the piece, because a key has few pieces
 * and many durations. */
struct duration {
    int key, bucket;
    int step, n;
    int64_t took; /* seconds */
};

/* A duration of a rollup with groups, in eight bytes, because a year has a million. */
struct entry {
    int key; /* place in the keys */
    int16_t bucket;
    uint8_t part, step;
};
static inline struct entry entry_make(int key, int bucket, int part, int step) {
    return (struct entry){key, (int16_t)bucket, (uint8_t)part, (uint8_t)step};
}

/* A list in parts, the newest first. It does not move when it grows, because a copy of a million entries
 * costs as much as their reading. */
struct list_part {
    struct list_part *next;
    size_t count, room;
    void *list;
};

/* An entry of a key in a block, in four bytes: the block (6 bits), the place in it (12), the part (4), and
 * the step of a duration of the only bucket, or the bucket of a fact without a duration (10). They need no
 * look at their keys until all are read. */
#define BLOCKS_MARKED 64
_Static_assert(STEPS <= 1024 && SERIES_GROUPED_BUCKETS <= 1024, "bits of a mark");
static inline uint32_t mark_make(int64_t block, int at, int part, int last) {
    return (uint32_t)block << 26 | (uint32_t)at << 14 | (uint32_t)part << 10 | (uint32_t)last;
}
static inline int mark_part(uint32_t mark) { return (int)(mark >> 10 & 15); }
static inline int mark_last(uint32_t mark) { return (int)(mark & 1023); }

struct key_count {
    int64_t key, n; /* n: its rank */
    bool used;      /* it has facts */
    int *last;      /* places in the pieces plus one, of the last one of each part; 0: none */
};

struct reading {
    struct work *work;
    const struct series_ask *ask;
    const struct report_metric *metric;
    enum report_dimension dimension;
    struct piece *pieces;
    int count, room;
    struct duration *durations; /* none without percentiles */
    int duration_count, duration_room;
    struct list_part *entries; /* durations beside these */
    struct list_part *marks;   /* facts beside these, uint32_t */
    struct key_count *keys;
    int *slots, slot_count;   /* a hash table: places in `keys` plus one; 0: free */
    int **places, place_room; /* the same of keys in blocks, by block and by place in it */
    /* Of records by place in a block, by block, time and part. With marks, those of buckets are for ranks. */
    int **counts;
    int *groups; /* of each key */
    int key_count, key_room, last_key;
    int64_t *split; /* quarters of an hour that a bucket does not have whole */
    int split_count, split_room;
    struct week_clock clock; /* of hours of the week */
    struct reading *once;    /* of facts by tag, which a fact may have several of: each one once */
    struct branches seen;
    enum report_dimension rolled;     /* of the rollups: that of the groups, or of the only property */
    const struct case_reader *reader; /* of a caller who sees a part; NULL: the rows of cases decide */
    bool restricted, is_exact, percentiles;
    bool one_time;               /* facts are read of the only bucket alone */
    bool unknown;                /* a whole record has a key that is needed and not known */
    struct record_layout layout; /* of the rollups */
    const int64_t *seconds;      /* of each step */
    bool business;               /* durations are those of business hours */
};

/* In place of a bucket: of several, and not in the period. */
enum { TIME_SPLIT = -2, TIME_OUTSIDE = -3 };

/* Binds of a query on report_days: the rows of a dimension on the days of the period. */
#define DAY_BINDS(r, dimension)                                                                \
    B_INT("first", place_make((r)->metric->kind, (dimension), fact_day(reading_start(r)), 0)), \
        B_INT("last", place_make((r)->metric->kind, (dimension), fact_day(reading_end(r) - 1), INT64_MAX))

static inline bool is_backlog(const struct reading *r) { return r->metric->method == METRIC_BACKLOG; }
/* A backlog counts all facts before the end. */
static inline int64_t reading_start(const struct reading *r) {
    return is_backlog(r) ? INT64_MIN / 4 : r->ask->buckets.starts[0];
}
static inline int64_t reading_end(const struct reading *r) {
    return r->ask->buckets.starts[r->ask->buckets.count];
}
static inline int cells_of(const struct series_ask *ask) {
    return ask->week_of.p ? WEEK_HOURS : ask->buckets.count;
}

/* Gives facts without a key the place 0. */
void keys_begin(struct reading *r);
void series_piece_add(struct reading *r, int64_t key, int bucket, int part, int step, int64_t took, int n);
/* The same, with the sum of durations that differ, for readings without percentiles. */
void series_sum_add(struct reading *r, int64_t key, int bucket, int part, int n, int64_t sum);
/* The place of a key, and that of the key at a place in a block. */
int series_key(struct reading *r, int64_t key);
int series_block_key(struct reading *r, int64_t block, int at);
#define BLOCKS_COUNTED 256 /* 256 KB each */
/* The counters of a block by part and place, for the time before the buckets and, FACT_PARTS later, for the
 * buckets. None of a part: NULL. */
int **series_block_counts(struct reading *r, int64_t block);
/* Ranks their keys, and adds them to the cells of groups. */
void series_block_counts_rank(struct reading *r);
void series_block_counts_add(const struct reading *r, struct series *out);
/* Room for n marks or entries behind those of r->marks or r->entries, whose count the caller raises. */
uint32_t *series_marks_room(struct reading *r, size_t n);
struct entry *series_entries_room(struct reading *r, size_t n);
/* The place of the key of a mark. */
static inline int mark_place(const struct reading *r, uint32_t mark) {
    return r->places[mark >> 26][mark >> 14 & (BLOCK_KEYS - 1)] - 1;
}
/* Makes room for n keys at once. */
void keys_reserve(struct reading *r, int n);
/* Adds a fact of the key at this place to the pieces, which are few without percentiles. */
void series_place_add(struct reading *r, int key, int bucket, int part, int step);
static inline bool part_counts(const struct report_metric *m, int part) {
    return m->parts == 0 || (m->parts >> part & 1U);
}
/* Returns the weight of a fact for the rank of its key. A backlog is ranked by its end, other metrics by
 * their buckets. */
static inline int part_weight(const struct reading *r, int bucket, int part) {
    if (!is_backlog(r)) return bucket >= 0;
    return part < BACKLOG_LEAVES ? 1 : part < BACKLOG_GROWS ? -1 : 0;
}
/* Adds a fact of the key at this place. With percentiles there is room for it. */
static inline void entry_add(struct reading *r, int key, int bucket, int part, int step) {
    if (!part_counts(r->metric, part)) return;
    if (r->percentiles)
        ((struct entry *)r->entries->list)[r->entries->count++] = entry_make(key, bucket, part, step);
    else series_place_add(r, key, bucket, part, step);
}
/* The bucket of a moment in the period, or the hour of its week. */
int place_in_time(struct reading *r, int64_t at);

/* Adds the pieces of facts of the period, of conversations that the caller sees. */
int facts_visible(struct reading *r);
/* Adds those of the quarters of an hour that rollups split. */
int split_quarters_read(struct reading *r);
/* Adds the pieces of rollups, and those of split quarters. */
int rollups_read(struct reading *r);

/* Counts the pieces in groups and cells, with percentiles of durations. */
void cells_make(struct reading *r, struct series *out);

#endif
