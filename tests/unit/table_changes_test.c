/* Statements that change tracked tables (src/db/table_changes.c), and the generation of a store that has such
 * tables. */
#include "store.h"

static const struct db_tracked_table tracked[] = {
    {"notes", NULL, NULL}, {"people", "name", NULL}, {"pages", NULL, "views"}, {"files", "", NULL}, {0}};

static void a_statement_is_noted_by_the_tables_that_it_changes(void **state) {
    (void)state;
    static const char *const changes[] = {
        "INSERT INTO notes (text) VALUES (:text)",
        "INSERT INTO other (a) VALUES (1) ON CONFLICT (a) DO UPDATE "
        "SET b = 1 RETURNING (SELECT 1); UPDATE notes "
        "SET text = ''",
        "UPDATE notes SET text = :text WHERE id = :id",
        "DELETE FROM notes WHERE id = :id",
        "WITH gone AS (DELETE FROM notes RETURNING id) SELECT id FROM gone",
        "SELECT 'it''s'; DELETE FROM notes",
        "UPDATE people SET age = 3, name = 'x'",
        "DELETE FROM people",
        "UPDATE pages SET title = 'x'",
        "INSERT INTO pages (views) VALUES (0)",
        "DELETE FROM pages WHERE views = 0",
    };
    static const char *const others[] = {
        "SELECT * FROM notes",
        "INSERT INTO other SELECT id FROM notes",
        "DELETE FROM other WHERE id IN (SELECT id FROM notes)",
        "SELECT 'DELETE FROM notes'",
        "UPDATE notes_2 SET text = ''",
        "UPDATE people SET age = 3",
        "UPDATE pages SET views = views + 1",
        "UPDATE files SET name = 'x'",
        "INSERT INTO files (name) VALUES ('x')",
        "DELETE FROM files",
        "INSERT INTO people (name) VALUES ('x')",
        "INSERT INTO other (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = 1",
        "SELECT 'DELETE FROM notes",
        "",
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        assert_true(sql_changes_tracked(tracked, changes[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(sql_changes_tracked(tracked, others[i]));
    assert_false(sql_changes_tracked(NULL, changes[0]));
}

static int add_note(struct conn *c, void *arg) {
    int64_t id;
    (void)arg;
    return db_insert(c, &note_add, BINDS(B_NULL("topic"), B_TEXT("text", S("a"))), &id);
}

static int refuse_after_a_note(struct conn *c, void *arg) {
    int rc = add_note(c, arg);
    return rc < 0 ? rc : -ERR_FIELD_INVALID;
}

static void only_changes_of_noted_tables_raise_the_generation(void **state) {
    struct place *p = *state;
    place_close(p);
    struct db_config cfg = {.dir = p->dir, .tracked = tracked};
    assert_int_equal(db_open_with(&cfg, first_schema, &p->db, (struct why){p->err, sizeof p->err}), 0);
    int64_t before = db_generation(p->db);
    assert_true(before > 0);
    assert_true(add_topic(p, "a") >= 0);
    assert_int_equal(db_generation(p->db), before);
    assert_true(db_write(p->db, add_note, NULL) >= 0);
    assert_true(db_generation(p->db) > before);
    before = db_generation(p->db);
    assert_int_equal(db_write(p->db, refuse_after_a_note, NULL), -ERR_FIELD_INVALID);
    before = db_generation(p->db); /* an undone write may count, too */
    assert_true(add_topic(p, "b") >= 0);
    assert_int_equal(db_generation(p->db), before);
}

static const struct db_tracked_table topics_set[] = {{"topics", NULL, NULL}, {0}};
static const struct db_tracked_table *const marked[] = {tracked, topics_set, NULL};
enum { NOTES_SET, TOPICS_SET, NO_SET };

static void open_with_marks(struct place *p, bool keep_snapshots) {
    struct db_config cfg = {.dir = p->dir, .marked = marked, .keep_snapshots = keep_snapshots};
    place_close(p);
    assert_int_equal(db_open_with(&cfg, first_schema, &p->db, (struct why){p->err, sizeof p->err}), 0);
}

static int64_t mark_of_a_read(struct place *p, int set) {
    struct conn *c = db_reader(p->db);
    assert_int_equal(db_read_begin(c, 0), 0);
    int64_t mark = db_mark(c, set);
    db_read_end(c);
    return mark;
}

static void a_mark_is_the_same_until_a_row_of_its_set_has_changed(void **state) {
    struct place *p = *state;
    open_with_marks(p, true);
    int64_t notes = mark_of_a_read(p, NOTES_SET), topics_mark = mark_of_a_read(p, TOPICS_SET);
    assert_true(notes > 0 && topics_mark > 0);
    assert_int_equal(mark_of_a_read(p, NO_SET), 0);
    assert_true(add_topic(p, "a") >= 0);
    assert_int_equal(mark_of_a_read(p, NOTES_SET), notes);
    assert_true(mark_of_a_read(p, TOPICS_SET) > topics_mark);
    assert_true(db_write(p->db, add_note, NULL) >= 0);
    assert_true(mark_of_a_read(p, NOTES_SET) > notes);
    notes = mark_of_a_read(p, NOTES_SET);
    assert_true(db_write(p->db, add_note, NULL) >= 0); /* no snapshot was begun since the former one */
    assert_true(mark_of_a_read(p, NOTES_SET) > notes);
    open_with_marks(p, false);
    assert_int_equal(mark_of_a_read(p, NOTES_SET), 0);
}

static void a_snapshot_before_the_change_has_no_mark(void **state) {
    struct place *p = *state;
    open_with_marks(p, true);
    struct conn *c = db_reader(p->db);
    int64_t n;
    assert_int_equal(db_read_begin(c, 0), 0);
    assert_int_equal(db_int(c, &topic_count, NULL, &n), 1);
    assert_true(db_mark(c, NOTES_SET) > 0);
    assert_true(db_write(p->db, add_note, NULL) >= 0);
    assert_int_equal(db_mark(c, NOTES_SET), 0);
    assert_true(db_mark(c, TOPICS_SET) > 0);
    db_read_end(c);
    assert_true(mark_of_a_read(p, NOTES_SET) > 0);
}

static int mark_a_write(struct conn *c, void *arg) {
    int64_t *marks = arg;
    marks[0] = db_mark(c, NOTES_SET);
    if (add_note(c, NULL) < 0) return -1;
    marks[1] = db_mark(c, NOTES_SET);
    marks[2] = db_mark(c, TOPICS_SET);
    return 0;
}

static void a_write_has_the_marks_of_what_it_has_not_changed(void **state) {
    struct place *p = *state;
    open_with_marks(p, true);
    int64_t marks[3];
    for (int i = 0; i < 2; i++) {
        int64_t before = mark_of_a_read(p, NOTES_SET);
        assert_int_equal(db_write(p->db, mark_a_write, marks), 0);
        assert_int_equal(marks[0], before);
        assert_int_equal(marks[1], 0);
        assert_int_equal(marks[2], mark_of_a_read(p, TOPICS_SET));
    }
}

#define IN_STORE(test) cmocka_unit_test_setup_teardown(test, place_make, place_remove)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_statement_is_noted_by_the_tables_that_it_changes),
        IN_STORE(only_changes_of_noted_tables_raise_the_generation),
        IN_STORE(a_mark_is_the_same_until_a_row_of_its_set_has_changed),
        IN_STORE(a_snapshot_before_the_change_has_no_mark),
        IN_STORE(a_write_has_the_marks_of_what_it_has_not_changed),
    };
    return cmocka_run_group_tests_name("tracked tables", tests, NULL, NULL);
}
