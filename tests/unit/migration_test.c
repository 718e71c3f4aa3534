/* Schema files that change rows: a store of the schema before them is filled, brought up to date and looked at. On SQLite, and on
 * PostgreSQL with DATABASE=postgres://... */
#include "engines.h"

#include "core/desk/check.h"

/* The schema files below `version`. */
static const struct schema_file *files_before(struct desk_place *p, int version) {
    struct schema_file *files = arena_array(p->arena, (size_t)version, sizeof *files);
    for (int i = 0; i < version - 1; i++) files[i] = schema_files[i];
    return files;
}

static void open_before(struct desk_place *p, int version) {
    int rc = desk_open(p, files_before(p, version));
    if (rc < 0) print_message("%s\n", p->place.err);
    assert_int_equal(rc, 0);
}

static void bring_up_to_date(struct desk_place *p) {
    place_close(&p->place);
    int rc = desk_open(p, schema_files);
    if (rc < 0) print_message("%s\n", p->place.err);
    assert_int_equal(rc, 0);
}

#define PERSON(id)                                                                                                                      \
    "INSERT INTO users (id, uuid, full_name, name_key, is_enabled, is_mfa_enabled, role_id, role_type, created_at, updated_at) VALUES " \
    "(" id ", 'u" id "', 'Ada', 'ada', 1, 0, 1, 1, 0, 0)"
#define ROLE                                                                                                                             \
    "INSERT INTO roles (id, title, type, is_system, agent_case_access, denied, created_at, updated_at) VALUES (1, 'Customer', 1, 1, 1, " \
    "0, 0, 0) ON CONFLICT DO NOTHING"
#define STATUS                                                                                                                         \
    "INSERT INTO case_statuses (id, label, type, sort_order, is_sla_active, created_at, updated_at) VALUES (1, 'New', 1, 1, 1, 0, 0) " \
    "ON CONFLICT DO NOTHING"
#define CONVERSATION                                                                                                                      \
    "INSERT INTO cases (id, uuid, subject, channel, state, requester_id, creator_id, status_id, status_type, message_seq, reopen_count, " \
    "created_at, updated_at) VALUES (1, 'c', 's', 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)"

/* ---- 0019: one id space for posts ------------------------------------------------------------------------ */

/* Rows with the ids of a list: (1), (2) ... */
#define MESSAGES(ids)                                                                                                            \
    "INSERT INTO posts (id, case_id, kind, seq, uuid, content_text, creator_id, is_requester, channel, created_at, updated_at) " \
    "SELECT v.id, 1, 1, v.id, 'p' || v.id, 'message ' || v.id, 1, 1, 1, v.id, v.id FROM (" ids ") v"
#define NOTES(ids)                                                                                                                      \
    "INSERT INTO notes (id, owner_user_id, user_id, body_text, created_at, updated_at) SELECT v.id, 1, 1, 'note ' || v.id, v.id, v.id " \
    "FROM (" ids ") v"
#define ACTIVITIES(ids) \
    "INSERT INTO activities (id, owner_user_id, name, did, created_at) SELECT v.id, 1, 1, 'did ' || v.id, v.id FROM (" ids ") v"
#define ID(n) "SELECT CAST(" n " AS BIGINT) AS id"
#define AND_ID(n) " UNION ALL SELECT CAST(" n " AS BIGINT)"
#define NUMBERS(last) \
    "WITH RECURSIVE k (id) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT id + 1 FROM k WHERE id < " last ") SELECT id FROM k"

#define SETTLE_IDS /* rows were put with their ids; a desk that is served has counters that stand above them */                           \
    "@POSTGRES{SELECT setval('posts_id_seq', GREATEST((SELECT MAX(id) FROM posts), 1)), setval('notes_id_seq', GREATEST((SELECT MAX(id) " \
    "FROM notes), 1)), setval('activities_id_seq', GREATEST((SELECT MAX(id) FROM activities), 1))}@@SQLITE{SELECT 1}@"

static const char new_message[] =
    "INSERT INTO posts (case_id, kind, seq, uuid, content_text, creator_id, is_requester, channel, created_at, "
    "updated_at) VALUES (1, 1, 0, 'new', 'new message', 1, 1, 1, 0, 0)";
static const char new_note[] =
    "INSERT INTO notes (owner_user_id, user_id, body_text, created_at, updated_at) VALUES (1, 1, 'new note', 0, 0)";
static const char new_activity[] = "INSERT INTO activities (owner_user_id, name, did, created_at) VALUES (1, 1, 'new activity', 0)";

static const char every_post[] =
    "SELECT COUNT(*) - COUNT(DISTINCT t.id) FROM (SELECT id FROM posts UNION ALL SELECT id FROM notes UNION ALL "
    "SELECT id FROM activities) t";

static void colliding_notes_and_activities_get_new_ids_and_messages_keep_theirs(void **state) {
    struct desk_place *p = *state;
    open_before(p, 19);
    RUN(p, ROLE, STATUS, PERSON("1"), CONVERSATION, MESSAGES(ID("1") AND_ID("2") AND_ID("5") AND_ID("30")),
        NOTES(ID("2") AND_ID("3") AND_ID("5") AND_ID("8")), ACTIVITIES(ID("4") AND_ID("7") AND_ID("8") AND_ID("9") AND_ID("30")),
        SETTLE_IDS,
        "INSERT INTO change_log (kind, object_id, verb, actor_kind, changed_at) VALUES ('note', 5, 1, 1, 0), ('note', 3, 1, 1, 0), "
        "('case_message', 5, 1, 1, 0), ('user', 1, 1, 1, 0)");
    bring_up_to_date(p);
    assert_string_equal(ask_list(p, "SELECT CAST(t.id AS TEXT) FROM posts t ORDER BY t.id"), "1,2,5,30");
    assert_string_equal(ask_list(p, "SELECT id || ' ' || body_text FROM notes ORDER BY id"), "3 note 3,8 note 8,32 note 2,35 note 5");
    /* 8 is a note: the activities from there on move together, in their order. */
    assert_string_equal(ask_list(p, "SELECT id || ' ' || did FROM activities ORDER BY id"), "4 did 4,7 did 7,43 did 8,44 did 9,65 did 30");
    assert_string_equal(ask_list(p, "SELECT kind || ' ' || object_id FROM change_log ORDER BY id"), "note 35,note 3,case_message 5,user 1");
    assert_int_equal(ask_number(p, every_post), 0);
}

