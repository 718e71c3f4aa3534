/* Typed changes and the change log. */
#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include "base/clock.h"
#include "core/change/audit.h"
#include "core/change/change.h"
#include "core/all/finish.h"
#include "core/change/log.h"

static struct changed team(int64_t id) { return (struct changed){"team", id, 0}; }

static struct work work_of(struct arena *a) {
    return (struct work){.arena = a, .now = 1000, .actor = {.kind = ACTOR_SYSTEM, .cause = S("Test")}};
}

static int changes_count(const struct work *w) {
    int n = 0;
    for (const struct change *c = changes_of(w); c; c = c->next) n++;
    return n;
}

static void two_changes_of_one_property_are_one(void **state) {
    struct arena *a = arena_new();
    struct work w = work_of(a);
    (void)state;
    change_property(&w, team(1), "title", changed_text(S("A")), changed_text(S("B")));
    change_property(&w, team(2), "title", changed_text(S("A")), changed_text(S("X")));
    change_property(&w, team(1), "title", changed_text(S("B")), changed_text(S("C")));
    assert_int_equal(changes_count(&w), 2);
    assert_string_equal(changes_of(&w)->from.text.p, "A");
    assert_string_equal(changes_of(&w)->to.text.p, "C");
    arena_free(a);
}

static void a_value_that_ends_as_it_began_is_no_change(void **state) {
    struct arena *a = arena_new();
    struct work w = work_of(a);
    (void)state;
    change_property(&w, team(1), "businesshour", changed_id(3), changed_id(3));
    change_property(&w, team(1), "businesshour", changed_id(3), changed_nothing());
    change_property(&w, team(1), "businesshour", changed_nothing(), changed_id(3));
    change_property(&w, team(1), "is_default", changed_bool(false), changed_bool(false));
    assert_int_equal(changes_count(&w), 0);
    arena_free(a);
}

static void changes_of_a_new_object_are_part_of_its_creation(void **state) {
    struct arena *a = arena_new();
    struct work w = work_of(a);
    (void)state;
    change_created(&w, team(1));
    change_property(&w, team(1), "title", changed_text(S("A")), changed_text(S("B")));
    change_named(&w, team(1), "secret");
    assert_int_equal(changes_count(&w), 1);
    assert_int_equal(changes_of(&w)->verb, CHANGE_CREATED);
    change_deleted(&w, team(1));
    assert_int_equal(changes_count(&w), 0);
    arena_free(a);
}

static void objects_of_two_kinds_with_one_id_have_changes_of_their_own(void **state) {
    struct arena *a = arena_new();
    struct work w = work_of(a);
    const struct change **of;
    char copy[] = "team";
    struct changed user = {"user", 1, 0}, same_team = {copy, 1, 0};
    (void)state;
    change_created(&w, team(1));
    change_property(&w, user, "title", changed_text(S("A")), changed_text(S("B")));
    change_property(&w, same_team, "title", changed_text(S("A")), changed_text(S("B")));
    assert_int_equal(changes_count(&w), 2);
    assert_int_equal(changes_of_object(&w, user, &of), 1);
    assert_string_equal(of[0]->property, "title");
    change_deleted(&w, same_team);
    assert_int_equal(changes_count(&w), 1);
    change_deleted(&w, user);
    assert_int_equal(changes_of_object(&w, user, &of), 2);
    assert_int_equal(of[1]->verb, CHANGE_DELETED);
    arena_free(a);
}

/* The changes of an object are found by hash. */
static void many_changes_keep_their_order_and_their_objects(void **state) {
    struct arena *a = arena_new();
    struct work w = work_of(a);
    const struct change **of;
    (void)state;
    for (int id = 1; id <= 5000; id++)
        change_property(&w, team(id), "title", changed_text(S("A")), changed_text(S("B")));
    for (int id = 1; id <= 5000; id++) change_property(&w, team(id), "number", changed_id(1), changed_id(2));
    for (int id = 1; id <= 5000; id++)
        change_property(&w, team(id), "title", changed_text(S("B")), changed_text(S("C")));
    assert_int_equal(changes_count(&w), 10000);
    for (int id = 1; id <= 5000; id++) {
        assert_int_equal(changes_of_object(&w, team(id), &of), 2);
        assert_string_equal(of[0]->to.text.p, "C");
        assert_string_equal(of[1]->property, "number");
    }
    arena_free(a);
}

