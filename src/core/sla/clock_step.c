/* A clock follows from the history of its conversation, but nearly every write adds one event to the end of
 * that history. So a write continues the stored state: it reads the conversation and its metrics with one
 * statement, makes a step of core/sla/clock.h for each clock, and writes the rows that differ with another
 * statement. clock_compute makes the same steps for a whole history, so both ways agree. The property test
 * tests/api/clocks.steps.test.mjs compares them after each of many random writes, and deskd check compares
 * a whole desk.
 *
 * A row has what a step needs: since when the clock counts or stands still, and what was counted before. The
 * conversation has the rest: whether staff has replied (agent_message_count), and when its status or state
 * changed last (status_changed_at).
 *
 * All events of a write have the time of the write. The history has no period without length, so only the
 * status before and the status after the write matter, whatever lay between. A run that ends takes the time
 * until now in the status before. A run that begins starts in the status after. Another target comes first,
 * because it applies to the whole run.
 *
 * The history is read if steps can't decide:
 *
 *  1. Messages were moved by a merge or deleted by an undo, or the write has several messages.
 *  2. A row has another epoch than the desk: business hours, hours of a team or is_sla_active changed since
 *     it was computed, or an older version of deskd wrote it (core/sla/clock_settings.h).
 *  3. The write is not later than the state that it continues: two writes in one millisecond, or clocks of
 *     processes that differ. Then the order of the history decides, not that of the times.
 *  4. A clock is new, because the conversation has got another SLA or priority, and its past matters: the
 *     status has changed, or staff has replied.
 *  5. A clock that stood still before gets other hours, or a goal that was used up before its last stretch.
 *     The row has no times of the stretches before.
 *  6. The conversation was over before and after a write that changed the status several times: it may have
 *     been open between, which begins a new end.
 *  7. The row contradicts the status, without a change of the status. This is damage; the history repairs it.
 *
 * Explanations, jobs after changes of settings, and deskd check always read the history. */
#include "core/sla/clock_step.h"

struct clock_step {
    const struct clock_means *means;
    const struct clocked_case *c;
    const struct clock_events *e;
    int64_t now;
    bool counts, over; /* in the status after the write */
};

/* Begins a run in the status after the write. */
static struct clock_state run_begun(const struct clock_step *x, struct clock_run *run, int64_t from) {
    run->from = from;
    struct clock_state s = clock_begin(run);
    if (run->type == SLA_RESOLUTION && x->over) clock_end(run, &s, from);
    else clock_turn(run, &s, from, x->counts);
    return s;
}

/* Returns whether the next reply had a target before the write, so that a missing row means: no run. */
static bool next_reply_had_target(const struct clock_step *x) {
    if (!x->e->target) return true;
    if (x->c->metric_count == 0) return false;
    const struct clock_settings *s = x->means->settings;
    const struct clock_target *other = clock_target_of(s, x->c->metrics[0].target_id);
    return other && clock_target_for(s, other->version_id, 0, SLA_NEXT_REPLY) != NULL;
}

/* A clock without a row. Returns 1 if it begins, 0 if not, or CLOCKS_UNDECIDED. */
static int step_absent(const struct clock_step *x, struct clock_run *run, struct clock_state *s) {
    const struct clocked_case *c = x->c;
    if (run->type == SLA_NEXT_REPLY) {
        if (c->replies == 0) return 0;
        if (!next_reply_had_target(x)) return CLOCKS_UNDECIDED;
        if (!x->e->asked) return 0;
        *s = run_begun(x, run, x->now);
        return 1;
    }
    if (c->status_changed_at > c->created_at) return CLOCKS_UNDECIDED;
    if (run->type == SLA_FIRST_REPLY && c->replies) return CLOCKS_UNDECIDED;
    *s = run_begun(x, run, c->created_at);
    return 1;
}

static bool same_hours(const struct clock_step *x, enum sla_hours before, enum sla_hours after) {
    if (before != after) return false;
    if (after != SLA_BUSINESS_HOURS || !x->e->team) return true;
    const struct clock_settings *s = x->means->settings;
    return clock_hours_of(s, x->e->team_before) == clock_hours_of(s, x->c->team_id);
}

