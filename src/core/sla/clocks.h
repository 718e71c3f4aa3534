/* The SLA clocks of conversations, as rows (sla_metrics). core/sla/clock.h computes one clock.
 * docs/RULES.md has the rules. */
#ifndef CORE_SLA_CLOCKS_H
#define CORE_SLA_CLOCKS_H

#include "core/words.h"
#include "work/work.h"

/* ---- for code that changes a conversation ---------------------------------------------------- */

/* What the work did to a conversation with an SLA, and its clocks depend on. The finisher moves the clocks of
 * all such conversations of the work together. The caller has locked the conversation. */
enum clock_touch {
    CLOCKS_STATUS,  /* the status or the state changed */
    CLOCKS_TARGET,  /* the SLA or the priority changed */
    CLOCKS_REPLY,   /* staff wrote a reply */
    CLOCKS_REQUEST, /* the requester wrote a message */
    CLOCKS_HISTORY  /* messages were moved or deleted: the clocks are computed from the history */
};
void clocks_touch(struct work *w, int64_t case_id, enum clock_touch what);
void clocks_touch_team(struct work *w, int64_t case_id, int64_t team_before); /* the team changed */
int clocks_finish(struct work *w); /* the finisher: after rules, before the counters */

/* Moves the clocks of conversations that the caller has locked. events: by case_id, one for each. Those
 * without SLA lose their clocks. */
struct clock_events;
int clocks_update(struct work *w, const struct clock_events *events, int n);
/* Computes clocks from the history. ids: sorted. The caller has locked the rows. */
int clocks_recompute(struct work *w, const int64_t *ids, int n);

/* ---- breaches -------------------------------------------------------------------------------- */

/* A breach that this work raises. Rules run on it as SYSTEM / SLA_BREACHED before the clocks. */
struct breach {
    int64_t case_id;
    enum sla_target_type type;
    int64_t due_at;
    struct breach *next;
};
const struct breach *breaches_of(const struct work *w); /* NULL: none */

/* Raises a breach in this work: breaches_of, and a change of the conversation, which activities and the
 * change log show. */
void breach_raise(struct work *w, int64_t case_id, enum sla_target_type type, int64_t due_at);
/* Raises breaches of clocks that are due and marks these clocks. Returns 1 if there may be more, 0 or a
 * negative error. */
int sla_sweep(struct work *w);

/* Compares stored clocks with the history. report: called with the conversation and the type of each clock
 * that differs. Returns the number of them, or a negative error. */
int clocks_check(struct work *w, void (*report)(void *arg, int64_t case_id, int64_t type), void *arg);

#endif