static void an_absent_value_is_not_the_empty_text(void **state) {
    struct arena *a = arena_new();
    struct work w = work_of(a);
    (void)state;
    change_property(&w, team(1), "legacy_id", changed_nothing(), changed_text(S("")));
    assert_int_equal(changes_count(&w), 1);
    arena_free(a);
}

/* ---- the log --------------------------------------------------------------------------------- */

struct entry {
    int64_t id, at;
};

static int write_entry(struct conn *c, void *arg) {
    const struct entry *e = arg;
    struct arena *a = arena_new();
    struct work w = work_of(a);
    struct desk desk = {0};
    w.desk = &desk;
    w.conn = c;
    w.now = e->at;
    change_property(&w, team(e->id), "title", changed_text(S("A")), changed_text(S("B")));
    int rc = work_finish(&w);
    arena_free(a);
    return rc;
}

static void log_entry(struct place *p, int64_t id, int64_t at) {
    assert_int_equal(db_write(p->db, write_entry, &(struct entry){id, at}), 0);
}

static int make(void **state) {
    struct place *p = calloc(1, sizeof *p);
    if (p == NULL) return -1;
    *state = p;
    snprintf(p->dir, sizeof p->dir, "/tmp/deskd-test-XXXXXX");
    return mkdtemp(p->dir) ? place_open(p, schema_files) : -1;
}

/* Reads a page behind a cursor text (p NULL: from the oldest entry), and moves the text behind it. Returns
 * the number of entries. */
static int read_page(struct place *p, struct arena *a, struct str *text, int most, int64_t *ids, bool *more,
                     enum change_log_state *state) {
    struct work w = work_of(a);
    struct change_cursor cursor = {0};
    w.conn = db_reader(p->db);
    if (text->p) assert_true(change_cursor_read(a, *text, &cursor));
    assert_int_equal(db_read_begin(w.conn, 0), 0);
    int n = change_log_read(&w, &cursor, most, ids, more, state);
    db_read_end(w.conn);
    if (n > 0) {
        cursor.last = ids[n - 1];
        *text = change_cursor_text(a, &cursor);
    }
    return n;
}

static void a_reader_goes_on_where_it_stood(void **state) {
    struct place *p = *state;
    struct arena *a = arena_new();
    struct str at = {0};
    int64_t ids[4];
    bool more;
    enum change_log_state good;
    for (int i = 1; i <= 5; i++) log_entry(p, i, 1000);
    assert_int_equal(read_page(p, a, &at, 2, ids, &more, &good), 2);
    assert_true(more && good == CURSOR_GOOD);
    log_entry(p, 6, 1000); /* after the start of the window */
    assert_int_equal(read_page(p, a, &at, 2, ids, &more, &good), 2);
    assert_int_equal(read_page(p, a, &at, 2, ids, &more, &good), 1);
    assert_false(more);
    assert_int_equal(read_page(p, a, &at, 2, ids, &more, &good), 1);
    assert_int_equal(ids[0], 6);
    assert_int_equal(read_page(p, a, &at, 2, ids, &more, &good), 0);
    arena_free(a);
}

static int prune(struct conn *c, void *arg) { return change_log_prune(c, *(int64_t *)arg, 2); }

static void a_cursor_that_missed_pruned_entries_is_refused(void **state) {
    struct place *p = *state;
    struct arena *a = arena_new();
    struct str first = {0}, fourth, at = {0};
    int64_t ids[4], before = 5000;
    bool more;
    enum change_log_state good;
    for (int i = 1; i <= 6; i++) log_entry(p, i, i <= 3 ? before : before + 1);
    assert_int_equal(read_page(p, a, &first, 1, ids, &more, &good), 1);
    fourth = first;
    assert_int_equal(read_page(p, a, &fourth, 3, ids, &more, &good), 3);
    assert_int_equal(db_write(p->db, prune, &before), 2); /* at most two a write */
    assert_int_equal(db_write(p->db, prune, &before), 1);
    assert_int_equal(db_write(p->db, prune, &before), 0);
    assert_int_equal(read_page(p, a, &first, 1, ids, &more, &good), 0);
    assert_int_equal(good, CURSOR_PRUNED);
    assert_int_equal(read_page(p, a, &fourth, 4, ids, &more, &good), 2);
    assert_int_equal(good, CURSOR_GOOD);
    assert_int_equal(read_page(p, a, &at, 4, ids, &more, &good), 3);
    assert_int_equal(ids[0], 4);
    arena_free(a);
}

