/* The rows of clocks are written from their history, never from their former values. So it does not matter
 * how often or in which order changes are told. Only breached_at is kept: it says that the breach of this
 * run was raised. */
#include "core/sla/clocks.h"

#include "core/desk/job.h"
#include "core/sla/clock_history.h"
#include "json/json.h"

#include <inttypes.h>

/* A row of sla_metrics. Times: 0: none. */
struct metric {
    int64_t id, case_id, type, target_id;
    struct clock_state state;
    bool is_breached;
    int64_t breached_at;
    bool wanted;
};

QUERY(metrics_of_cases,
      "SELECT m.id, m.case_id, m.type, m.sla_target_id, m.stage, m.started_at, COALESCE(m.due_at, "
      "0), COALESCE(m.last_paused_at, 0), COALESCE(m.completed_at, 0), "
      "m.is_breached, COALESCE(m.breached_at, 0) "
      "FROM sla_metrics m WHERE m.case_id IN @LIST(:ids) "
      "ORDER BY m.case_id, m.type");
#define CELL(n) "CAST(r.value ->> " n " AS BIGINT)"
#define CELL_WORD(n) "CAST(r.value ->> " n " AS INTEGER)"
#define CELLS_OF_ROW                                                                                \
    CELL("0")                                                                                       \
    ", " CELL_WORD("1") ", " CELL("2") ", " CELL_WORD("3") ", " CELL("4") ", " CELL("5") ", " CELL( \
        "6") ", " CELL("7") ", " CELL_WORD("8") ", " CELL("9")
QUERY(metrics_put, "INSERT INTO sla_metrics (case_id, type, sla_target_id, stage, started_at, due_at, "
                   "last_paused_at, completed_at, is_breached, breached_at, created_at, updated_at) "
                   "SELECT " CELLS_OF_ROW ", CAST(:now AS BIGINT), CAST(:now AS BIGINT) "
                   "FROM @ROWS(:rows) r WHERE 1 = 1 "
                   "ON CONFLICT (case_id, type) DO UPDATE "
                   "SET sla_target_id = excluded.sla_target_id, "
                   "stage = excluded.stage, started_at = excluded.started_at, "
                   "due_at = excluded.due_at, "
                   "last_paused_at = excluded.last_paused_at, "
                   "completed_at = excluded.completed_at, "
                   "is_breached = excluded.is_breached, "
                   "breached_at = excluded.breached_at, "
                   "updated_at = excluded.updated_at");
QUERY(metrics_drop, "DELETE FROM sla_metrics WHERE id IN @LIST(:ids)");

/* The same cells without the stage. */
#define CELLS_OF_RUN                                                                           \
    CELL("0")                                                                                  \
    ", " CELL_WORD("1") ", " CELL("2") ", " CELL("4") ", " CELL("5") ", " CELL("6") ", " CELL( \
        "7") ", " CELL_WORD("8") ", " CELL("9")
QUERY(runs_put, "INSERT INTO sla_runs (case_id, type, sla_target_id, started_at, due_at, "
                "last_paused_at, completed_at, is_breached, breached_at, created_at) "
                "SELECT " CELLS_OF_RUN ", CAST(:now AS BIGINT) FROM @ROWS(:rows) r "
                "WHERE 1 = 1 ON CONFLICT (case_id, type, started_at) DO NOTHING");
QUERY(
    runs_drop,
    "DELETE FROM sla_runs WHERE id IN (SELECT s.id FROM @ROWS(:rows) r JOIN sla_runs s ON s.case_id = " CELL(
        "0") " AND s.type = " CELL_WORD("1") " AND s.started_at >= " CELL("4") ")");

struct metrics {
    struct metric *list; /* by case, then type */
    int count, room;
};

