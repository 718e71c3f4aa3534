/* SLA clocks of conversations, and their explanation. */
#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "core/sla/clock_explain.h"
#include "res/groups.h"

static const struct route no_metric_routes[] = {{0}};

/* ---- targets of versions --------------------------------------------------------------------- */

static const struct field version_target_fields[] = {
    {"priority", F_REF, READONLY, .ref = "case_priority",
     .doc = "Priority of the conversations. Null: all without a target of their "
            "own."},
    {"type", F_WORD, READONLY, .words = sla_target_types,
     .doc = "FIRST_REPLY_TIME, NEXT_REPLY_TIME or RESOLUTION_TIME.", .example = "\"FIRST_REPLY_TIME\""},
    {"goal_in_seconds", F_INT, READONLY, .doc = "Time until the clock must stop.", .example = "3600"},
    {"operational_hours", F_WORD, READONLY, .words = sla_hours, .doc = "BUSINESS_HOURS or CALENDAR_HOURS.",
     .example = "\"BUSINESS_HOURS\""},
    {"*", .group = row_times},
    {0},
};

const struct resource sla_version_target_resource = {
    .type = "sla_version_target",
    .scope = "conversations configuration",
    .title = "Targets of SLA versions",
    .doc = "A goal as it was when its SLA was attached to a conversation.",
    .table = "sla_targets",
    .where = "t.sla_version_id IS NOT NULL",
    .fields = version_target_fields,
    .routes = no_metric_routes,
    .visible = access_staff,
    .unlogged = "the targets of a version never change"};

/* ---- metrics --------------------------------------------------------------------------------- */

#define TYPE_DOC "The clock: FIRST_REPLY_TIME, NEXT_REPLY_TIME or RESOLUTION_TIME."
#define STAGE_DOC "ACTIVE: the clock runs. PAUSED: it does not run. COMPLETED: its end is reached."
#define DUE_DOC "Time at which the goal is used up. Null while the clock is paused before that."

static const struct field metric_fields[] = {
    {"metric_type", F_WORD, READONLY, .column = "t.type", .words = sla_target_types, .doc = TYPE_DOC,
     .example = "\"FIRST_REPLY_TIME\""},
    {"stage", F_WORD, READONLY, .words = clock_stages, .doc = STAGE_DOC, .example = "\"ACTIVE\""},
    {"is_breached", F_BOOL, READONLY, .doc = "True if the goal was used up before the end."},
    {"target", F_REF, READONLY, .column = "t.sla_target_id", .ref = "sla_version_target",
     .doc = "Goal of the clock."},
    {"started_at", F_TIME, READONLY, .doc = "Start of the clock."},
    {"due_at", F_TIME, READONLY, .doc = DUE_DOC},
    {"last_paused_at", F_TIME, READONLY, .doc = "Time at which the clock was last paused. Null: never."},
    {"completed_at", F_TIME, READONLY, .doc = "Time at which the clock reached its end. Null: it has not."},
    {"*", .group = row_times},
    {0},
};

static void access_metrics(struct work *w, struct branches *out) {
    if (w->actor.rank >= ROLE_COLLABORATOR) access_timeline(w, out);
}

const struct resource sla_metric_resource = {
    .type = "sla_metric",
    .scope = "conversations",
    .title = "SLA metrics",
    .doc = "The clocks of a conversation: at most one of each type, of "
           "NEXT_REPLY_TIME the last run.",
    .table = "sla_metrics",
    .fields = metric_fields,
    .routes = no_metric_routes,
    .visible = access_metrics,
    .owned_order = "t.type",
    .unlogged = "clocks follow from the changes of their conversation"};

/* ---- explanations ---------------------------------------------------------------------------- */

static const struct field explanation_fields[] = {
    {"metric_type", F_WORD, READONLY, .words = sla_target_types, .doc = TYPE_DOC,
     .example = "\"FIRST_REPLY_TIME\""},
    {"stage", F_WORD, READONLY, .words = clock_stages, .doc = STAGE_DOC, .example = "\"ACTIVE\""},
    {"is_breached", F_BOOL, READONLY, .doc = "True if the goal was used up before the end."},
    {"is_current", F_BOOL, READONLY,
     .doc =
         "False for a former run of NEXT_REPLY_TIME. Its times and its breach are those that the clock had "
         "then. The last 100 are shown."},
    {"target", F_REF, READONLY, .ref = "sla_version_target", .doc = "Goal of the clock."},
    {"operational_hours", F_WORD, READONLY, .words = sla_hours, .doc = "BUSINESS_HOURS or CALENDAR_HOURS.",
     .example = "\"BUSINESS_HOURS\""},
    {"goal_in_seconds", F_INT, READONLY, .doc = "The goal.", .example = "3600"},
    {"elapsed_in_seconds", F_INT, READONLY, .doc = "Time that counted so far: the sum over the intervals.",
     .example = "1800"},
    {"started_at", F_TIME, READONLY, .doc = "Start of the clock."},
    {"due_at", F_TIME, READONLY, .doc = DUE_DOC},
    {"completed_at", F_TIME, READONLY, .doc = "Time at which the clock reached its end. Null: it has not."},
    {"intervals", F_JSON, READONLY,
     .doc = "The time from the start to the end or now, in order. `counts` says if the interval counts, "
            "`reason` why: RUNNING, STATUS_PAUSED (the status is not is_sla_active), COMPLETED (or closed), "
            "NOT_ACTIVE (in the trash, suspended or merged), OUTSIDE_BUSINESS_HOURS or HOLIDAY. After 500 "
            "intervals, business hours are summed up: then counted_in_seconds is less than the length of a "
            "RUNNING interval.",
     .example = "[{\"from\": \"2026-11-21T09:30:00+00:00\", \"to\": \"2026-11-21T10:00:00+00:00\", "
                "\"counts\": true, \"reason\": \"RUNNING\", \"status\": \"New\", \"counted_in_seconds\": "
                "1800}]"},
    {0},
};

