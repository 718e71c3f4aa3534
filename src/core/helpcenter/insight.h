/* Insights: the searches of the help center in a period. */
#ifndef CORE_HELPCENTER_INSIGHT_H
#define CORE_HELPCENTER_INSIGHT_H

#include "work/work.h"

#define INSIGHT_NAMES 10

struct query_insight {
    struct str name; /* the text as it was typed first in the period */
    /* results: of all attempts together; searched_at: the last attempt */
    int64_t attempts, results, searched_at;
};

/* Reads the most frequent texts that were searched in a period. end: its last second. all false: only
 * those that never had a result. out has room for INSIGHT_NAMES. Returns their number, or a negative
 * error. */
int insight_searches(struct work *w, int64_t start, int64_t end, bool all, struct query_insight *out);

#endif
