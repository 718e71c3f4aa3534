/* Attaches SLAs to conversations. The rules are in sla_match.c. */
#ifndef CORE_RULES_SLA_MATCH_H
#define CORE_RULES_SLA_MATCH_H

#include "core/cases/case.h"

/* Decides the SLA of a conversation that has no row yet, for `sla` of struct case_new. Returns 1 if it is
 * decided, 0 if the finisher must decide, or a negative error. */
int sla_of_new(struct work *w, const struct case_now *c, int64_t *version_id);
/* The same for a changed one, for `sla` of struct case_change. 0: also if no SLA tests what differs. */
int sla_of_changed(struct work *w, const struct case_now *next, unsigned differ, int64_t *version_id);
/* The finisher: after rules, before the clocks. */
int sla_match_finish(struct work *w);

#endif
