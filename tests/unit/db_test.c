/* The store without faults: statements, the shared COMMIT, input errors, readers, budget. */
#include "store.h"

#include "base/buf.h"

#define PLACE struct place *p = *state

/* ---- statements ------------------------------------------------------------------------------ */

QUERY(echo, "SELECT :text, :number, :nothing, :bytes");
QUERY(swapped, "SELECT :b, :a, :b");
QUERY(listed, "SELECT count(*), sum(:one) FROM topics WHERE id IN @LIST(:ids) AND name IN @TEXTS(:names)");
QUERY(endless, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");

static void values_come_back_as_they_were_bound(void **state) {
    PLACE;
    struct conn *c = db_reader(p->db);
    struct stmt *row;
    char bytes[] = {0, 1, 0};
    const struct bind *binds = BINDS(B_TEXT("text", S("")), B_INT("number", INT64_MIN), B_NULL("nothing"),
                                     B_BLOB("bytes", ((struct str){bytes, 3})), B_INT("unused", 1));
    assert_int_equal(db_row(c, &echo, binds, &row), 1);
    assert_int_equal(col_count(row), 4);
    assert_true(col_text(row, 0).p && col_text(row, 0).n == 0);
    assert_true(col_int(row, 1) == INT64_MIN);
    assert_true(col_null(row, 2) && !col_text(row, 2).p);
    assert_true(str_eq(col_text(row, 3), (struct str){bytes, 3}));
    assert_int_equal(stmt_step(row), 0);
    assert_int_equal(stmt_step(row), 0); /* does not start again */
    stmt_end(row);
}

static void binds_may_come_in_any_order(void **state) {
    PLACE;
    struct stmt *row;
    assert_int_equal(db_row(db_reader(p->db), &swapped, BINDS(B_INT("a", 1), B_INT("b", 2)), &row), 1);
    assert_int_equal(col_int(row, 0), 2);
    assert_int_equal(col_int(row, 1), 1);
    assert_int_equal(col_int(row, 2), 2);
    stmt_end(row);
}

static void an_unbound_parameter_is_a_bug(void **state) {
    PLACE;
    struct stmt *row;
    const struct bind *binds = BINDS(B_INT("a", 1), B_INT("a", 1));
    assert_int_equal(db_row(db_reader(p->db), &swapped, binds, &row), -ERR_INTERNAL_ERROR);
}

static void a_text_of_two_statements_is_a_bug(void **state) {
    PLACE;
    struct stmt *s;
    assert_int_equal(db_start(db_reader(p->db), "SELECT 1; SELECT 2", NULL, &s), -ERR_INTERNAL_ERROR);
    assert_int_equal(db_start(db_reader(p->db), "SELECT nonsense", NULL, &s), -ERR_INTERNAL_ERROR);
    assert_int_equal(db_start(db_reader(p->db), "  ", NULL, &s), -ERR_INTERNAL_ERROR);
}

static void lists_are_bound_as_json(void **state) {
    PLACE;
    add_topic(p, "a");
    add_topic(p, "b");
    add_topic(p, "c");
    struct stmt *row;
    const struct bind *binds =
        BINDS(B_TEXT("ids", S("[1, 2, 9]")), B_TEXT("names", S("[\"b\", \"c\"]")), B_INT("one", 1));
    assert_int_equal(db_row(db_reader(p->db), &listed, binds, &row), 1);
    assert_int_equal(col_int(row, 0), 1);
    stmt_end(row);
}

static void a_text_may_run_inside_itself(void **state) {
    PLACE;
    add_topic(p, "a");
    add_topic(p, "b");
    static const struct query all = {"all", "SELECT id FROM topics"};
    struct conn *c = db_reader(p->db);
    int rc, pairs = 0;
    DB_ROWS(rc, c, &all, NULL, outer) {
        int inner_rc;
        DB_ROWS(inner_rc, c, &all, NULL, inner) { pairs++; }
        assert_int_equal(inner_rc, 0);
    }
    assert_int_equal(rc, 0);
    assert_int_equal(pairs, 4);
    assert_true(ring_empty(&c->running));
}

static void the_cache_is_bounded_and_keeps_what_is_used(void **state) {
    PLACE;
    struct conn *c = db_reader(p->db);
    struct stmt *held;
    assert_int_equal(db_row(c, &topic_count, NULL, &held), 1);
    for (int i = 0; i < STATEMENTS_MAX + 100; i++) {
        char text[32];
        snprintf(text, sizeof text, "SELECT %d", i);
        assert_true(db_exec_text(c, text, NULL) >= 0);
        assert_true(db_exec_text(c, "SELECT 'often'", NULL) >= 0);
    }
    assert_int_equal(c->cached, STATEMENTS_MAX);
    int64_t before = c->counters.prepares;
    assert_int_equal(col_int(held, 0), 0);
    stmt_end(held);
    assert_true(db_exec_text(c, "SELECT 'often'", NULL) >= 0);
    assert_true(db_exec(c, &topic_count, NULL) >= 0);
    assert_int_equal(c->counters.prepares, before);
    assert_true(db_exec_text(c, "SELECT 0", NULL) >= 0); /* the oldest one was evicted */
    assert_int_equal(c->counters.prepares, before + 1);
}

/* ---- writes ---------------------------------------------------------------------------------- */

static void a_group_shares_commits(void **state) {
    PLACE;
    enum { N = 200 };
    static struct group_task tasks[N];
    static char names[N][8];
    struct db_stats before, after;
    db_stats(p->db, &before);
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "%d", i);
        tasks[i] = (struct group_task){.run = run_topic, .arg = names[i]};
    }
    run_group(p->db, tasks, N);
    db_stats(p->db, &after);
    for (int i = 0; i < N; i++) assert_int_equal(tasks[i].rc, 0);
    assert_int_equal(topics(p), N);
    assert_int_equal(after.tasks - before.tasks, N + 1);
    assert_in_range(after.commits - before.commits, 1, N / 10);
}

