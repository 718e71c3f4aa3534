/* Reports by the names that existing clients call: a period compared with the one before it. They are series
 * of the metrics (docs/REPORTS.md). */
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "core/words.h"
#include "json/json.h"
#include "res/report.h"

/* A number of a report. */
enum line_method { LINE_VALUE, LINE_MEAN, LINE_REPLIES, LINE_FIRST_CONTACT };
struct line {
    const char *name; /* NULL ends the list */
    int metric;
    enum line_method method;
};

enum { LINES_MAX = 6, DAYS_MAX = 31 };

static const struct comparison {
    const char *type;            /* of the resource */
    enum report_dimension group; /* BY_ALL: lines are those of the table; else each group is one */
    bool is_list, has_series;
    struct line lines[LINES_MAX];
} comparisons[] = {
    {"report_case_metrics",
     BY_ALL,
     true,
     false,
     {{"total_created", METRIC_CREATED, LINE_VALUE},
      {"total_public_replies", METRIC_REPLIES, LINE_VALUE},
      {"average_first_response_time", METRIC_FIRST_RESPONSE, LINE_MEAN},
      {"average_replies_to_resolution", METRIC_RESOLUTION, LINE_REPLIES},
      {"percentage_first_contact_resolved", METRIC_RESOLUTION, LINE_FIRST_CONTACT}}},
    {"report_cases_completion", BY_ALL, false, true, {{"total_completed", METRIC_COMPLETED, LINE_VALUE}}},
    {"report_case_csat", BY_ALL, false, true, {{"average_csat", METRIC_SATISFACTION, LINE_VALUE}}},
    {"report_case_resolution",
     BY_ALL,
     false,
     true,
     {{"average_resolution_time", METRIC_RESOLUTION, LINE_MEAN}}},
    {"report_case_response",
     BY_ALL,
     false,
     true,
     {{"average_first_response_time", METRIC_FIRST_RESPONSE, LINE_MEAN}}},
    {"report_case_channel", BY_CHANNEL, true, true, {{"total_created", METRIC_CREATED, LINE_VALUE}}},
    {"report_sla_overview", BY_ALL, false, true, {{"percentage_kept", METRIC_SLA, LINE_VALUE}}},
    {"report_sla_performance",
     BY_ALL,
     true,
     true,
     {{"FIRST_REPLY_TIME", METRIC_SLA_FIRST_REPLY, LINE_VALUE},
      {"NEXT_REPLY_TIME", METRIC_SLA_NEXT_REPLY, LINE_VALUE},
      {"RESOLUTION_TIME", METRIC_SLA_RESOLUTION, LINE_VALUE}}},
    {"report_sla_target", BY_SLA, true, true, {{"percentage_kept", METRIC_SLA, LINE_VALUE}}},
};

/* ---- numbers --------------------------------------------------------------------------------- */

static int64_t replies_of(const struct series_cell *cell) {
    int64_t n = 0;
    for (int i = 0; i < FACT_PARTS; i++) n += i * cell->parts[i];
    return n;
}

/* Clients of these reports take no null: without events a number is 0. */
static double line_number(const struct line *l, const struct series_cell *cell) {
    double value = 0, n = cell->n ? (double)cell->n : 1;
    switch (l->method) {
    case LINE_MEAN: return cell->sum / n;
    case LINE_REPLIES: return (double)replies_of(cell) / n;
    case LINE_FIRST_CONTACT: return 100.0 * (double)parts_sum(cell->parts, 3U) / n;
    default: return metric_value(&report_metrics[l->metric], cell, NULL, &value) ? value : 0;
    }
}

/* ---- the report ------------------------------------------------------------------------------ */

struct compared {
    struct line line;
    int64_t key;                     /* of the group; 0: none, or the rest */
    struct series_group now, before; /* a group that one period lacks has no cells */
};

struct comparing {
    const struct comparison *report;
    struct buckets buckets, before;
    bool by_week;
    struct compared *list;
    int count, room;
};

/* Days or weeks from the start of the period, each of the same length. So both periods have equally many. */
static void comparing_steps(struct arena *a, int64_t start, int64_t end, int64_t step, struct buckets *out) {
    int n = (int)((end - start + step - 1) / step);
    out->starts = arena_array(a, (size_t)n + 1, sizeof *out->starts);
    for (int i = 0; i < n; i++) out->starts[i] = start + i * step;
    out->starts[n] = end;
    out->count = n;
}

