#include "core/rules/clock_explain.h"

#include "core/rules/clock_history.h"
#include "json/json.h"

static void interval_keep(void *arg, const struct clock_interval *i) {
    struct clock_explained *e = arg;
    e->intervals = arena_more(e->arena, e->intervals, e->count, &e->room, sizeof *e->intervals);
    e->intervals[e->count++] = *i;
}

static struct clock_explained explain_run(struct work *w, const struct clocked_case *c, const struct clock_run *run,
                                          const struct clock_target *target) {
    struct clock_explained e = {.type = run->type,
                                .hours = target->hours,
                                .target_id = target->id,
                                .goal = run->goal,
                                .state = clock_compute(run, c->periods, c->period_count),
                                .arena = w->arena};
    int64_t end = e.state.completed_at ? e.state.completed_at : w->now;
    e.is_breached = e.state.due_at && e.state.due_at < end;
    e.elapsed = clock_explain(run, c->periods, c->period_count, w->now, interval_keep, &e);
    return e;
}

int clocks_explain(struct work *w, int64_t case_id, struct clock_explained **out) {
    struct clock_history h;
    struct clock_run runs[CLOCK_TYPES];
    const struct clock_target *targets[CLOCK_TYPES];
    TRY(clock_history_read(w, json_ids(w->arena, &case_id, 1), &h));
    *out = arena_array(w->arena, CLOCK_TYPES, sizeof **out);
    if (h.count == 0) return 0;
    struct calendars *calendars = clock_calendars_begin(w);
    calendars_lock(calendars);
    int n = clock_runs(&h, h.cases, calendars, runs, targets);
    for (int i = 0; i < n; i++) (*out)[i] = explain_run(w, h.cases, &runs[i], targets[i]);
    calendars_unlock(calendars);
    clock_calendars_end(w, calendars);
    return n;
}
