/* Reports of conversations (docs/REPORTS.md): the metrics and their series. */
#include "api/rows/csv.h"
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "api/rows/visible.h"
#include "core/words.h"
#include "res/groups.h"
#include "res/report.h"

/* ---- arguments ------------------------------------------------------------------------------- */

static const struct field series_args[] = {
    {"*", .group = report_metric_args},
    {"interval", F_WORD, .words = report_intervals,
     .doc = "Length of a bucket: HOUR, DAY, WEEK (from Monday) or MONTH, in the time zone. Default: DAY."},
    {"group", F_WORD, .words = report_groups,
     .doc =
         "A series for each CHANNEL, TEAM, AGENT, PRIORITY, ORGANIZATION or TAG of the conversations, or SLA "
         "of the metrics of SLAs. Default: one series."},
    {"*", .group = report_period_args},
    {"*", .group = report_time_args},
    {"*", .group = csv_args},
    {0},
};

static int read_buckets(struct call *c, struct str zone, struct series_ask *ask) {
    int64_t start, end;
    int most = ask->group == BY_ALL ? SERIES_BUCKETS : SERIES_GROUPED_BUCKETS;
    enum report_interval every =
        arg(c, "interval")->given ? (enum report_interval)arg(c, "interval")->value.i : EVERY_DAY;
    TRY(report_period(c, &start, &end));
    if (buckets_make(c->work.arena, every, zone, start, end, most, &ask->buckets)) return 0;
    return fail_field(&c->work, ERR_FIELD_INVALID, S("interval"),
                      "The period has more than %d buckets of this interval. Choose a longer interval or a "
                      "shorter period.",
                      most);
}

/* ---- a series as JSON ------------------------------------------------------------------------ */

struct report {
    struct series_ask ask;
    const struct report_metric *metric;
    struct str zone;
    struct series now, before; /* before: the period of the same length that ends where this one begins */
    int64_t before_start;
};

static bool is_in_future(const struct report *r, int bucket, int64_t now) {
    return r->ask.buckets.starts[bucket] > now;
}

typedef void write_cell(struct json_writer *w, const struct report *r, const struct series_cell *cell,
                        const int64_t *before, const struct metric_part *part);

static void write_bucket_value(struct json_writer *w, const struct report *r, const struct series_cell *cell,
                               const int64_t *before, const struct metric_part *part) {
    double value;
    (void)part;
    bool known = metric_value(r->metric, cell, before, &value);
    report_number(w, known, value);
}
static void write_bucket_half(struct json_writer *w, const struct report *r, const struct series_cell *cell,
                              const int64_t *before, const struct metric_part *part) {
    (void)r, (void)before, (void)part;
    report_number(w, cell->n > 0, (double)cell->half);
}
static void write_bucket_most(struct json_writer *w, const struct report *r, const struct series_cell *cell,
                              const int64_t *before, const struct metric_part *part) {
    (void)r, (void)before, (void)part;
    report_number(w, cell->n > 0, (double)cell->most);
}
static void write_bucket_count(struct json_writer *w, const struct report *r, const struct series_cell *cell,
                               const int64_t *before, const struct metric_part *part) {
    (void)r, (void)before, (void)part;
    jw_int(w, cell->n);
}
static void write_bucket_part(struct json_writer *w, const struct report *r, const struct series_cell *cell,
                              const int64_t *before, const struct metric_part *part) {
    jw_int(w, report_part(r->metric, cell, before, part));
}

/* An array with a number for each bucket; null for buckets in the future. */
static void write_cells(struct view *v, const struct report *r, const struct series_group *g,
                        write_cell *write, const struct metric_part *part) {
    int64_t before[FACT_PARTS];
    memcpy(before, g->before, sizeof before);
    jw_array(&v->w);
    for (int b = 0; b < r->ask.buckets.count; b++) {
        if (is_in_future(r, b, v->c->work.now)) jw_null(&v->w);
        else write(&v->w, r, &g->cells[b], before, part);
        for (int i = 0; i < FACT_PARTS; i++) before[i] += g->cells[b].parts[i];
    }
    jw_end(&v->w);
}

static void write_group(struct view *v, const struct report *r, const struct series_group *g) {
    struct json_writer *w = &v->w;
    bool duration = r->metric->method == METRIC_DURATION;
    jw_object(w);
    jw_key(w, S("key"));
    report_key(w, r->ask.group, g->key);
    jw_key(w, S("is_other"));
    jw_bool(w, g->is_rest);
    jw_key(w, S("values"));
    write_cells(v, r, g, write_bucket_value, NULL);
    if (duration) {
        jw_key(w, S("p50"));
        write_cells(v, r, g, write_bucket_half, NULL);
        jw_key(w, S("p90"));
        write_cells(v, r, g, write_bucket_most, NULL);
    }
    if (r->metric->method != METRIC_BACKLOG) {
        jw_key(w, S("n"));
        write_cells(v, r, g, write_bucket_count, NULL);
    }
    for (const struct metric_part *p = r->metric->say; p && p->name; p++) {
        jw_key(w, str_of(p->name));
        write_cells(v, r, g, write_bucket_part, p);
    }
    jw_end(w);
}

