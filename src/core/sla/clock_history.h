/* The history of conversations, read for their SLA clocks: two statements for any number of conversations. */
#ifndef CORE_SLA_CLOCK_HISTORY_H
#define CORE_SLA_CLOCK_HISTORY_H

#include "core/sla/clock_rows.h"
#include "core/sla/clock_settings.h"

/* Adds the history to the conversations with these ids, which are sorted and all in `cases`. */
int clock_history_read(struct work *w, const struct clock_settings *settings, const int64_t *ids, int n,
                       struct clocked_cases *cases);

/* What the clocks of a write are computed with. */
struct clock_means {
    const struct clock_settings *settings;
    struct calendars *calendars; /* locked while clocks are computed */
};

/* Begins computing: from here to clock_means_end no statement may run. */
void clock_means_begin(struct work *w, const struct clock_settings *settings, struct clock_means *out);
void clock_means_end(struct work *w, struct clock_means *m);

/* The business hours of the team, or the default ones. NULL: they can't be read. */
const struct business_time *clock_time_of(const struct clock_means *m, int64_t team_id);
/* A run with the goal and the hours of a target, which begins and ends nowhere yet. */
struct clock_run clock_run_of(const struct clock_means *m, const struct clocked_case *c,
                              const struct clock_target *t);

/* The runs of a conversation whose history was read: at most one of each type that its SLA has a target
 * for. Returns their number. targets: parallel to runs. */
int clock_runs(const struct clock_means *m, const struct clocked_case *c, struct clock_run *runs,
               const struct clock_target **targets);

#endif