static struct compared *comparing_add(struct work *w, struct comparing *r, struct line line,
                                      const struct series_group *g) {
    r->list = arena_more(w->arena, r->list, r->count, &r->room, sizeof *r->list);
    r->list[r->count] = (struct compared){.line = line, .key = g->key};
    return &r->list[r->count++];
}

QUERY(sla_titles, "SELECT s.id, s.title FROM slas s WHERE s.id IN @LIST(:ids)");

/* Names the groups by their channels or by the titles of their SLAs, all others OTHER. */
static int groups_name(struct work *w, struct comparing *r) {
    int64_t *ids = arena_array(w->arena, (size_t)r->count + 1, sizeof *ids);
    int rc;
    for (int i = 0; i < r->count; i++) {
        struct compared *c = &r->list[i];
        const char *channel = r->report->group == BY_CHANNEL ? word_of(post_channels, c->key) : NULL;
        c->line.name = channel ? channel : "OTHER";
        ids[i] = c->key;
    }
    if (r->report->group != BY_SLA) return 0;
    DB_ROWS(rc, w->conn, &sla_titles, BINDS(B_TEXT("ids", json_ids(w->arena, ids, (size_t)r->count))), row)
    for (int i = 0; i < r->count; i++)
        if (ids[i] == col_int(row, 0)) r->list[i].line.name = str_dup(w->arena, col_text(row, 1)).p;
    return rc;
}

static const struct series_group *same_group(const struct series *s, const struct series_group *g) {
    for (int i = 0; i < s->group_count; i++)
        if (s->groups[i].key == g->key && s->groups[i].is_rest == g->is_rest) return &s->groups[i];
    return NULL;
}

/* Groups of either period, those of this one first. */
static void comparing_groups(struct work *w, struct comparing *r, const struct line *line,
                             const struct series *now, const struct series *before) {
    for (int i = 0; i < now->group_count; i++) {
        const struct series_group *g = &now->groups[i], *former = same_group(before, g);
        struct compared *c = comparing_add(w, r, *line, g);
        c->now = *g;
        if (former) c->before = *former;
    }
    for (int i = 0; i < before->group_count; i++) {
        const struct series_group *g = &before->groups[i];
        if (same_group(now, g) == NULL) comparing_add(w, r, *line, g)->before = *g;
    }
}

/* A report without a series needs one step, which splits no hours. */
static struct buckets steps_needed(struct arena *a, const struct comparison *report,
                                   const struct buckets *steps) {
    if (report->has_series) return *steps;
    int64_t *starts = arena_array(a, 2, sizeof *starts);
    starts[0] = steps->starts[0], starts[1] = steps->starts[steps->count];
    return (struct buckets){starts, 1};
}

