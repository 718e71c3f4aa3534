/* The listener: one thread that reads the outbox entries of other processes of this desk. */
#ifndef JOBS_LISTENER_H
#define JOBS_LISTENER_H

#include "core/change/outbox.h"
#include "work/work.h"

struct listener;
int listener_start(struct desk *d,
                   /* *out NULL: one process has the store; returns -1 if no thread can be started */
                   struct listener **out);
void listener_stop(struct listener *l);

struct topic {
    enum topic_name name;
    /* Handles an entry. p NULL: entries may have been missed, check everything. Runs on the listener's
     * thread, outside of transactions. */
    void (*notify)(struct desk *d, struct str payload);
};
extern const struct topic topics[]; /* jobs/topics.c; name 0 ends it */

#endif