static int metrics_read(struct work *w, struct str ids, struct metrics *out) {
    int rc;
    *out = (struct metrics){0};
    DB_ROWS(rc, w->conn, &metrics_of_cases, BINDS(B_TEXT("ids", ids)), row) {
        out->list = arena_more(w->arena, out->list, out->count, &out->room, sizeof *out->list);
        out->list[out->count++] =
            (struct metric){.id = col_int(row, 0),
                            .case_id = col_int(row, 1),
                            .type = col_int(row, 2),
                            .target_id = col_int(row, 3),
                            .state = {(enum clock_stage)col_int(row, 4), col_int(row, 5), col_int(row, 6),
                                      col_int(row, 7), col_int(row, 8)},
                            .is_breached = col_int(row, 9) != 0,
                            .breached_at = col_int(row, 10)};
    }
    return rc;
}

static struct metric *metric_find(const struct metrics *m, int64_t case_id, int64_t type) {
    int low = 0, high = m->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const struct metric *x = &m->list[middle];
        if (x->case_id < case_id || (x->case_id == case_id && x->type < type)) low = middle + 1;
        else high = middle;
    }
    return low < m->count && m->list[low].case_id == case_id && m->list[low].type == type ? &m->list[low]
                                                                                          : NULL;
}

static bool metric_eq(const struct metric *a, const struct metric *b) {
    const struct clock_state *s = &a->state, *t = &b->state;
    return a->target_id == b->target_id && s->stage == t->stage && s->started_at == t->started_at &&
           s->due_at == t->due_at && s->last_paused_at == t->last_paused_at &&
           s->completed_at == t->completed_at && a->is_breached == b->is_breached &&
           a->breached_at == b->breached_at;
}

/* Decides about the breach. `old`: the row now; NULL: none. An open clock is breached once the sweep has
 * raised the breach. A run that was completed too late is breached at once; the breach is still to be
 * raised (returns true), unless the row is new: a late reply of the past broke no promise that existed
 * then. */
static bool breach_judge(struct metric *m, const struct metric *old, int64_t now) {
    bool same_run = old && old->state.started_at == m->state.started_at;
    m->breached_at = same_run ? old->breached_at : 0;
    if (m->state.stage != CLOCK_COMPLETED) {
        m->is_breached = m->breached_at && m->state.due_at && m->state.due_at < now;
        return false;
    }
    m->is_breached = m->state.due_at && m->state.completed_at > m->state.due_at;
    if (!m->is_breached || m->breached_at) return false;
    m->breached_at = now;
    return same_run;
}

/* ---- computing ------------------------------------------------------------------------------- */

/* The clocks of all conversations of the history. */
static struct metrics metrics_compute(struct work *w, const struct clock_history *h,
                                      struct calendars *calendars) {
    struct metrics all = {0};
    struct clock_run runs[CLOCK_TYPES];
    const struct clock_target *targets[CLOCK_TYPES];
    calendars_lock(calendars);
    for (int i = 0; i < h->count; i++) {
        const struct clocked_case *c = &h->cases[i];
        int n = clock_runs(h, c, calendars, runs, targets);
        for (int k = 0; k < n; k++) {
            all.list = arena_more(w->arena, all.list, all.count, &all.room, sizeof *all.list);
            all.list[all.count++] =
                (struct metric){.case_id = c->id,
                                .type = runs[k].type,
                                .target_id = targets[k]->id,
                                .state = clock_compute(&runs[k], c->periods, c->period_count)};
        }
    }
    calendars_unlock(calendars);
    return all;
}

/* ---- storing --------------------------------------------------------------------------------- */

static void metric_cell(struct json_writer *w, int64_t v) {
    if (v) jw_int(w, v);
    else jw_null(w);
}

static void metric_write(struct json_writer *w, const struct metric *m) {
    jw_array(w);
    jw_int(w, m->case_id);
    jw_int(w, m->type);
    jw_int(w, m->target_id);
    jw_int(w, m->state.stage);
    jw_int(w, m->state.started_at);
    metric_cell(w, m->state.due_at);
    metric_cell(w, m->state.last_paused_at);
    metric_cell(w, m->state.completed_at);
    jw_int(w, m->is_breached);
    metric_cell(w, m->breached_at);
    jw_end(w);
}

/* Rows for one statement. */
struct metric_rows {
    struct buf text;
    struct json_writer w;
    int count;
};