/* Lines of one metric follow each other and are read once. */
static int comparing_read(struct work *w, struct comparing *r) {
    struct series now = {0}, before = {0};
    int metric = -1;
    for (const struct line *l = r->report->lines; l < r->report->lines + LINES_MAX && l->name; l++) {
        struct series_ask ask = {.metric = l->metric,
                                 .group = r->report->group,
                                 .hours = REPORT_CALENDAR,
                                 .buckets = steps_needed(w->arena, r->report, &r->buckets),
                                 .no_percentiles = true};
        if (l->metric != metric) {
            TRY(series_read(w, &ask, &now));
            ask.buckets = steps_needed(w->arena, r->report, &r->before);
            TRY(series_read(w, &ask, &before));
            metric = l->metric;
        }
        comparing_groups(w, r, l, &now, &before);
    }
    return r->report->group == BY_ALL ? 0 : groups_name(w, r);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void write_numbers(struct json_writer *w, const struct line *l, const struct series_group *g,
                          int count) {
    static const struct series_cell none = {0};
    jw_array(w);
    for (int i = 0; i < count; i++) report_number(w, true, line_number(l, g->cells ? &g->cells[i] : &none));
    jw_end(w);
}

static void write_compared_series(struct view *v, const struct comparing *r, const struct compared *c) {
    struct json_writer *w = &v->w;
    jw_object(w);
    jw_key(w, S("name"));
    jw_str(w, str_of(c->line.name));
    jw_key(w, S("data"));
    write_numbers(w, &c->line, &c->now, r->buckets.count);
    jw_key(w, S("previous"));
    write_numbers(w, &c->line, &c->before, r->before.count);
    jw_key(w, S("resource_type"));
    view_type(v, "report_series_comparison");
    jw_end(w);
}

/* From nothing to something is 100 percent. */
static double delta_percent(double now, double before) {
    if (before > 0) return 100.0 * (now - before) / before;
    return now > 0 ? 100 : 0;
}

static void write_compared_value(struct view *v, const struct comparing *r, const struct compared *c) {
    struct json_writer *w = &v->w;
    double now = line_number(&c->line, &c->now.total), before = line_number(&c->line, &c->before.total);
    (void)r;
    jw_object(w);
    jw_key(w, S("name"));
    jw_str(w, str_of(c->line.name));
    jw_key(w, S("value"));
    report_number(w, true, now);
    jw_key(w, S("delta_percent"));
    report_number(w, true, delta_percent(now, before));
    jw_key(w, S("previous"));
    report_number(w, true, before);
    jw_key(w, S("resource_type"));
    view_type(v, "report_value_comparison");
    jw_end(w);
}

/* One object, or a list of them. */
static void write_compared(struct view *v, void (*write)(struct view *v, const struct comparing *r,
                                                         const struct compared *c)) {
    const struct comparing *r = v->c->prepared;
    if (!r->report->is_list) {
        write(v, r, &r->list[0]);
        return;
    }
    jw_array(&v->w);
    for (int i = 0; i < r->count; i++) write(v, r, &r->list[i]);
    jw_end(&v->w);
}

static void render_compared_series(struct view *v, const struct row *row, const struct value *own) {
    const struct comparing *r = v->c->prepared;
    (void)row, (void)own;
    if (r->report->has_series) write_compared(v, write_compared_series);
    else jw_null(&v->w);
}

static void render_compared_metric(struct view *v, const struct row *row, const struct value *own) {
    (void)row, (void)own;
    write_compared(v, write_compared_value);
}

static const struct word comparison_intervals[] = {{EVERY_DAY, "DAY"}, {EVERY_WEEK, "WEEK"}, {0}};

#define COMPARISON_FIELDS(series_doc, series_example, metric_doc, metric_example)                            \
    {                                                                                                        \
        {"start_at", F_TIME, READONLY, .doc = "Start of the period."},                                       \
            {"end_at", F_TIME, READONLY, .doc = "End of the period."},                                       \
            {"previous_start_at", F_TIME, READONLY,                                                          \
             .doc = "Start of the previous period, which has the same length."},                             \
            {"previous_end_at", F_TIME, READONLY, .doc = "End of the previous period."},                     \
            {"interval", F_WORD, READONLY, .words = comparison_intervals,                                    \
             .doc = "Length of the steps from the start of the period: DAY up to 31 days, otherwise WEEK."}, \
            {"interval_count", F_INT, READONLY, .doc = "Number of steps.", .example = "30"},                 \
            {"series",          F_COMPUTED,                                                                  \
             READONLY,          .render = render_compared_series,                                            \
             .doc = series_doc, .example = series_example},                                                  \
            {"metric",          F_COMPUTED,                                                                  \
             READONLY,          .render = render_compared_metric,                                            \
             .doc = metric_doc, .example = metric_example},                                                  \
        {                                                                                                    \
            0                                                                                                \
        }                                                                                                    \
    }
#define SERIES_DOC "name, and a number for each step of both periods: data and previous"
#define VALUE_DOC "name, value, delta_percent and previous, for whole periods"
#define SERIES_EXAMPLE                                                                            \
    "{\"name\": \"total_completed\", \"data\": [4, 7], \"previous\": [5, 3], \"resource_type\": " \
    "\"report_series_comparison\"}"
#define VALUE_EXAMPLE                                                                           \
    "{\"name\": \"total_completed\", \"value\": 11, \"delta_percent\": 37.5, \"previous\": 8, " \
    "\"resource_type\": \"report_value_comparison\"}"

static const struct field one_fields[] =
    COMPARISON_FIELDS(SERIES_DOC ".", SERIES_EXAMPLE, VALUE_DOC ".", VALUE_EXAMPLE);
static const struct field list_fields[] =
    COMPARISON_FIELDS("A list of " SERIES_DOC ". Null if the report has values only.", "[" SERIES_EXAMPLE "]",
                      "A list of " VALUE_DOC ".", "[" VALUE_EXAMPLE "]");

static const struct comparison *comparison_of(const char *type) {
    const struct comparison *k = comparisons;
    while (strcmp(k->type, type) != 0) k++;
    return k;
}

static int get_comparison(struct call *c) {
    struct comparing *r = c->prepared = ARENA_NEW(c->work.arena, struct comparing);
    int64_t start, end;
    TRY(api_input(c));
    TRY(report_period(c, &start, &end));
    r->report = comparison_of(c->resource->type);
    r->by_week = end - start > DAYS_MAX * TIME_DAY;
    int64_t step = r->by_week ? 7 * TIME_DAY : TIME_DAY, length = end - start;
    if (length / step >= SERIES_GROUPED_BUCKETS)
        return fail_field(&c->work, ERR_FIELD_INVALID, S("start_at"),
                          "The period has more than %d weeks. Choose a shorter one.", SERIES_GROUPED_BUCKETS);
    comparing_steps(c->work.arena, start, end, step, &r->buckets);
    comparing_steps(c->work.arena, start - length, start, step, &r->before);
    TRY(comparing_read(&c->work, r));
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    *row_cell(row, "start_at") = (struct value){V_INT, .i = start};
    *row_cell(row, "end_at") = (struct value){V_INT, .i = end};
    report_describe_previous(row, start, end);
    *row_cell(row, "interval") = (struct value){V_INT, .i = r->by_week ? EVERY_WEEK : EVERY_DAY};
    *row_cell(row, "interval_count") = (struct value){V_INT, .i = r->buckets.count};
    TRY(view_follow(v, row));
    return envelope_row(v, row);
}

#define COMPARISON_ROUTES(named, at, says)                                                                  \
    static const struct route named[] = {{GET, at, COL_PLUS, "insights", ONE, get_comparison,               \
                                          .is_heavy = true, .permission = "insights.access",                \
                                          .executor = POOL, .lane = LANE_READ, .follows = &report_follower, \
                                          .args = report_period_args, .summary = says},                     \
                                         {0}}
COMPARISON_ROUTES(metrics_routes, "/insights/cases/metrics", "Get numbers of conversations");
COMPARISON_ROUTES(completed_routes, "/insights/cases/completed", "Get completed conversations");
COMPARISON_ROUTES(csat_routes, "/insights/cases/csat", "Get satisfaction");
COMPARISON_ROUTES(resolution_routes, "/insights/cases/resolution", "Get the time to the resolution");
COMPARISON_ROUTES(response_routes, "/insights/cases/response", "Get the time to the first response");
COMPARISON_ROUTES(channel_routes, "/insights/cases/channel", "Get new conversations by channel");
COMPARISON_ROUTES(overview_routes, "/insights/sla/overview", "Get the part of SLA clocks that was kept");
COMPARISON_ROUTES(performance_routes, "/insights/sla/performance", "Get kept SLA clocks by target");
COMPARISON_ROUTES(target_routes, "/insights/sla/target", "Get kept SLA clocks by SLA");

#define COMPARISON(of, its_fields, called, says, its) \
    { .type = of, .scope = "insights", .title = called, .doc = says, .fields = its_fields, .routes = its }

const struct resource report_case_metrics_resource =
    COMPARISON("report_case_metrics", list_fields, "Numbers of conversations",
               "Numbers of a period and the one before.", metrics_routes);
const struct resource report_cases_completion_resource =
    COMPARISON("report_cases_completion", one_fields, "Completed conversations",
               "Changes of the status to COMPLETED or CLOSED.", completed_routes);
const struct resource report_case_csat_resource =
    COMPARISON("report_case_csat", one_fields, "Satisfaction",
               "Percentage of good ratings among the newest ones.", csat_routes);
const struct resource report_case_resolution_resource =
    COMPARISON("report_case_resolution", one_fields, "Resolution",
               "Average time from the creation to the last completion.", resolution_routes);
const struct resource report_case_response_resource =
    COMPARISON("report_case_response", one_fields, "First response",
               "Average time to the first reply of staff.", response_routes);
const struct resource report_case_channel_resource =
    COMPARISON("report_case_channel", list_fields, "Conversations by channel",
               "New conversations by channel, the most frequent first.", channel_routes);
const struct resource report_sla_overview_resource =
    COMPARISON("report_sla_overview", one_fields, "Conversations by SLA",
               "Percentage of kept clocks among those that are over.", overview_routes);
const struct resource report_sla_performance_resource =
    COMPARISON("report_sla_performance", list_fields, "SLAs by target", "The same by type of target.",
               performance_routes);
const struct resource report_sla_target_resource =
    COMPARISON("report_sla_target", list_fields, "SLAs by policy",
               "The same by SLA, those with the most clocks first.", target_routes);
