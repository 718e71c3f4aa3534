/* What a process keeps in memory of a desk. */
#ifndef CORE_ALL_CACHES_H
#define CORE_ALL_CACHES_H

#include "work/work.h"

/* Makes all caches, empty. One that has no memory is NULL, and nothing is kept in it. */
void desk_caches_open(struct desk *d);
/* Call it when no work runs. What `gathering` still holds is lost: gathering_flush writes it. */
void desk_caches_close(struct desk *d);

#endif
