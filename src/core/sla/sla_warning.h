/* Warnings: an SLA target is about to be missed. Staff are told `slas.warning_minutes` before (0: never), once for
 * each due time (core/cases/staff_notice.h). */
#ifndef CORE_SLA_WARNING_H
#define CORE_SLA_WARNING_H

#include "work/work.h"

struct sla_warning {
    int64_t case_id;
    struct sla_warning *next;
};
const struct sla_warning *sla_warnings_of(const struct work *w); /* NULL: none */

/* Warns of the due time of a running clock that this work sets, if it is within these minutes. old_due: 0: none. */
void sla_warning_judge(struct work *w, int64_t case_id, int64_t due, int64_t old_due);
/* Warns of the due times that were set before and have come within these minutes since the last sweep. Returns
 * 0 or a negative error. */
int sla_warning_sweep(struct work *w);

#endif
