/* The conversations behind a number of a report (docs/REPORTS.md). */
#include "api/rows/csv.h"
#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "api/rows/visible.h"
#include "core/access/scope.h"
#include "core/reports/backlog.h"
#include "core/reports/case_set.h"
#include "core/words.h"
#include "json/json.h"
#include "res/groups.h"
#include "res/report.h"

#include <inttypes.h>

static const struct field report_cases_args[] = {
    {"metric", F_WORD, .words = report_metric_names,
     .doc = "What the number counts or measures. Default: CREATED.", .example = "\"CREATED\""},
    {"part", F_TEXT,
     .doc =
         "Only what this member beside the value counts: `under_a_day`, `under_a_week`, `under_30_days` or "
         "`older` of a backlog, `good` or `bad` of satisfaction, `kept`, `broken` or `running` of SLAs.",
     .example = "\"older\""},
    {"weekday", F_WORD, .words = report_weekdays,
     .doc = "Only events at which the clock of the zone shows this weekday.", .example = "\"MONDAY\""},
    {"hour", F_INT, .min = 0, .max = 23,
     .doc = "Only events at which the clock of the zone shows this hour, from midnight on.", .example = "9"},
    {"time_zone", F_TEXT, .doc = "Name of the time zone of `weekday` and `hour`. Default: that of the desk.",
     .example = "\"Europe/Berlin\""},
    {"*", .group = report_only_args},
    {"*", .group = report_period_args},
    {"*", .group = csv_args},
    {0},
};

static int read_metric_part(struct call *c, const struct report_metric *m, const struct metric_part **out) {
    const struct in *in = arg(c, "part");
    *out = NULL;
    if (!in->given) return 0;
    for (const struct metric_part *p = m->say; p && p->name; p++)
        if (str_eq(in->value.s, str_of(p->name))) *out = p;
    return *out ? 0 : fail_field(&c->work, ERR_FIELD_INVALID, S("part"), "The metric has no such part.");
}

/* Reads the times of the week that events have. A backlog has none. */
static int read_week(struct call *c, struct report_behind *b) {
    const struct in *weekday = arg(c, "weekday"), *hour = arg(c, "hour");
    struct week_only *week = ARENA_NEW(c->work.arena, struct week_only);
    *week = (struct week_only){.weekday = weekday->given ? (int)weekday->value.i : 0,
                               .hour = hour->given ? (int)hour->value.i : -1};
    bool is_backlog = b->metric->method == METRIC_BACKLOG;
    TRY(report_zone_read(c, &week->zone));
    for (int i = 0; i < 2; i++)
        if (is_backlog && (i ? hour : weekday)->given)
            fail_field(&c->work, ERR_FIELD_INVALID, i ? S("hour") : S("weekday"),
                       "A backlog is no event, so it has no hour. Choose another metric.");
    if (failed(&c->work)) return -(int)failure(&c->work);
    if (weekday->given || hour->given) b->week = week;
    return 0;
}

/* ---- as CSV ---------------------------------------------------------------------------------- */

#define FACT_OF(value, kind) \
    "(SELECT " value " FROM report_facts f WHERE f.case_id = t.id AND f.kind = " kind ")"
#define FIRST_RESPONSE_TOOK FACT_OF("MAX(f.took)", "4") ", " FACT_OF("MAX(f.took_open)", "4")
#define RESOLUTION_TOOK FACT_OF("MAX(f.took)", "6") ", " FACT_OF("MAX(f.took_open)", "6")
#define REPLIES_COUNTED FACT_OF("COUNT(*)", "8")
#define REQUESTS_COUNTED FACT_OF("COUNT(*)", "9")
/* The caller sees these conversations: their ids are those of the list. */
QUERY(report_case_lines,
      "SELECT t.id, t.subject, t.channel, s.label, p.label, y.label, m.title, t.requester_id, r.full_name, "
      "t.assigned_agent_id, g.full_name, t.created_at, t.updated_at, t.rating, " FIRST_RESPONSE_TOOK
      ", " RESOLUTION_TOOK ", " REPLIES_COUNTED ", " REQUESTS_COUNTED
      " FROM cases t JOIN case_statuses s ON s.id = t.status_id "
      "LEFT JOIN case_priorities p ON p.id = t.priority_id LEFT JOIN case_types y ON y.id = t.type_id "
      "LEFT JOIN teams m ON m.id = t.assigned_team_id LEFT JOIN users r ON r.id = t.requester_id "
      "LEFT JOIN users g ON g.id = t.assigned_agent_id "
      "WHERE t.id IN @LIST(:ids) ORDER BY t.updated_at DESC, t.id DESC");