static void new_posts_take_the_next_id_of_all_three(void **state) {
    struct desk_place *p = *state;
    open_before(p, 19);
    RUN(p, ROLE, STATUS, PERSON("1"), CONVERSATION, MESSAGES(ID("40")), NOTES(ID("6")), SETTLE_IDS);
    bring_up_to_date(p);
    for (int i = 0; i < 2; i++) {
        RUN(p, new_note, new_message, new_activity, new_activity, new_note);
        place_close(&p->place); /* also after a restart */
        assert_int_equal(desk_open(p, schema_files), 0);
    }
    assert_string_equal(ask_list(p, "SELECT CAST(t.id AS TEXT) FROM posts t ORDER BY t.id"), "40,42,47");
    assert_string_equal(ask_list(p, "SELECT CAST(t.id AS TEXT) FROM notes t ORDER BY t.id"), "6,41,45,46,50");
    assert_string_equal(ask_list(p, "SELECT CAST(t.id AS TEXT) FROM activities t ORDER BY t.id"), "43,44,48,49");
}

static void the_id_of_a_deleted_note_is_not_given_again(void **state) {
    struct desk_place *p = *state;
    open_before(p, 19);
    RUN(p, ROLE, STATUS, PERSON("1"), CONVERSATION, new_note, new_note, new_note, "DELETE FROM notes WHERE id > 1");
    bring_up_to_date(p);
    RUN(p, new_message, new_activity, "DELETE FROM activities", new_note);
    assert_string_equal(ask_list(p, "SELECT CAST(id AS TEXT) FROM posts"), "4");
    assert_string_equal(ask_list(p, "SELECT CAST(t.id AS TEXT) FROM notes t ORDER BY t.id"), "1,6");
}

static void a_large_store_is_renumbered_whole(void **state) {
    struct desk_place *p = *state;
    open_before(p, 19);
    RUN(p, ROLE, STATUS, PERSON("1"), CONVERSATION, MESSAGES(NUMBERS("60000")), NOTES(NUMBERS("20000")), ACTIVITIES(NUMBERS("100000")),
        SETTLE_IDS, "INSERT INTO change_log (kind, object_id, verb, actor_kind, changed_at) SELECT 'note', n.id, 1, 1, 0 FROM notes n");
    bring_up_to_date(p);
    assert_int_equal(ask_number(p, every_post), 0);
    assert_int_equal(ask_number(p, "SELECT COUNT(*) FROM posts WHERE content_text = 'message ' || id"), 60000);
    /* The order of the old ids, which are in created_at, is the order of the new ones. */
    assert_int_equal(ask_number(p,
                                "SELECT COUNT(*) FROM (SELECT created_at, LAG(created_at) OVER (ORDER BY id) AS before FROM activities) t "
                                "WHERE before >= created_at"),
                     0);
    assert_int_equal(ask_number(p, "SELECT COUNT(*) FROM change_log l JOIN notes n ON n.id = l.object_id WHERE l.kind = 'note'"), 20000);
}

static void an_empty_store_begins_at_one(void **state) {
    struct desk_place *p = *state;
    open_before(p, 19);
    RUN(p, ROLE, STATUS, PERSON("1"), CONVERSATION);
    bring_up_to_date(p);
    RUN(p, new_activity, new_message, new_note);
    assert_string_equal(ask_list(p, "SELECT a.id || ' ' || p.id || ' ' || n.id FROM activities a, posts p, notes n"), "1 2 3");
}

static struct arena *checked;

static void keep_finding(void *arg, const char *line) {
    struct str *all = arg;
    *all = str_fmt(checked, "%s%s\n", all->p ? all->p : "", line);
}

static const char *findings(struct desk_place *p) {
    struct str all = {0};
    checked = p->arena;
    assert_true(desk_check(db_reader(p->place.db), keep_finding, &all) >= 0);
    return all.p;
}

static void a_check_finds_an_id_that_two_posts_have(void **state) {
    struct desk_place *p = *state;
    open_before(p, 19);
    bring_up_to_date(p);
    RUN(p, ROLE, STATUS, PERSON("1"), CONVERSATION, MESSAGES(ID("7")), NOTES(ID("7") AND_ID("8")));
    assert_non_null(strstr(findings(p), "id 7 belongs to more than one message, note or activity"));
    assert_null(strstr(findings(p), "id 8 belongs"));
}

#define IN_DESK(test) cmocka_unit_test_setup_teardown(test, desk_place_make, desk_place_remove)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_DESK(colliding_notes_and_activities_get_new_ids_and_messages_keep_theirs),
        IN_DESK(new_posts_take_the_next_id_of_all_three),
        IN_DESK(the_id_of_a_deleted_note_is_not_given_again),
        IN_DESK(a_large_store_is_renumbered_whole),
        IN_DESK(an_empty_store_begins_at_one),
        IN_DESK(a_check_finds_an_id_that_two_posts_have),
    };
    return cmocka_run_group_tests_name("migrations", tests, NULL, NULL);
}
