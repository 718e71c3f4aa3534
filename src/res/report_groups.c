/* A report by groups: each with its change to the previous period (docs/REPORTS.md). */
#include "api/rows/csv.h"
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "base/ids.h"
#include "base/limits.h"
#include "res/report.h"

#include <stdlib.h>

#define RANKS_SHOWN 20

struct rank {
    int64_t key;
    const struct series_group *now, *before;
};

struct ranking {
    struct series_ask ask;
    const struct report_metric *metric;
    struct series now, before;
    struct rank *ranks; /* the largest first, those of the previous period alone last */
    int shown, count;   /* of both periods */
};

/* The groups that are not the rest, which is the last one. */
static int groups_alone(const struct series *s) {
    return s->group_count && s->groups[s->group_count - 1].is_rest ? s->group_count - 1 : s->group_count;
}

static int group_compare(const void *x, const void *y) {
    const struct series_group *const *a = x, *const *b = y;
    return ((*a)->key > (*b)->key) - ((*a)->key < (*b)->key);
}

static int key_compare(const void *x, const void *y) {
    const int64_t *key = x;
    const struct series_group *const *g = y;
    return (*key > (*g)->key) - (*key < (*g)->key);
}

/* The number of keys that one of the series has, or both. */
static int keys_of_both(const struct series *x, const struct series *y) {
    int i = 0, k = 0, n = 0;
    for (; i < x->key_count && k < y->key_count; n++) {
        int64_t a = x->keys[i], b = y->keys[k];
        i += a <= b;
        k += b <= a;
    }
    return n + (x->key_count - i) + (y->key_count - k);
}

/* The groups of both periods. A group that one of them lacks has no facts there. If there is room behind
 * those of the period, it has all its groups, so the others are of the previous period alone. */
