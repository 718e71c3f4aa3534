/* The sweeper deletes old rows, and no others. */
#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include "base/clock.h"
#include "base/limits.h"
#include "core/desk/setting.h"
#include "jobs/periodic.h"

QUERY(old_user, "INSERT INTO users (id, uuid, full_name, name_key, is_enabled, is_mfa_enabled, role_id, "
                "role_type, created_at, updated_at) VALUES (1, 'u', 'x', 'x', 1, 0, 2, 3, 0, 0)");
QUERY(old_session, "INSERT INTO sessions (user_id, user_agent, ip_address, is_csrf_checked, "
                   "created_at, last_activity_at) VALUES (1, '', '', 0, 0, :at)");
QUERY(old_mail,
      "INSERT INTO outgoing_mails (template, recipient, letter, message_id, status, attempts, "
      "retry_until, created_at, updated_at) VALUES ('x', 'x', CAST(:letter AS BLOB), 'x', 2, 1, 0, 0, :at)");
QUERY(old_reply, "INSERT INTO outgoing_mails (template, recipient, message_id, post_id, recipient_type, "
                 "status, attempts, retry_until, created_at, updated_at) "
                 "VALUES ('x', 'x', 'x', 7, 1, 2, 1, 0, 0, :at)");
QUERY(old_search, "INSERT INTO help_center_searches (name_key, name, attempts, results, searched_at) "
                  "VALUES ('x', 'x', 1, 1, :at)");
QUERY(searches_left, "SELECT COUNT(*) FROM help_center_searches");
QUERY(sessions_left, "SELECT COUNT(*) FROM sessions");
QUERY(mails_left, "SELECT COUNT(*) FROM outgoing_mails");

struct old {
    struct place place;
    int64_t now;
};

static int fill(struct conn *c, void *arg) {
    const struct old *o = arg;
    const int64_t days[] = {0, 30, 32, 401};
    if (db_exec(c, &old_user, NULL) < 0) return -1;
    for (size_t i = 0; i < sizeof days / sizeof *days; i++) {
        struct bind at = B_INT("at", o->now - days[i] * TIME_DAY);
        if (db_exec(c, &old_session, BINDS(at)) < 0 ||
            db_exec(c, &old_mail, BINDS(at, B_NULL("letter"))) < 0 ||
            db_exec(c, &old_search, BINDS(at)) < 0 ||
            db_exec(c, &old_mail, BINDS(at, B_TEXT("letter", S("sealed")))) < 0 ||
            db_exec(c, &old_reply, BINDS(at)) < 0)
            return -1;
    }
    return 0;
}

static int make(void **state) {
    struct old *o = calloc(1, sizeof *o);
    if (o == NULL) return -1;
    *state = o;
    o->now = clock_now(&(struct clock){0});
    snprintf(o->place.dir, sizeof o->place.dir, "/tmp/deskd-test-XXXXXX");
    if (!mkdtemp(o->place.dir) || place_open(&o->place, schema_files) < 0) return -1;
    return db_write(o->place.db, fill, o) < 0 ? -1 : 0;
}

static struct desk desk_of(struct old *o) {
    struct conn *c = db_reader(o->place.db);
    assert_int_equal(db_read_begin(c, 0), 0);
    struct desk desk = {.db = o->place.db, .settings = settings_open(c)};
    db_read_end(c);
    assert_non_null(desk.settings);
    return desk;
}

static int64_t left(struct old *o, const struct query *q) {
    struct conn *c = db_reader(o->place.db);
    int64_t n = -1;
    assert_int_equal(db_read_begin(c, 0), 0);
    assert_int_equal(db_int(c, q, NULL, &n), 1);
    db_read_end(c);
    return n;
}

static void sessions_and_sent_mails_go_when_they_are_old(void **state) {
    struct old *o = *state;
    struct desk desk = desk_of(o);
    assert_int_equal(left(o, &sessions_left), 4);
    assert_int_equal(left(o, &searches_left), 4);
    assert_int_equal(left(o, &mails_left), 12);
    sweep(&desk);
    settings_close(desk.settings);
    assert_int_equal(left(o, &sessions_left), 2);
    assert_int_equal(left(o, &searches_left), 3); /* helpcenter.searches_kept_days: 400 */
    /* unsent mails and those of messages stay, whatever their age */
    assert_int_equal(left(o, &mails_left), 1 + 4 + 4);
}

QUERY(old_key, "INSERT INTO idempotency (caller, key_hash, request_hash, status, reply, created_at) "
               "VALUES ('c', :key, 'x', 200, CAST('x' AS BLOB), :at)");
QUERY(keys_left, "SELECT COUNT(*) FROM idempotency");

static int fill_keys(struct conn *c, void *arg) {
    const struct old *o = arg;
    char key[16];
    for (int i = 0; i < 2 * LIMIT_CASCADE + 7; i++) {
        snprintf(key, sizeof key, "k%d", i);
        if (db_exec(c, &old_key,
                    BINDS(B_TEXT("key", str_of(key)), B_INT("at", o->now - (i < 5 ? 0 : 25 * TIME_HOUR)))) <
            0)
            return -1;
    }
    return 0;
}

static void more_than_one_write_takes_goes_in_several(void **state) {
    struct old *o = *state;
    struct desk desk = desk_of(o);
    struct db_stats before, after;
    assert_true(db_write(o->place.db, fill_keys, o) >= 0);
    db_stats(o->place.db, &before);
    sweep(&desk);
    settings_close(desk.settings);
    db_stats(o->place.db, &after);
    assert_int_equal(left(o, &keys_left), 5);
    assert_int_equal(after.tasks - before.tasks, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sessions_and_sent_mails_go_when_they_are_old, make, place_remove),
        cmocka_unit_test_setup_teardown(more_than_one_write_takes_goes_in_several, make, place_remove)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
