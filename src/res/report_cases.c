/* The conversations behind a number of a report (docs/REPORTS.md). */
#include "api/rows/csv.h"
#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "api/rows/visible.h"
#include "core/access/scope.h"
#include "core/reports/backlog.h"
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

/* A branch of its own: the facts are the smaller range, and the visibility is checked on each row. */
static void branch_of_facts(struct call *c, int metric, const struct report_only *only,
                            const struct metric_part *part, int64_t start, int64_t end, const char *visible) {
    struct branches *b = c->branches;
    struct buf sql = {0};
    buf_text(&sql, "t.id IN (");
    report_cases_select(c->work.arena, &report_metrics[metric], only, part, start, end, &sql, b);
    buf_fmt(&sql, ") AND %s", visible);
    branch_add(b, buf_take(&sql, c->work.arena).p);
    b->sorted = true;
}

static int branches_of_backlog(struct call *c, const struct report_only *only, const struct metric_part *part,
                               int64_t at, const char *visible) {
    struct backlog *backlog = c->prepared = ARENA_NEW(c->work.arena, struct backlog);
    *backlog = (struct backlog){.at = at, .only = only, .part = part, .visible = visible};
    return backlog_branches(&c->work, backlog, c->branches);
}

static int report_cases_count(struct call *c, int64_t *total) {
    return c->prepared ? backlog_count(&c->work, c->prepared, c->branches, total) : 0;
}

static int get_report_cases(struct call *c) {
    struct branches *b = c->branches = ARENA_NEW(c->work.arena, struct branches);
    const struct metric_part *part;
    struct report_only only;
    struct buf visible = {0};
    int64_t start, end;
    TRY(api_input(c));
    int metric = arg(c, "metric")->given ? (int)arg(c, "metric")->value.i : METRIC_CREATED;
    TRY(report_period(c, &start, &end));
    TRY(report_only_read(c, metric, &only));
    TRY(read_metric_part(c, &report_metrics[metric], &part));
    access_cases(&c->work, b);
    branches_condition(b, &visible);
    const char *sees = buf_take(&visible, c->work.arena).p;
    b->count = 0;
    b->overlap = false;
    if (report_metrics[metric].method == METRIC_BACKLOG) TRY(branches_of_backlog(c, &only, part, end, sees));
    else branch_of_facts(c, metric, &only, part, start, end, sees);
    return csv_asked(c) ? reply_cases_csv(c) : api_list(c);
}

static const struct route report_case_routes[] = {
    {GET, "/insights/cases", COL_PLUS, "conversations", LIST, get_report_cases, .reply = "case",
     .is_heavy = true, .permission = "insights.access", .executor = POOL, .lane = LANE_READ,
     .follows = &report_follower, .args = report_cases_args, .has_csv = true,
     .order = {.key = "t.updated_at", .descending = true}, .count = report_cases_count,
     .summary = "List the conversations behind a number of a report",
     .doc =
         "Conversations that the caller sees and that the number counts, the last changed first. A "
         "conversation that the metric counts several times is listed once. A backlog is that of the end "
         "of the period. As CSV, each line is a conversation with its durations; `limit` and `offset` choose "
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
