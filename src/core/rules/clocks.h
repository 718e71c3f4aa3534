/* The SLA clocks of conversations, as rows (sla_metrics). core/rules/clock.h computes one clock. docs/RULES.md has the rules. */
#ifndef CORE_CLOCKS_H
#define CORE_CLOCKS_H

#include "core/words.h"
#include "work/work.h"

/* ---- for code that changes a conversation ----------------------------------------------------------------------------- */

/* Something changed that the clocks of the conversation depend on: its SLA, status, state, priority, team or messages. The finisher
 * computes the clocks of all such conversations of the work together. The caller has locked the conversation. */
void clocks_touch(struct work *w, int64_t case_id);
/* The same for a list, at once. ids: JSON array. Conversations without SLA lose their clocks. The caller has locked the rows. */
int clocks_recompute(struct work *w, struct str ids);
int clocks_finish(struct work *w); /* the finisher: after rules, before the counters */

/* ---- breaches --------------------------------------------------------------------------------------------------------- */

/* A breach that this work noticed. The work does nothing else: rules run on it as SYSTEM / SLA_BREACHED before the clocks. */
struct breach {
    int64_t case_id, metric_id;
    enum sla_target_type type;
    int64_t due_at;
    struct breach *next;
};
const struct breach *breaches_of(const struct work *w); /* in the order of due_at; NULL: none */

#endif
