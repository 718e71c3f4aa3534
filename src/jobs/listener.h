/* The listener: one thread that hears what the other processes of this desk have written. */
#ifndef JOBS_LISTENER_H
#define JOBS_LISTENER_H

#include "work/work.h"

struct listener;
int listener_start(struct desk *d, struct listener **out); /* NULL where one process has the store; -1: no thread */
void listener_stop(struct listener *l);

struct topic {
    const char *name;
    /* p NULL: something may have been missed, look at everything. On the listener's thread, in no transaction. */
    void (*heard)(struct desk *d, struct str payload);
};
extern const struct topic topics[]; /* jobs/topics.c; ends with name NULL */

#endif
