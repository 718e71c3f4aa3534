/* The store from start to end: migrations, refusals, backup during use, check, bulk filling, file modes. */
#include "store.h"

#include <fcntl.h>
#include <sys/stat.h>

#define PLACE struct place *p = *state

/* ---- migrations ------------------------------------------------------------------------------ */

static void migrations_run_once_each_and_keep_the_data(void **state) {
    PLACE;
    /* SQLite's way to change a table. With foreign keys on, dropping topics would delete the rows that
     * refer to it, or fail. */
    const struct schema_file files[] = {{first_schema[0].name, first_schema[0].sql},
                                        {"0002_colour.sql", "ALTER TABLE notes ADD COLUMN colour TEXT;"},
                                        {"0003_topics.sql",
                                         "CREATE TABLE fresh (id @ID@, name TEXT NOT NULL, "
                                         "at BIGINT);\nINSERT INTO fresh (id, name) "
                                         "SELECT id, name "
                                         "FROM topics;\nDROP TABLE topics; ALTER TABLE fresh RENAME TO "
                                         "topics;"},
                                        {NULL, NULL}};
    assert_int_equal(add_topic(p, "a"), 0);
    place_close(p);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(place_open(p, files), 0);
        assert_int_equal(topics(p), 1);
        static const struct query applied = {"applied",
                                             "SELECT count(*) FROM schema_version WHERE applied_at > 0"};
        int64_t n = 0;
        assert_int_equal(db_int(db_reader(p->db), &applied, NULL, &n), 1);
        assert_int_equal(n, 3);
        place_close(p);
    }
}

static int change_and_note(struct conn *c, void *arg) {
    (void)arg;
    for (int i = 0; i < 3; i++) {
        char sql[64];
        snprintf(sql, sizeof sql, "CREATE TABLE more%d (id BIGINT, text TEXT)", i);
        int64_t id;
        if (db_exec_text(c, sql, NULL) < 0) return -1;
        if (db_insert(c, &topic_add, BINDS(B_TEXT("name", str_of(sql))), &id) < 0) return -1;
    }
    return 0;
}

static void a_statement_outlives_changes_of_the_schema(void **state) {
    PLACE;
    assert_int_equal(db_write(p->db, change_and_note, NULL), 0);
    assert_int_equal(topics(p), 3);
}

static int exec_raw(const char *dir, const char *sql) {
    char path[64];
    sqlite3 *raw;
    snprintf(path, sizeof path, "%s/desk.db", dir);
    int rc = sqlite3_open(path, &raw);
    if (rc == 0) rc = sqlite3_exec(raw, sql, NULL, NULL, NULL);
    sqlite3_close(raw);
    return rc;
}

static void expect_refused_second(struct place *p, const char *sql, const char *says) {
    const struct schema_file files[] = {
        {first_schema[0].name, first_schema[0].sql}, {"0002_next.sql", sql}, {NULL, NULL}};
    place_close(p);
    assert_true(place_open(p, files) < 0);
    assert_non_null(strstr(p->err, says));
    assert_null(strchr(p->err, '\n'));
    assert_int_equal(place_open(p, first_schema), 0); /* unchanged, and the lock is free */
    assert_int_equal(topics(p), 1);
}

static void a_migration_that_fails_leaves_no_trace(void **state) {
    PLACE;
    assert_int_equal(add_topic(p, "a"), 0);
    expect_refused_second(p, "CREATE TABLE x (id @ID@); DELETE FROM topics; nonsense;",
                          "0002_next.sql failed");
    expect_refused_second(p, "INSERT INTO notes (topic_id, text) VALUES (9, 'x');", "breaks references");
    expect_refused_second(p, "COMMIT;", "ended its transaction");
}

#define RENAMED_AS(table) "ALTER TABLE fresh RENAME TO " table ";"
#define WRONG_ROW "INSERT INTO fresh VALUES (1, 9);"

static void a_migration_that_breaks_a_reference_in_any_way_is_refused(void **state) {
    PLACE;
    assert_int_equal(add_topic(p, "a"), 0);
    place_close(p);
    assert_int_equal(exec_raw(p->dir, "INSERT INTO notes (topic_id, text) SELECT id, 'x' FROM topics"), 0);
    assert_int_equal(place_open(p, first_schema), 0);
    static const char *const breaking[] = {
        "DELETE FROM topics;",
        "UPDATE topics SET id = id + 7;",
        "UPDATE notes SET topic_id = 9;",
        "DROP TABLE topics; CREATE TABLE topics (id @ID@, name TEXT);",
        "CREATE TABLE fresh (id @ID@, t BIGINT REFERENCES topics (id)); " WRONG_ROW,
        "CREATE TABLE fresh (id @ID@, t BIGINT REFERENCES topics (id)); " WRONG_ROW RENAMED_AS("more"),
        "CREATE TABLE fresh (id @ID@, name TEXT); DROP TABLE topics; " RENAMED_AS("topics"),
        "ALTER TABLE topics RENAME TO old; CREATE TABLE topics (id @ID@, name TEXT); DROP TABLE old;",
    };
    for (size_t i = 0; i < sizeof breaking / sizeof *breaking; i++)
        expect_refused_second(p, breaking[i], "breaks references");
}

