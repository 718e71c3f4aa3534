/* Views and searches are gathered in memory, written in few writes, and counted exactly. */
#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include <pthread.h>

#include "core/desk/gather.h"
#include "core/desk/setting.h"
#include "core/helpcenter/tally.h"
#include "core/login/last_use.h"
#include "core/words.h"

#define ARTICLES 3000

QUERY(gathered_section, "INSERT INTO sections (id, category_id, visibility, article_order_by, sort_order, "
                        "created_at, updated_at) SELECT 1, MIN(id), 1, 1, 1, 0, 0 "
                        "FROM categories");
QUERY(gathered_articles,
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
      "WHERE i < 3000) INSERT INTO articles (id, uuid, section_id, status, is_featured, "
      "allow_comments, sort_order, upvote_count, downvote_count, rank, created_at, updated_at) "
      "SELECT i, 'u' || i, 1, 3, 0, 0, i, i % 3, 1, 10 * (i % 3 - 1), 0, 0 "
      "FROM n");
/* by article and by day */
QUERY(gathered_views, "SELECT CASE WHEN SUM(a.views) = (SELECT SUM(v.views) FROM article_views v) "
                      "THEN SUM(a.views) ELSE -1 END FROM articles a");
QUERY(gathered_wrong, "SELECT COUNT(*) FROM articles "
                      "WHERE views <> 1 + id % 2 OR rank <> views + 10 * (upvote_count - downvote_count)");
QUERY(gathered_one, "SELECT views FROM articles WHERE id = 1");
QUERY(gathered_texts, "SELECT COUNT(*) FROM help_center_searches");
QUERY(gathered_found, "SELECT attempts * 1000 + results FROM help_center_searches "
                      "WHERE name_key = 'muller' AND name = 'M\xC3\xBCller'");
QUERY(gathered_longest, "SELECT MAX(LENGTH(name)) FROM help_center_searches");
QUERY(gathered_away, "ALTER TABLE articles RENAME TO away");
QUERY(gathered_tokens_away, "ALTER TABLE api_tokens RENAME TO away");
QUERY(gathered_tokens_back, "ALTER TABLE away RENAME TO api_tokens");
QUERY(gathered_back, "ALTER TABLE away RENAME TO articles");
QUERY(gathered_searches_away, "ALTER TABLE help_center_searches RENAME TO away");
QUERY(gathered_searches_back, "ALTER TABLE away RENAME TO help_center_searches");

struct gathering {
    struct place place;
    struct desk desk;
    int woken;
};

static int fill(struct conn *c, void *arg) {
    (void)arg;
    return db_exec(c, &gathered_section, NULL) < 0 ? -1 : db_exec(c, &gathered_articles, NULL);
}

static void wake(void *arg) { ((struct gathering *)arg)->woken++; }

static int gathering_make(void **state) {
    struct gathering *g = calloc(1, sizeof *g);
    if (g == NULL) return -1;
    *state = g;
    snprintf(g->place.dir, sizeof g->place.dir, "/tmp/deskd-test-XXXXXX");
    if (!mkdtemp(g->place.dir) || place_open(&g->place, schema_files) < 0) return -1;
    g->desk =
        (struct desk){.db = g->place.db, .gathering = gathering_new(), .wake_jobs = wake, .wake_arg = g};
    return db_write(g->place.db, fill, NULL) < 0 ? -1 : 0;
}

static int gathering_remove(void **state) {
    struct gathering *g = *state;
    gathering_free(g->desk.gathering);
    return place_remove(state);
}

static int64_t number_of(struct gathering *g, const struct query *q) {
    struct conn *c = db_reader(g->place.db);
    int64_t n = -1;
    assert_int_equal(db_read_begin(c, 0), 0);
    assert_true(db_int(c, q, NULL, &n) >= 0);
    db_read_end(c);
    return n;
}

static int64_t tasks(struct gathering *g) {
    struct db_stats s;
    db_stats(g->place.db, &s);
    return s.tasks;
}