/* clang-format off */
static const char *const case_columns[] = {
    "id", "subject", "channel", "status", "priority", "type", "team", "requester_id", "requester",
    "agent_id", "agent", "created_at", "updated_at", "rating",
    "first_response_seconds", "first_response_business_seconds", "resolution_seconds",
    "resolution_business_seconds", "replies", "requests", NULL};
/* clang-format on */
enum { CASE_PERSON = 7, CASE_AGENT = 9, CASE_TIMES = 11, CASE_RATING = 13, CASE_NUMBERS, CASE_COLUMNS = 20 };

static void csv_number_or_none(struct call *c, struct stmt *row, int column) {
    if (col_null(row, column)) csv_text(c, (struct str){0});
    else csv_int(c, col_int(row, column));
}

/* names: those of people. */
static void write_case_line(struct call *c, struct stmt *row, bool names) {
    csv_int(c, col_int(row, 0));
    csv_text(c, col_text(row, 1));
    csv_text(c, str_of(word_of(post_channels, col_int(row, 2))));
    for (int i = 3; i < CASE_PERSON; i++) csv_text(c, col_text(row, i));
    for (int i = CASE_PERSON; i < CASE_TIMES; i += 2) {
        csv_number_or_none(c, row, i);
        csv_text(c, names ? col_text(row, i + 1) : (struct str){0});
    }
    for (int i = CASE_TIMES; i < CASE_RATING; i++) csv_time(c, col_int(row, i));
    bool rated = !col_null(row, CASE_RATING);
    csv_text(c, rated ? str_of(word_of(rating_scores, col_int(row, CASE_RATING))) : (struct str){0});
    for (int i = CASE_NUMBERS; i < CASE_COLUMNS; i++) csv_number_or_none(c, row, i);
    csv_line_end(c);
}

/* The address of the next lines: that of this request with another offset. */
static void link_next_cases(struct call *c) {
    struct buf query = {0};
    struct str rest = c->http->query;
    while (rest.n) {
        struct str one = str_cut(&rest, '&');
        if (!str_starts(one, S("offset=")) && one.n) buf_fmt(&query, "%.*s&", (int)one.n, one.p);
    }
    call_header(c, "Link",
                str_fmt(c->work.arena, "<%.*s/api/v1/insights/cases?%.*soffset=%" PRId64 ">; rel=\"next\"",
                        (int)c->work.desk->base_url.n, c->work.desk->base_url.p, (int)query.n, query.p,
                        c->options.offset + c->options.limit));
    buf_free(&query);
}

static int reply_cases_csv(struct call *c) {
    int64_t *ids = arena_array(c->work.arena, (size_t)c->options.limit + 1, sizeof *ids);
    bool names = scope_shows(&c->work.actor, layout_of(resource_of("user_minimal"))->scopes);
    struct row *rows = NULL;
    int n = 0, rc;
    TRY(api_list_rows(c, &rows));
    for (const struct row *row = rows; row && n < c->options.limit; row = row->next) ids[n++] = row->id;
    csv_names(c, case_columns);
    DB_ROWS(rc, c->work.conn, &report_case_lines,
            BINDS(B_TEXT("ids", json_ids(c->work.arena, ids, (size_t)n))), line)
    write_case_line(c, line, names);
    TRY(rc);
    if (n == c->options.limit) link_next_cases(c);
    return csv_reply(c, "conversations.csv");
}

/* ---- the route ------------------------------------------------------------------------------- */

struct behind {
    const struct report_behind *asked;
    bool counts_facts; /* rollups or facts have the total; otherwise the rows of the list are counted */
    int64_t total;     /* -1: not known */
};

/* Below this number of facts, all of them are read. */
#define FEW_FACTS 2000
/* A list walks past so many rows for each that it shows, if they are a part of a million. */
#define WALKED_MOST 50
/* Facts of more conversations are read as a set (core/reports/case_set.h). */
#define FACTS_READ 8000
/* The rows of a smaller set are all read, 2.4 us each. Pages of a larger one are found by a walk in the order
 * of the list, 0.1 us for each row of it. */
#define SET_READ 8000

static int facts_count(struct call *c, const struct report_behind *b, int64_t from, int64_t to, int64_t *n) {
    int64_t starts[] = {from, to};
    struct series found;
    struct series_ask ask = {.metric = (int)(b->metric - report_metrics),
                             .hours = REPORT_CALENDAR,
                             .buckets = {starts, 1},
                             .only = *b->only,
                             .counts_only = true};
    TRY(series_read(&c->work, &ask, &found));
    *n = b->part ? parts_sum(found.all.total.parts, b->part->parts) : found.all.total.n;
    return 0;
}

