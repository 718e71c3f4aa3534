/* Counters of active conversations. */
#ifndef CORE_CASE_COUNT_H
#define CORE_CASE_COUNT_H

#include "core/words.h"
#include "work/work.h"

/* Adds `n` to the number of active conversations with this team (0: none), agent (0: none) and status type. Written when the work
 * finishes. */
void case_counted(struct work *w, int64_t team_id, int64_t agent_id, int status_type, int n);
int case_counts_finish(struct work *w); /* a finisher: writes the net differences */

/* The total_count of the list without filters or only with status types, read from the counters. status_types: JSON array, or p NULL. */
int case_count(struct work *w, struct str status_types, int64_t *total);

#endif