static int run_query(struct conn *c, void *arg) { return db_exec(c, arg, NULL) < 0 ? -1 : 0; }
static void change_store(struct gathering *g, const struct query *q) {
    assert_true(db_write(g->place.db, run_query, (void *)(uintptr_t)q) >= 0);
}

static void views_of_3000_articles_are_six_writes(void **state) {
    struct gathering *g = *state;
    int64_t before = tasks(g);
    for (int id = 1; id <= ARTICLES; id++)
        for (int n = 0; n < 1 + id % 2; n++) article_viewed(&g->desk, id, 7);
    article_viewed(&g->desk, 0, 7);
    assert_int_equal(tasks(g), before);
    assert_int_equal(gathering_flush(&g->desk) < 0, 0);
    assert_int_equal(tasks(g) - before, ARTICLES / 500);
    assert_int_equal(number_of(g, &gathered_wrong), 0);
    assert_int_equal(gathering_flush(&g->desk), 0);
    assert_int_equal(tasks(g) - before, ARTICLES / 500);
    assert_int_equal(g->woken, 0);
}

static void *view_often(void *arg) {
    for (int i = 0; i < 20000; i++) article_viewed(arg, 1 + i % 7, 7);
    return NULL;
}

static void no_view_is_lost_between_threads_and_flushes(void **state) {
    struct gathering *g = *state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, view_often, &g->desk), 0);
    for (int i = 0; i < 20; i++) assert_true(gathering_flush(&g->desk) >= 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    assert_true(gathering_flush(&g->desk) >= 0);
    assert_int_equal(number_of(g, &gathered_views), 80000);
}

static void views_that_can_not_be_written_are_kept(void **state) {
    struct gathering *g = *state;
    for (int i = 0; i < 5; i++) article_viewed(&g->desk, 1, 7);
    for (int i = 0; i < 3; i++) search_counted(&g->desk, S("M\xC3\xBCller"), 2);
    change_store(g, &gathered_away);
    assert_true(gathering_flush(&g->desk) < 0);
    assert_true(gathering_waits(&g->desk));
    change_store(g, &gathered_back);
    change_store(g, &gathered_searches_away);
    search_counted(&g->desk, S("MULLER"), 1);
    article_viewed(&g->desk, 1, 7);
    assert_true(gathering_flush(&g->desk) < 0);
    change_store(g, &gathered_searches_back);
    search_counted(&g->desk, S("other"), 1);
    assert_true(gathering_flush(&g->desk) >= 0);
    assert_false(gathering_waits(&g->desk));
    assert_int_equal(number_of(g, &gathered_one), 6);
    /* the first flush wrote the searches before it failed */
    assert_int_equal(number_of(g, &gathered_texts), 3);
    assert_int_equal(number_of(g, &gathered_found), 3006);
}

static void texts_are_counted_by_key_and_cut_between_characters(void **state) {
    struct gathering *g = *state;
    char text[600];
    for (size_t i = 0; i < sizeof text; i += 2) memcpy(text + i, "\xC3\x98", 2);
    int64_t before = tasks(g);
    search_counted(&g->desk, S(" M\xC3\xBCller "), 3);
    search_counted(&g->desk, S("MULLER"), 0);
    search_counted(&g->desk, S("  "), 1);
    search_counted(&g->desk, S(""), 1);
    search_counted(&g->desk, S("\xCC\x81"), 1);
    search_counted(&g->desk, (struct str){text, sizeof text}, 1);
    assert_true(gathering_flush(&g->desk) >= 0);
    assert_int_equal(tasks(g) - before, 1);
    assert_int_equal(number_of(g, &gathered_found), 2003);
    assert_int_equal(number_of(g, &gathered_longest), 127);
    assert_int_equal(number_of(g, &gathered_texts), 2);
}

