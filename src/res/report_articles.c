/* A report of the help center: what is read, what helps and what is not found, of a period by day and by
 * article (docs/REPORTS.md).
 *
 * Views have a row for each day and article, by the day that the clock of the desk showed, so the report has
 * whole days of this clock. Votes, comments and searches have rows of their own, which are read once for both
 * periods. Articles that the caller does not see are left out in the same statements. */
#include "api/rows/csv.h"
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "api/rows/visible.h"
#include "base/limits.h"
#include "core/desk/setting.h"
#include "core/fields/translation.h"
#include "json/json.h"
#include "res/groups.h"
#include "res/report.h"

#include <stdlib.h>

#define ARTICLES_SHOWN 20
#define DAYS_MOST 4000

/* Numbers of articles, then those of searches. */
enum { READ_VIEWS, READ_UPVOTES, READ_DOWNVOTES, READ_COMMENTS, READ_OF_ARTICLES, NUMBERS = 6 };
enum { READ_SEARCHES = READ_OF_ARTICLES, READ_FAILED_SEARCHES };
static const struct word reading_orders[] = {{READ_VIEWS + 1, "VIEWS"},
                                             {READ_UPVOTES + 1, "UPVOTES"},
                                             {READ_DOWNVOTES + 1, "DOWNVOTES"},
                                             {READ_COMMENTS + 1, "COMMENTS"},
                                             {0}};
enum { LINES_OF_ARTICLES = 1, LINES_OF_DAYS };
static const struct word reading_lines[] = {{LINES_OF_ARTICLES, "ARTICLES"}, {LINES_OF_DAYS, "DAYS"}, {0}};
static const char *const number_names[NUMBERS] = {"views",    "upvotes",  "downvotes",
                                                  "comments", "searches", "searches_without_results"};

struct reading_numbers {
    int64_t n[NUMBERS];
};

/* The counts of an article on a day. */
struct reading_fact {
    int64_t article_id, n;
    int day, what; /* day: place in the days; negative: of the previous period */
};

struct article_line {
    int64_t id;
    struct str title;
    struct reading_numbers now, before;
};

struct reading_report {
    int64_t first;              /* day, from 1970-01-01 */
    int day_count;              /* as many before it are the previous period */
    struct period span, former; /* milliseconds */
    struct str zone;
    struct reading_fact *facts;
    int fact_count, fact_room;
    struct reading_numbers *days, total, before;
    struct article_line *articles;
    int article_count, shown, order;
};

/* ---- counting -------------------------------------------------------------------------------- */

static void reading_count(struct call *c, int64_t article_id, int64_t day, int what, int64_t n) {
    struct reading_report *r = c->prepared;
    int64_t place = day - r->first;
    if (place < -r->day_count || place >= r->day_count || n == 0) return;
    (place < 0 ? &r->before : &r->total)->n[what] += n;
    if (place >= 0) r->days[place].n[what] += n;
    if (article_id == 0) return;
    r->facts = arena_more(c->work.arena, r->facts, r->fact_count, &r->fact_room, sizeof *r->facts);
    r->facts[r->fact_count++] = (struct reading_fact){article_id, n, (int)place, what};
}

/* Columns: id of the article, day or time, number, upvote or not. */
#define VIEWS_READ                                                                    \
    "SELECT k.article_id, k.day, k.views, 0 FROM articles t JOIN article_views k ON " \
    "k.article_id = t.id WHERE k.day >= :first_day AND k.day < :last_day"
#define OF_TIME " AND k.created_at >= :from AND k.created_at < :to"
#define VOTES_READ                                                                           \
    "SELECT k.article_id, k.created_at, 1, k.is_up FROM article_votes k JOIN articles t ON " \
    "t.id = k.article_id WHERE 1 = 1" OF_TIME
#define COMMENTS_READ                                                                     \
    "SELECT k.article_id, k.created_at, 1, 0 FROM article_comments k JOIN articles t ON " \
    "t.id = k.article_id WHERE k.status = 1" OF_TIME