/* A check of the whole store would take minutes on a large one. */
static void a_migration_checks_the_references_of_the_tables_that_it_touches(void **state) {
    PLACE;
    const struct schema_file files[] = {{first_schema[0].name, first_schema[0].sql},
                                        {"0002_x.sql", "CREATE TABLE x (id @ID@, text TEXT);"},
                                        {NULL, NULL}};
    place_close(p);
    assert_int_equal(exec_raw(p->dir, "INSERT INTO notes (topic_id, text) VALUES (7, 'lost')"), 0);
    assert_int_equal(place_open(p, files), 0);
}

static void a_newer_or_a_foreign_store_is_refused(void **state) {
    PLACE;
    const struct schema_file newer[] = {{first_schema[0].name, first_schema[0].sql},
                                        {"0002_next.sql", "CREATE TABLE x (id @ID@);"},
                                        {NULL, NULL}};
    const struct schema_file renamed[] = {{"0001_else.sql", ""}, {NULL, NULL}};
    place_close(p);
    assert_true(place_open(p, renamed) < 0);
    assert_non_null(strstr(p->err, "schema 1 is 0001_notes.sql in the store, but 0001_else.sql in this "
                                   "deskd"));
    assert_int_equal(place_open(p, newer), 0);
    place_close(p);
    assert_true(place_open(p, first_schema) < 0);
    assert_non_null(strstr(p->err, "the store has schema 2, but this deskd supports only 1"));
}

static void a_store_that_is_not_there_is_not_made_by_chance(void **state) {
    PLACE;
    struct place none = {0};
    snprintf(none.dir, sizeof none.dir, "%.22s/no", p->dir);
    struct db_config cfg = {.dir = none.dir};
    assert_true(db_open_with(&cfg, first_schema, &none.db, (struct why){none.err, sizeof none.err}) < 0);
    assert_non_null(strstr(none.err, "there is no store"));
    assert_int_equal(access(none.dir, F_OK), -1);
}

static int mode(const char *dir, const char *name) {
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return stat(path, &st) == 0 ? (int)(st.st_mode & 0777) : -1;
}

static void files_are_the_owners_alone(void **state) {
    PLACE;
    struct place inner = {0};
    snprintf(inner.dir, sizeof inner.dir, "%.22s/in", p->dir);
    mode_t before = umask(0);
    assert_int_equal(place_open(&inner, first_schema), 0);
    umask(before);
    assert_int_equal(mode(p->dir, "in"), 0700);
    for (const char *const *name = (const char *const[]){"desk.db", "desk.db-wal", "lock", NULL}; *name;
         name++)
        assert_int_equal(mode(inner.dir, *name), 0600);
    place_close(&inner);
    assert_int_equal(mode(inner.dir, "desk.db-wal"), -1); /* one file is left */
}

/* ---- backup and check ------------------------------------------------------------------------ */

static void print_finding(void *arg, const char *line) {
    (void)arg;
    print_message("finding: %s\n", line);
}

static int findings(const char *dir) {
    char err[256] = "";
    int n = db_check_with(dir, first_schema, print_finding, NULL, (struct why){err, sizeof err});
    if (n < 0) print_message("%s\n", err);
    return n;
}

struct scribe {
    struct place *place;
    _Atomic bool stop;
    int written;
};

static int run_pair(struct conn *c, void *arg) { /* inserts two rows or none */
    char name[32];
    int *n = arg, rc = 0;
    for (int i = 0; rc == 0 && i < 2; i++) {
        snprintf(name, sizeof name, "%d", (*n)++);
        rc = run_topic(c, name);
    }
    return rc;
}

static void *scribble(void *arg) {
    struct scribe *s = arg;
    while (!atomic_load(&s->stop)) assert_int_equal(db_write(s->place->db, run_pair, &s->written), 0);
    return NULL;
}

static void a_backup_of_a_store_in_use_is_one_moment_of_it(void **state) {
    PLACE;
    char to[64], err[256];
    struct place copy = {0};
    snprintf(copy.dir, sizeof copy.dir, "%.22s/to", p->dir);
    snprintf(to, sizeof to, "%s/desk.db", copy.dir);
    assert_int_equal(mkdir(copy.dir, 0700), 0);
    struct scribe s = {.place = p};
    for (int i = 0; i < 50; i++) assert_int_equal(db_write(p->db, run_pair, &s.written), 0);
    int before = s.written;
    pthread_t thread;
    pthread_create(&thread, NULL, scribble, &s);
    int made = db_backup(p->dir, to, NULL, err, sizeof err);
    if (made < 0) print_message("%s\n", err);
    atomic_store(&s.stop, true);
    pthread_join(thread, NULL);
    assert_int_equal(made, 0);
    assert_int_equal(mode(copy.dir, "desk.db"), 0600);
    assert_int_equal(mode(copy.dir, "desk.db.partial"), -1);
    assert_true(db_backup(p->dir, to, NULL, err, sizeof err) < 0);
    assert_non_null(strstr(err, "exists already"));

    assert_int_equal(findings(copy.dir), 0);
    assert_int_equal(place_open(&copy, first_schema), 0);
    int64_t n = topics(&copy);
    assert_true(n >= before && n <= s.written && n % 2 == 0);
    place_close(&copy);
}