static void a_half_full_table_asks_once_for_a_flush_and_a_full_one_drops(void **state) {
    struct gathering *g = *state;
    char text[32];
    for (int i = 1; i <= GATHERED_SEARCHES; i++) {
        snprintf(text, sizeof text, "text %d", i);
        search_counted(&g->desk, str_of(text), 1);
        assert_int_equal(g->woken, i >= GATHERED_SEARCHES / 2);
        assert_int_equal(gathering_waits(&g->desk), i >= GATHERED_SEARCHES / 2);
    }
    search_counted(&g->desk, S("text 1"), 1);
    for (int id = 1; id <= GATHERED_ARTICLES; id++) article_viewed(&g->desk, id, 7);
    assert_int_equal(g->woken, 1);
    assert_true(gathering_flush(&g->desk) >= 0);
    assert_false(gathering_waits(&g->desk));
    assert_int_equal(number_of(g, &gathered_texts), GATHERED_SEARCHES);
    assert_int_equal(number_of(g, &gathered_views), ARTICLES);
}

static void bots_and_staff_do_not_count(void **state) {
    struct gathering *g = *state;
    static const char *const bots[] = {"",           "Mozilla/5.0 (compatible; Googlebot/2.1)",
                                       "curl/8.5.0", "GPTBot",
                                       "Feedly/1.0", "UptimeRobot/2.0"};
    static const char *const people[] = {
        "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 "
        "Mobile/15E148 Safari/604.1",
        "MyApp/3 CFNetwork/1490 Darwin/23"};
    struct work w = {.desk = &g->desk, .arena = arena_new(), .actor.user_agent = S("Firefox")};
    assert_non_null(g->desk.settings = settings_open(db_reader(g->place.db)));
    for (size_t i = 0; i < sizeof bots / sizeof *bots; i++) assert_true(is_bot(str_of(bots[i])));
    for (size_t i = 0; i < sizeof people / sizeof *people; i++) assert_false(is_bot(str_of(people[i])));
    for (w.actor.rank = ROLE_PUBLIC; w.actor.rank <= ROLE_OWNER; w.actor.rank++)
        article_read(w.desk, &w.actor, w.arena, 1);
    w.actor = (struct actor){.user_agent = S("GPTBot")};
    article_read(w.desk, &w.actor, w.arena, 1);
    assert_true(gathering_flush(&g->desk) >= 0);
    assert_int_equal(number_of(g, &gathered_one), 2);
    settings_close(g->desk.settings);
    arena_free(w.arena);
}

static void the_latest_use_of_a_token_is_kept_until_it_is_written(void **state) {
    struct gathering *g = *state;
    struct work w = {.desk = &g->desk, .now = 1000 * TIME_MINUTE};
    last_use(&w, &api_token_uses, 5, 0);
    w.now += 7;
    last_use(&w, &api_token_uses, 5, 0);
    last_use(&w, &api_token_uses, 6, w.now - TIME_MINUTE + 1); /* less than a minute ago */
    last_use(&w, &grant_uses, 5, w.now - TIME_MINUTE);
    assert_int_equal(gathered_at(&g->desk, &api_token_uses, 5), 1000 * TIME_MINUTE + 7);
    assert_int_equal(gathered_at(&g->desk, &api_token_uses, 6), 0);
    assert_int_equal(gathered_at(&g->desk, &grant_uses, 5), w.now);
    change_store(g, &gathered_tokens_away);
    assert_true(gathering_flush(&g->desk) < 0);
    assert_int_equal(gathered_at(&g->desk, &api_token_uses, 5), w.now);
    assert_int_equal(gathered_at(&g->desk, &grant_uses, 5), 0);
    change_store(g, &gathered_tokens_back);
    assert_true(gathering_flush(&g->desk) >= 0);
    assert_int_equal(gathered_at(&g->desk, &api_token_uses, 5), 0);
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, gathering_make, gathering_remove)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_STORE(views_of_3000_articles_are_six_writes),
        WITH_STORE(no_view_is_lost_between_threads_and_flushes),
        WITH_STORE(views_that_can_not_be_written_are_kept),
        WITH_STORE(texts_are_counted_by_key_and_cut_between_characters),
        WITH_STORE(a_half_full_table_asks_once_for_a_flush_and_a_full_one_drops),
        WITH_STORE(bots_and_staff_do_not_count),
        WITH_STORE(the_latest_use_of_a_token_is_kept_until_it_is_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