static int run_topic_then_fail(struct conn *c, void *name) {
    int rc = run_topic(c, name);
    return rc < 0 ? rc : -ERR_FIELD_REQUIRED;
}

static int run_unended(struct conn *c, void *name) {
    struct stmt *forgotten;
    int rc = run_topic(c, name);
    return rc < 0 ? rc : db_row(c, &topic_count, NULL, &forgotten) - 1;
}

static void a_failing_task_undoes_itself_alone(void **state) {
    PLACE;
    struct group_task tasks[] = {
        {.run = run_topic, .arg = "a"}, {.run = run_topic_then_fail, .arg = "b"},
        {.run = run_topic, .arg = "a"}, {.run = run_unended, .arg = "c"},
        {.run = run_topic, .arg = "b"},
    };
    run_group(p->db, tasks, 5);
    assert_int_equal(tasks[0].rc, 0);
    assert_int_equal(tasks[1].rc, -ERR_FIELD_REQUIRED);
    assert_int_equal(tasks[2].rc, -ERR_FIELD_DUPLICATE);
    assert_int_equal(tasks[3].rc, 0);
    assert_int_equal(tasks[4].rc, 0);
    assert_int_equal(topics(p), 3);
}

#define LONG_NOTES                                                                     \
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) " \
    "INSERT INTO notes (text) SELECT '00000' || i || printf('%.*c', 1000, 'x') FROM n"
QUERY(long_notes_add, LONG_NOTES);
/* changes every note before its reference of the last one is found to be missing */
QUERY(long_notes_fail, "UPDATE notes SET text = '1' || text, topic_id = CASE WHEN id = 1000 THEN 9 END");
QUERY(long_notes_kept, "SELECT count(*) FROM notes WHERE text LIKE '00000%' AND length(text) > 1000");

static int run_long_statement(struct conn *c, void *kept) {
    int rc = db_exec(c, &long_notes_add, NULL);
    if (rc < 0) return rc;
    assert_int_equal(db_exec(c, &long_notes_fail, NULL), -ERR_FIELD_INVALID);
    rc = db_int(c, &long_notes_kept, NULL, kept);
    return rc < 0 ? rc : 0;
}

/* Its former pages are more than SQLite keeps in one block, so the rest is in db/sqlite_memory.c. */
static void a_long_statement_undoes_itself_alone(void **state) {
    PLACE;
    int64_t kept = 0;
    assert_int_equal(db_write(p->db, run_long_statement, &kept), 0);
    assert_int_equal(kept, 1000);
}

struct counted_run {
    int runs;
    const char *name;
    bool fails;
};

static int run_counted(struct conn *c, void *arg) {
    struct counted_run *r = arg;
    r->runs++;
    int rc = r->name ? run_topic(c, (void *)(uintptr_t)r->name) : 0;
    return rc < 0 || !r->fails ? rc : -ERR_RESOURCE_NOT_FOUND;
}

