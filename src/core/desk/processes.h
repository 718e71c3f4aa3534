/* The processes that serve this desk: each holds a lease of its own (core/change/lease.h), renewed every
 * PROCESS_BEAT. All must have one server key, one version and one base URL, because each writes links, and
 * reads what the others wrote. */
#ifndef CORE_PROCESSES_H
#define CORE_PROCESSES_H

#include "work/work.h"

#define PROCESS_BEAT (5 * TIME_SECOND)
#define PROCESS_LEASE (3 * PROCESS_BEAT) /* a process that crashed is counted for so long */

/* A running process with another version or base URL. */
struct other_process {
    struct str version, base_url;
};

/* For processes that share a store: takes the lease of this one, when its base URL is known. Returns 1, 0 and
 * *other if a process that runs differs, or a negative error. */
int processes_join(struct desk *d, struct arena *a, struct other_process *other);
/* Returns 1 if a process serves the desk now, 0 if none does, or a negative error. */
int processes_run(struct conn *c, int64_t now);
int64_t processes_number(const struct desk *d); /* at least 1; up to PROCESS_BEAT old */
/* For processes that share a store: renews the lease of this one and counts them all. Waits for the store.
 * Returns 0 or a negative error; then the number stays. */
int processes_beat(struct desk *d);
int processes_leave(struct desk *d); /* ends the lease */

#endif
