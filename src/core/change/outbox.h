/* What the processes of one desk tell each other. */
#ifndef CORE_OUTBOX_H
#define CORE_OUTBOX_H

#include "work/work.h"

/* In the write's transaction: the other processes hear it soon after the COMMIT, this one does not. topic is a row of
 * jobs/topics.c. Costs nothing where one process has the store. */
int outbox_add(struct work *w, const char *topic, struct str payload);

struct outbox_entry {
    int64_t id;
    struct str topic, payload; /* in the arena */
    struct outbox_entry *next;
};
/* Entries of other processes that a reader who stood at *place has not seen, in the order of their ids; moves *place. p
 * NULL: the place of who has seen all. In a snapshot of w->conn. */
int outbox_read(struct work *w, struct str *place, struct outbox_entry **first);

#define OUTBOX_KEPT (10 * TIME_MINUTE) /* a reader that was away for longer looks at everything */

#endif
