#include "core/helpcenter/tally.h"

#include "base/fold.h"
#include "core/desk/gather.h"
#include "core/desk/setting.h"
#include "core/helpcenter/article.h"
#include "core/time/calendar.h"
#include "core/words.h"
#include "base/clock.h"

#include <stdio.h>

QUERY(views_lock, "SELECT id FROM articles WHERE id IN @LIST(:ids) ORDER BY id @LOCK@");
QUERY(views_write, "UPDATE articles SET views = views + v.n, rank = " ARTICLE_RANK(
                       "views + v.n", "upvote_count",
                       "downvote_count") " FROM (SELECT CAST(r.value ->> 0 AS BIGINT) AS id, "
                                         "CAST(SUM(CAST(r.value ->> 3 AS BIGINT)) AS BIGINT) AS n "
                                         "FROM @ROWS(:rows) r GROUP BY 1) v "
                                         "WHERE articles.id = v.id");
/* The key of a row is its day. */
QUERY(views_by_day, "INSERT INTO article_views (article_id, day, views) "
                    "SELECT a.id, CAST(r.value ->> 1 AS BIGINT), CAST(r.value ->> 3 AS BIGINT) "
                    "FROM @ROWS(:rows) r JOIN articles a ON a.id = CAST(r.value ->> 0 AS BIGINT) "
                    "WHERE 1 = 1 ON CONFLICT (article_id, day) "
                    "DO UPDATE SET views = article_views.views + excluded.views");
QUERY(searches_write, "INSERT INTO help_center_searches (name_key, name, attempts, results, searched_at) "
                      "SELECT r.value ->> 1, r.value ->> 2, CAST(r.value ->> 3 AS BIGINT), "
                      "CAST(r.value ->> 4 AS BIGINT), CAST(r.value ->> 5 AS BIGINT) "
                      "FROM @ROWS(:rows) r");

static const struct gather_kind views = {.lock = &views_lock,
                                         .write = &views_write,
                                         .also = &views_by_day,
                                         .most = GATHERED_ARTICLES},
                                searches = {.write = &searches_write, .most = GATHERED_SEARCHES};

void article_viewed(struct desk *d, int64_t article_id, int64_t day) {
    char room[24];
    if (article_id <= 0) return;
    int n = snprintf(room, sizeof room, "%lld", (long long)day);
    gather_row(d, &views, &(struct gathered){.id = article_id, .key = {room, (size_t)n}, .count = 1});
}

/* Words in the user agents of crawlers, monitors, previews of links and libraries, in lower case. */
static const char *const bot_words[] = {
    "bot",     "crawl",   "spider", "slurp",      "preview",     "facebookexternalhit",
    "monitor", "pingdom", "uptime", "lighthouse", "headless",    "curl/",
    "wget/",   "python-", "scrapy", "feed",       "http-client", "httpclient",
    "go-http", "java/",   "libwww", "archiver",   "scan"};

bool is_bot(struct str user_agent) {
    char lower[256] = {0};
    size_t n = user_agent.n < sizeof lower - 1 ? user_agent.n : sizeof lower - 1;
    for (size_t i = 0; i < n; i++) {
        char c = user_agent.p[i];
        lower[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c ? c : ' ';
    }
    for (size_t i = 0; i < sizeof bot_words / sizeof *bot_words; i++)
        if (strstr(lower, bot_words[i])) return true;
    return n == 0; /* browsers send a name */
}

void article_read(struct desk *d, const struct actor *reader, struct arena *a, int64_t article_id) {
    if (reader->rank >= ROLE_COLLABORATOR || is_bot(reader->user_agent)) return;
    article_viewed(d, article_id, day_of(setting_text(d, "desk.time_zone", a), clock_now(&d->clock)));
}

/* At most GATHERED_TEXT bytes, without a part of a character. */
static struct str shortened(struct str s) {
    if (s.n <= GATHERED_TEXT) return s;
    s.n = GATHERED_TEXT;
    while (s.n && ((unsigned char)s.p[s.n] & 0xC0) == 0x80) s.n--;
    return s;
}

void search_counted(struct desk *d, struct str text, int results) {
    struct str name = shortened(str_trim(text));
    if (d->gathering == NULL || name.n == 0) return;
    struct arena *a = arena_new();
    struct str key = fold_key(a, name);
    if (key.n)
        gather_row(d, &searches,
                   &(struct gathered){
                       .key = key, .name = name, .count = 1, .sum = results, .at = clock_now(&d->clock)});
    arena_free(a);
}

/* ---- insights -------------------------------------------------------------------------------- */

#define TEXTS(condition)                                                                               \
    "SELECT (SELECT n.name FROM help_center_searches n WHERE n.id = g.first), g.attempts, "            \
    "g.results, g.last FROM (SELECT MIN(s.id) AS first, CAST(SUM(s.attempts) AS BIGINT) AS attempts, " \
    "CAST(SUM(s.results) AS BIGINT) AS results, MAX(s.searched_at) AS last, s.name_key "               \
    "FROM help_center_searches s WHERE s.searched_at >= :start "                                       \
    "AND s.searched_at < :end GROUP BY s.name_key" condition                                           \
    ") g ORDER BY g.attempts DESC, g.last DESC, g.name_key "                                           \
    "LIMIT :most"
QUERY(insight_popular, TEXTS(""));
QUERY(insight_failed, TEXTS(" HAVING SUM(s.results) = 0"));

int insight_searches(struct work *w, int64_t start, int64_t end, bool all, int64_t most,
                     struct query_insight *out) {
    int rc, n = 0;
    DB_ROWS(rc, w->conn, all ? &insight_popular : &insight_failed,
            BINDS(B_INT("start", start), B_INT("end", end + TIME_SECOND), B_INT("most", most)), row)
    out[n++] = (struct query_insight){str_dup(w->arena, col_text(row, 0)), col_int(row, 1), col_int(row, 2),
                                      col_int(row, 3)};
    return rc < 0 ? rc : n;
}
