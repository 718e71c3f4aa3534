/* The clocks of one conversation with the intervals that counted or not, computed from its history. The
 * next reply has former runs, too: their times and breaches are stored (core/sla/clocks.c). */
#ifndef CORE_SLA_CLOCK_EXPLAIN_H
#define CORE_SLA_CLOCK_EXPLAIN_H

#include "core/sla/clock.h"
#include "work/work.h"

struct clock_explained {
    enum sla_target_type type;
    enum sla_hours hours;
    int64_t target_id, goal, elapsed; /* goal, elapsed: milliseconds */
    struct clock_state state;
    bool is_breached; /* at w->now */
    bool is_current;  /* false: a former run */
    struct clock_interval *intervals;
    int count, room;
    struct arena *arena;
};

/* Returns the number of runs in *out, by type and start, or a negative error. Without SLA only former
 * runs, of which the last 100. */
int clocks_explain(struct work *w, int64_t case_id, struct clock_explained **out);

#endif
