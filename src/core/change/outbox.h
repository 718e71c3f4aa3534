/* Messages between the processes of one desk. */
#ifndef CORE_OUTBOX_H
#define CORE_OUTBOX_H

#include "work/work.h"

/* Topics of entries, one row for each: TOPIC(enumerator, name). The column outbox.topic stores the name. It
 * never changes, because processes of two versions may share a desk. */
#define TOPICS(TOPIC)           \
    TOPIC(SETTINGS, "settings") \
    TOPIC(JOBS, "jobs")         \
    TOPIC(PRESENCE, "presence") \
    TOPIC(WIDGETS, "widgets")

#define ENUMERATOR(NAME, name) TOPIC_##NAME,
enum topic_name { TOPICS(ENUMERATOR) };
#undef ENUMERATOR

/* Defines the function that handles the entries of a topic, in the file whose work it is, also above this
 * layer. It runs on the listener's thread, outside of transactions. payload.p NULL: entries may have been
 * missed, check everything. */
#define TOPIC_CODE(NAME) void (*const topic_code_##NAME)(struct desk * d, struct str payload)

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
