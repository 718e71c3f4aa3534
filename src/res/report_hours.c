/* A report by weekday and hour (docs/REPORTS.md). */
#include "api/rows/csv.h"
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "res/report.h"

struct week {
    struct series_ask ask;
    const struct report_metric *metric;
    struct series series;
};

static const struct series_cell *cell_of(const struct week *k, int day, int hour) {
    return &k->series.groups[0].cells[24 * day + hour];
}

static void write_hour_value(struct json_writer *w, const struct week *k, const struct series_cell *cell) {
    double value;
    bool known = metric_value(k->metric, cell, NULL, &value);
    report_number(w, known, value);
}

static void write_hour_count(struct json_writer *w, const struct week *k, const struct series_cell *cell) {
    (void)k;
    jw_int(w, cell->n);
}

static void write_week(struct view *v, void (*write)(struct json_writer *w, const struct week *k,
                                                     const struct series_cell *cell)) {
    const struct week *k = v->c->prepared;
    jw_array(&v->w);
    for (int day = 0; day < 7; day++) {
        jw_array(&v->w);
        for (int hour = 0; hour < 24; hour++) write(&v->w, k, cell_of(k, day, hour));
        jw_end(&v->w);
    }
    jw_end(&v->w);
}

static void render_hour_values(struct view *v, const struct row *row, const struct value *own) {
    (void)row, (void)own;
    write_week(v, write_hour_value);
}

static void render_hour_counts(struct view *v, const struct row *row, const struct value *own) {
    (void)row, (void)own;
    write_week(v, write_hour_count);
}

static void render_week_total(struct view *v, const struct row *row, const struct value *own) {
    const struct week *k = v->c->prepared;
    (void)row, (void)own;
    report_total(&v->w, k->metric, &k->series.all.total, k->series.all.before);
}

static const struct field week_fields[] = {
    {"metric", F_WORD, READONLY, .words = report_metric_names, .doc = "The metric."},
    {"unit", F_TEXT, READONLY, .doc = "Unit of the values.", .example = "\"conversations\""},
    {"hours", F_WORD, READONLY, .words = report_hours_words, .doc = "Time of durations."},
    {"time_zone", F_TEXT, READONLY, .doc = "Time zone of the weekdays and hours.",
     .example = "\"Europe/Berlin\""},
    {"start_at", F_TIME, READONLY, .doc = "Start of the period."},
    {"end_at", F_TIME, READONLY, .doc = "End of the period."},
    {"values", F_COMPUTED, READONLY, .render = render_hour_values,
     .doc =
         "Seven lists, that of Monday first, of 24 values, that of the hour from midnight first: all events "
         "at which the clock of the zone shows this weekday and hour. Null: no event has a value.",
     .example = "[[0, 0, 3]]"},
    {"n", F_COMPUTED, READONLY, .render = render_hour_counts,
     .doc = "The numbers of events, in the same form.", .example = "[[0, 0, 3]]"},
    {"total", F_COMPUTED, READONLY, .render = render_week_total,
     .doc = "The number of the whole period, as that of a series.", .example = "{\"value\": 3, \"n\": 3}"},
    {"*", .group = report_exactness},
    {0},
};

static const struct field week_args[] = {
    {"*", .group = report_metric_args},
    {"*", .group = report_period_args},
    {"*", .group = report_time_args},
    {"*", .group = csv_args},
    {0},
};

static int reply_week_csv(struct call *c, const struct week *k) {
    static const char *const names[] = {"weekday", "hour", "value", "n", NULL};
    csv_names(c, names);
    for (int i = 0; i < WEEK_HOURS; i++) {
        const struct series_cell *cell = cell_of(k, i / 24, i % 24);
        double value;
        bool known = metric_value(k->metric, cell, NULL, &value);
        csv_text(c, str_of(weekday_names[i / 24]));
        csv_int(c, i % 24);
        report_number_csv(c, known, value);
        csv_int(c, cell->n);
        csv_line_end(c);
    }
    return csv_reply(c, "hours.csv");
}

static int get_report_hours(struct call *c) {
    struct week *k = c->prepared = ARENA_NEW(c->work.arena, struct week);
    int64_t *period = arena_array(c->work.arena, 2, sizeof *period);
    TRY(api_input(c));
    TRY(report_ask_read(c, &k->ask, &k->ask.week_of));
    k->metric = &report_metrics[k->ask.metric];
    if (k->metric->method == METRIC_BACKLOG)
        return fail_field(&c->work, ERR_FIELD_INVALID, S("metric"),
                          "A backlog is no event, so it has no hour. Choose another metric.");
    TRY(report_period(c, &period[0], &period[1]));
    k->ask.buckets = (struct buckets){period, 1};
    TRY(series_read(&c->work, &k->ask, &k->series));
    if (csv_asked(c)) return reply_week_csv(c, k);
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    report_describe(c, row, &k->ask, period[0], period[1], k->series.is_exact);
    *row_cell(row, "time_zone") = value_text(k->ask.week_of);
    TRY(view_follow(v, row));
    return envelope_row(v, row);
}

static const struct route week_routes[] = {
    {GET, "/insights/cases/hours", COL_PLUS, "insights", ONE, get_report_hours, .is_heavy = true,
     .permission = "insights.access", .executor = POOL, .lane = LANE_READ, .follows = &report_follower,
     .args = week_args, .has_csv = true, .summary = "Get a report by weekday and hour",
     .doc = "A metric of the conversations that the caller sees, by the weekday and the hour that the clock "
            "of the zone shows. As CSV, each line is an hour of a weekday.",
     .sample = {.query = "metric=CREATED"}},
    {0},
};

const struct resource report_hours_resource = {.type = "report_hours",
                                               .scope = "insights",
                                               .title = "Reports by hour",
                                               .doc = "Arrivals and replies by weekday and hour.",
                                               .fields = week_fields,
                                               .routes = week_routes};
