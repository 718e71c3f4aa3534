/* One SLA clock, computed from the history of a conversation. Pure functions.
 *
 * clock_compute takes a whole history. It makes one step for each period: clock_begin, clock_turn,
 * clock_end. The steps need nothing but the state of the clock, so a stored state is continued by the same
 * functions (core/sla/clock_step.h).
 *
 *     history: periods   NEW ........ OPEN ......... PENDING ...... OPEN .......... COMPLETED ..
 *     the clock runs     |----- counts --------------|  stands still |--- counts ---|  over
 *                        ^ run.from                                                  ^ run.to of a resolution
 *
 * The clock counts in a period if (1) the conversation is active: not in the trash, suspended or merged,
 * (2) its status is not COMPLETED or CLOSED, and (3) the status is is_sla_active. A target in business
 * hours counts only open time of these periods. The clock is due at the instant at which the goal is
 * counted. Units: milliseconds. */
#ifndef CORE_SLA_CLOCK_H
#define CORE_SLA_CLOCK_H

#include "core/time/business_time.h"
#include "core/words.h"

/* The reason why a period counts or not. */
enum clock_reason {
    CLOCK_RUNS = 1,
    CLOCK_STATUS,
    CLOCK_OVER,
    CLOCK_HIDDEN,
    CLOCK_CLOSED_HOURS,
    CLOCK_HOLIDAY
};
extern const struct word clock_reasons[];

#define CLOCK_OPEN INT64_MAX /* the end of what has not ended */

/* A period of the history; it ends where the next one begins. */
struct clock_period {
    int64_t from, status_id;
    enum clock_reason reason; /* CLOCK_RUNS, CLOCK_STATUS, CLOCK_OVER or CLOCK_HIDDEN */
};

/* The time that a clock measures. A resolution runs from `from` on; its end follows from the periods. */
struct clock_run {
    enum sla_target_type type;
    int64_t from, to; /* to: CLOCK_OPEN: not answered yet */
    int64_t goal;
    bool in_business_hours;
    const struct business_time *hours; /* NULL: they can't be read, so that the clock counts nothing */
};

enum clock_stage { CLOCK_ACTIVE = 1, CLOCK_PAUSED, CLOCK_COMPLETED };
extern const struct word clock_stages[];

/* Times: 0: none. `counts`, `since` and `counted` describe the run itself; they stay when it has ended. */
struct clock_state {
    enum clock_stage stage;
    int64_t started_at, due_at, last_paused_at, completed_at;
    bool counts;     /* the clock counts since `since`; false: it stands still since then */
    int64_t since;   /* the start of the last stretch of the run, which may consist of several periods */
    int64_t counted; /* the part of the goal that was counted before `since` */
};

/* The state of the clock. due_at: when the goal was or will be counted; of a clock that stands still
 * before its goal: none; of a completed one: when it would have been counted. The periods are sorted, and
 * begin at run->from or before. */
struct clock_state clock_compute(const struct clock_run *run, const struct clock_period *periods, int n);

/* The steps. They use `type`, `from`, `goal` and the hours of the run. `at`: after s->since, because the
 * history has no period without length; a run that has just begun also takes its start. */
struct clock_state clock_begin(const struct clock_run *run);
/* From `at` on the clock counts or stands still. */
void clock_turn(const struct clock_run *run, struct clock_state *s, int64_t at, bool counts);
void clock_end(const struct clock_run *run, struct clock_state *s, int64_t at);
/* The clock has not ended at completed_at, but stands still since then. */
void clock_resume(const struct clock_run *run, struct clock_state *s);
/* The run has got another goal or other hours. same_hours: only the goal differs. Returns false if the
 * state does not decide when the clock is due, because (1) the goal was used up before `since`, or (2) the
 * stretches before `since` are counted in other hours. */
bool clock_retarget(const struct clock_run *run, struct clock_state *s, bool same_hours);

/* Calls `tell` for each interval from the start of the run until its end or `now`, in order. counted: the
 * part of the interval that counts: all of it, or nothing, or for an interval of many days in business
 * hours the sum. Returns the elapsed time: the sum of `counted`. */
struct clock_interval {
    int64_t from, to, counted, status_id;
    enum clock_reason reason;
};
#define CLOCK_INTERVALS 500 /* then business hours are not told day by day, but summed up for each period */
int64_t clock_explain(const struct clock_run *run, const struct clock_period *periods, int n, int64_t now,
                      void (*tell)(void *arg, const struct clock_interval *i), void *arg);

#endif
