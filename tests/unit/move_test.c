/* deskd move and derived tables: a full-text index is rebuilt in the target, not copied. From SQLite to
 * SQLite, and with DATABASE=postgres://... also through PostgreSQL. */
#include "engines.h"

/* SQLite has an FTS5 table, PostgreSQL an ordinary one. */
static const struct schema_file indexed_schema[] = {
    {"0001_notes.sql",
     "CREATE TABLE notes (id @ID@, text TEXT NOT NULL);\n"
     "@SQLITE{CREATE VIRTUAL TABLE words USING fts5(note_id UNINDEXED, text);}@\n"
     "@POSTGRES{CREATE TABLE words (note_id BIGINT NOT NULL, text TEXT NOT NULL, parsed tsvector);}@\n"},
    {0}};

static int rebuild_words(struct conn *c) {
    TRY(db_exec_text(c, "DELETE FROM words", NULL));
    return db_exec_text(c, "INSERT INTO words (note_id, text) SELECT n.id, n.text FROM notes n", NULL);
}
static int rebuild_nothing(struct conn *c) { return (void)c, -ERR_INTERNAL_ERROR; }

static const struct db_derived words[] = {{"words", rebuild_words}, {0}},
                               broken_words[] = {{"words", rebuild_nothing}, {0}}, none[] = {{0}};

static int vacant(struct conn *c) {
    static const struct query any_note = {"any_note", "SELECT 1 FROM notes LIMIT 1"};
    int64_t one;
    int rc = db_int(c, &any_note, NULL, &one);
    return rc < 0 ? rc : rc == 0;
}

/* Moves into a new store, and opens it. */
static int move_into(struct desk_place *from, struct desk_place *to, const struct db_derived *derived,
                     char *err, size_t size) {
    struct db_config source = {.dir = from->place.dir, .url = from->url, .read_only = true, .alone = true},
                     target = {
                         .dir = to->place.dir, .url = to->url, .create = true, .bulk = true, .filling = true};
    struct db_move m = {.derived = derived, .vacant = vacant};
    place_close(&from->place);
    assert_int_equal(db_open_with(&source, indexed_schema, &m.from, (struct why){err, size}), 0);
    assert_int_equal(db_open_with(&target, indexed_schema, &m.to, (struct why){err, size}), 0);
    int rc = db_move(&m, err, size);
    db_close(m.to);
    db_close(m.from);
    return rc;
}

static struct desk_place *source_of_notes(void) {
    void *state;
    assert_int_equal(desk_place_make(&state), 0);
    struct desk_place *p = state;
    p->url = NULL;
    assert_int_equal(desk_open(p, indexed_schema), 0);
    RUN(p, "INSERT INTO notes (text) VALUES ('a grey octopus'), ('a red crab')",
        "INSERT INTO words (note_id, text) "
        "VALUES (1, 'a grey octopus'), (7, 'rows that only a copy would bring along')");
    return p;
}

static void move_and_look(struct desk_place *from, struct desk_place *to) {
    char err[256] = "";
    int rc = move_into(from, to, words, err, sizeof err);
    if (rc < 0) print_message("%s\n", err);
    assert_int_equal(rc, 0);
    assert_int_equal(desk_open(to, indexed_schema), 0);
    assert_string_equal(ask_list(to, "SELECT text FROM notes ORDER BY id"), "a grey octopus,a red crab");
    assert_string_equal(ask_list(to, "SELECT w.note_id || ' ' || w.text FROM words w ORDER BY 1"),
                        "1 a grey octopus,2 a red crab");
    if (!to->url)
        assert_string_equal(ask_list(to, "SELECT note_id || '' FROM words WHERE words MATCH 'crab'"), "2");
}

static void a_full_text_index_is_rebuilt_in_the_target(void **state) {
    struct desk_place *p = source_of_notes();
    void *last;
    assert_int_equal(desk_place_make(&last), 0);
    move_and_look(p, *state); /* to PostgreSQL, where DATABASE says so */
    ((struct desk_place *)last)->url = NULL;
    move_and_look(*state, last);
    void *first = p;
    desk_place_remove(&first);
    desk_place_remove(&last);
}

static void a_virtual_table_that_nothing_rebuilds_is_refused(void **state) {
    struct desk_place *p = source_of_notes();
    char err[256] = "";
    assert_true(move_into(p, *state, none, err, sizeof err) < 0);
    assert_string_equal(err, "words is a virtual table that no row of derived_tables rebuilds");
    void *first = p;
    desk_place_remove(&first);
}

static void a_rebuild_that_fails_leaves_the_target_empty(void **state) {
    struct desk_place *p = source_of_notes(), *to = *state;
    char err[256] = "";
    assert_true(move_into(p, to, broken_words, err, sizeof err) < 0);
    assert_string_equal(err, "words can't be rebuilt in the target");
    move_and_look(p, to); /* the next move begins anew */
    void *first = p;
    desk_place_remove(&first);
}

#define IN_DESK(test) cmocka_unit_test_setup_teardown(test, desk_place_make, desk_place_remove)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_DESK(a_full_text_index_is_rebuilt_in_the_target),
        IN_DESK(a_virtual_table_that_nothing_rebuilds_is_refused),
        IN_DESK(a_rebuild_that_fails_leaves_the_target_empty),
    };
    return cmocka_run_group_tests_name("move", tests, NULL, NULL);
}
