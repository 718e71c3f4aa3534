/* The arguments of a series, its cells, and the conversations behind a number (core/reports/series.h). */
#ifndef CORE_REPORTS_SERIES_ASK_H
#define CORE_REPORTS_SERIES_ASK_H

#include "core/access/access.h"
#include "core/reports/buckets.h"
#include "core/reports/metric.h"
#include "core/reports/week.h"

#define SERIES_GROUPS 20 /* the largest; the others are one */
#define SERIES_BUCKETS 4000
#define SERIES_GROUPED_BUCKETS 900

enum report_hours { REPORT_CALENDAR = 1, REPORT_BUSINESS };
extern const struct word report_hours_words[], report_groups[]; /* groups: enum report_dimension */

/* Only facts with these keys; 0: without one. */
struct report_only {
    bool by[REPORT_DIMENSIONS];
    int64_t key[REPORT_DIMENSIONS];
};

struct series_ask {
    int metric;                  /* place in report_metrics */
    enum report_dimension group; /* BY_ALL: one group */
    enum report_hours hours;
    struct buckets buckets;
    /* p set: cells are the hours of a week that the clock of this zone shows, those of Monday first, over all
     * buckets; not for a backlog */
    struct str week_of;
    int most_groups; /* more are one, the rest; 0: SERIES_GROUPS */
    /* These keys have a group of their own, too, the rest has no percentiles, and the series has all keys */
    bool is_ranking;
    const int64_t *alone; /* sorted */
    int alone_count;
    struct report_only only;
    bool no_percentiles; /* of durations: numbers and sums are enough */
    bool counts_only;    /* the same, and the sums may be those of steps */
};

/* The facts of a group in a bucket. */
struct series_cell {
    int64_t n, parts[FACT_PARTS];
    int64_t half, most; /* the median and the 90th percentile of durations; -1: none */
    double sum;         /* of durations */
};

struct series_group {
    int64_t key;  /* 0: none */
    bool is_rest; /* all groups that are not shown alone */
    int64_t n;
    struct series_cell *cells;  /* one for each bucket, or hour of the week */
    struct series_cell total;   /* of all buckets */
    int64_t before[FACT_PARTS]; /* parts before the first bucket, of a backlog */
};

struct series {
    struct series_group *groups; /* the largest first, the rest last */
    int group_count;
    struct series_group all; /* each fact once, also if groups overlap; its cells have no percentiles */
    const int64_t *keys;     /* of all groups of a ranking, sorted */
    int key_count;
    bool is_exact;
};

/* The facts that a number counts: those of the metric in the period. part: only this part; NULL: all of the
 * metric. A backlog: core/reports/backlog.h. */
struct report_behind {
    const struct report_metric *metric;
    const struct report_only *only;
    const struct metric_part *part;
    int64_t from, to;
    const struct week_only *week; /* only at these times of the week; NULL: at all times */
};
/* Both write a condition on a row t of cases: it has such a fact. The values go to `binds`.
 * report_cases_in is for few facts, because the engine reads all of them first. report_cases_having reads
 * those of each row, and takes no times of the week. */
int report_cases_in(struct work *w, const struct report_behind *b, struct buf *sql, struct branches *binds);
void report_cases_having(struct arena *a, const struct report_behind *b, struct buf *sql,
                         struct branches *binds);

/* Bits of the parts that the number counts; 0: all. */
unsigned parts_behind(const struct report_behind *b);
/* Calls `tell` for each fact of a time with these keys. It has the conversation, the time, the part, the
 * team and the assigned agent. */
int series_facts_tell(struct work *w, enum fact_kind kind, const struct report_only *only, int64_t from,
                      int64_t to, void (*tell)(void *arg, const struct fact *f), void *arg);

/* The number of visible conversations with such a fact. Returns 1, 0 if it is not known for a caller who sees
 * a part, or a negative error. */
int report_cases_total(struct work *w, const struct report_behind *b, int64_t *total);
/* The same of facts, for a caller who sees all. Returns 1 or a negative error. */
int report_cases_counted(struct work *w, const struct report_behind *b, int64_t *total);

/* The keys of facts and whole records decide what a caller sees who sees a part. While changes wait to be
 * followed, or a cascade runs, rows of conversations do. Returns 1 and the reader, which is NULL for a caller
 * who sees all; 0 if rows decide; or a negative error. */
int report_reader(struct work *w, struct case_reader **out);

/* The value of a cell. before: its parts before the bucket; NULL unless the metric is a backlog. Returns
 * false if there is none. */
bool metric_value(const struct report_metric *m, const struct series_cell *cell, const int64_t *before,
                  double *out);
/* The number of facts with these parts. */
int64_t parts_sum(const int64_t *parts, unsigned bits);

#endif
