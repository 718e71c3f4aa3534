/* The conversations of a backlog: those that were open just before a moment. */
#ifndef CORE_REPORTS_BACKLOG_H
#define CORE_REPORTS_BACKLOG_H

#include "core/access/access.h"
#include "core/reports/series_ask.h"

struct backlog {
    int64_t at; /* milliseconds */
    const struct report_only *only;
    const struct metric_part *part; /* an age; NULL: all */
    const char *visible;            /* condition on a row t: the caller sees it */
    const char *earlier; /* made by backlog_branches: those that were open then and changed since */
};

/* The time of the creation of conversations with an age at a moment: from the moment after they reach it.
 * from INT64_MIN: at any time before. */
struct backlog_age {
    int64_t from, to;
};
struct backlog_age backlog_age(const struct metric_part *part, int64_t at);

/* Adds branches of conversations to `out`. They are disjoint. */
int backlog_branches(struct work *w, struct backlog *b, struct branches *out);

#endif