/* Adds the rows of a statement, of articles that the caller sees. */
static int reading_rows(struct call *c, const char *select, int what) {
    struct reading_report *r = c->prepared;
    struct branches b = {0};
    struct buf sql = {0};
    struct stmt *row;
    buf_text(&sql, select);
    view_condition(c, resource_of("article"), &b, &sql);
    buf_char(&sql, 0);
    if (what == READ_VIEWS) {
        branch_bind_int(&b, ":first_day", r->first - r->day_count);
        branch_bind_int(&b, ":last_day", r->first + r->day_count);
    } else {
        branch_bind_int(&b, ":from", r->former.from);
        branch_bind_int(&b, ":to", r->span.to);
    }
    int rc = db_start(c->work.conn, sql.p, b.binds, &row);
    buf_free(&sql);
    TRY(rc);
    while ((rc = stmt_step(row)) == 1) {
        int64_t at = col_int(row, 1), day = what == READ_VIEWS ? at : day_of(r->zone, at);
        int which = what == READ_DOWNVOTES && col_int(row, 3) ? READ_UPVOTES : what;
        reading_count(c, col_int(row, 0), day, which, col_int(row, 2));
    }
    stmt_end(row);
    return rc;
}

QUERY(reading_searches, "SELECT s.searched_at, s.attempts, s.results FROM help_center_searches s "
                        "WHERE s.searched_at >= :from AND s.searched_at < :to");

static int searches_read(struct call *c) {
    const struct reading_report *r = c->prepared;
    int rc;
    DB_ROWS(rc, c->work.conn, &reading_searches,
            BINDS(B_INT("from", r->former.from), B_INT("to", r->span.to)), row) {
        int64_t day = day_of(r->zone, col_int(row, 0)), attempts = col_int(row, 1);
        reading_count(c, 0, day, READ_SEARCHES, attempts);
        if (col_int(row, 2) == 0) reading_count(c, 0, day, READ_FAILED_SEARCHES, attempts);
    }
    return rc;
}

/* ---- articles -------------------------------------------------------------------------------- */

static int by_article(const void *x, const void *y) {
    const struct reading_fact *a = x, *b = y;
    return (a->article_id > b->article_id) - (a->article_id < b->article_id);
}

/* Numbers of the order, then views, then ids. */
static int by_rank(const void *x, const void *y, int order) {
    const struct article_line *a = x, *b = y;
    const int64_t of_a[] = {a->now.n[order], a->before.n[order], a->now.n[READ_VIEWS], b->id},
                  of_b[] = {b->now.n[order], b->before.n[order], b->now.n[READ_VIEWS], a->id};
    for (int i = 0; i < 4; i++)
        if (of_a[i] != of_b[i]) return of_a[i] > of_b[i] ? -1 : 1;
    return 0;
}
static int by_views(const void *x, const void *y) { return by_rank(x, y, READ_VIEWS); }
static int by_upvotes(const void *x, const void *y) { return by_rank(x, y, READ_UPVOTES); }
static int by_downvotes(const void *x, const void *y) { return by_rank(x, y, READ_DOWNVOTES); }
static int by_comments(const void *x, const void *y) { return by_rank(x, y, READ_COMMENTS); }
static int (*const orders[READ_OF_ARTICLES])(const void *, const void *) = {by_views, by_upvotes,
                                                                            by_downvotes, by_comments};

static void articles_rank(struct call *c) {
    struct reading_report *r = c->prepared;
    r->articles = arena_array(c->work.arena, (size_t)r->fact_count + 1, sizeof *r->articles);
    if (r->fact_count == 0) return;
    qsort(r->facts, (size_t)r->fact_count, sizeof *r->facts, by_article);
    for (int i = 0; i < r->fact_count; i++) {
        const struct reading_fact *f = &r->facts[i];
        if (r->article_count == 0 || r->articles[r->article_count - 1].id != f->article_id)
            r->articles[r->article_count++].id = f->article_id;
        struct article_line *line = &r->articles[r->article_count - 1];
        (f->day < 0 ? &line->before : &line->now)->n[f->what] += f->n;
    }
    qsort(r->articles, (size_t)r->article_count, sizeof *r->articles, orders[r->order]);
}

