/* Insights: the articles of the help center by views. */
#include "api/rows/csv.h"
#include "api/rows/generic.h"
#include "api/rows/visible.h"
#include "core/fields/translation.h"
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
