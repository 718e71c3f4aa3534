/* Kept snapshots (src/db/sqlite_snapshot.c): which statements they save, their numbers, and when they end. */
#include "store.h"

#define PLACE struct place *p = *state

static int64_t statements_of_a_read(struct place *p) {
    struct conn *c = db_reader(p->db);
    int64_t before = c->counters.statements;
    topics(p);
    return c->counters.statements - before;
}

static void reads_between_two_writes_share_a_snapshot(void **state) {
    PLACE;
    int shared = 0;
    add_topic(p, "a");
    assert_int_equal(statements_of_a_read(p), 2); /* BEGIN and the query */
    for (int i = 0; i < 100; i++) shared += statements_of_a_read(p) == 1;
    assert_true(shared > 0); /* on a slow machine some snapshots expire meanwhile */
    add_topic(p, "b");
    assert_int_equal(statements_of_a_read(p), 3);
    assert_int_equal(topics(p), 2);
}

static int64_t number_of_a_read(struct place *p) {
    struct conn *c = db_reader(p->db);
    int64_t number;
    assert_int_equal(db_read_begin(c, 0), 0);
    number = db_snapshot(c);
    db_read_end(c);
    assert_int_equal(db_snapshot(c), 0);
    return number;
}

static void a_snapshot_has_a_number_of_its_own(void **state) {
    PLACE;
    int shared = 0;
    add_topic(p, "a");
    for (int i = 0; i < 100; i++) {
        int64_t first = number_of_a_read(p);
        assert_true(first > 0);
        shared += number_of_a_read(p) == first;
    }
    assert_true(shared > 0); /* on a slow machine some snapshots expire meanwhile */
    int64_t before = number_of_a_read(p);
    add_topic(p, "b");
    assert_true(number_of_a_read(p) > before);
}

#define LONG_TEXT \
    (9 * 1024 * 1024) /* makes the log grow by more than the writer leaves without a checkpoint */

static int add_long_note(struct conn *c, void *arg) {
    int64_t id;
    return db_insert(c, &note_add, BINDS(B_NULL("topic"), B_TEXT("text", ((struct str){arg, LONG_TEXT}))),
                     &id);
}

static char *long_text(void) {
    char *text = malloc(LONG_TEXT);
    assert_non_null(text);
    return memset(text, 'x', LONG_TEXT);
}

struct watch {
    struct place *place;
    _Atomic int acknowledged;
    _Atomic bool over;
};

static void *watch_writes(void *arg) {
    struct watch *w = arg;
    while (!atomic_load(&w->over)) {
        int acknowledged = atomic_load(&w->acknowledged);
        assert_true(topics(w->place) >= acknowledged);
    }
    return NULL;
}

static void a_reader_that_was_told_of_a_write_finds_it(void **state) {
    PLACE;
    struct watch w = {.place = p};
    pthread_t threads[4];
    char *text = long_text();
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, watch_writes, &w);
    for (int i = 1; i <= 300; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        assert_true(add_topic(p, name) >= 0);
        atomic_store(&w.acknowledged, i);
        if (i % 25 == 0) assert_int_equal(db_write(p->db, add_long_note, text), 0); /* causes a checkpoint */
        assert_int_equal(topics(p), i);
    }
    atomic_store(&w.over, true);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    free(text);
}

struct resting {
    struct place *place;
    struct conn *conn;
    sem_t has_read, may_end;
};

static void *read_and_rest(void *arg) {
    struct resting *r = arg;
    topics(r->place);
    r->conn = db_reader(r->place->db);
    sem_post(&r->has_read);
    while (sem_wait(&r->may_end) != 0) {}
    return NULL;
}

static void an_idle_reader_does_not_hold_the_log_back(void **state) {
    PLACE;
    struct resting r = {.place = p};
    struct db_stats s;
    pthread_t thread;
    char *text = long_text();
    sem_init(&r.has_read, 0, 0);
    sem_init(&r.may_end, 0, 0);
    pthread_create(&thread, NULL, read_and_rest, &r);
    while (sem_wait(&r.has_read) != 0) {}
    assert_true(r.conn->kept.open);
    for (int i = 0; i < 4; i++) assert_int_equal(db_write(p->db, add_long_note, text), 0);
    assert_false(r.conn->kept.open);
    db_stats(p->db, &s);
    assert_true(s.wal_bytes < 3 * LONG_TEXT);
    sem_post(&r.may_end);
    pthread_join(thread, NULL);
    free(text);
}

static int cached(struct conn *c) {
    int bytes = 0, most;
    assert_int_equal(sqlite3_db_status(c->handle, SQLITE_DBSTATUS_CACHE_USED, &bytes, &most, 0), SQLITE_OK);
    return bytes;
}

static int cached_by_writer(struct conn *c, void *arg) {
    *(int *)arg = cached(c);
    return 0;
}

static void pages_of_idle_connections_are_given_back(void **state) {
    PLACE;
    struct resting r = {.place = p};
    pthread_t thread;
    int full = 0, after = 0;
    sem_init(&r.has_read, 0, 0);
    sem_init(&r.may_end, 0, 0);
    for (int i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        add_topic(p, name);
    }
    assert_int_equal(db_write(p->db, cached_by_writer, &full), 0);
    pthread_create(&thread, NULL, read_and_rest, &r);
    while (sem_wait(&r.has_read) != 0) {}
    int before = cached(r.conn);
    db_rest(p->db);
    assert_true(cached(r.conn) < before);
    do assert_int_equal(db_write(p->db, cached_by_writer, &after), 0); /* the writer may be at a task yet */
    while (after >= full);
    sem_post(&r.may_end);
    pthread_join(thread, NULL);
    assert_int_equal(topics(p), 200);
}

static void *read_and_close(void *arg) {
    struct place *p = arg;
    for (int i = 0; i < 300; i++) {
        assert_int_equal(topics(p), 1);
        db_reader_end(p->db);
    }
    return NULL;
}

static void connections_that_are_closed_meanwhile_do_not_rest(void **state) {
    PLACE;
    pthread_t threads[4];
    add_topic(p, "a");
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, read_and_close, p);
    for (int i = 0; i < 20000; i++) db_rest(p->db);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

static void a_thread_that_ended_its_reader_gets_a_new_one(void **state) {
    PLACE;
    add_topic(p, "a");
    assert_int_equal(topics(p), 1);
    db_reader_end(p->db);
    db_reader_end(p->db);
    assert_int_equal(topics(p), 1);
}

static int place_make_keeping(void **state) {
    int rc = place_make(state);
    struct place *p = *state;
    p->db->keep_snapshots = true;
    return rc;
}

#define IN_STORE(test) cmocka_unit_test_setup_teardown(test, place_make_keeping, place_remove)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_STORE(reads_between_two_writes_share_a_snapshot),
        IN_STORE(a_snapshot_has_a_number_of_its_own),
        IN_STORE(a_reader_that_was_told_of_a_write_finds_it),
        IN_STORE(an_idle_reader_does_not_hold_the_log_back),
        IN_STORE(pages_of_idle_connections_are_given_back),
        IN_STORE(connections_that_are_closed_meanwhile_do_not_rest),
        IN_STORE(a_thread_that_ended_its_reader_gets_a_new_one),
    };
    return cmocka_run_group_tests_name("db snapshots", tests, NULL, NULL);
}
