#include "core/sla/clock.h"

const struct word clock_reasons[] = {{CLOCK_RUNS, "RUNNING"},
                                     {CLOCK_STATUS, "STATUS_PAUSED"},
                                     {CLOCK_OVER, "COMPLETED"},
                                     {CLOCK_HIDDEN, "NOT_ACTIVE"},
                                     {CLOCK_CLOSED_HOURS, "OUTSIDE_BUSINESS_HOURS"},
                                     {CLOCK_HOLIDAY, "HOLIDAY"},
                                     {0}};
const struct word clock_stages[] = {
    {CLOCK_ACTIVE, "ACTIVE"}, {CLOCK_PAUSED, "PAUSED"}, {CLOCK_COMPLETED, "COMPLETED"}, {0}};

static int64_t counted_between(const struct clock_run *run, int64_t from, int64_t to) {
    if (!run->in_business_hours) return to - from;
    return run->hours ? business_open(run->hours, from, to) : 0;
}

/* The instant at which `wanted` has been counted since `from`; 0: never. */
static int64_t counted_at(const struct clock_run *run, int64_t from, int64_t wanted) {
    int64_t at;
    if (!run->in_business_hours) return from + wanted;
    return run->hours && business_after(run->hours, from, wanted, &at) ? at : 0;
}

/* The start of the last periods in which the conversation is over; CLOCK_OPEN: it is not over. */
static int64_t over_since(const struct clock_period *periods, int n) {
    int64_t since = CLOCK_OPEN;
    while (n && periods[n - 1].reason == CLOCK_OVER) since = periods[--n].from;
    return since;
}

/* The part of period i within the run. Returns false if there is none. */
static bool clip(const struct clock_run *run, const struct clock_period *periods, int n, int i, int64_t *from,
                 int64_t *to) {
    *from = periods[i].from > run->from ? periods[i].from : run->from;
    *to = i + 1 < n ? periods[i + 1].from : CLOCK_OPEN;
    if (*to > run->to) *to = run->to;
    return *from < *to;
}

/* ---- steps ----------------------------------------------------------------------------------- */

struct clock_state clock_begin(const struct clock_run *run) {
    return (struct clock_state){.stage = CLOCK_PAUSED, .started_at = run->from, .since = run->from};
}

void clock_turn(const struct clock_run *run, struct clock_state *s, int64_t at, bool counts) {
    if (counts == s->counts && (counts || s->last_paused_at)) return;
    if (s->counts) s->counted += counted_between(run, s->since, at);
    if (s->counts && s->due_at > at) s->due_at = 0;
    if (!counts) s->last_paused_at = s->counts || s->last_paused_at == 0 ? at : s->last_paused_at;
    s->stage = counts ? CLOCK_ACTIVE : CLOCK_PAUSED;
    s->counts = counts;
    s->since = at;
    if (counts && s->due_at == 0) s->due_at = counted_at(run, at, run->goal - s->counted);
}

/* The due time of a clock that has ended, and whose goal was not counted until then. */
static int64_t due_after_end(const struct clock_run *run, const struct clock_state *s) {
    int64_t counted = s->counted + (s->counts ? counted_between(run, s->since, s->completed_at) : 0);
    return counted_at(run, s->completed_at, run->goal - counted);
}

void clock_end(const struct clock_run *run, struct clock_state *s, int64_t at) {
    s->stage = CLOCK_COMPLETED;
    s->completed_at = at;
    if (s->due_at == 0) s->due_at = due_after_end(run, s);
}

void clock_resume(const struct clock_run *run, struct clock_state *s) {
    int64_t ended = s->completed_at;
    if (s->due_at > ended) s->due_at = 0;
    s->completed_at = 0;
    clock_turn(run, s, ended, false);
    s->stage = CLOCK_PAUSED;
}

bool clock_retarget(const struct clock_run *run, struct clock_state *s, bool same_hours) {
    if (s->since != s->started_at && (!same_hours || run->goal <= s->counted)) return false;
    s->due_at = s->counts ? counted_at(run, s->since, run->goal - s->counted) : 0;
    if (s->stage == CLOCK_COMPLETED && s->due_at == 0) s->due_at = due_after_end(run, s);
    return true;
}

struct clock_state clock_compute(const struct clock_run *given, const struct clock_period *periods, int n) {
    struct clock_run run = *given;
    struct clock_state s = clock_begin(&run);
    int64_t from, to;
    if (run.type == SLA_RESOLUTION) run.to = over_since(periods, n);
    for (int i = 0; i < n; i++)
        if (clip(&run, periods, n, i, &from, &to))
            clock_turn(&run, &s, from, periods[i].reason == CLOCK_RUNS);
    if (run.to != CLOCK_OPEN) clock_end(&run, &s, run.to);
    return s;
}

/* ---- explanations ---------------------------------------------------------------------------- */

struct telling {
    const struct clock_run *run;
    void (*tell)(void *arg, const struct clock_interval *i);
    void *arg;
    int told;
    int64_t elapsed;
};

static void tell_interval(struct telling *t, const struct clock_period *p, int64_t from, int64_t to,
                          enum clock_reason reason) {
    int64_t counted = reason == CLOCK_RUNS ? counted_between(t->run, from, to) : 0;
    t->tell(t->arg, &(struct clock_interval){from, to, counted, p->status_id, reason});
    t->told++;
    t->elapsed += counted;
}

/* Open and closed time of a period one after another. */
static void tell_hours(struct telling *t, const struct clock_period *p, int64_t from, int64_t to) {
    int64_t until;
    for (; from < to && t->told < CLOCK_INTERVALS; from = until) {
        enum business_stretch kind = business_stretch_at(t->run->hours, from, to, &until);
        tell_interval(t, p, from, until,
                      kind == BUSINESS_OPEN      ? CLOCK_RUNS
                      : kind == BUSINESS_HOLIDAY ? CLOCK_HOLIDAY
                                                 : CLOCK_CLOSED_HOURS);
    }
    if (from < to) tell_interval(t, p, from, to, CLOCK_RUNS);
}

int64_t clock_explain(const struct clock_run *given, const struct clock_period *periods, int n, int64_t now,
                      void (*tell)(void *arg, const struct clock_interval *i), void *arg) {
    struct clock_run run = *given;
    struct telling t = {.run = &run, .tell = tell, .arg = arg};
    int64_t from, to;
    if (run.type == SLA_RESOLUTION) run.to = over_since(periods, n);
    if (run.to > now) run.to = now;
    for (int i = 0; i < n; i++) {
        if (!clip(&run, periods, n, i, &from, &to)) continue;
        if (periods[i].reason == CLOCK_RUNS && run.in_business_hours && run.hours)
            tell_hours(&t, &periods[i], from, to);
        else tell_interval(&t, &periods[i], from, to, periods[i].reason);
    }
    return t.elapsed;
}