QUERY(reading_titles, "SELECT t.id, " TRANSLATION_OF("11") " FROM articles t WHERE t.id IN @LIST(:ids)");

static int titles_read(struct call *c) {
    struct reading_report *r = c->prepared;
    int64_t *ids = arena_array(c->work.arena, (size_t)r->shown + 1, sizeof *ids);
    int rc;
    for (int i = 0; i < r->shown; i++) ids[i] = r->articles[i].id;
    DB_ROWS(rc, c->work.conn, &reading_titles,
            BINDS(B_TEXT("ids", json_ids(c->work.arena, ids, (size_t)r->shown))), row)
    for (int i = 0; i < r->shown; i++)
        if (r->articles[i].id == col_int(row, 0))
            r->articles[i].title = str_dup(c->work.arena, col_text(row, 1));
    return rc;
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static void write_reading(struct json_writer *w, const struct reading_numbers *numbers, int count) {
    jw_object(w);
    for (int i = 0; i < count; i++) {
        jw_key(w, str_of(number_names[i]));
        jw_int(w, numbers->n[i]);
    }
    jw_end(w);
}

static void render_reading_days(struct view *v, const struct row *row, const struct value *own) {
    const struct reading_report *r = v->c->prepared;
    (void)row, (void)own;
    jw_array(&v->w);
    for (int i = 0; i < r->day_count; i++) jw_str(&v->w, day_text(v->c->work.arena, r->first + i));
    jw_end(&v->w);
}

static void render_reading_numbers(struct view *v, const struct row *row, const struct value *own) {
    const struct reading_report *r = v->c->prepared;
    (void)row, (void)own;
    jw_object(&v->w);
    for (int what = 0; what < NUMBERS; what++) {
        jw_key(&v->w, str_of(number_names[what]));
        jw_array(&v->w);
        for (int i = 0; i < r->day_count; i++) jw_int(&v->w, r->days[i].n[what]);
        jw_end(&v->w);
    }
    jw_end(&v->w);
}

static void render_reading_articles(struct view *v, const struct row *row, const struct value *own) {
    const struct reading_report *r = v->c->prepared;
    struct json_writer *w = &v->w;
    (void)row, (void)own;
    jw_array(w);
    for (int i = 0; i < r->shown; i++) {
        const struct article_line *line = &r->articles[i];
        jw_object(w);
        jw_key(w, S("id"));
        jw_int(w, line->id);
        jw_key(w, S("title"));
        jw_str(w, line->title);
        jw_key(w, S("total"));
        write_reading(w, &line->now, READ_OF_ARTICLES);
        jw_key(w, S("previous"));
        write_reading(w, &line->before, READ_OF_ARTICLES);
        jw_end(w);
    }
    jw_end(w);
}

static void render_reading_total(struct view *v, const struct row *row, const struct value *own) {
    const struct reading_report *r = v->c->prepared;
    (void)row, (void)own;
    write_reading(&v->w, &r->total, NUMBERS);
}

static void render_reading_previous(struct view *v, const struct row *row, const struct value *own) {
    const struct reading_report *r = v->c->prepared;
    (void)row, (void)own;
    write_reading(&v->w, &r->before, NUMBERS);
}

#define NUMBERS_EXAMPLE                                                                     \
    "{\"views\": 31, \"upvotes\": 4, \"downvotes\": 1, \"comments\": 0, \"searches\": 12, " \
    "\"searches_without_results\": 2}"

static const struct field reading_fields[] = {
    {"time_zone", F_TEXT, READONLY, .doc = "Time zone of the days: the setting desk.time_zone.",
     .example = "\"Europe/Berlin\""},
    {"start_at", F_TIME, READONLY, .doc = "Start of the first day."},
    {"end_at", F_TIME, READONLY, .doc = "End of the last day. It may be in the future."},
    {"previous_start_at", F_TIME, READONLY, .doc = "Start of the previous period, which has as many days."},
    {"previous_end_at", F_TIME, READONLY, .doc = "End of the previous period."},
    {"days", F_COMPUTED, READONLY, .render = render_reading_days, .doc = "The days of the period.",
     .example = "[\"2026-11-21\"]"},
    {"numbers", F_COMPUTED, READONLY, .render = render_reading_numbers,
     .doc =
         "Lists with a number for each day: `views` of articles; `upvotes` and `downvotes`, by the time of "
         "the vote that a reader has now; published `comments`; `searches`, and `searches_without_results`.",
     .example = "{\"views\": [31]}"},
    {"articles", F_COMPUTED, READONLY, .render = render_reading_articles,
     .doc = "Articles with a number in one of both periods, in the order that was asked for. Each has its "
            "`id`, its `title` in the default language, its numbers (`total`), and those of the previous "
            "period (`previous`).",
     .example = "[{\"id\": 3, \"title\": \"Returns\", \"total\": {\"views\": 31, \"upvotes\": 4, "
                "\"downvotes\": 1, \"comments\": 0}, \"previous\": {\"views\": 20, \"upvotes\": 2, "
                "\"downvotes\": 0, \"comments\": 0}}]"},
    {"article_count", F_INT, READONLY, .doc = "Number of articles of both periods.", .example = "1"},
    {"total", F_COMPUTED, READONLY, .render = render_reading_total, .doc = "All numbers of the period.",
     .example = NUMBERS_EXAMPLE},
    {"previous", F_COMPUTED, READONLY, .render = render_reading_previous,
     .doc = "All numbers of the previous period.", .example = NUMBERS_EXAMPLE},
    {0},
};

/* ---- as CSV ---------------------------------------------------------------------------------- */

static int reply_days_csv(struct call *c, const struct reading_report *r) {
    static const char *const names[] = {
        "day", "views", "upvotes", "downvotes", "comments", "searches", "searches_without_results", NULL};
    csv_names(c, names);
    for (int i = 0; i < r->day_count; i++) {
        csv_text(c, day_text(c->work.arena, r->first + i));
        for (int what = 0; what < NUMBERS; what++) csv_int(c, r->days[i].n[what]);
        csv_line_end(c);
    }
    return csv_reply(c, "days.csv");
}

static int reply_articles_csv(struct call *c, const struct reading_report *r) {
    static const char *const names[] = {"article_id",
                                        "title",
                                        "views",
                                        "upvotes",
                                        "downvotes",
                                        "comments",
                                        "previous_views",
                                        "previous_upvotes",
                                        "previous_downvotes",
                                        "previous_comments",
                                        NULL};
    csv_names(c, names);
    for (int i = 0; i < r->shown; i++) {
        const struct article_line *line = &r->articles[i];
        csv_int(c, line->id);
        csv_text(c, line->title);
        for (int what = 0; what < READ_OF_ARTICLES; what++) csv_int(c, line->now.n[what]);
        for (int what = 0; what < READ_OF_ARTICLES; what++) csv_int(c, line->before.n[what]);
        csv_line_end(c);
    }
    return csv_reply(c, "articles.csv");
}

/* ---- the route ------------------------------------------------------------------------------- */

static const struct field reading_args[] = {
    {"*", .group = report_period_args},
    {"order", F_WORD, .words = reading_orders,
     .doc =
         "The number by which articles are ranked: VIEWS, UPVOTES, DOWNVOTES or COMMENTS. Default: VIEWS."},
    {"most", F_INT, .min = 1, .max = LIMIT_PAGE,
     .doc = "Number of articles at most. Default: 20, as CSV 1000."},
    {"lines", F_WORD, .words = reading_lines, .doc = "Lines of CSV: ARTICLES or DAYS. Default: ARTICLES."},
    {"*", .group = csv_args},
    {0},
};

static int arg_or(struct call *c, const char *name, int otherwise) {
    return arg(c, name)->given ? (int)arg(c, name)->value.i : otherwise;
}

/* The whole days of the period. */
static int reading_period(struct call *c, struct reading_report *r) {
    int64_t start, end;
    TRY(report_period(c, &start, &end));
    r->zone = setting_text(c->work.desk, "desk.time_zone", c->work.arena);
    r->first = day_of(r->zone, start);
    int64_t count = day_of(r->zone, end - 1) - r->first + 1;
    if (count > DAYS_MOST)
        return fail_field(&c->work, ERR_FIELD_INVALID, S("start_at"),
                          "The period has more than %d days. Choose a shorter period.", DAYS_MOST);
    r->day_count = (int)count;
    r->span = day_span(r->zone, r->first, count);
    r->former = day_span(r->zone, r->first - count, count);
    r->days = arena_array(c->work.arena, (size_t)count, sizeof *r->days);
    return 0;
}

static int reading_read(struct call *c, struct reading_report *r) {
    r->order = arg_or(c, "order", READ_VIEWS + 1) - 1;
    TRY(reading_rows(c, VIEWS_READ, READ_VIEWS));
    TRY(reading_rows(c, VOTES_READ, READ_DOWNVOTES));
    TRY(reading_rows(c, COMMENTS_READ, READ_COMMENTS));
    TRY(searches_read(c));
    articles_rank(c);
    int most = arg_or(c, "most", csv_asked(c) ? LIMIT_PAGE : ARTICLES_SHOWN);
    r->shown = r->article_count < most ? r->article_count : most;
    return titles_read(c);
}

static int get_report_articles(struct call *c) {
    struct reading_report *r = c->prepared = ARENA_NEW(c->work.arena, struct reading_report);
    TRY(api_input(c));
    TRY(reading_period(c, r));
    TRY(reading_read(c, r));
    if (csv_asked(c))
        return arg_or(c, "lines", LINES_OF_ARTICLES) == LINES_OF_DAYS ? reply_days_csv(c, r)
                                                                      : reply_articles_csv(c, r);
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    *row_cell(row, "time_zone") = value_text(r->zone);
    *row_cell(row, "start_at") = (struct value){V_INT, .i = r->span.from};
    *row_cell(row, "end_at") = (struct value){V_INT, .i = r->span.to};
    *row_cell(row, "previous_start_at") = (struct value){V_INT, .i = r->former.from};
    *row_cell(row, "previous_end_at") = (struct value){V_INT, .i = r->former.to};
    *row_cell(row, "article_count") = (struct value){V_INT, .i = r->article_count};
    TRY(view_follow(v, row));
    return envelope_row(v, row);
}

static const struct route reading_routes[] = {
    {GET, "/insights/helpcenter/period", COL_PLUS, "insights", ONE, get_report_articles, .is_heavy = true,
     .permission = "insights.access", .executor = POOL, .lane = LANE_READ, .args = reading_args,
     .has_csv = true, .summary = "Get the articles and searches of a period",
     .doc = "Views, votes and comments of the articles that the caller sees, and all searches, by day of the "
            "desk's time zone, with the previous period. The period is made of whole days. Views and "
            "searches are counted in memory and written every 15 seconds, so the newest may be missing. As "
            "CSV, each line is an article or a day."},
    {0},
};

const struct resource report_articles_resource = {.type = "report_articles",
                                                  .scope = "insights",
                                                  .title = "Reports of articles",
                                                  .doc = "What is read in the help center, what helps, and "
                                                         "what is not found.",
                                                  .fields = reading_fields,
                                                  .routes = reading_routes};