static bool counts_once(enum fact_kind k) {
    return k == FACT_CREATED || k == FACT_FIRST_RESPONSE || k == FACT_RESOLVED || k == FACT_RATED;
}

static bool has_only(const struct report_only *only) {
    for (int d = BY_CHANNEL; d < REPORT_DIMENSIONS; d++)
        if (only->by[d]) return true;
    return false;
}

/* Few facts are read. If most of the conversations that changed last have such a fact, the list is walked and
 * finds its page without reading all facts. Otherwise a set of conversations is made. */
enum cases_way { WAY_FACTS, WAY_WALK, WAY_SET };

/* The way without a walk. Facts that the caller does not see or that lack a key would be read, too. */
static int way_of_facts(struct call *c, const struct report_behind *b, int64_t n) {
    bool some = b->part || has_only(b->only) || access_is_by_assignment(&c->work);
    return !c->options.keyset && (some || n > FACTS_READ) ? WAY_SET : WAY_FACTS;
}

/* Returns the way or a negative error. Rollups count the facts of the period, and those since: their
 * conversations changed later than the others of the period. */
static int choose_way(struct call *c, const struct report_behind *b, int64_t *total) {
    bool of_organization = b->only->by[BY_ORGANIZATION_NOW] && b->only->key[BY_ORGANIZATION_NOW];
    int64_t n, since = 0, last = c->options.offset + c->options.limit;
    if (b->week) return c->options.keyset || (b->week->weekday && b->week->hour >= 0) ? WAY_FACTS : WAY_SET;
    TRY(facts_count(c, b, b->from, b->to, &n));
    if (counts_once(b->metric->kind)) *total = n;
    if (of_organization && n && n < FEW_FACTS) return WAY_WALK;
    if (n < FEW_FACTS || n / WALKED_MOST < last) return way_of_facts(c, b, n);
    if (b->to <= c->work.now) TRY(facts_count(c, b, b->to, c->work.now + TIME_DAY, &since));
    return since <= n / 4 ? WAY_WALK : way_of_facts(c, b, n);
}

/* The set is the list, or a page of it. Visibility is checked on each row all the same, in a CASE, which has
 * no index. */
static int branch_of_set(struct call *c, const struct case_set *set, const char *visible) {
    struct behind *behind = c->prepared;
    struct arena *a = c->work.arena;
    struct str ids;
    behind->total = set->count;
    if (set->count > SET_READ) {
        int64_t *page = arena_array(a, (size_t)c->options.limit + 1, sizeof *page);
        int n = case_set_page(set, c->options.offset, c->options.limit, page);
        TRY(n);
        ids = json_ids(a, page, (size_t)n);
        c->skipped = c->options.offset;
        c->is_page = true;
    } else {
        ids = case_set_ids(set);
    }
    branch_add(
        c->branches,
        str_fmt(a, "t.state = 1 AND t.id IN @LIST(:set_ids) AND CASE WHEN %s THEN 1 ELSE 0 END = 1", visible)
            .p);
    branch_bind_text(c->branches, ":set_ids", ids);
    c->branches->sorted = true;
    return 1;
}

static int branch_of_facts(struct call *c, const struct report_behind *b, const char *visible) {
    struct behind *behind = c->prepared;
    struct buf sql = {0};
    struct case_set set;
    int way = choose_way(c, b, &behind->total);
    TRY(way);
    behind->counts_facts = b->week == NULL;
    if (way == WAY_SET) {
        unsigned parts = parts_behind(b);
        int known = case_set_behind(&c->work, b, parts ? parts : ~0U, &set);
        if (known) return known < 0 ? known : branch_of_set(c, &set, visible);
    }
    if (way == WAY_WALK) {
        buf_text(&sql, "t.state = 1 AND ");
        report_cases_having(c->work.arena, b, &sql, c->branches);
    } else {
        TRY(report_cases_in(&c->work, b, &sql, c->branches));
    }
    /* CASE: an engine would otherwise read and sort all rows of the teams */
    buf_fmt(&sql, way == WAY_WALK ? " AND CASE WHEN %s THEN 1 ELSE 0 END = 1" : " AND %s", visible);
    branch_add(c->branches, buf_take(&sql, c->work.arena).p);
    c->branches->sorted = way != WAY_WALK;
    return 0;
}

/* A backlog of now walks the conversations that are open. An age, a property, and a backlog of long ago are
 * sets. */
