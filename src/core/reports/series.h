/* A series of a report: a metric in buckets of time, for groups of conversations.
 *
 * It comes from the rollups (core/reports/rollup.h): those of one property, or whole records for callers who
 * see a part and for several properties (core/reports/choice.h). The quarters of an hour that a bucket does
 * not have whole are read from the facts. While changes wait to be followed, a caller who sees a part gets
 * the facts of conversations that the caller sees.
 *
 * Durations are exact if the period has fewer than LIMIT_EXACT_DURATIONS (--exact-durations), which are read
 * from facts. Otherwise they come from the steps of the rollups. */
#ifndef CORE_REPORTS_SERIES_H
#define CORE_REPORTS_SERIES_H

#include "core/reports/series_ask.h"

int series_read(struct work *w, const struct series_ask *ask, struct series *out);

#endif