static void ranks_make(struct arena *a, struct ranking *r, int most) {
    const struct series *now = &r->now, *before = &r->before;
    int now_count = groups_alone(now), before_count = groups_alone(before);
    bool *met = arena_array(a, (size_t)before_count + 1, sizeof *met);
    const struct series_group **former = arena_array(a, (size_t)before_count + 1, sizeof *former);
    struct series_group *none = ARENA_NEW(a, struct series_group);
    r->ranks = arena_array(a, (size_t)(now_count + before_count) + 1, sizeof *r->ranks);
    for (int i = 0; i < before_count; i++) former[i] = &before->groups[i];
    if (before_count) qsort(former, (size_t)before_count, sizeof *former, group_compare);
    for (int i = 0; i < now_count; i++) {
        struct rank *k = &r->ranks[r->shown++];
        *k = (struct rank){now->groups[i].key, &now->groups[i], none};
        const struct series_group **found =
            before_count ? bsearch(&k->key, former, (size_t)before_count, sizeof *former, key_compare) : NULL;
        if (found) k->before = *found, met[*found - before->groups] = true;
    }
    for (int i = 0; i < before_count && r->shown < most; i++)
        if (!met[i]) r->ranks[r->shown++] = (struct rank){before->groups[i].key, none, &before->groups[i]};
    r->count = keys_of_both(now, before);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static void render_ranks(struct view *v, const struct row *row, const struct value *own) {
    const struct ranking *r = v->c->prepared;
    struct json_writer *w = &v->w;
    (void)row, (void)own;
    jw_array(w);
    for (int i = 0; i < r->shown; i++) {
        const struct rank *k = &r->ranks[i];
        jw_object(w);
        jw_key(w, S("key"));
        report_key(w, r->ask.group, k->key);
        jw_key(w, S("total"));
        report_total(w, r->metric, &k->now->total, k->now->before);
        jw_key(w, S("previous"));
        report_total(w, r->metric, &k->before->total, k->before->before);
        jw_end(w);
    }
    jw_end(w);
}

static void render_ranking_total(struct view *v, const struct row *row, const struct value *own) {
    const struct ranking *r = v->c->prepared;
    (void)row, (void)own;
    report_total(&v->w, r->metric, &r->now.all.total, r->now.all.before);
}

static void render_ranking_previous(struct view *v, const struct row *row, const struct value *own) {
    const struct ranking *r = v->c->prepared;
    (void)row, (void)own;
    report_total(&v->w, r->metric, &r->before.all.total, r->before.all.before);
}

static int ranking_keys(struct call *c, enum report_dimension group, int64_t **ids) {
    const struct ranking *r = c->prepared;
    int n = 0;
    *ids = arena_array(c->work.arena, (size_t)r->shown + 1, sizeof **ids);
    for (int i = 0; i < r->shown && r->ask.group == group; i++)
        if (r->ranks[i].key) (*ids)[n++] = r->ranks[i].key;
    return n;
}

static int ranking_tags(struct call *c, int64_t owner_id, int64_t **ids) {
    (void)owner_id;
    return ranking_keys(c, BY_EACH_TAG, ids);
}

static int ranking_organizations(struct call *c, int64_t owner_id, int64_t **ids) {
    (void)owner_id;
    return ranking_keys(c, BY_ORGANIZATION_NOW, ids);
}

static const struct field ranking_fields[] = {
    {"metric", F_WORD, READONLY, .words = report_metric_names, .doc = "The metric."},
    {"unit", F_TEXT, READONLY, .doc = "Unit of the values.", .example = "\"conversations\""},
    {"group", F_WORD, READONLY, .words = report_groups, .doc = "Property of the groups."},
    {"hours", F_WORD, READONLY, .words = report_hours_words, .doc = "Time of durations."},
    {"start_at", F_TIME, READONLY, .doc = "Start of the period."},
    {"end_at", F_TIME, READONLY, .doc = "End of the period."},
    {"previous_start_at", F_TIME, READONLY,
     .doc = "Start of the previous period, which has the same length."},
    {"previous_end_at", F_TIME, READONLY, .doc = "End of the previous period."},
    {"groups", F_COMPUTED, READONLY, .render = render_ranks,
     .doc =
         "The largest groups of the period first, those of the previous period alone last. `key` is an id, "
         "the word of a channel, or null for conversations without one. `total` and `previous` have the "
         "members of the total of a series. A conversation with several tags counts in the group of each.",
     .example =
         "[{\"key\": 3, \"total\": {\"value\": 12, \"n\": 12}, \"previous\": {\"value\": 9, \"n\": 9}}]"},
    {"group_count", F_INT, READONLY, .doc = "Number of groups of both periods.", .example = "1"},
    {"tags", F_MANY, READONLY, .ref = "tag", .made = ranking_tags, .doc = "Tags that are keys of groups."},
    {"organizations", F_MANY, READONLY, .ref = "organization", .made = ranking_organizations,
     .doc = "Organizations that are keys of groups."},
    {"total", F_COMPUTED, READONLY, .render = render_ranking_total,
     .doc = "The same for all groups, each event once.", .example = "{\"value\": 12, \"n\": 12}"},
    {"previous", F_COMPUTED, READONLY, .render = render_ranking_previous,
     .doc = "The same for the previous period.", .example = "{\"value\": 9, \"n\": 9}"},
    {"*", .group = report_exactness},
    {0},
};

/* ---- as CSV ---------------------------------------------------------------------------------- */

static void csv_cells(struct call *c, const struct ranking *r, const struct series_group *g) {
    double value;
    bool known = metric_value(r->metric, &g->total, g->before, &value),
         duration = r->metric->method == METRIC_DURATION && g->total.n;
    report_number_csv(c, known, value);
    csv_int(c, g->total.n);
    report_number_csv(c, duration, (double)g->total.most);
}

static int reply_ranking_csv(struct call *c, const struct ranking *r) {
    static const char *const names[] = {"key",        "value",        "n", "p90", "previous_value",
                                        "previous_n", "previous_p90", NULL};
    csv_names(c, names);
    for (int i = 0; i < r->shown; i++) {
        report_key_csv(c, r->ask.group, r->ranks[i].key);
        csv_cells(c, r, r->ranks[i].now);
        csv_cells(c, r, r->ranks[i].before);
        csv_line_end(c);
    }
    return csv_reply(c, "groups.csv");
}

/* ---- the route ------------------------------------------------------------------------------- */

static const struct field ranking_args[] = {
    {"*", .group = report_metric_args},
    {"group", F_WORD, PRESENT, .words = report_groups,
     .doc =
         "A group for each CHANNEL, TEAM, AGENT, PRIORITY, ORGANIZATION or TAG of the conversations, or SLA "
         "of the metrics of SLAs.",
     .example = "\"TAG\""},
    {"most", F_INT, .min = 1, .max = LIMIT_PAGE,
     .doc = "Number of groups at most. Default: 20, as CSV 1000."},
    {"*", .group = report_period_args},
    {"*", .group = report_time_args},
    {"*", .group = csv_args},
    {0},
};

/* The previous period has groups for those that the period shows, and for its own largest ones. */
static void ask_before(struct arena *a, struct ranking *r) {
    int n = groups_alone(&r->now);
    int64_t *keys = arena_array(a, (size_t)n + 1, sizeof *keys);
    for (int i = 0; i < n; i++) keys[i] = r->now.groups[i].key;
    ids_sort(keys, n);
    r->ask.alone = keys;
    r->ask.alone_count = n;
}

/* Moves the first of two buckets to a group of the previous period. */
static void group_split(struct series_group *now, struct series_group *before) {
    *before = *now;
    before->total = now->cells[0];
    now->total = now->cells[1];
    for (int i = 0; i < FACT_PARTS; i++) now->before[i] += now->cells[0].parts[i];
}

/* A backlog counts all facts before its end, so both periods are read at once, as two buckets. The period has
 * all groups of the previous one. */
static int backlogs_read(struct work *w, struct ranking *r, int64_t *starts) {
    struct series *now = &r->now, *before = &r->before;
    r->ask.buckets = (struct buckets){starts, 2};
    TRY(series_read(w, &r->ask, now));
    *before = *now;
    before->groups = arena_array(w->arena, (size_t)now->group_count + 1, sizeof *before->groups);
    for (int i = 0; i < now->group_count; i++) group_split(&now->groups[i], &before->groups[i]);
    group_split(&now->all, &before->all);
    return 0;
}

static int periods_read(struct work *w, struct ranking *r, int64_t *starts) {
    r->ask.buckets = (struct buckets){starts + 1, 1};
    TRY(series_read(w, &r->ask, &r->now));
    ask_before(w->arena, r);
    r->ask.buckets = (struct buckets){starts, 1};
    return series_read(w, &r->ask, &r->before);
}

/* All groups are counted, but a large desk has tens of thousands, so only those that are shown are made. */
static int ranking_read(struct call *c, struct ranking *r, int64_t start, int64_t end) {
    int64_t starts[] = {start - (end - start), start, end};
    bool backlog = r->metric->method == METRIC_BACKLOG;
    int most = arg(c, "most")->given ? (int)arg(c, "most")->value.i : csv_asked(c) ? LIMIT_PAGE : RANKS_SHOWN;
    r->ask.is_ranking = true;
    r->ask.most_groups = most;
    TRY((backlog ? backlogs_read : periods_read)(&c->work, r, starts));
    ranks_make(c->work.arena, r, most);
    return 0;
}

static int get_report_groups(struct call *c) {
    struct ranking *r = c->prepared = ARENA_NEW(c->work.arena, struct ranking);
    struct str zone;
    int64_t start, end;
    TRY(api_input(c));
    TRY(report_ask_read(c, &r->ask, &zone));
    TRY(report_group_read(c, &r->ask));
    TRY(report_period(c, &start, &end));
    r->metric = &report_metrics[r->ask.metric];
    TRY(ranking_read(c, r, start, end));
    if (csv_asked(c)) return reply_ranking_csv(c, r);
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    report_describe(c, row, &r->ask, start, end, r->now.is_exact && r->before.is_exact);
    report_describe_previous(row, start, end);
    *row_cell(row, "group") = (struct value){V_INT, .i = r->ask.group};
    *row_cell(row, "group_count") = (struct value){V_INT, .i = r->count};
    TRY(view_follow(v, row));
    return envelope_row(v, row);
}

static const struct route ranking_routes[] = {
    {GET, "/insights/cases/groups", COL_PLUS, "insights", ONE, get_report_groups, .is_heavy = true,
     .permission = "insights.access", .executor = POOL, .lane = LANE_READ, .follows = &report_follower,
     .args = ranking_args, .has_csv = true, .summary = "Get a report by groups",
     .doc = "A metric of the conversations that the caller sees, for each group, with that of the previous "
            "period. As CSV, each line is a group.",
     .sample = {.query = "metric=CREATED&group=TAG"}},
    {0},
};

const struct resource report_groups_resource = {
    .type = "report_groups",
    .scope = "insights",
    .title = "Reports by groups",
    .doc = "Numbers of tags, organizations, teams, agents and channels, with their change.",
    .fields = ranking_fields,
    .routes = ranking_routes};
