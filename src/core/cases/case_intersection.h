/* The number of conversations that two filters admit, if one is a tag. */
#ifndef CORE_CASES_CASE_INTERSECTION_H
#define CORE_CASES_CASE_INTERSECTION_H

#include "core/cases/case_total.h"

/* *total: the number of active conversations with any of several tags, or with a tag and a team, agent,
 * requester or organization. For actors who see all conversations. Returns 1, or 0 for other actors, other
 * filters and where the store counts faster, or a negative error. */
int case_total_of_both(struct work *w, const struct case_filter *f, int64_t *total);

#endif