static void run_three(struct place *p, struct counted_run *runs) {
    struct group_task tasks[3];
    for (int i = 0; i < 3; i++) {
        tasks[i] = (struct group_task){.run = run_counted, .arg = &runs[i]};
        runs[i].runs = 0;
    }
    run_group(p->db, tasks, 3);
    for (int i = 0; i < 3; i++) assert_int_equal(tasks[i].rc, runs[i].fails ? -ERR_RESOURCE_NOT_FOUND : 0);
}

static void a_batch_runs_again_only_after_a_failure_that_had_changed_rows(void **state) {
    PLACE;
    struct db_stats before, after;
    db_stats(p->db, &before);
    struct counted_run refused[] = {{.name = "a"}, {.fails = true}, {.name = "b"}};
    run_three(p, refused);
    for (int i = 0; i < 3; i++) assert_int_equal(refused[i].runs, 1);
    assert_int_equal(topics(p), 2);

    struct counted_run undone[] = {{.name = "c"}, {.name = "d", .fails = true}, {.name = "e"}};
    run_three(p, undone);
    assert_int_equal(undone[0].runs, 2);
    assert_int_equal(undone[1].runs, 2);
    assert_int_equal(undone[2].runs, 1);
    assert_int_equal(topics(p), 4);

    struct counted_run cautious[] = {{.name = "f"}, {.name = "g", .fails = true}, {.name = "h"}};
    run_three(p, cautious);
    for (int i = 0; i < 3; i++) assert_int_equal(cautious[i].runs, 1);
    assert_int_equal(topics(p), 6);
    db_stats(p->db, &after);
    assert_int_equal(after.tasks - before.tasks, 12);
    assert_in_range(after.commits - before.commits, 3, 6);
}

static int run_savepoints(struct conn *c, void *arg) {
    (void)arg;
    int rc = run_topic(c, "outer");
    if (rc == 0) rc = db_savepoint(c, "inner");
    if (rc == 0) rc = run_topic(c, "inner");
    if (rc == 0) rc = db_undo(c, "inner");
    if (rc == 0) rc = db_savepoint(c, "second");
    if (rc == 0) rc = run_topic(c, "second");
    return rc == 0 ? db_release(c, "second") : rc;
}

static void a_task_may_use_savepoints(void **state) {
    PLACE;
    assert_int_equal(db_write(p->db, run_savepoints, NULL), 0);
    assert_int_equal(topics(p), 2);
}

/* ---- references ------------------------------------------------------------------------------ */

static int run_orphan(struct conn *c, void *arg) {
    int64_t id;
    (void)arg;
    return db_insert(c, &note_add, BINDS(B_INT("topic", 99), B_TEXT("text", S("x"))), &id);
}

/* the row is returned before SQLite checks the reference */
static int run_orphan_row(struct conn *c, void *arg) {
    struct stmt *row;
    (void)arg;
    int rc = db_row(c, &note_add, BINDS(B_INT("topic", 99), B_TEXT("text", S("x"))), &row);
    if (rc == 1) stmt_end(row);
    return rc == 1 ? 0 : rc;
}

static int run_orphan_later(struct conn *c, void *arg) {
    (void)arg;
    int rc = db_exec_text(c, "INSERT INTO later (topic_id) VALUES (99)", NULL);
    return rc == 1 ? 0 : -ERR_INTERNAL_ERROR;
}

static void a_missing_reference_fails_its_task_alone(void **state) {
    PLACE;
    struct group_task tasks[] = {
        {.run = run_orphan, .arg = NULL},
        {.run = run_orphan_row, .arg = NULL},
        {.run = run_orphan_later, .arg = NULL},
        {.run = run_topic, .arg = "a"},
    };
    run_group(p->db, tasks, 4);
    for (int i = 0; i < 3; i++) assert_int_equal(tasks[i].rc, -ERR_FIELD_INVALID);
    assert_int_equal(tasks[3].rc, 0);
    assert_true(writable(p));
    static const struct query left = {"left",
                                      "SELECT (SELECT count(*) FROM notes) + (SELECT count(*) FROM later)"};
    int64_t n = -1;
    assert_int_equal(db_int(db_reader(p->db), &left, NULL, &n), 1);
    assert_int_equal(n, 0);
}

