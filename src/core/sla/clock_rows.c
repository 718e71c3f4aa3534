#include "core/sla/clock_rows.h"

#include "core/desk/job.h"
#include "core/sla/sla_warning.h"
#include "json/json.h"

#include <inttypes.h>

/* ---- reading --------------------------------------------------------------------------------- */

#define CLOCKED                                                                                      \
    "SELECT k.id, k.created_at, COALESCE(k.sla_version_id, 0), COALESCE(k.priority_id, 0), "         \
    "COALESCE(k.assigned_team_id, 0), k.status_id, k.state, COALESCE(k.status_changed_at, 0), "      \
    "k.agent_message_count, g.generation, g.epoch, COALESCE(m.id, 0), m.type, m.sla_target_id, "     \
    "m.stage, m.started_at, m.due_at, m.last_paused_at, m.completed_at, m.counts, m.since, "         \
    "m.counted, m.is_breached, m.breached_at, m.updated_at, m.epoch "                                \
    "FROM cases k JOIN clock_generations g ON g.id = 1 LEFT JOIN sla_metrics m ON m.case_id = k.id " \
    "WHERE k.state <> 5 AND k.id "
QUERY(clocked_one, CLOCKED "= :id ORDER BY m.type");
QUERY(clocked_several, CLOCKED "IN @LIST(:ids) ORDER BY k.id, m.type");

static struct clocked_case clocked_case_at(struct stmt *row) {
    return (struct clocked_case){.id = col_int(row, 0),
                                 .created_at = col_int(row, 1),
                                 .version_id = col_int(row, 2),
                                 .priority_id = col_int(row, 3),
                                 .team_id = col_int(row, 4),
                                 .status_id = col_int(row, 5),
                                 .state = col_int(row, 6),
                                 .status_changed_at = col_int(row, 7),
                                 .replies = col_int(row, 8)};
}

static struct metric metric_at(struct stmt *row) {
    return (struct metric){.case_id = col_int(row, 0),
                           .id = col_int(row, 11),
                           .type = (enum sla_target_type)col_int(row, 12),
                           .target_id = col_int(row, 13),
                           .state = {.stage = (enum clock_stage)col_int(row, 14),
                                     .started_at = col_int(row, 15),
                                     .due_at = col_int(row, 16),
                                     .last_paused_at = col_int(row, 17),
                                     .completed_at = col_int(row, 18),
                                     .counts = col_int(row, 19) != 0,
                                     .since = col_int(row, 20),
                                     .counted = col_int(row, 21)},
                           .is_breached = col_int(row, 22) != 0,
                           .breached_at = col_int(row, 23),
                           .updated_at = col_int(row, 24),
                           .epoch = col_int(row, 25)};
}

static void clocked_row_add(struct work *w, struct clocked_cases *out, struct stmt *row) {
    if (out->count == 0 || out->list[out->count - 1].id != col_int(row, 0)) {
        out->list = arena_more(w->arena, out->list, out->count, &out->room, sizeof *out->list);
        out->list[out->count++] = clocked_case_at(row);
        out->generation = col_int(row, 9);
        out->epoch = col_int(row, 10);
    }
    struct clocked_case *c = &out->list[out->count - 1];
    if (col_int(row, 11) && c->metric_count < CLOCK_TYPES) c->metrics[c->metric_count++] = metric_at(row);
}

int clocked_cases_read(struct work *w, const int64_t *ids, int n, struct clocked_cases *out) {
    int rc;
    struct str list = n > 1 ? json_ids(w->arena, ids, (size_t)n) : (struct str){0};
    *out = (struct clocked_cases){0};
    if (n == 0) return 0;
    DB_ROWS(rc, w->conn, n > 1 ? &clocked_several : &clocked_one,
            BINDS(B_INT("id", ids[0]), B_TEXT("ids", list)), row)
    clocked_row_add(w, out, row);
    return rc;
}

struct clocked_case *clocked_case_find(const struct clocked_cases *cases, int64_t id) {
    int low = 0, high = cases->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (cases->list[middle].id < id) low = middle + 1;
        else high = middle;
    }
    return low < cases->count && cases->list[low].id == id ? &cases->list[low] : NULL;
}

