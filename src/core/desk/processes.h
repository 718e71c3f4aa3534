/* The number of processes that serve this desk: each holds a lease of its own (core/change/lease.h),
 * renewed every PROCESS_BEAT. */
#ifndef CORE_PROCESSES_H
#define CORE_PROCESSES_H

#include "work/work.h"

#define PROCESS_BEAT (5 * TIME_SECOND)
#define PROCESS_LEASE (3 * PROCESS_BEAT) /* a process that crashed is counted for so long */

int64_t processes_number(const struct desk *d); /* at least 1; up to PROCESS_BEAT old */
/* For processes that share a store: renews the lease of this one and counts them all. Waits for the store.
 * Returns 0 or a negative error; then the number stays. */
int processes_beat(struct desk *d);
int processes_leave(struct desk *d); /* ends the lease */

#endif