/* They have no savepoint (src/db/writer.c). */
static void a_failing_first_task_undoes_itself_alone(void **state) {
    PLACE;
    struct db_stats before, after;
    struct group_task tasks[] = {
        {.run = run_topic, .arg = "a"},         {.run = run_topic_then_fail, .arg = "b"},
        {.run = run_topic, .arg = "b"},         {.run = run_topic, .arg = "a"},
        {.run = run_orphan, .arg = NULL},       {.run = run_orphan_row, .arg = NULL},
        {.run = run_orphan_later, .arg = NULL}, {.run = run_unended, .arg = "c"},
    };
    enum { N = sizeof tasks / sizeof *tasks };
    for (int i = 0; i < N; i++) tasks[i].task.begins_batch = true;
    db_stats(p->db, &before);
    run_group(p->db, tasks, N);
    db_stats(p->db, &after);
    static const int wanted[N] = {[1] = -ERR_FIELD_REQUIRED,
                                  [3] = -ERR_FIELD_DUPLICATE,
                                  [4] = -ERR_FIELD_INVALID,
                                  [5] = -ERR_FIELD_INVALID,
                                  [6] = -ERR_FIELD_INVALID};
    for (int i = 0; i < N; i++) assert_int_equal(tasks[i].rc, wanted[i]);
    assert_int_equal(topics(p), 3);
    assert_true(writable(p));
    assert_int_equal(after.tasks - before.tasks, N + 1);
    /* The gate, a, b and c, and three refusals that had changed no row. Each begins a batch. */
    assert_int_equal(after.commits - before.commits, 7);
}

/* ---- readers --------------------------------------------------------------------------------- */

static void a_reader_sees_one_snapshot_and_cannot_write(void **state) {
    PLACE;
    struct conn *c = db_reader(p->db);
    int64_t n = -1;
    assert_int_equal(db_read_begin(c, 0), 0);
    assert_int_equal(db_int(c, &topic_count, NULL, &n), 1);
    add_topic(p, "a");
    assert_int_equal(db_int(c, &topic_count, NULL, &n), 1);
    assert_int_equal(n, 0);
    assert_int_equal(run_topic(c, "b"), -ERR_INTERNAL_ERROR);
    db_read_end(c);
    assert_int_equal(topics(p), 1);
}

static void a_spent_budget_ends_the_statement_alone(void **state) {
    PLACE;
    struct conn *c = db_reader(p->db);
    int64_t n;
    assert_int_equal(db_read_begin(c, 10), 0);
    assert_int_equal(db_int(c, &endless, NULL, &n), -ERR_SERVICE_UNAVAILABLE);
    assert_true(db_budget_spent(c));
    db_read_end(c);
    assert_int_equal(topics(p), 0);
    assert_false(db_budget_spent(c));
}

static size_t open_connections(struct db *db) {
    size_t n = 0;
    pthread_mutex_lock(&db->lock);
    for (struct ring *r = db->conns.next; r != &db->conns; r = r->next) n++;
    pthread_mutex_unlock(&db->lock);
    return n;
}

static void *read_both(void *arg) {
    struct place **both = arg;
    for (int i = 0; i < 50; i++) {
        assert_int_equal(topics(both[0]), 0);
        assert_int_equal(topics(both[1]), 1);
    }
    return NULL;
}

static void readers_end_with_their_thread_or_their_store(void **state) {
    PLACE;
    void *other = NULL;
    assert_int_equal(place_make(&other), 0);
    struct place *both[] = {p, other};
    add_topic(both[1], "a");
    size_t before = open_connections(p->db);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, read_both, both);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    assert_int_equal(open_connections(p->db), before);
    assert_int_equal(topics(both[1]), 1);
    place_remove(&other);
    assert_int_equal(topics(p), 0);
}

#define IN_STORE(test) cmocka_unit_test_setup_teardown(test, place_make, place_remove)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_STORE(values_come_back_as_they_were_bound),
        IN_STORE(binds_may_come_in_any_order),
        IN_STORE(an_unbound_parameter_is_a_bug),
        IN_STORE(a_text_of_two_statements_is_a_bug),
        IN_STORE(lists_are_bound_as_json),
        IN_STORE(a_text_may_run_inside_itself),
        IN_STORE(the_cache_is_bounded_and_keeps_what_is_used),
        IN_STORE(a_group_shares_commits),
        IN_STORE(a_failing_task_undoes_itself_alone),
        IN_STORE(a_long_statement_undoes_itself_alone),
        IN_STORE(a_batch_runs_again_only_after_a_failure_that_had_changed_rows),
        IN_STORE(a_task_may_use_savepoints),
        IN_STORE(a_missing_reference_fails_its_task_alone),
        IN_STORE(a_failing_first_task_undoes_itself_alone),
        IN_STORE(a_reader_sees_one_snapshot_and_cannot_write),
        IN_STORE(a_spent_budget_ends_the_statement_alone),
        IN_STORE(readers_end_with_their_thread_or_their_store),
    };
    return cmocka_run_group_tests_name("db", tests, NULL, NULL);
}