static int branches_of_backlog(struct call *c, const struct report_behind *b, const char *visible) {
    struct backlog *backlog = ARENA_NEW(c->work.arena, struct backlog);
    struct report_behind completed = *b;
    struct case_set set;
    int64_t since = 0;
    completed.metric = &report_metrics[METRIC_COMPLETED];
    completed.part = NULL;
    bool plain = b->part == NULL && !has_only(b->only);
    if (plain && b->to <= c->work.now) TRY(facts_count(c, &completed, b->to, c->work.now + TIME_DAY, &since));
    if ((!plain || since > FEW_FACTS) && !c->options.keyset) {
        int known = case_set_backlog(&c->work, b, &set);
        if (known) return known < 0 ? known : branch_of_set(c, &set, visible);
    }
    *backlog = (struct backlog){.at = b->to, .only = b->only, .part = b->part, .visible = visible};
    return backlog_branches(&c->work, backlog, c->branches);
}

/* The number of a backlog is the end of its series. */
static int backlog_count(struct call *c, const struct report_behind *b, int64_t *total) {
    static const struct metric_part all = {"", 15U << BACKLOG_ENTERS, 15U << BACKLOG_LEAVES};
    int64_t starts[] = {b->to - TIME_QUARTER, b->to};
    struct series found;
    struct series_ask ask = {.metric = METRIC_OPEN, .buckets = {starts, 1}, .only = *b->only};
    TRY(series_read(&c->work, &ask, &found));
    *total = report_part(&report_metrics[METRIC_OPEN], &found.all.total, found.all.before,
                         b->part ? b->part : &all);
    return 1;
}

static int report_cases_count(struct call *c, int64_t *total) {
    const struct behind *behind = c->prepared;
    if (behind->total >= 0) {
        *total = behind->total;
        return 1;
    }
    if (behind->asked->metric->method == METRIC_BACKLOG) return backlog_count(c, behind->asked, total);
    return behind->counts_facts ? report_cases_total(&c->work, behind->asked, total) : 0;
}

static int get_report_cases(struct call *c) {
    struct branches *b = c->branches = ARENA_NEW(c->work.arena, struct branches);
    struct behind *behind = c->prepared = ARENA_NEW(c->work.arena, struct behind);
    struct report_only *only = ARENA_NEW(c->work.arena, struct report_only);
    struct report_behind *asked = ARENA_NEW(c->work.arena, struct report_behind);
    struct buf visible = {0};
    asked->only = only;
    TRY(api_input(c));
    int metric = arg(c, "metric")->given ? (int)arg(c, "metric")->value.i : METRIC_CREATED;
    asked->metric = &report_metrics[metric];
    behind->asked = asked;
    behind->total = -1;
    TRY(report_period(c, &asked->from, &asked->to));
    TRY(report_only_read(c, metric, only));
    TRY(read_metric_part(c, asked->metric, &asked->part));
    TRY(read_week(c, asked));
    access_cases(&c->work, b);
    branches_condition(b, &visible);
    const char *sees = buf_take(&visible, c->work.arena).p;
    b->count = 0;
    b->overlap = false;
    if (asked->metric->method == METRIC_BACKLOG) TRY(branches_of_backlog(c, asked, sees));
    else TRY(branch_of_facts(c, asked, sees));
    return csv_asked(c) ? reply_cases_csv(c) : api_list(c);
}

static const struct route report_case_routes[] = {
    {GET, "/insights/cases", COL_PLUS, "conversations", LIST, get_report_cases, .reply = "case",
     .is_heavy = true, .permission = "insights.access", .executor = POOL, .lane = LANE_READ,
     .follows = &report_follower, .args = report_cases_args, .has_csv = true,
     .order = {.key = "t.updated_at", .descending = true}, .count = report_cases_count,
     .summary = "List the conversations behind a number of a report",
     .doc = "Conversations that the caller sees and that the number counts, the last changed first. A "
            "conversation that the metric counts several times is listed once. A backlog is that of the end "
            "of the period. `weekday` and `hour` choose a cell of GET /insights/cases/hours. As CSV, each "
            "line is a conversation with its durations; `limit` and `offset` choose "
            "the lines, and the header Link leads to the next ones. Names of people need the scope users.",
     .sample = {.query = "metric=CREATED"}},
    {0},
};

const struct resource report_case_resource = {.type = "report_case",
                                              .scope = "conversations",
                                              .title = "Conversations of reports",
                                              .doc = "The conversations behind a number of a report.",
                                              .fields = no_fields,
                                              .routes = report_case_routes};