static void rows_begin(struct metric_rows *r) {
    *r = (struct metric_rows){0};
    jw_init(&r->w, &r->text);
    jw_array(&r->w);
}

static void rows_add(struct metric_rows *r, const struct metric *m) {
    metric_write(&r->w, m);
    r->count++;
}

/* Runs the statement if there are rows. rc: the result so far. */
static int rows_end(struct work *w, struct metric_rows *r, const struct query *q, int rc) {
    jw_end(&r->w);
    if (rc >= 0 && r->count)
        rc = db_exec(w->conn, q, BINDS(B_TEXT("rows", buf_view(&r->text)), B_INT("now", w->now)));
    buf_free(&r->text);
    return rc;
}

int breach_later(struct work *w, int64_t case_id, enum sla_target_type type, int64_t due_at) {
    int64_t job;
    struct str input = str_fmt(w->arena, "{\"case_id\":%" PRId64 ",\"type\":%d,\"due_at\":%" PRId64 "}",
                               case_id, (int)type, due_at);
    return job_add(w, JOB_BREACH, input, &job);
}

static int metrics_store(struct work *w, const struct metrics *made, struct metrics *old) {
    struct metric_rows rows;
    int rc = 0;
    rows_begin(&rows);
    for (int i = 0; i < made->count && rc >= 0; i++) {
        struct metric *m = &made->list[i], *before = metric_find(old, m->case_id, m->type);
        if (breach_judge(m, before, w->now))
            rc = breach_later(w, m->case_id, (enum sla_target_type)m->type, m->state.due_at);
        if (before) before->wanted = true;
        if (before == NULL || !metric_eq(m, before)) rows_add(&rows, m);
    }
    return rows_end(w, &rows, &metrics_put, rc);
}

static int metrics_remove(struct work *w, const struct metrics *old) {
    int64_t *ids = arena_array(w->arena, (size_t)old->count + 1, sizeof *ids);
    size_t n = 0;
    for (int i = 0; i < old->count; i++)
        if (!old->list[i].wanted) ids[n++] = old->list[i].id;
    return n ? db_exec(w->conn, &metrics_drop, BINDS(B_TEXT("ids", json_ids(w->arena, ids, n)))) : 0;
}

/* ---- former runs of the next reply -----------------------------------------------------------
 *
 * A run that is over becomes a row of sla_runs when (1) a later run takes its place, or (2) the
 * conversation loses the target. The row keeps the due time and the breach of that time. Rows from the
 * start of the last run on are deleted, because a message that ended or began a run may be undone. */

static bool run_is_over(const struct metric *before, const struct metric *now) {
    if (before->type != SLA_NEXT_REPLY || before->state.stage != CLOCK_COMPLETED) return false;
    return now == NULL || before->state.started_at < now->state.started_at;
}

/* Runs from the start of `m` on are none that are over. */
static bool run_goes_back(const struct metric *m, const struct metric *before) {
    return m->type == SLA_NEXT_REPLY && (before == NULL || m->state.started_at < before->state.started_at);
}

static int runs_keep(struct work *w, const struct metrics *made, const struct metrics *old) {
    struct metric_rows rows;
    rows_begin(&rows);
    for (int i = 0; i < old->count; i++)
        if (run_is_over(&old->list[i], metric_find(made, old->list[i].case_id, SLA_NEXT_REPLY)))
            rows_add(&rows, &old->list[i]);
    return rows_end(w, &rows, &runs_put, 0);
}

/* After runs_keep. A conversation with an SLA whose history has no run of the next reply has no former run
 * either. */
static int runs_forget(struct work *w, const struct clock_history *h, const struct metrics *made,
                       const struct metrics *old) {
    struct metric_rows rows;
    rows_begin(&rows);
    for (int i = 0; i < made->count; i++)
        if (run_goes_back(&made->list[i], metric_find(old, made->list[i].case_id, made->list[i].type)))
            rows_add(&rows, &made->list[i]);
    for (int i = 0; i < h->count; i++)
        if (h->cases[i].asked_at == 0 && metric_find(old, h->cases[i].id, SLA_NEXT_REPLY))
            rows_add(&rows, &(struct metric){.case_id = h->cases[i].id, .type = SLA_NEXT_REPLY});
    return rows_end(w, &rows, &runs_drop, 0);
}

