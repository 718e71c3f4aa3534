/* The clocks of conversations in one write: by steps (core/sla/clock_step.h), or from their history. Only
 * breached_at is neither: it says that the breach of this run was raised. */
#include "core/sla/clocks.h"

#include "core/sla/clock_step.h"

/* ---- computing ------------------------------------------------------------------------------- */

/* The metrics of a conversation whose history was read. Returns their number. */
static int metrics_compute(const struct clock_means *m, const struct clocked_case *c, int64_t epoch,
                           struct metric out[CLOCK_TYPES]) {
    struct clock_run runs[CLOCK_TYPES];
    const struct clock_target *targets[CLOCK_TYPES];
    int n = c->version_id ? clock_runs(m, c, runs, targets) : 0;
    for (int i = 0; i < n; i++)
        out[i] = (struct metric){.case_id = c->id,
                                 .type = runs[i].type,
                                 .target_id = targets[i]->id,
                                 .state = clock_compute(&runs[i], c->periods, c->period_count),
                                 .epoch = epoch};
    return n;
}

/* What the metrics of a conversation become. count: their number, or CLOCKS_UNDECIDED. */
struct computed {
    struct metric metrics[CLOCK_TYPES];
    int count;
};

struct updating {
    struct work *w;
    const struct clock_settings *settings;
    struct clocked_cases cases;
    struct computed *made; /* parallel to the conversations */
};

static void update_by_steps(struct updating *u, const struct clock_events *events, int n) {
    struct clock_means means;
    clock_means_begin(u->w, u->settings, &means);
    for (int i = 0, at = 0; i < u->cases.count; i++) {
        struct clocked_case *c = &u->cases.list[i];
        while (at < n && events[at].case_id < c->id) at++;
        u->made[i].count = clocks_step(&means, c, u->cases.epoch, &events[at], u->w->now, u->made[i].metrics);
    }
    clock_means_end(u->w, &means);
}

/* Computes the undecided ones from their history. */
static int update_by_history(struct updating *u) {
    struct work *w = u->w;
    struct clock_means means;
    int64_t *ids = arena_array(w->arena, (size_t)u->cases.count + 1, sizeof *ids);
    int n = 0;
    for (int i = 0; i < u->cases.count; i++)
        if (u->made[i].count == CLOCKS_UNDECIDED) ids[n++] = u->cases.list[i].id;
    if (n == 0) return 0;
    TRY(clock_history_read(w, u->settings, ids, n, &u->cases));
    clock_means_begin(w, u->settings, &means);
    for (int i = 0; i < u->cases.count; i++)
        if (u->made[i].count == CLOCKS_UNDECIDED)
            u->made[i].count = metrics_compute(&means, &u->cases.list[i], u->cases.epoch, u->made[i].metrics);
    clock_means_end(w, &means);
    return 0;
}

static int update_write(struct updating *u) {
    struct metric_writes *writes = metric_writes_new(u->w);
    for (int i = 0; i < u->cases.count; i++)
        TRY(metrics_replace(writes, &u->cases.list[i], u->made[i].metrics, u->made[i].count));
    return metrics_write(writes);
}

/* events: parallel to ids; NULL: from the history. */
static int clocks_update_cases(struct work *w, const int64_t *ids, const struct clock_events *events, int n) {
    struct updating u = {.w = w};
    TRY(clocked_cases_read(w, ids, n, &u.cases));
    if (u.cases.count == 0) return 0;
    u.made = arena_array(w->arena, (size_t)u.cases.count, sizeof *u.made);
    TRY(clock_settings_hold(w, u.cases.generation, &u.settings));
    for (int i = 0; i < u.cases.count; i++) u.made[i].count = CLOCKS_UNDECIDED;
    if (events) update_by_steps(&u, events, n);
    int rc = update_by_history(&u);
    kept_set_drop(u.settings);
    return rc < 0 ? rc : update_write(&u);
}

int clocks_update(struct work *w, const struct clock_events *events, int n) {
    int64_t *ids = arena_array(w->arena, (size_t)n + 1, sizeof *ids);
    for (int i = 0; i < n; i++) ids[i] = events[i].case_id;
    return clocks_update_cases(w, ids, events, n);
}

