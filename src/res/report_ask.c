/* The arguments of reports, and their numbers as JSON and CSV. */
#include "api/rows/csv.h"
#include "core/desk/setting.h"
#include "core/words.h"
#include "res/report.h"

#include <stdio.h>

#define PERIOD (30 * TIME_DAY)

const struct field report_period_args[] = {
    {"start_at", F_TIME, .doc = "Start of the period. Default: 30 days before its end."},
    {"end_at", F_TIME, .doc = "End of the period. This moment does not belong to it. Default: now."},
    {0},
};

/* Properties, in the order of enum report_dimension. */
const struct field report_only_args[] = {
    {"channel", F_WORD, .words = post_channels, .doc = "Only conversations of this channel."},
    {"team_id", F_INT, .doc = "Only conversations of this team. 0: without one."},
    {"agent_id", F_INT,
     .doc = "Only conversations of this agent; replies and waits by their author. 0: without one."},
    {"priority_id", F_INT, .doc = "Only conversations of this priority. 0: without one."},
    {"sla_id", F_INT, .doc = "Only clocks of this SLA, for metrics of SLAs."},
    {"organization_id", F_INT,
     .doc = "Only conversations of this organization, that of the requester. 0: without one."},
    {"tag_id", F_INT, .doc = "Only conversations with this tag. 0: without any."},
    {0},
};

const struct field report_metric_args[] = {
    {"metric", F_WORD, PRESENT, .words = report_metric_names,
     .doc = "What is counted or measured. GET /insights/metrics has the definitions.",
     .example = "\"CREATED\""},
    {"*", .group = report_only_args},
    {0},
};

const struct field report_time_args[] = {
    {"time_zone", F_TEXT, .doc = "Name of a time zone. Default: that of the desk.",
     .example = "\"Europe/Berlin\""},
    {"hours", F_WORD, .words = report_hours_words,
     .doc = "Time of durations: CALENDAR, or BUSINESS hours of the team that the conversation has now. "
            "Default: CALENDAR."},
    {0},
};

int report_period(struct call *c, int64_t *start, int64_t *end) {
    const struct in *from = arg(c, "start_at"), *to = arg(c, "end_at");
    *end = to->given ? to->value.i : c->work.now;
    *start = from->given ? from->value.i : *end - PERIOD;
    if (*end > *start) return 0;
    return fail_field(&c->work, ERR_FIELD_INVALID, to->given ? S("end_at") : S("start_at"),
                      "The period ends before it starts, or has no length.");
}

int report_zone_read(struct call *c, struct str *zone) {
    *zone = arg(c, "time_zone")->given ? arg(c, "time_zone")->value.s
                                       : setting_text(c->work.desk, "desk.time_zone", c->work.arena);
    if (time_zone_known(*zone)) return 0;
    return fail_field(&c->work, ERR_FIELD_INVALID, S("time_zone"),
                      "There is no time zone of this name. Names are like \"Europe/Berlin\".");
}

int report_only_read(struct call *c, int metric, struct report_only *only) {
    for (int d = BY_CHANNEL; d < REPORT_DIMENSIONS; d++) {
        const struct in *in = arg(c, report_only_args[d - BY_CHANNEL].name);
        only->by[d] = in->given;
        only->key[d] = in->given ? in->value.i : 0;
    }
    if (!only->by[BY_SLA] || report_metrics[metric].kind == FACT_SLA) return 0;
    return fail_field(&c->work, ERR_FIELD_INVALID, S("sla_id"),
                      "Only metrics of SLAs have SLAs. Choose another metric.");
}

int report_ask_read(struct call *c, struct series_ask *ask, struct str *zone) {
    ask->metric = (int)arg(c, "metric")->value.i;
    ask->hours = arg(c, "hours")->given ? (enum report_hours)arg(c, "hours")->value.i : REPORT_CALENDAR;
    TRY(report_zone_read(c, zone));
    return report_only_read(c, ask->metric, &ask->only);
}

int report_group_read(struct call *c, struct series_ask *ask) {
    ask->group = arg(c, "group")->given ? (enum report_dimension)arg(c, "group")->value.i : BY_ALL;
    if (ask->group != BY_SLA || report_metrics[ask->metric].kind == FACT_SLA) return 0;
    return fail_field(&c->work, ERR_FIELD_INVALID, S("group"),
                      "Only metrics of SLAs have groups by SLA. Choose another group.");
}