static void damage(const char *dir, off_t at) {
    char path[64], noise[512];
    memset(noise, 0x5a, sizeof noise);
    snprintf(path, sizeof path, "%s/desk.db", dir);
    int fd = open(path, O_RDWR);
    assert_int_equal(pwrite(fd, noise, sizeof noise, at), sizeof noise);
    close(fd);
}

static void a_check_finds_damage(void **state) {
    PLACE;
    int written = 0;
    for (int i = 0; i < 500; i++) assert_int_equal(db_write(p->db, run_pair, &written), 0);
    assert_int_equal(findings(p->dir), 0); /* the store is in use */
    place_close(p);
    assert_int_equal(findings(p->dir), 0);
    damage(p->dir, STORE_PAGE + 512); /* the second page: the table of topics or one next to it */
    damage(p->dir, 9 * STORE_PAGE);
    assert_true(findings(p->dir) > 0);
}

static void a_check_finds_rows_that_refer_to_none(void **state) {
    PLACE;
    place_close(p);
    assert_int_equal(exec_raw(p->dir, "INSERT INTO notes (topic_id, text) VALUES (7, 'lost'), (8, 'too')"),
                     0);
    assert_int_equal(findings(p->dir), 2);
}

/* ---- the other ways to open ------------------------------------------------------------------ */

static int run_many(struct conn *c, void *arg) {
    char name[16];
    int rc = 0;
    (void)arg;
    for (int i = 0; rc == 0 && i < 1000; i++) {
        snprintf(name, sizeof name, "%d", i);
        rc = run_topic(c, name);
    }
    return rc;
}

static void a_bulk_store_is_an_ordinary_one_when_it_is_closed(void **state) {
    PLACE;
    place_close(p);
    struct db_config cfg = {.dir = p->dir, .bulk = true};
    assert_int_equal(db_open_with(&cfg, first_schema, &p->db, (struct why){p->err, sizeof p->err}), 0);
    assert_int_equal(db_write(p->db, run_many, NULL), 0);
    assert_int_equal(db_write(p->db, run_many, NULL), -ERR_FIELD_DUPLICATE);
    place_close(p);
    assert_int_equal(mode(p->dir, "desk.db-wal"), -1);
    assert_int_equal(findings(p->dir), 0);
    assert_int_equal(place_open(p, first_schema), 0);
    assert_int_equal(topics(p), 1000);
}

static void a_read_only_store_is_opened_beside_its_owner_and_refuses_writes(void **state) {
    PLACE;
    assert_int_equal(add_topic(p, "a"), 0);
    struct place guest = {0};
    struct db_config cfg = {.dir = p->dir, .read_only = true};
    assert_int_equal(db_open_with(&cfg, first_schema, &guest.db, (struct why){guest.err, sizeof guest.err}),
                     0);
    assert_int_equal(topics(&guest), 1);
    assert_int_equal(add_topic(&guest, "b"), -ERR_SERVICE_UNAVAILABLE);
    place_close(&guest);
    assert_int_equal(add_topic(p, "b"), 0);
}

#define IN_STORE(test) cmocka_unit_test_setup_teardown(test, place_make, place_remove)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_STORE(a_statement_outlives_changes_of_the_schema),
        IN_STORE(migrations_run_once_each_and_keep_the_data),
        IN_STORE(a_migration_that_fails_leaves_no_trace),
        IN_STORE(a_migration_that_breaks_a_reference_in_any_way_is_refused),
        IN_STORE(a_migration_checks_the_references_of_the_tables_that_it_touches),
        IN_STORE(a_newer_or_a_foreign_store_is_refused),
        IN_STORE(a_store_that_is_not_there_is_not_made_by_chance),
        IN_STORE(files_are_the_owners_alone),
        IN_STORE(a_backup_of_a_store_in_use_is_one_moment_of_it),
        IN_STORE(a_check_finds_damage),
        IN_STORE(a_check_finds_rows_that_refer_to_none),
        IN_STORE(a_bulk_store_is_an_ordinary_one_when_it_is_closed),
        IN_STORE(a_read_only_store_is_opened_beside_its_owner_and_refuses_writes),
    };
    return cmocka_run_group_tests_name("db schema", tests, NULL, NULL);
}