int clocks_recompute(struct work *w, const int64_t *ids, int n) {
    return clocks_update_cases(w, ids, NULL, n);
}

/* ---- the check ------------------------------------------------------------------------------- */

static bool state_follows(const struct clock_state *s, const struct clock_state *t) {
    return s->counts == t->counts && s->since == t->since && s->counted == t->counted;
}

/* A clock whose conversation is completed keeps its due time when business hours change, so only its other
 * members are compared. So is a clock of an earlier epoch, whose next step is made from the history. The
 * sweep sets the breach of an open clock, so it is not compared, either. */
static bool metric_follows(const struct metric *stored, const struct metric *made, bool settled) {
    const struct clock_state *s = &stored->state, *t = &made->state;
    if (s->stage != t->stage || s->started_at != t->started_at || s->completed_at != t->completed_at)
        return false;
    if (stored->epoch == made->epoch && !state_follows(s, t)) return false;
    if (settled && stored->epoch != made->epoch) return true;
    bool late = t->due_at && t->completed_at > t->due_at;
    return s->due_at == t->due_at && s->last_paused_at == t->last_paused_at &&
           stored->target_id == made->target_id &&
           (t->stage != CLOCK_COMPLETED || stored->is_breached == late);
}

static bool all_completed(const struct clocked_case *c) {
    for (int i = 0; i < c->metric_count; i++)
        if (c->metrics[i].state.stage != CLOCK_COMPLETED) return false;
    return true;
}

typedef void clock_report(void *arg, int64_t case_id, int64_t type);

static int metrics_compare(const struct clocked_case *c, const struct metric *made, int n,
                           clock_report *report, void *arg) {
    int found = 0;
    for (enum sla_target_type type = SLA_FIRST_REPLY; type <= SLA_RESOLUTION; type++) {
        const struct metric *stored = clocked_metric(c, type), *m = NULL;
        for (int i = 0; i < n; i++)
            if (made[i].type == type) m = &made[i];
        if (stored == NULL && m == NULL) continue;
        if (stored && m && metric_follows(stored, m, all_completed(c))) continue;
        report(arg, c->id, type);
        found++;
    }
    return found;
}

QUERY(clocked_ids,
      "SELECT k.id FROM cases k "
      "WHERE k.id > :after AND k.state <> 5 AND (k.sla_version_id IS NOT NULL OR EXISTS (SELECT 1 "
      "FROM sla_metrics m WHERE m.case_id = k.id)) "
      "ORDER BY k.id LIMIT 1000");

static int clocks_check_some(struct work *w, const struct clock_settings *settings, const int64_t *ids, int n,
                             clock_report *report, void *arg) {
    struct clocked_cases cases;
    struct clock_means means;
    struct metric made[CLOCK_TYPES];
    int found = 0;
    TRY(clocked_cases_read(w, ids, n, &cases));
    TRY(clock_history_read(w, settings, ids, n, &cases));
    clock_means_begin(w, settings, &means);
    for (int i = 0; i < cases.count; i++) {
        int count = metrics_compute(&means, &cases.list[i], cases.epoch, made);
        found += metrics_compare(&cases.list[i], made, count, report, arg);
    }
    clock_means_end(w, &means);
    return found;
}

int clocks_check(struct work *w, clock_report *report, void *arg) {
    int found = 0, n, rc = 0;
    int64_t *ids, after = 0;
    const struct clock_settings *settings;
    TRY(clock_settings_hold_now(w, &settings));
    do {
        struct arena_mark mark = arena_mark(w->arena);
        n = db_ids(w->conn, &clocked_ids, BINDS(B_INT("after", after)), w->arena, &ids);
        if (n > 0) {
            after = ids[n - 1];
            rc = clocks_check_some(w, settings, ids, n, report, arg);
            found += rc;
        }
        arena_return(w->arena, mark);
    } while (n > 0 && rc >= 0);
    kept_set_drop(settings);
    if (n < 0) return n;
    return rc < 0 ? rc : found;
}
