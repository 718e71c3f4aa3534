/* The listener: one thread that reads the outbox entries of other processes of this desk. */
#ifndef JOBS_LISTENER_H
#define JOBS_LISTENER_H

#include "work/work.h"

struct listener;
int listener_start(struct desk *d,
                   /* *out NULL: one process has the store; returns -1 if no thread can be started */
                   struct listener **out);
void listener_stop(struct listener *l);

#endif