static const struct metric *metric_of(const struct metric *list, int count, enum sla_target_type type) {
    for (int i = 0; i < count; i++)
        if (list[i].type == type) return &list[i];
    return NULL;
}

const struct metric *clocked_metric(const struct clocked_case *c, enum sla_target_type type) {
    return metric_of(c->metrics, c->metric_count, type);
}

/* ---- writing --------------------------------------------------------------------------------- */

#define METRICS_INTO                                                                          \
    "INSERT INTO sla_metrics (case_id, type, sla_target_id, stage, started_at, due_at, "      \
    "last_paused_at, completed_at, counts, since, counted, is_breached, breached_at, epoch, " \
    "updated_at, created_at) "
#define METRICS_OVER                                                                                   \
    " ON CONFLICT (case_id, type) DO UPDATE SET sla_target_id = excluded.sla_target_id, "              \
    "stage = excluded.stage, started_at = excluded.started_at, due_at = excluded.due_at, "             \
    "last_paused_at = excluded.last_paused_at, completed_at = excluded.completed_at, "                 \
    "counts = excluded.counts, since = excluded.since, counted = excluded.counted, "                   \
    "is_breached = excluded.is_breached, breached_at = excluded.breached_at, epoch = excluded.epoch, " \
    "updated_at = excluded.updated_at"
/* The metrics of one conversation are bound, those of many come as JSON. */
#define METRIC(n)                                                                                 \
    "(:case" n ", :type" n ", :target" n ", :stage" n ", :started" n ", :due" n ", :paused" n     \
    ", :completed" n ", :counts" n ", :since" n ", :counted" n ", :is_breached" n ", :breached" n \
    ", :epoch" n ", :updated" n ", :now" n ")"
#define CELL(n) "CAST(r.value ->> " n " AS BIGINT)"
#define CELL_WORD(n) "CAST(r.value ->> " n " AS INTEGER)"
#define CELLS_OF_RUN CELL("0") ", " CELL_WORD("1") ", " CELL("2")
#define CELLS_TO_DUE CELLS_OF_RUN ", " CELL_WORD("3") ", " CELL("4") ", " CELL("5")
#define CELLS_OF_COUNT CELL("6") ", " CELL("7") ", " CELL_WORD("8") ", " CELL("9") ", " CELL("10")
#define CELLS_OF_BREACH CELL_WORD("11") ", " CELL("12") ", " CELL("13") ", " CELL("14") ", " CELL("15")
QUERY(metrics_put_1, METRICS_INTO "VALUES " METRIC("1") METRICS_OVER);
QUERY(metrics_put_2, METRICS_INTO "VALUES " METRIC("1") ", " METRIC("2") METRICS_OVER);
QUERY(metrics_put_3, METRICS_INTO "VALUES " METRIC("1") ", " METRIC("2") ", " METRIC("3") METRICS_OVER);
QUERY(metrics_put, METRICS_INTO "SELECT " CELLS_TO_DUE ", " CELLS_OF_COUNT ", " CELLS_OF_BREACH
                                " FROM @ROWS(:rows) r WHERE 1 = 1" METRICS_OVER);
QUERY(metrics_drop, "DELETE FROM sla_metrics WHERE id IN @LIST(:ids)");

#define CELLS_OF_END CELL("4") ", " CELL("5") ", " CELL("6") ", " CELL("7")
QUERY(runs_put, "INSERT INTO sla_runs (case_id, type, sla_target_id, started_at, due_at, "
                "last_paused_at, completed_at, is_breached, breached_at, created_at) "
                "SELECT " CELLS_OF_RUN ", " CELLS_OF_END ", " CELL_WORD("11") ", " CELL("12") ", " CELL(
                    "15") " FROM @ROWS(:rows) r "
                          "WHERE 1 = 1 ON CONFLICT (case_id, type, started_at) DO NOTHING");
QUERY(
    runs_drop,
    "DELETE FROM sla_runs WHERE id IN (SELECT s.id FROM @ROWS(:rows) r JOIN sla_runs s ON s.case_id = " CELL(
        "0") " AND s.type = " CELL_WORD("1") " AND s.started_at >= " CELL("4") ")");