static void render_buckets(struct view *v, const struct row *row, const struct value *own) {
    const struct report *r = v->c->prepared;
    (void)row, (void)own;
    jw_array(&v->w);
    for (int b = 0; b < r->ask.buckets.count; b++) jw_time(&v->w, r->ask.buckets.starts[b]);
    jw_end(&v->w);
}

static void render_groups(struct view *v, const struct row *row, const struct value *own) {
    const struct report *r = v->c->prepared;
    (void)row, (void)own;
    jw_array(&v->w);
    for (int g = 0; g < r->now.group_count; g++) write_group(v, r, &r->now.groups[g]);
    jw_end(&v->w);
}

static void render_total(struct view *v, const struct row *row, const struct value *own) {
    const struct report *r = v->c->prepared;
    (void)row, (void)own;
    report_total(&v->w, r->metric, &r->now.all.total, r->now.all.before);
}

static void render_previous(struct view *v, const struct row *row, const struct value *own) {
    const struct report *r = v->c->prepared;
    (void)row, (void)own;
    report_total(&v->w, r->metric, &r->before.all.total, r->before.all.before);
}

static const struct field series_fields[] = {
    {"metric", F_WORD, READONLY, .words = report_metric_names, .doc = "The metric."},
    {"unit", F_TEXT, READONLY, .doc = "Unit of the values.", .example = "\"conversations\""},
    {"interval", F_WORD, READONLY, .words = report_intervals, .doc = "Length of a bucket."},
    {"group", F_WORD, READONLY | NULLABLE, .words = report_groups, .doc = "Property of the groups, or null."},
    {"hours", F_WORD, READONLY, .words = report_hours_words, .doc = "Time of durations."},
    {"time_zone", F_TEXT, READONLY, .doc = "Time zone of the buckets.", .example = "\"Europe/Berlin\""},
    {"start_at", F_TIME, READONLY, .doc = "Start of the period."},
    {"end_at", F_TIME, READONLY, .doc = "End of the period."},
    {"previous_start_at", F_TIME, READONLY,
     .doc = "Start of the previous period, which has the same length."},
    {"previous_end_at", F_TIME, READONLY, .doc = "End of the previous period."},
    {"buckets", F_COMPUTED, READONLY, .render = render_buckets,
     .doc = "Starts of the buckets. A bucket ends where the next one begins, the last one with the period.",
     .example = "[\"2026-11-21T00:00:00+00:00\"]"},
    {"groups", F_COMPUTED, READONLY, .render = render_groups,
     .doc = "The 20 largest groups, and one with `is_other` for all others. `key` is an id, the word of a "
            "channel, or null for conversations without one. The other members have a number for each "
            "bucket, null in the future: `values`; for durations `p50` and `p90`; `n`, the number of events; "
            "for a backlog `under_a_day`, `under_a_week`, `under_30_days` and `older`; for satisfaction "
            "`good` and `bad`; for SLAs `kept`, `broken` and `running`. A conversation with several tags "
            "counts in the group of each.",
     .example = "[{\"key\": \"MAIL\", \"is_other\": false, \"values\": [12], \"n\": [12]}]"},
    {"total", F_COMPUTED, READONLY, .render = render_total,
     .doc = "The same for the whole period, each event once. A backlog: at the end of the period.",
     .example = "{\"value\": 12, \"n\": 12}"},
    {"previous", F_COMPUTED, READONLY, .render = render_previous, .doc = "The same for the previous period.",
     .example = "{\"value\": 9, \"n\": 9}"},
    {"*", .group = report_exactness},
    {0},
};

/* ---- a series as CSV ------------------------------------------------------------------------- */

static void csv_group(struct call *c, const struct report *r, const struct series_group *g) {
    int64_t before[FACT_PARTS];
    memcpy(before, g->before, sizeof before);
    for (int b = 0; b < r->ask.buckets.count && !is_in_future(r, b, c->work.now); b++) {
        const struct series_cell *cell = &g->cells[b];
        double value;
        bool known = metric_value(r->metric, cell, before, &value),
             duration = r->metric->method == METRIC_DURATION;
        csv_time(c, r->ask.buckets.starts[b]);
        if (g->is_rest) csv_text(c, S("other"));
        else report_key_csv(c, r->ask.group, g->key);
        report_number_csv(c, known, value);
        csv_int(c, cell->n);
        report_number_csv(c, duration && cell->n, (double)cell->half);
        report_number_csv(c, duration && cell->n, (double)cell->most);
        csv_line_end(c);
        for (int i = 0; i < FACT_PARTS; i++) before[i] += cell->parts[i];
    }
}

static int reply_series_csv(struct call *c, const struct report *r) {
    static const char *const names[] = {"bucket", "key", "value", "n", "p50", "p90", NULL};
    csv_names(c, names);
    for (int g = 0; g < r->now.group_count; g++) csv_group(c, r, &r->now.groups[g]);
    return csv_reply(c, "series.csv");
}

