/* Notices breaches of SLAs: core/rules/clocks.h. */
#ifndef JOBS_SLA_SWEEP_H
#define JOBS_SLA_SWEEP_H

#include "work/work.h"

#define BREACHES_EVERY (5 * TIME_SECOND) /* of the desk's clock, so that breaches are noticed as soon as tests move it */

/* Raises the breaches that are due, unless the last sweep is less than BREACHES_EVERY ago. *last: its time; 0: none. */
void breaches_take(struct desk *d, int64_t *last);

#endif
