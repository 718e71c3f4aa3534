/* A series of a report: a metric in buckets of time, for groups of conversations.
 *
 * A caller who sees all conversations gets it from the rollups (core/reports/rollup.h). The hours that a
 * bucket does not have whole are read from the facts. A caller who sees a part gets it from the facts of
 * conversations that the caller sees, so nothing of others is counted; it costs a row for each fact.
 *
 * Durations are exact if there are fewer than EXACT_FACTS, or if they are read from facts. Otherwise they
 * come from the steps of the rollups. */
#ifndef CORE_REPORTS_SERIES_H
#define CORE_REPORTS_SERIES_H

#include "core/reports/buckets.h"
#include "core/reports/metric.h"

#define EXACT_FACTS 50000
#define SERIES_GROUPS 20 /* the largest; the others are one */
#define SERIES_BUCKETS 4000
#define SERIES_GROUPED_BUCKETS 900

enum report_hours { REPORT_CALENDAR = 1, REPORT_BUSINESS };
extern const struct word report_hours_words[], report_groups[]; /* groups: enum report_dimension */

struct series_ask {
    int metric;                  /* place in report_metrics */
    enum report_dimension group; /* BY_ALL: one group */
    enum report_hours hours;
    struct buckets buckets;
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
    struct series_cell *cells;  /* one for each bucket */
    struct series_cell total;   /* of all buckets */
    int64_t before[FACT_PARTS]; /* parts before the first bucket, of a backlog */
};

struct series {
    struct series_group *groups; /* the largest first, the rest last */
    int group_count;
    struct series_group all; /* each fact once, also if groups overlap */
    bool is_exact;
};

int series_read(struct work *w, const struct series_ask *ask, struct series *out);

/* The value of a cell. before: its parts before the bucket; NULL unless the metric is a backlog. Returns
 * false if there is none. */
bool metric_value(const struct report_metric *m, const struct series_cell *cell, const int64_t *before,
                  double *out);
/* The number of facts with these parts. */
int64_t parts_sum(const int64_t *parts, unsigned bits);

#endif
