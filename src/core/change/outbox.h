/* Messages between the processes of one desk. */
#ifndef CORE_OUTBOX_H
#define CORE_OUTBOX_H

#include "work/work.h"

/* Topics of entries. Each has a name in topic_names and a row in jobs/topics.c, which has the function
 * that receives its entries. */
enum topic_name { TOPIC_SETTINGS = 1, TOPIC_JOBS, TOPIC_NAMES /* not a topic: the number of names */ };
/* Names as the column outbox.topic stores them. They never change, because processes of two versions may
 * share a desk. The index is the enum. */
extern const char *const topic_names[];

/* Adds an entry in the write's transaction. Other processes receive it soon after the COMMIT; this one
 * does not. Costs nothing if only one process uses the store. */
int outbox_add(struct work *w, enum topic_name topic, struct str payload);

struct outbox_entry {
    int64_t id;
    struct str topic, payload; /* in the arena */
    struct outbox_entry *next;
};
/* Reads the entries of other processes after *place, ordered by id, and advances *place. p NULL: reads no
 * entry, sets *place to the end. Call it in a snapshot of w->conn. */
int outbox_read(struct work *w, struct str *place, struct outbox_entry **first);

#define OUTBOX_KEPT (10 * TIME_MINUTE) /* a reader that was away for longer must reload everything */

#endif
