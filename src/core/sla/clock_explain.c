#include "core/sla/clock_explain.h"

#include "core/sla/clock_history.h"
#include "json/json.h"

static void interval_keep(void *arg, const struct clock_interval *i) {
    struct clock_explained *e = arg;
    e->intervals = arena_more(e->arena, e->intervals, e->count, &e->room, sizeof *e->intervals);
    e->intervals[e->count++] = *i;
}

/* Sets the intervals of *e. */
static void explain_intervals(struct work *w, const struct clocked_case *c, const struct clock_run *run,
                              struct clock_explained *e) {
    e->arena = w->arena;
    e->elapsed = clock_explain(run, c->periods, c->period_count, w->now, interval_keep, e);
}

static void explain_run(struct work *w, const struct clocked_case *c, const struct clock_run *run,
                        const struct clock_target *target, struct clock_explained *e) {
    *e = (struct clock_explained){.type = run->type,
                                  .hours = target->hours,
                                  .target_id = target->id,
                                  .goal = run->goal,
                                  .state = clock_compute(run, c->periods, c->period_count),
                                  .is_current = true};
    int64_t end = e->state.completed_at ? e->state.completed_at : w->now;
    e->is_breached = e->state.due_at && e->state.due_at < end;
    explain_intervals(w, c, run, e);
}

/* ---- former runs ----------------------------------------------------------------------------- */

#define FORMER_RUNS 100 /* the last ones are shown */
QUERY(former_runs,
      "SELECT s.type, s.sla_target_id, x.goal_in_seconds, x.operational_hours, "
      "s.started_at, COALESCE(s.due_at, 0), COALESCE(s.last_paused_at, 0), s.completed_at, s.is_breached "
      "FROM sla_runs s JOIN sla_targets x ON x.id = s.sla_target_id "
      "WHERE s.case_id = :case AND s.type = :type "
      "ORDER BY s.started_at DESC LIMIT :most");

/* The due time and the breach are those of that time. */
static struct clock_explained former_run(struct stmt *row) {
    return (struct clock_explained){
        .type = (enum sla_target_type)col_int(row, 0),
        .target_id = col_int(row, 1),
        .goal = col_int(row, 2) * TIME_SECOND,
        .hours = (enum sla_hours)col_int(row, 3),
        .state = {CLOCK_COMPLETED, col_int(row, 4), col_int(row, 5), col_int(row, 6), col_int(row, 7)},
        .is_breached = col_int(row, 8) != 0,
    };
}

/* Returns the number of former runs in *out, the oldest first, or a negative error. */
static int former_runs_read(struct work *w, int64_t case_id, struct clock_explained *out) {
    int rc, n = 0;
    const struct bind *binds =
        BINDS(B_INT("case", case_id), B_INT("type", SLA_NEXT_REPLY), B_INT("most", FORMER_RUNS));
    DB_ROWS(rc, w->conn, &former_runs, binds, row) out[n++] = former_run(row);
    TRY(rc);
    for (int i = 0; i < n / 2; i++) {
        struct clock_explained newer = out[i];
        out[i] = out[n - 1 - i];
        out[n - 1 - i] = newer;
    }
    return n;
}

static void explain_former(struct work *w, const struct clock_means *m, const struct clocked_case *c,
                           struct clock_explained *e) {
    struct clock_run run = {
        .type = e->type, .from = e->state.started_at, .to = e->state.completed_at, .goal = e->goal};
    run.in_business_hours = e->hours == SLA_BUSINESS_HOURS;
    if (run.in_business_hours) run.hours = clock_time_of(m, c->team_id);
    explain_intervals(w, c, &run, e);
}

/* Appends the current runs to the former ones, in the order of types. Returns the number of all. */
static int explain_current(struct work *w, const struct clock_means *m, const struct clocked_case *c,
                           struct clock_explained *out, int former) {
    struct clock_run runs[CLOCK_TYPES];
    const struct clock_target *targets[CLOCK_TYPES];
    int n = c->version_id ? clock_runs(m, c, runs, targets) : 0, first = n && runs[0].type < SLA_NEXT_REPLY;
    if (first) {
        for (int i = former; i; i--) out[i] = out[i - 1];
        explain_run(w, c, &runs[0], targets[0], &out[0]);
    }
    for (int i = first; i < n; i++) explain_run(w, c, &runs[i], targets[i], &out[former + i]);
    return former + n;
}

/* Computes the intervals of the former runs, and the current runs. Returns the number of all. */
static int explain_all(struct work *w, const struct clock_settings *settings, const struct clocked_case *c,
                       struct clock_explained *out, int former) {
    struct clock_means means;
    clock_means_begin(w, settings, &means);
    for (int i = 0; i < former; i++) explain_former(w, &means, c, &out[i]);
    int n = explain_current(w, &means, c, out, former);
    clock_means_end(w, &means);
    return n;
}

int clocks_explain(struct work *w, int64_t case_id, struct clock_explained **out) {
    struct clocked_cases cases;
    const struct clock_settings *settings;
    TRY(clocked_cases_read(w, &case_id, 1, &cases));
    if (cases.count == 0) return 0;
    *out = arena_array(w->arena, FORMER_RUNS + CLOCK_TYPES, sizeof **out);
    TRY(clock_settings_hold(w, cases.generation, &settings));
    int rc = clock_history_read(w, settings, &case_id, 1, &cases);
    if (rc >= 0) rc = former_runs_read(w, case_id, *out);
    if (rc >= 0) rc = explain_all(w, settings, cases.list, *out, rc);
    kept_set_drop(settings);
    return rc;
}