/* Rows for one statement. */
struct metric_rows {
    struct metric *list;
    int count, room;
};

struct metric_writes {
    struct work *w;
    struct metric_rows put, over, back; /* metrics that differ; former runs; starts of runs that are none */
    int64_t *gone;                      /* ids of metrics */
    int gone_count, gone_room;
};

struct metric_writes *metric_writes_new(struct work *w) {
    struct metric_writes *m = ARENA_NEW(w->arena, struct metric_writes);
    *m = (struct metric_writes){.w = w};
    return m;
}

static void rows_add(struct metric_writes *m, struct metric_rows *r, const struct metric *row) {
    r->list = arena_more(m->w->arena, r->list, r->count, &r->room, sizeof *r->list);
    r->list[r->count++] = *row;
}

static void metric_cell(struct json_writer *j, int64_t v) {
    if (v) jw_int(j, v);
    else jw_null(j);
}

static void metric_json(struct json_writer *j, const struct metric *m, int64_t now) {
    const struct clock_state *s = &m->state;
    jw_array(j);
    jw_int(j, m->case_id);
    jw_int(j, m->type);
    jw_int(j, m->target_id);
    jw_int(j, s->stage);
    jw_int(j, s->started_at);
    metric_cell(j, s->due_at);
    metric_cell(j, s->last_paused_at);
    metric_cell(j, s->completed_at);
    jw_int(j, s->counts);
    jw_int(j, s->since);
    jw_int(j, s->counted);
    jw_int(j, m->is_breached);
    metric_cell(j, m->breached_at);
    jw_int(j, m->epoch);
    jw_int(j, m->updated_at);
    jw_int(j, now);
    jw_end(j);
}

static int rows_run(struct work *w, const struct metric_rows *r, const struct query *q) {
    struct buf text = {0};
    struct json_writer j;
    if (r->count == 0) return 0;
    jw_init(&j, &text);
    jw_array(&j);
    for (int i = 0; i < r->count; i++) metric_json(&j, &r->list[i], w->now);
    jw_end(&j);
    int rc = db_later(w->conn, q, BINDS(B_TEXT("rows", buf_view(&text))));
    buf_free(&text);
    return rc;
}

#define METRIC_BINDS(n, m, s)                                                                           \
    B_INT("case" n, (m)->case_id), B_INT("type" n, (m)->type), B_INT("target" n, (m)->target_id),       \
        B_INT("stage" n, (s)->stage), B_INT("started" n, (s)->started_at), B_ID("due" n, (s)->due_at),  \
        B_ID("paused" n, (s)->last_paused_at), B_ID("completed" n, (s)->completed_at),                  \
        B_INT("counts" n, (s)->counts), B_INT("since" n, (s)->since), B_INT("counted" n, (s)->counted), \
        B_INT("is_breached" n, (m)->is_breached), B_ID("breached" n, (m)->breached_at),                 \
        B_INT("epoch" n, (m)->epoch), B_INT("updated" n, (m)->updated_at), B_INT("now" n, now)

static int metrics_put_few(struct work *w, const struct metric_rows *r) {
    const struct metric *a = &r->list[0], *b = &r->list[r->count > 1], *c = &r->list[r->count - 1];
    int64_t now = w->now;
    static const struct query *const puts[] = {&metrics_put_1, &metrics_put_2, &metrics_put_3};
    struct bind binds[] = {METRIC_BINDS("1", a, &a->state),
                           METRIC_BINDS("2", b, &b->state),
                           METRIC_BINDS("3", c, &c->state),
                           {0}};
    /* a bind without a parameter is compared with all of them */
    binds[(size_t)r->count * (sizeof binds / sizeof *binds / CLOCK_TYPES)] = (struct bind){0};
    return db_later(w->conn, puts[r->count - 1], binds);
}

int metrics_write(struct metric_writes *m) {
    struct work *w = m->w;
    TRY(rows_run(w, &m->over, &runs_put));
    TRY(rows_run(w, &m->back, &runs_drop));
    if (m->put.count > CLOCK_TYPES) TRY(rows_run(w, &m->put, &metrics_put));
    else if (m->put.count) TRY(metrics_put_few(w, &m->put));
    if (m->gone_count == 0) return 0;
    struct str ids = json_ids(w->arena, m->gone, (size_t)m->gone_count);
    return db_later(w->conn, &metrics_drop, BINDS(B_TEXT("ids", ids)));
}