static void a_reader_at_the_end_goes_on_after_all_was_pruned(void **state) {
    struct place *p = *state;
    struct arena *a = arena_new();
    struct str at = {0};
    int64_t ids[4], before = 5000;
    bool more;
    enum change_log_state good;
    for (int i = 1; i <= 3; i++) log_entry(p, i, 1000);
    assert_int_equal(read_page(p, a, &at, 4, ids, &more, &good), 3);
    while (db_write(p->db, prune, &before) > 0) {}
    assert_int_equal(read_page(p, a, &at, 4, ids, &more, &good), 0);
    assert_int_equal(good, CURSOR_GOOD);
    log_entry(p, 4, 9000);
    assert_int_equal(read_page(p, a, &at, 4, ids, &more, &good), 1);
    assert_int_equal(good, CURSOR_GOOD);
    assert_int_equal(ids[0], 4);
    arena_free(a);
}

/* ---- the audit log --------------------------------------------------------------------------- */

/* One write in which a request, a rule and a second rule change the access of one person. */
static int change_by_three(struct conn *c, void *arg) {
    struct arena *a = arena_new();
    struct work w = work_of(a);
    struct desk desk = {.audit_key = {.bytes = {1}}};
    struct changed person = {"user", 1, 0};
    (void)arg;
    w.desk = &desk;
    w.conn = c;
    change_property(&w, person, "emails", changed_text(S("a")), changed_text(S("b")));
    change_property(&w, person, "phones", changed_text(S("1")), changed_text(S("2")));
    for (int i = 0; i < 2; i++) {
        change_author_begin(&w, i ? S("Trigger: B") : S("Trigger: A"), 1);
        change_property(&w, person, i ? "facebook" : "twitter", changed_text(S("a")), changed_text(S("b")));
        change_author_end(&w);
    }
    int rc = audit_finish(&w);
    arena_free(a);
    return rc;
}

static void each_cause_has_an_entry_of_the_audit_log(void **state) {
    struct place *p = *state;
    static const char *const causes[] = {"Test", "Trigger: A", "Trigger: B"};
    QUERY(causes_of_entries, "SELECT v.cause FROM audit_entries e JOIN audit_values v ON v.entry_id = e.id "
                             "WHERE e.object_id = 1 ORDER BY e.id");
    assert_int_equal(db_write(p->db, change_by_three, NULL), 0);
    struct conn *c = db_reader(p->db);
    assert_int_equal(db_read_begin(c, 0), 0);
    int rc, n = 0;
    DB_ROWS(rc, c, &causes_of_entries, NULL, row) assert_true(str_eq(col_text(row, 0), str_of(causes[n++])));
    db_read_end(c);
    assert_int_equal(rc, 0);
    assert_int_equal(n, 3);
}

static void a_cursor_is_read_back_or_refused(void **state) {
    struct arena *a = arena_new();
    struct change_cursor c = {.store = S("x.1"), .then = S("7:9:8"), .now = S("12:12:"), .last = 5}, back;
    static const char *const bad[] = {"", "x", "1", "1|a", "1|a|1|1", "1|a|1|1|x", "1|a|1|1|-1", "2|a|1|1|1"};
    (void)state;
    assert_true(change_cursor_read(a, change_cursor_text(a, &c), &back));
    assert_true(str_eq(back.store, c.store) && str_eq(back.then, c.then) && str_eq(back.now, c.now) &&
                back.last == 5);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(change_cursor_read(a, str_of(bad[i]), &back));
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_changes_of_one_property_are_one),
        cmocka_unit_test(a_value_that_ends_as_it_began_is_no_change),
        cmocka_unit_test(changes_of_a_new_object_are_part_of_its_creation),
        cmocka_unit_test(objects_of_two_kinds_with_one_id_have_changes_of_their_own),
        cmocka_unit_test(many_changes_keep_their_order_and_their_objects),
        cmocka_unit_test(an_absent_value_is_not_the_empty_text),
        cmocka_unit_test(a_cursor_is_read_back_or_refused),
        cmocka_unit_test_setup_teardown(each_cause_has_an_entry_of_the_audit_log, make, place_remove),
        cmocka_unit_test_setup_teardown(a_reader_goes_on_where_it_stood, make, place_remove),
        cmocka_unit_test_setup_teardown(a_cursor_that_missed_pruned_entries_is_refused, make, place_remove),
        cmocka_unit_test_setup_teardown(a_reader_at_the_end_goes_on_after_all_was_pruned, make, place_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
