/* Notices breaches of SLAs: core/sla/clocks.h. */
#ifndef JOBS_SLA_SWEEP_H
#define JOBS_SLA_SWEEP_H

#include "work/work.h"

#define BREACHES_EVERY (5 * TIME_SECOND)

/* The last sweep: time of the desk, which tests move, and clock_monotonic. 0: none. */
struct breaches_last {
    int64_t now, monotonic;
};

/* Raises the breaches that are due, unless the last sweep is less than BREACHES_EVERY ago by both clocks. */
void breaches_take(struct desk *d, struct breaches_last *last);

#endif