/* ---- breaches -------------------------------------------------------------------------------- */

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

/* Adds a job that raises a breach, because the rules of this work have run. */
static int breach_later(struct work *w, int64_t case_id, enum sla_target_type type, int64_t due_at) {
    int64_t job;
    struct str input = str_fmt(w->arena, "{\"case_id\":%" PRId64 ",\"type\":%d,\"due_at\":%" PRId64 "}",
                               case_id, (int)type, due_at);
    return job_add(w, JOB_BREACH, input, &job);
}

/* ---- former runs of the next reply -----------------------------------------------------------
 *
 * A run that is over becomes a row of sla_runs when (1) a later run takes its place, or (2) the
 * conversation loses the target. The row keeps the due time and the breach of that time. Rows from the
 * start of the last run on are deleted, because a message that ended or began a run may be undone. */

static bool run_is_over(const struct metric *before, const struct metric *now) {
    if (before == NULL || before->state.stage != CLOCK_COMPLETED) return false;
    return now == NULL || before->state.started_at < now->state.started_at;
}

/* Runs from the start of `now` on are none that are over. */
static bool run_goes_back(const struct metric *before, const struct metric *now) {
    return now && (before == NULL || now->state.started_at < before->state.started_at);
}

static void runs_replace(struct metric_writes *m, const struct clocked_case *c, const struct metric *now) {
    const struct metric *before = clocked_metric(c, SLA_NEXT_REPLY);
    if (run_is_over(before, now)) rows_add(m, &m->over, before);
    if (run_goes_back(before, now)) rows_add(m, &m->back, now);
    /* A conversation with an SLA whose history has no run of the next reply has no former run either. */
    if (before && c->version_id && c->period_count && c->asked_at == 0)
        rows_add(m, &m->back, &(struct metric){.case_id = c->id, .type = SLA_NEXT_REPLY});
}

/* ---- replacing ------------------------------------------------------------------------------- */

/* Returns whether the members that the API shows are equal. */
static bool metric_shows_same(const struct metric *a, const struct metric *b) {
    const struct clock_state *s = &a->state, *t = &b->state;
    return a->target_id == b->target_id && s->stage == t->stage && s->started_at == t->started_at &&
           s->due_at == t->due_at && s->last_paused_at == t->last_paused_at &&
           s->completed_at == t->completed_at && a->is_breached == b->is_breached &&
           a->breached_at == b->breached_at;
}

static bool metric_eq(const struct metric *a, const struct metric *b) {
    const struct clock_state *s = &a->state, *t = &b->state;
    return metric_shows_same(a, b) && s->counts == t->counts && s->since == t->since &&
           s->counted == t->counted && a->epoch == b->epoch;
}

int metrics_replace(struct metric_writes *m, const struct clocked_case *c, struct metric *computed,
                    int count) {
    struct work *w = m->w;
    for (int i = 0; i < count; i++) {
        const struct metric *old = clocked_metric(c, computed[i].type);
        if (breach_judge(&computed[i], old, w->now))
            TRY(breach_later(w, c->id, computed[i].type, computed[i].state.due_at));
        if (computed[i].state.stage != CLOCK_COMPLETED)
            sla_warning_judge(w, c->id, computed[i].state.due_at, old ? old->state.due_at : 0);
        computed[i].updated_at = old && metric_shows_same(&computed[i], old) ? old->updated_at : w->now;
        if (old == NULL || !metric_eq(&computed[i], old)) rows_add(m, &m->put, &computed[i]);
    }
    runs_replace(m, c, metric_of(computed, count, SLA_NEXT_REPLY));
    for (int i = 0; i < c->metric_count; i++) {
        if (metric_of(computed, count, c->metrics[i].type)) continue;
        m->gone = arena_more(w->arena, m->gone, m->gone_count, &m->gone_room, sizeof *m->gone);
        m->gone[m->gone_count++] = c->metrics[i].id;
    }
    return 0;
}
