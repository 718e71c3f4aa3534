/* Monitors: rules that run every five minutes. The essay is in monitor.c. */
#ifndef CORE_MONITOR_H
#define CORE_MONITOR_H

#include "core/rules/rule_cache.h"

#define MONITOR_EVERY (5 * TIME_MINUTE)
#define MONITOR_CHUNK 50 /* conversations of one write */

/* Reads the ids of enabled monitors that are due, in the order of execution. Returns their number. */
int monitors_due(struct work *w, int64_t **ids);

/* Claims a run: only one process gets it. Returns 1, 0 if the monitor is not due any more, or a negative
 * error. */
int monitor_claim(struct work *w, int64_t id);

/* Reads a monitor into the work's arena. Returns 1, 0 if it is not enabled any more, or a negative error. */
struct monitor {
    struct rule rule;
    struct definitions definitions;
    int64_t generation;
};
int monitor_read(struct work *w, int64_t id, struct monitor *out);

/* Reads the next conversations after id `after` for which the monitor holds and on which it has not acted
 * in their present state. Returns their number, at most `most`. Call it in a read with a budget, because
 * one statement may examine every conversation. */
int monitor_choose(struct work *w, const struct monitor *m, int64_t after, int most, int64_t **ids);

/* The same, among the next `most` conversations only. *looked: the last of them; 0: there are no more. */
int monitor_choose_among(struct work *w, const struct monitor *m, int64_t after, int most, int64_t *looked,
                         int64_t **ids);

/* Acts on the chosen conversations, in a write. A conversation that has changed meanwhile is left out
 * unless the monitor still holds. ids: at most MONITOR_CHUNK. Returns the number of conversations on which
 * it acted. */
int monitor_act(struct work *w, const struct monitor *m, const int64_t *ids, int count);

/* The monitor has changed: it runs soon, and acts again on all conversations for which it holds. */
int monitor_begin_again(struct work *w, int64_t id);

#endif
