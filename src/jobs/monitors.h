/* Runs monitors that are due: core/rules/monitor.h. */
#ifndef JOBS_MONITORS_H
#define JOBS_MONITORS_H

#include "work/work.h"

#include <stdatomic.h>

#define MONITORS_LOOK (5 * TIME_SECOND) /* of the desk's clock, so that monitors run as soon as tests move it */

/* Runs the monitors that are due, unless the last look is less than MONITORS_LOOK ago. *last: its time; 0: none. Ends soon after *stopping is
 * true. */
void monitors_run(struct desk *d, int64_t *last, const atomic_bool *stopping);

#endif