/* ---- the series ------------------------------------------------------------------------------ */

/* The previous period is one bucket without groups. */
int report_previous(struct work *w, const struct series_ask *ask, struct series *out) {
    int64_t from = ask->buckets.starts[0], to = ask->buckets.starts[ask->buckets.count];
    int64_t starts[2] = {from - (to - from), from};
    struct series_ask before = *ask;
    before.group = BY_ALL;
    before.buckets = (struct buckets){starts, 1};
    return series_read(w, &before, out);
}

/* The backlog at the end of the previous period is that at the start of this one. */
static void backlog_before(struct report *r) {
    memcpy(r->before.all.before, r->now.all.before, sizeof r->before.all.before);
    r->before.is_exact = true;
}

static int get_series(struct call *c) {
    struct report *r = c->prepared = ARENA_NEW(c->work.arena, struct report);
    TRY(api_input(c));
    TRY(report_ask_read(c, &r->ask, &r->zone));
    r->metric = &report_metrics[r->ask.metric];
    TRY(report_group_read(c, &r->ask));
    TRY(read_buckets(c, r->zone, &r->ask));
    TRY(series_read(&c->work, &r->ask, &r->now));
    if (csv_asked(c)) return reply_series_csv(c, r);
    if (r->metric->method == METRIC_BACKLOG) backlog_before(r);
    else TRY(report_previous(&c->work, &r->ask, &r->before));
    int64_t start = r->ask.buckets.starts[0], end = r->ask.buckets.starts[r->ask.buckets.count];
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    report_describe(c, row, &r->ask, start, end, r->now.is_exact && r->before.is_exact);
    report_describe_previous(row, start, end);
    *row_cell(row, "interval") =
        (struct value){V_INT, .i = arg(c, "interval")->given ? arg(c, "interval")->value.i : EVERY_DAY};
    if (r->ask.group != BY_ALL) *row_cell(row, "group") = (struct value){V_INT, .i = r->ask.group};
    *row_cell(row, "time_zone") = value_text(r->zone);
    TRY(view_follow(v, row));
    return envelope_row(v, row);
}

const struct follower report_follower = {report_is_behind, report_catch_up};

static const struct route series_routes[] = {
    {GET, "/insights/cases/series", COL_PLUS, "insights", ONE, get_series, .is_heavy = true,
     .permission = "insights.access", .executor = POOL, .lane = LANE_READ, .follows = &report_follower,
     .args = series_args, .has_csv = true, .summary = "Get a series of a report",
     .doc = "A metric of the conversations that the caller sees, in buckets of time. Conversations in the "
            "trash, suspended or merged into others do not count; the messages of a merged one count in the "
            "other. Properties are those that the conversation has now. As CSV, each line is a bucket of a "
            "group.",
     .sample = {.query = "metric=CREATED&interval=WEEK"}},
    {0},
};

const struct resource report_series_resource = {
    .type = "report_series",
    .scope = "insights",
    .title = "Reports",
    .doc = "Numbers of conversations, waits, SLAs and ratings over time.",
    .fields = series_fields,
    .routes = series_routes};

/* ---- the metrics ----------------------------------------------------------------------------- */

static const struct field metric_fields[] = {
    {"name", F_WORD, READONLY, .words = report_metric_names, .doc = "Name of the metric."},
    {"title", F_TEXT, READONLY, .doc = "Title for people.", .example = "\"First response\""},
    {"unit", F_TEXT, READONLY, .doc = "Unit of its values: conversations, messages, seconds or percent.",
     .example = "\"seconds\""},
    {"definition", F_LONG, READONLY, .doc = "What is counted or measured, and when.",
     .example = "\"Conversations by the time of their creation.\""},
    {0},
};

static int metric_rows(struct call *c, struct view *v, struct str name, struct row **out) {
    (void)name; /* there is no read of a single metric */
    for (int i = 0; i < METRICS; i++) {
        const struct report_metric *m = &report_metrics[i];
        struct row *row = *out = row_new(v, layout_of(c->resource), 0);
        *row_cell(row, "name") = (struct value){V_INT, .i = i};
        *row_cell(row, "title") = value_text(str_of(m->title));
        *row_cell(row, "unit") = value_text(str_of(m->unit));
        *row_cell(row, "definition") = value_text(str_of(m->definition));
        out = &row->next;
    }
    return 0;
}

static const struct route metric_routes[] = {
    {GET, "/insights/metrics", COL_PLUS, "insights", LIST_COUNT, api_list, .permission = "insights.access",
     .summary = "List the metrics of reports"},
    {0},
};

const struct resource report_metric_resource = {.type = "report_metric",
                                                .scope = "insights",
                                                .title = "Metrics",
                                                .doc = "What reports count and measure.",
                                                .fields = metric_fields,
                                                .routes = metric_routes,
                                                .rows = metric_rows,
                                                .is_item = true};