int clocks_recompute(struct work *w, struct str ids) {
    struct clock_history h;
    struct metrics old;
    TRY(metrics_read(w, ids, &old));
    TRY(clock_history_read(w, ids, false, &h));
    struct calendars *calendars = clock_calendars_begin(w);
    struct metrics made = metrics_compute(w, &h, calendars);
    clock_calendars_end(w, calendars);
    TRY(runs_keep(w, &made, &old));
    TRY(runs_forget(w, &h, &made, &old));
    TRY(metrics_store(w, &made, &old));
    return metrics_remove(w, &old);
}

/* ---- the check ------------------------------------------------------------------------------- */

/* A clock whose conversation is completed keeps its due time when business hours change, so only its other
 * members are compared. The sweep sets the breach of an open clock, so it is not compared, either. */
static bool metric_follows(const struct metric *stored, const struct metric *made, bool settled) {
    const struct clock_state *s = &stored->state, *t = &made->state;
    if (s->stage != t->stage || s->started_at != t->started_at || s->completed_at != t->completed_at)
        return false;
    if (settled) return true;
    bool late = t->due_at && t->completed_at > t->due_at;
    return s->due_at == t->due_at && s->last_paused_at == t->last_paused_at &&
           stored->target_id == made->target_id &&
           (t->stage != CLOCK_COMPLETED || stored->is_breached == late);
}

static bool all_completed(const struct metrics *m, int64_t case_id) {
    for (int64_t type = SLA_FIRST_REPLY; type <= SLA_RESOLUTION; type++) {
        const struct metric *x = metric_find(m, case_id, type);
        if (x && x->state.stage != CLOCK_COMPLETED) return false;
    }
    return true;
}

typedef void clock_report(void *arg, int64_t case_id, int64_t type);

static int metrics_compare(const struct metrics *stored, const struct metrics *made, clock_report *report,
                           void *arg) {
    int found = 0;
    for (int i = 0; i < made->count; i++) {
        const struct metric *m = &made->list[i];
        struct metric *x = metric_find(stored, m->case_id, m->type);
        if (x) x->wanted = true;
        if (x && metric_follows(x, m, all_completed(stored, m->case_id))) continue;
        report(arg, m->case_id, m->type);
        found++;
    }
    for (int i = 0; i < stored->count; i++) {
        if (stored->list[i].wanted) continue;
        report(arg, stored->list[i].case_id, stored->list[i].type);
        found++;
    }
    return found;
}

QUERY(clocked_ids,
      "SELECT k.id FROM cases k "
      "WHERE k.id > :after AND k.state <> 5 AND (k.sla_version_id IS NOT NULL OR EXISTS (SELECT 1 "
      "FROM sla_metrics m WHERE m.case_id = k.id)) "
      "ORDER BY k.id LIMIT 1000");

int clocks_check(struct work *w, clock_report *report, void *arg) {
    int found = 0, n;
    int64_t *ids, after = 0;
    struct calendars *calendars = clock_calendars_begin(w);
    do {
        struct arena_mark mark = arena_mark(w->arena);
        struct clock_history h;
        struct metrics stored;
        n = db_ids(w->conn, &clocked_ids, BINDS(B_INT("after", after)), w->arena, &ids);
        if (n <= 0) break;
        after = ids[n - 1];
        struct str list = json_ids(w->arena, ids, (size_t)n);
        int rc = metrics_read(w, list, &stored);
        if (rc >= 0) rc = clock_history_read(w, list, false, &h);
        if (rc >= 0) {
            struct metrics made = metrics_compute(w, &h, calendars);
            found += metrics_compare(&stored, &made, report, arg);
        } else n = rc;
        arena_return(w->arena, mark);
    } while (n > 0);
    clock_calendars_end(w, calendars);
    return n < 0 ? n : found;
}
