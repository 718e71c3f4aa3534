/* A series of a report: a metric in buckets of time, for groups of conversations.
 *
 * A caller who sees all conversations gets it from the rollups (core/reports/rollup.h). The quarters of an
 * hour that a bucket does not have whole are read from the facts. A caller who sees a part gets it from the
 * facts of conversations that the caller sees, so nothing of others is counted; it costs a row for each
 * fact. So do numbers of several properties, or of one property in groups of another: a rollup has one.
 *
 * Durations are exact if there are fewer than EXACT_FACTS, or if they are read from facts. Otherwise they
 * come from the steps of the rollups. */
#ifndef CORE_REPORTS_SERIES_H
#define CORE_REPORTS_SERIES_H

#include "core/reports/series_ask.h"

int series_read(struct work *w, const struct series_ask *ask, struct series *out);

#endif
