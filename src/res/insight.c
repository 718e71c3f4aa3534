/* Insights: the articles of the help center by views, and its searches. */
#include "api/rows/csv.h"
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "api/rows/visible.h"
#include "core/fields/translation.h"
#include "core/helpcenter/tally.h"
#include "res/groups.h"

#include <inttypes.h>

#define PUBLISHED "t.status = 3"

/* ---- as CSV ---------------------------------------------------------------------------------- */

static const char *const columns[] = {
    "id",          "legacy_id",    "title",          "section_id",     "views",
    "rank",        "upvote_count", "downvote_count", "total_comments", "conversations",
    "is_featured", "created_at",   "published_at",   "updated_at",     NULL};
#define SELECTED                                                                                           \
    "SELECT t.id, t.legacy_id, " TRANSLATION_OF("11") ", t.section_id, t.views, t.rank, "                  \
                                                      "t.upvote_count, t.downvote_count, "                 \
                                                      "t.total_comments, t.conversations, t.is_featured, " \
                                                      "t.created_at, t.published_at, t.updated_at "        \
                                                      "FROM articles t WHERE " PUBLISHED
enum { FIRST_NUMBER = 3, FIRST_TIME = 11, COLUMNS = 14 };

static void write_statistics_line(struct call *c, struct stmt *row) {
    csv_int(c, col_int(row, 0));
    for (int i = 1; i < FIRST_NUMBER; i++) csv_text(c, col_text(row, i));
    for (int i = FIRST_NUMBER; i < FIRST_TIME; i++) csv_int(c, col_int(row, i));
    for (int i = FIRST_TIME; i < COLUMNS; i++) csv_time(c, col_int(row, i));
    csv_line_end(c);
}

/* The visible published articles of the page and the next one. */
static int start_lines(struct call *c, struct stmt **out) {
    struct branches b = {0};
    struct buf sql = {0};
    struct bind binds[BRANCH_BINDS_MAX + 3] = {0};
    buf_text(&sql, SELECTED);
    view_condition(c, c->resource, &b, &sql);
    buf_text(&sql, " ORDER BY t.views DESC, t.id DESC LIMIT :most OFFSET :offset");
    buf_char(&sql, 0);
    memcpy(binds, b.binds, (size_t)b.bind_count * sizeof *binds);
    binds[b.bind_count] = (struct bind)B_INT("most", c->options.limit + 1);
    binds[b.bind_count + 1] = (struct bind)B_INT("offset", c->options.offset);
    int rc = db_start(c->work.conn, sql.p, binds, out);
    buf_free(&sql);
    return rc;
}

static void link_next(struct call *c) {
    const struct options *o = &c->options;
    call_header(c, "Link",
                str_fmt(c->work.arena,
                        "<%.*s/api/v1/insights/helpcenter/articles.json?format=csv&limit=%" PRId64
                        "&offset=%" PRId64 ">; rel=\"next\"",
                        (int)c->work.desk->base_url.n, c->work.desk->base_url.p, o->limit,
                        o->offset + o->limit));
}

static int reply_lines(struct call *c) {
    struct stmt *row;
    int64_t n = 0;
    int rc;
    csv_names(c, columns);
    TRY(start_lines(c, &row));
    while ((rc = stmt_step(row)) == 1 && n++ < c->options.limit) write_statistics_line(c, row);
    stmt_end(row);
    if (rc < 0) return rc;
    if (rc == 1) link_next(c);
    return csv_reply(c, "articles.csv");
}

/* ---- the route ------------------------------------------------------------------------------- */

static int get_article_statistics(struct call *c) {
    TRY(api_input(c));
    if (csv_asked(c)) return reply_lines(c);
    c->options.also = "conversations";
    return api_list(c);
}

static const struct route statistics_routes[] = {
    {GET, "/insights/helpcenter/articles", COL_PLUS, "insights", LIST, get_article_statistics,
     .is_heavy = true, .permission = "insights.access", .reply = "article", .content = "insights",
     .where = PUBLISHED, .order = {"t.views", true}, .args = csv_args, .has_csv = true,
     .summary = "List articles by views",
     .doc = "Published articles that the caller sees, those with the most views first. As CSV, `offset` and "
            "`limit` choose the lines; the header Link leads to the next ones."},
    {0},
};

const struct resource article_statistics_resource = {.type = "article_statistics",
                                                     .scope = "insights",
                                                     .title = "Article insights",
                                                     .doc = "Views and votes of articles.",
                                                     .fields = no_fields,
                                                     .routes = statistics_routes};

/* ---- searches of the help center ------------------------------------------------------------- */

/* Insights: searches of the help center. */

#define PERIOD (30 * TIME_DAY)

struct search_report {
    struct query_insight popular[INSIGHT_NAMES_MOST], failed[INSIGHT_NAMES_MOST];
    int popular_count, failed_count;
};

/* Rounded; at least 1 if there was a result, because 0 means that there was none. */
static int64_t average_results(const struct query_insight *q) {
    int64_t average = (q->results + q->attempts / 2) / q->attempts;
    return average == 0 && q->results ? 1 : average;
}