/* ---- numbers --------------------------------------------------------------------------------- */

void report_number(struct json_writer *w, bool known, double value) {
    char text[40];
    if (!known) {
        jw_null(w);
        return;
    }
    snprintf(text, sizeof text, "%.4f", value);
    size_t n = strlen(text);
    while (text[n - 1] == '0') n--;
    if (text[n - 1] == '.') n--;
    jw_raw(w, (struct str){text, n});
}

void report_number_csv(struct call *c, bool known, double value) {
    struct buf text = {0};
    struct json_writer w;
    jw_init(&w, &text);
    report_number(&w, known, value);
    if (known) csv_plain(c, buf_view(&text));
    else csv_text(c, (struct str){0});
    buf_free(&text);
}

void report_key(struct json_writer *w, enum report_dimension group, int64_t key) {
    const char *channel = group == BY_CHANNEL ? word_of(post_channels, key) : NULL;
    if (channel) jw_str(w, str_of(channel));
    else if (key) jw_int(w, key);
    else jw_null(w);
}

void report_key_csv(struct call *c, enum report_dimension group, int64_t key) {
    const char *channel = group == BY_CHANNEL ? word_of(post_channels, key) : NULL;
    if (channel) csv_text(c, str_of(channel));
    else if (key) csv_int(c, key);
    else csv_text(c, S(""));
}

int64_t report_part(const struct report_metric *m, const struct series_cell *cell, const int64_t *before,
                    const struct metric_part *part) {
    int64_t n = parts_sum(cell->parts, part->parts) - parts_sum(cell->parts, part->leaves);
    if (m->method == METRIC_BACKLOG) n += parts_sum(before, part->parts) - parts_sum(before, part->leaves);
    return n;
}

void report_total(struct json_writer *w, const struct report_metric *m, const struct series_cell *cell,
                  const int64_t *before) {
    double value;
    bool known = metric_value(m, cell, before, &value);
    jw_object(w);
    jw_key(w, S("value"));
    report_number(w, known, value);
    if (m->method == METRIC_DURATION) {
        jw_key(w, S("p50"));
        report_number(w, cell->n > 0, (double)cell->half);
        jw_key(w, S("p90"));
        report_number(w, cell->n > 0, (double)cell->most);
    }
    if (m->method != METRIC_BACKLOG) {
        jw_key(w, S("n"));
        jw_int(w, cell->n);
    }
    for (const struct metric_part *p = m->say; p && p->name; p++) {
        jw_key(w, str_of(p->name));
        jw_int(w, report_part(m, cell, before, p));
    }
    jw_end(w);
}

const struct field report_exactness[] = {
    {"is_exact", F_BOOL, READONLY,
     .doc = "True if percentiles are exact. Otherwise there are 50,000 durations or more, and each "
            "percentile comes from 256 steps between a second and a year."},
    {"error_percent", F_INT, READONLY,
     .doc = "The error of percentiles is at most this part of them, for durations up to a year.",
     .example = "0"},
    {"is_complete", F_BOOL, READONLY,
     .doc = "False if facts of this desk are still being built, or the newest changes may be missing."},
    {0},
};

void report_describe(struct call *c, struct row *row, const struct series_ask *ask, int64_t start,
                     int64_t end, bool exact) {
    *row_cell(row, "metric") = (struct value){V_INT, .i = ask->metric};
    *row_cell(row, "unit") = value_text(str_of(report_metrics[ask->metric].unit));
    *row_cell(row, "hours") = (struct value){V_INT, .i = ask->hours};
    *row_cell(row, "start_at") = (struct value){V_INT, .i = start};
    *row_cell(row, "end_at") = (struct value){V_INT, .i = end};
    *row_cell(row, "is_exact") = (struct value){V_INT, .i = exact};
    *row_cell(row, "error_percent") = (struct value){V_INT, .i = exact ? 0 : STEP_ERROR_PERCENT};
    *row_cell(row, "is_complete") = (struct value){V_INT, .i = !c->behind};
}

void report_describe_previous(struct row *row, int64_t start, int64_t end) {
    *row_cell(row, "previous_start_at") = (struct value){V_INT, .i = start - (end - start)};
    *row_cell(row, "previous_end_at") = (struct value){V_INT, .i = start};
}