/* Gives a stored clock its present goal and hours. Returns false if the history must decide. */
static bool step_target(const struct clock_step *x, const struct clock_target *t, const struct metric *old,
                        const struct clock_run *run, struct clock_state *s) {
    const struct clock_target *before =
        t->id == old->target_id ? t : clock_target_of(x->means->settings, old->target_id);
    bool same = before && same_hours(x, before->hours, t->hours);
    return (same && before->goal == t->goal) || clock_retarget(run, s, same);
}

/* A clock that has ended goes on only if it measures the resolution, and the conversation was reopened. */
static bool step_ended(const struct clock_step *x, const struct clock_run *run, struct clock_state *s) {
    if (run->type != SLA_RESOLUTION) return true;
    if (x->over) return x->e->turns < 2;
    if (x->e->turns == 0 || x->now <= s->completed_at) return false;
    clock_resume(run, s);
    clock_turn(run, s, x->now, x->counts);
    return true;
}

static bool step_open(const struct clock_step *x, const struct clock_run *run, struct clock_state *s) {
    bool ends = run->type == SLA_RESOLUTION ? x->over : x->e->replied;
    bool caused = x->e->turns || (ends && run->type != SLA_RESOLUTION);
    if (!ends && s->counts == x->counts) return true;
    if (!caused || x->now <= s->since) return false;
    if (ends) clock_end(run, s, x->now);
    else clock_turn(run, s, x->now, x->counts);
    return true;
}

/* A clock with a row. Returns 1 or CLOCKS_UNDECIDED. */
static int step_stored(const struct clock_step *x, const struct clock_target *t, const struct metric *old,
                       struct clock_run *run, struct clock_state *s) {
    *s = old->state;
    run->from = s->started_at;
    if (run->type == SLA_NEXT_REPLY && x->e->asked && s->stage == CLOCK_COMPLETED) {
        if (x->now <= s->completed_at) return CLOCKS_UNDECIDED;
        *s = run_begun(x, run, x->now);
        return 1;
    }
    if (!step_target(x, t, old, run, s)) return CLOCKS_UNDECIDED;
    bool decided = s->stage == CLOCK_COMPLETED ? step_ended(x, run, s) : step_open(x, run, s);
    return decided ? 1 : CLOCKS_UNDECIDED;
}

/* Returns whether the stored state is the one before the write. */
static bool continues(const struct clock_step *x, int64_t epoch) {
    if (x->e->history || x->e->messages > 1) return false;
    if (x->now < x->c->created_at || x->c->status_changed_at > x->now) return false;
    for (int i = 0; i < x->c->metric_count; i++)
        if (x->c->metrics[i].epoch != epoch) return false;
    return true;
}

int clocks_step(const struct clock_means *m, const struct clocked_case *c, int64_t epoch,
                const struct clock_events *e, int64_t now, struct metric out[CLOCK_TYPES]) {
    enum clock_reason reason = clock_reason_of(m->settings, c->status_id, c->state);
    struct clock_step x = {m, c, e, now, reason == CLOCK_RUNS, reason == CLOCK_OVER};
    int n = 0;
    if (!continues(&x, epoch)) return CLOCKS_UNDECIDED;
    for (enum sla_target_type type = SLA_FIRST_REPLY; type <= SLA_RESOLUTION; type++) {
        const struct clock_target *t = clock_target_for(m->settings, c->version_id, c->priority_id, type);
        if (t == NULL) continue;
        const struct metric *old = clocked_metric(c, type);
        struct clock_run run = clock_run_of(m, c, t);
        struct clock_state s;
        int rc = old ? step_stored(&x, t, old, &run, &s) : step_absent(&x, &run, &s);
        if (rc < 0) return rc;
        if (rc)
            out[n++] = (struct metric){
                .case_id = c->id, .type = type, .target_id = t->id, .state = s, .epoch = epoch};
    }
    return n;
}