static void write_queries(struct view *v, const struct query_insight *list, int count) {
    struct json_writer *w = &v->w;
    jw_array(w);
    for (int i = 0; i < count; i++) {
        jw_object(w);
        jw_key(w, S("name"));
        jw_str(w, list[i].name);
        jw_key(w, S("average_result_count"));
        jw_int(w, average_results(&list[i]));
        jw_key(w, S("attempt_count"));
        jw_int(w, list[i].attempts);
        jw_key(w, S("last_attempted_at"));
        jw_time(w, list[i].searched_at);
        jw_key(w, S("resource_type"));
        view_type(v, "report_helpcenter_query");
        jw_end(w);
    }
    jw_end(w);
}

static void render_popular(struct view *v, const struct row *row, const struct value *own) {
    const struct search_report *r = v->c->prepared;
    (void)row, (void)own;
    write_queries(v, r->popular, r->popular_count);
}

static void render_failed(struct view *v, const struct row *row, const struct value *own) {
    const struct search_report *r = v->c->prepared;
    (void)row, (void)own;
    write_queries(v, r->failed, r->failed_count);
}

#define QUERY_EXAMPLE                                                                                     \
    "[{\"name\": \"refund\", \"average_result_count\": 4, \"attempt_count\": 31, \"last_attempted_at\": " \
    "\"2026-11-21T09:30:00+00:00\", \"resource_type\": \"report_helpcenter_query\"}]"

static const struct field report_fields[] = {
    {"start_at", F_TIME, READONLY, .doc = "Start of the period."},
    {"end_at", F_TIME, READONLY, .doc = "End of the period. A search in this second counts."},
    {"popular_searches", F_COMPUTED, READONLY, .render = render_popular,
     .doc = "The most frequent texts: name, average_result_count (rounded), attempt_count and "
            "last_attempted_at. Texts that differ only in letter case and marks are one.",
     .example = QUERY_EXAMPLE},
    {"failed_searches", F_COMPUTED, READONLY, .render = render_failed,
     .doc = "The most frequent texts that never had a result.", .example = QUERY_EXAMPLE},
    {0},
};

static const struct field report_args[] = {
    {"start_at", F_TIME, .doc = "Start of the period. Default: 30 days before its end."},
    {"end_at", F_TIME, .doc = "End of the period. Default: now."},
    {"texts", F_INT, .min = 1, .max = INSIGHT_NAMES_MOST,
     .doc = "Number of texts in each list, at most 100. Default: 10."},
    {"*", .group = csv_args},
    {0},
};

static int read_period(struct call *c, int64_t *start, int64_t *end) {
    const struct in *from = arg(c, "start_at"), *to = arg(c, "end_at");
    *end = to->given ? to->value.i : c->work.now;
    *start = from->given ? from->value.i : *end - PERIOD;
    if (*end >= *start) return 0;
    return fail_field(&c->work, ERR_FIELD_INVALID, to->given ? S("end_at") : S("start_at"),
                      "The period ends before it starts.");
}

static void csv_queries(struct call *c, const char *list_name, const struct query_insight *list, int count) {
    for (int i = 0; i < count; i++) {
        csv_text(c, str_of(list_name));
        csv_text(c, list[i].name);
        csv_int(c, average_results(&list[i]));
        csv_int(c, list[i].attempts);
        csv_time(c, list[i].searched_at);
        csv_line_end(c);
    }
}

static int reply_csv(struct call *c, const struct search_report *r) {
    static const char *const names[] = {
        "list", "name", "average_result_count", "attempt_count", "last_attempted_at", NULL};
    csv_names(c, names);
    csv_queries(c, "popular", r->popular, r->popular_count);
    csv_queries(c, "failed", r->failed, r->failed_count);
    return csv_reply(c, "searches.csv");
}

static int get_search_report(struct call *c) {
    struct search_report *r = c->prepared = ARENA_NEW(c->work.arena, struct search_report);
    int64_t start, end;
    TRY(api_input(c));
    TRY(read_period(c, &start, &end));
    const struct in *texts = arg(c, "texts");
    int64_t most = texts->given ? texts->value.i : INSIGHT_NAMES;
    TRY(r->popular_count = insight_searches(&c->work, start, end, true, most, r->popular));
    TRY(r->failed_count = insight_searches(&c->work, start, end, false, most, r->failed));
    if (csv_asked(c)) return reply_csv(c, r);
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    *row_cell(row, "start_at") = (struct value){V_INT, .i = start};
    *row_cell(row, "end_at") = (struct value){V_INT, .i = end};
    TRY(view_follow(v, row));
    return envelope_row(v, row);
}

static const struct route report_routes[] = {
    {GET, "/insights/helpcenter/search", COL_PLUS, "insights", ONE, get_search_report, .is_heavy = true,
     .permission = "insights.access", .executor = POOL, .lane = LANE_READ, .args = report_args,
     .has_csv = true, .summary = "Get the searches of the help center",
     .doc = "Searches are counted in memory and written every 15 seconds, so the newest may be missing. As "
            "CSV, each line is a text, and its first column names the list."},
    {0},
};

const struct resource report_helpcenter_search_resource = {
    .type = "report_helpcenter_search",
    .scope = "insights",
    .title = "Help center insights",
    .doc = "Searches of the help center: the most frequent ones, and those without results.",
    .fields = report_fields,
    .routes = report_routes};
