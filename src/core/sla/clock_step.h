/* Continues the stored clocks of a conversation by what a write did to it. Pure. The essay is in
 * clock_step.c. */
#ifndef CORE_SLA_CLOCK_STEP_H
#define CORE_SLA_CLOCK_STEP_H

#include "core/sla/clock_history.h"

/* What one write did to a conversation, all at the time of the write. */
struct clock_events {
    int64_t case_id;
    int order;    /* of the first of them in the work */
    int turns;    /* changes of the status or the state */
    int messages; /* messages that clocks depend on */
    bool replied; /* staff wrote a reply */
    bool asked;   /* the requester wrote a message */
    bool target;  /* the SLA or the priority changed */
    bool team;    /* the team changed */
    int64_t team_before;
    bool history; /* the history itself changed: messages were moved or deleted */
};

#define CLOCKS_UNDECIDED (-1)

/* Computes the metrics of a conversation after the events. Returns their number, by type, or
 * CLOCKS_UNDECIDED: read the history. */
int clocks_step(const struct clock_means *m, const struct clocked_case *c, int64_t epoch,
                const struct clock_events *e, int64_t now, struct metric out[CLOCK_TYPES]);

#endif
