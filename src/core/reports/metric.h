/* The metrics of reports: one row for each (docs/REPORTS.md, which a test compares with it). */
#ifndef CORE_REPORTS_METRIC_H
#define CORE_REPORTS_METRIC_H

#include "base/words.h"
#include "core/reports/fact.h"

/* The way from facts to the value of a bucket. */
enum metric_method {
    METRIC_COUNT,    /* the number of facts */
    METRIC_BACKLOG,  /* entered less left, until the end of the bucket */
    METRIC_DURATION, /* the median */
    METRIC_GOOD,     /* percent of part 0 */
    METRIC_KEPT      /* percent of kept among kept and broken */
};

struct metric_part {
    const char *name; /* NULL ends the list */
    unsigned parts;   /* bits of 1 << part */
    unsigned leaves;  /* the same for parts that are subtracted */
};

struct report_metric {
    const char *title, *unit; /* unit: conversations, messages, ratings, seconds, percent */
    enum fact_kind kind;
    enum metric_method method;
    unsigned parts;                /* bits of 1 << part: its facts; 0: all of the kind */
    const struct metric_part *say; /* shown beside the value; NULL: none */
    const char *definition;
};

extern const struct word report_metric_names[]; /* the number is the place in report_metrics */
extern const struct report_metric report_metrics[];
enum {
    METRIC_CREATED,
    METRIC_REOPENED,
    METRIC_COMPLETED,
    METRIC_OPEN,
    METRIC_FIRST_RESPONSE,
    METRIC_NEXT_RESPONSE,
    METRIC_RESOLUTION,
    METRIC_REPLIES,
    METRIC_REQUESTS,
    METRIC_SATISFACTION,
    METRIC_SLA,
    METRIC_SLA_FIRST_REPLY,
    METRIC_SLA_NEXT_REPLY,
    METRIC_SLA_RESOLUTION,
    METRICS
};

#endif