QUERY(status_labels, "SELECT s.id, s.label FROM case_statuses s ORDER BY s.id");

struct status_label {
    int64_t id;
    struct str label;
};

static int status_labels_read(struct work *w, struct status_label **out) {
    int rc, n = 0, room = 0;
    *out = NULL;
    DB_ROWS(rc, w->conn, &status_labels, NULL, row) {
        *out = arena_more(w->arena, *out, n, &room, sizeof **out);
        (*out)[n++] = (struct status_label){col_int(row, 0), str_dup(w->arena, col_text(row, 1))};
    }
    return rc < 0 ? rc : n;
}

static void write_interval(struct json_writer *w, const struct clock_interval *i, int64_t seconds,
                           const struct status_label *labels, int n) {
    struct str label = {0};
    for (int k = 0; k < n; k++)
        if (labels[k].id == i->status_id) label = labels[k].label;
    jw_object(w);
    jw_key(w, S("from"));
    jw_time(w, i->from);
    jw_key(w, S("to"));
    jw_time(w, i->to);
    jw_key(w, S("counts"));
    jw_bool(w, i->reason == CLOCK_RUNS);
    jw_key(w, S("reason"));
    jw_str(w, str_of(word_of(clock_reasons, i->reason)));
    jw_key(w, S("status"));
    jw_str(w, label);
    jw_key(w, S("counted_in_seconds"));
    jw_int(w, seconds);
    jw_end(w);
}

/* Seconds are rounded so that their sum is the rounded sum. */
static struct str intervals_text(struct work *work, const struct clock_explained *e,
                                 const struct status_label *labels, int n) {
    struct buf b = {0};
    struct json_writer w;
    int64_t sum = 0;
    jw_init(&w, &b);
    jw_array(&w);
    for (int i = 0; i < e->count; i++) {
        int64_t before = sum / TIME_SECOND;
        sum += e->intervals[i].counted;
        write_interval(&w, &e->intervals[i], sum / TIME_SECOND - before, labels, n);
    }
    jw_end(&w);
    return buf_take(&b, work->arena);
}

static void cell_set(struct row *row, const char *name, int64_t v) {
    if (v) *row_cell(row, name) = (struct value){V_INT, .i = v};
}

static struct row *explanation_row(struct view *v, const struct clock_explained *e, struct str intervals) {
    struct row *row = row_new(v, layout_of(v->c->resource), 0);
    cell_set(row, "metric_type", e->type);
    cell_set(row, "stage", e->state.stage);
    *row_cell(row, "is_breached") = (struct value){V_INT, .i = e->is_breached};
    *row_cell(row, "is_current") = (struct value){V_INT, .i = e->is_current};
    cell_set(row, "target", e->target_id);
    cell_set(row, "operational_hours", e->hours);
    cell_set(row, "goal_in_seconds", e->goal / TIME_SECOND);
    *row_cell(row, "elapsed_in_seconds") = (struct value){V_INT, .i = e->elapsed / TIME_SECOND};
    cell_set(row, "started_at", e->state.started_at);
    cell_set(row, "due_at", e->state.due_at);
    cell_set(row, "completed_at", e->state.completed_at);
    *row_cell(row, "intervals") = value_text(intervals);
    return row;
}

static int explanation_rows(struct call *c, struct view *v, struct str name, struct row **out) {
    struct clock_explained *list;
    struct status_label *labels;
    (void)name; /* there is no read of a single clock */
    int n = clocks_explain(&c->work, c->vars[0].id, &list);
    TRY(n);
    int count = status_labels_read(&c->work, &labels);
    TRY(count);
    for (int i = 0; i < n; i++, out = &(*out)->next)
        *out = explanation_row(v, &list[i], intervals_text(&c->work, &list[i], labels, count));
    return 0;
}

static int get_sla_explanation(struct call *c) {
    TRY(api_of(c));
    return api_list(c);
}

static const struct route explanation_routes[] = {
    {GET, "/cases/:id/sla/explain", COL_PLUS, "conversations", LIST_COUNT, get_sla_explanation, .of = "case",
     .summary = "Explain the SLA clocks of a conversation",
     .doc = "Each clock with the intervals that counted or not. They are computed from the history of the "
            "conversation, its present target and the present business hours. The list is empty if no SLA "
            "is attached."},
    {0},
};

const struct resource sla_explanation_resource = {
    .type = "sla_explanation",
    .scope = "conversations",
    .title = "Explanations of SLA clocks",
    .doc = "Intervals that an SLA clock counted or left out, with reasons.",
    .fields = explanation_fields,
    .routes = explanation_routes,
    .rows = explanation_rows,
    .is_item = true};
