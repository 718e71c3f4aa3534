/* Service level agreements and their versions (docs/RULES.md "SLAs"). */
#ifndef CORE_RULES_SLA_H
#define CORE_RULES_SLA_H

#include "work/work.h"

#define SLA_GOAL_MAX (10LL * 366 * 24 * 3600) /* seconds: ten years */

/* Places a new SLA behind all others. */
int sla_place(struct work *w, int64_t id);

/* Makes a new version if the title, the description or the targets differ from the current version, or if
 * there is none. changed: the predicate was changed, which also needs a new version. */
int sla_version_keep(struct work *w, int64_t id, bool changed);

/* Marks SLAs as deleted. Conversations keep their versions. ids: JSON array. */
int slas_delete(struct work *w, struct str ids);

#endif
