/* The history of conversations, read for their SLA clocks: a fixed number of statements for any number of
 * conversations. */
#ifndef CORE_SLA_CLOCK_HISTORY_H
#define CORE_SLA_CLOCK_HISTORY_H

#include "core/time/calendars.h"
#include "core/sla/clock.h"
#include "work/work.h"

struct clocked_case {
    int64_t id, created_at, version_id /* 0: none */, priority_id, hours_id;
    struct clock_period *periods;
    int period_count;
    int64_t replied_from; /* start of the conversation that the first reply was written in */
    int64_t replied_at;   /* the first reply; CLOCK_OPEN: none */
    /* the last run of the next reply; asked_at 0: none, answered_at CLOCK_OPEN: not yet */
    int64_t asked_at, answered_at;
};

/* A target of a version. */
struct clock_target {
    int64_t id, version_id, priority_id, goal; /* priority_id: 0: of all others; goal in milliseconds */
    enum sla_target_type type;
    enum sla_hours hours;
};

struct clock_history {
    struct clocked_case *cases; /* by id */
    int count;
    struct clock_target *targets; /* targets of the versions of their SLAs */
    int target_count;
    struct calendar_row *hours; /* the default ones come first */
    int hours_count;
};

/* Reads the conversations of the list (JSON array of ids) that have an SLA. any: also those without, and
 * business hours in any case. */
int clock_history_read(struct work *w, struct str ids, bool any, struct clock_history *out);

/* The business hours of the conversation's team, or the default ones. NULL: they can't be read. The caller
 * has locked `calendars`. */
const struct business_time *clock_hours(const struct clock_history *h, const struct clocked_case *c,
                                        struct calendars *calendars);

/* The runs of a conversation: at most one of each type that its SLA has a target for. `hours` are looked
 * up in `calendars`, which the caller has locked. Returns their number. targets: parallel to runs. */
#define CLOCK_TYPES 3
int clock_runs(const struct clock_history *h, const struct clocked_case *c, struct calendars *calendars,
               struct clock_run *runs, const struct clock_target **targets);

/* The calendars of the process, or new ones that clock_calendars_end frees. */
struct calendars *clock_calendars_begin(struct work *w);
void clock_calendars_end(struct work *w, struct calendars *c);

#endif
