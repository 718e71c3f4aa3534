/* Schema files that change rows: a store of the schema before them is filled, brought up to date and
 * looked at. On SQLite, and on PostgreSQL with DATABASE=postgres://... */
#include "engines.h"

#include "core/access/scope.h"
#include "core/all/cascades.h"
#include "core/all/check.h"
#include "core/all/desk.h"
#include "core/fields/field_value.h"
#include "core/words.h"

/* The schema files before the one whose name holds `next`. */
static const struct schema_file *files_before(struct desk_place *p, const char *next) {
    struct schema_file *files = arena_array(p->arena, (size_t)schema_newest(schema_files) + 1, sizeof *files);
    for (int i = 0; !strstr(schema_files[i].name, next); i++) files[i] = schema_files[i];
    return files;
}

static void open_before(struct desk_place *p, const char *next) {
    int rc = desk_open(p, files_before(p, next));
    if (rc < 0) print_message("%s\n", p->place.err);
    assert_int_equal(rc, 0);
}

static void bring_up_to_date(struct desk_place *p) {
    place_close(&p->place);
    int rc = desk_open(p, schema_files);
    if (rc < 0) print_message("%s\n", p->place.err);
    assert_int_equal(rc, 0);
}

#define PERSON(id)                                                                            \
    "INSERT INTO users (id, uuid, full_name, name_key, is_enabled, is_mfa_enabled, role_id, " \
    "role_type, created_at, updated_at) VALUES (" id ", 'u" id "', 'Ada', 'ada', 1, 0, 1, 1, 0, 0)"
#define ROLE                                                                                             \
    "INSERT INTO roles (id, title, type, is_system, agent_case_access, denied, created_at, updated_at) " \
    "VALUES (1, 'Customer', 1, 1, 1, 0, 0, 0) "                                                          \
    "ON CONFLICT DO NOTHING"
#define STATUS                                                                                        \
    "INSERT INTO case_statuses (id, label, type, sort_order, is_sla_active, created_at, updated_at) " \
    "VALUES (1, 'New', 1, 1, 1, 0, 0) ON CONFLICT DO NOTHING"
#define CONVERSATION                                                                   \
    "INSERT INTO cases (id, uuid, subject, channel, state, requester_id, creator_id, " \
    "status_id, status_type, message_seq, reopen_count, created_at, updated_at) "      \
    "VALUES (1, 'c', 's', 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)"

#define POST_IDS "_post_ids"
#define FIELD_VALUES "_field_values"

/* ---- one id space for posts ------------------------------------------------------------------ */

/* Rows with the ids of a list: (1), (2) ... */
#define MESSAGE_COLUMNS "uuid, content_text, creator_id, is_requester, channel, created_at, updated_at"
#define MESSAGE_VALUES(ids) "'p' || v.id, 'message ' || v.id, 1, 1, 1, v.id, v.id FROM (" ids ") v"
#define MESSAGES(ids)                                             \
    "INSERT INTO posts (id, case_id, kind, seq, " MESSAGE_COLUMNS \
    ") SELECT v.id, 1, 1, v.id, " MESSAGE_VALUES(ids)
#define NEW_MESSAGES(ids)                                    \
    "INSERT INTO posts (id, case_id, kind, " MESSAGE_COLUMNS \
    ") SELECT v.id, 1, 1, " MESSAGE_VALUES(ids) /* without seq */
#define NOTES(ids)                                                                       \
    "INSERT INTO notes (id, owner_user_id, user_id, body_text, created_at, updated_at) " \
    "SELECT v.id, 1, 1, 'note ' || v.id, v.id, v.id "                                    \
    "FROM (" ids ") v"
#define ACTIVITIES(ids)                                                  \
    "INSERT INTO activities (id, owner_user_id, name, did, created_at) " \
    "SELECT v.id, 1, 1, 'did ' || v.id, v.id "                           \
    "FROM (" ids ") v"
#define ID(n) "SELECT CAST(" n " AS BIGINT) AS id"
#define AND_ID(n) " UNION ALL SELECT CAST(" n " AS BIGINT)"
#define NUMBERS(last)                                                                                    \
    "WITH RECURSIVE k (id) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT id + 1 FROM k WHERE id < " last \
    ") SELECT id FROM k"

#define SETTLE_IDS /* rows were put with their ids; a desk that is served has counters that stand above them */ \
    "@POSTGRES{SELECT setval('posts_id_seq', GREATEST((SELECT MAX(id) FROM posts), "                            \
    "1)), setval('notes_id_seq', GREATEST((SELECT MAX(id) FROM notes), 1)), "                                   \
    "setval('activities_id_seq', GREATEST((SELECT MAX(id) FROM activities), 1))}@@SQLITE{SELECT 1}@"

static const char new_message[] = "INSERT INTO posts (id, case_id, kind, uuid, content_text, "
                                  "creator_id, is_requester, channel, created_at, updated_at) "
                                  "VALUES (@NEXT_POST_ID@, 1, 1, 'new', 'new message', 1, 1, 1, 0, 0)";
static const char old_note[] =
    "INSERT INTO notes (owner_user_id, user_id, body_text, created_at, updated_at) "
    "VALUES (1, 1, 'old note', 0, 0)";
static const char new_note[] =
    "INSERT INTO notes (id, owner_user_id, user_id, body_text, created_at, updated_at) "
    "VALUES (@NEXT_POST_ID@, 1, 1, 'new note', 0, 0)";
static const char new_activity[] = "INSERT INTO activities (id, owner_user_id, name, did, created_at) "
                                   "VALUES (@NEXT_POST_ID@, 1, 1, 'new activity', 0)";

static const char every_post[] =
    "SELECT COUNT(*) - COUNT(DISTINCT t.id) "
    "FROM (SELECT id FROM posts UNION ALL SELECT id FROM notes UNION ALL SELECT id FROM activities) t";

static void colliding_notes_and_activities_get_new_ids_and_messages_keep_theirs(void **state) {
    struct desk_place *p = *state;
    open_before(p, POST_IDS);
    RUN(p, ROLE, STATUS, PERSON("1"), CONVERSATION, MESSAGES(ID("1") AND_ID("2") AND_ID("5") AND_ID("30")),
        NOTES(ID("2") AND_ID("3") AND_ID("5") AND_ID("8")),
        ACTIVITIES(ID("4") AND_ID("7") AND_ID("8") AND_ID("9") AND_ID("30")), SETTLE_IDS,
        "INSERT INTO change_log (kind, object_id, verb, actor_kind, changed_at) "
        "VALUES ('note', 5, 1, 1, 0), ('note', 3, 1, 1, 0), ('case_message', 5, 1, 1, 0), ('user', 1, 1, "
        "1, 0)");
    bring_up_to_date(p);
    assert_string_equal(ask_list(p, "SELECT CAST(t.id AS TEXT) FROM posts t ORDER BY t.id"), "1,2,5,30");
    assert_string_equal(ask_list(p, "SELECT id || ' ' || body_text FROM notes ORDER BY id"),
                        "3 note 3,8 note 8,32 note 2,35 note 5");
    /* 8 is a note: the activities from there on move together, in their order. */
    assert_string_equal(ask_list(p, "SELECT id || ' ' || did FROM activities ORDER BY id"),
                        "4 did 4,7 did 7,43 did 8,44 did 9,65 did 30");
    assert_string_equal(ask_list(p, "SELECT kind || ' ' || object_id FROM change_log ORDER BY id"),
                        "note 35,note 3,case_message 5,user 1");
    assert_int_equal(ask_number(p, every_post), 0);
}

static void new_posts_take_the_next_id_of_all_three(void **state) {
    struct desk_place *p = *state;
    open_before(p, POST_IDS);
    RUN(p, ROLE, STATUS, PERSON("1"), CONVERSATION, MESSAGES(ID("40")), NOTES(ID("6")), SETTLE_IDS);
    bring_up_to_date(p);
    for (int i = 0; i < 2; i++) {
        RUN(p, new_note, new_message, new_activity, new_activity, new_note);
        place_close(&p->place); /* also after a restart */
        assert_int_equal(desk_open(p, schema_files), 0);
    }
    assert_string_equal(ask_list(p, "SELECT CAST(t.id AS TEXT) FROM posts t ORDER BY t.id"), "40,42,47");
    assert_string_equal(ask_list(p, "SELECT CAST(t.id AS TEXT) FROM notes t ORDER BY t.id"), "6,41,45,46,50");
    assert_string_equal(ask_list(p, "SELECT CAST(t.id AS TEXT) FROM activities t ORDER BY t.id"),
                        "43,44,48,49");
}

static void the_id_of_a_deleted_note_is_not_given_again(void **state) {
    struct desk_place *p = *state;
    open_before(p, POST_IDS);
    RUN(p, ROLE, STATUS, PERSON("1"), CONVERSATION, old_note, old_note, old_note,
        "DELETE FROM notes WHERE id > 1");
    bring_up_to_date(p);
    RUN(p, new_message, new_activity, "DELETE FROM activities", new_note);
    assert_string_equal(ask_list(p, "SELECT CAST(id AS TEXT) FROM posts"), "4");
    assert_string_equal(ask_list(p, "SELECT CAST(t.id AS TEXT) FROM notes t ORDER BY t.id"), "1,6");
}

static void a_large_store_is_renumbered_whole(void **state) {
    struct desk_place *p = *state;
    open_before(p, POST_IDS);
    RUN(p, ROLE, STATUS, PERSON("1"), CONVERSATION, MESSAGES(NUMBERS("60000")), NOTES(NUMBERS("20000")),
        ACTIVITIES(NUMBERS("100000")), SETTLE_IDS,
        "INSERT INTO change_log (kind, object_id, verb, actor_kind, changed_at) "
        "SELECT 'note', n.id, 1, 1, 0 FROM notes n");
    bring_up_to_date(p);
    assert_int_equal(ask_number(p, every_post), 0);
    assert_int_equal(ask_number(p, "SELECT COUNT(*) FROM posts WHERE content_text = 'message ' || id"),
                     60000);
    /* The order of the old ids, which are in created_at, is the order of the new ones. */
    assert_int_equal(ask_number(p, "SELECT COUNT(*) "
                                   "FROM (SELECT created_at, LAG(created_at) OVER (ORDER BY id) AS before "
                                   "FROM activities) t WHERE before >= created_at"),
                     0);
    assert_int_equal(ask_number(p, "SELECT COUNT(*) FROM change_log l JOIN notes n ON n.id = l.object_id "
                                   "WHERE l.kind = 'note'"),
                     20000);
}

static void an_empty_store_begins_at_one(void **state) {
    struct desk_place *p = *state;
    open_before(p, POST_IDS);
    RUN(p, ROLE, STATUS, PERSON("1"), CONVERSATION);
    bring_up_to_date(p);
    RUN(p, new_activity, new_message, new_note);
    assert_string_equal(ask_list(p, "SELECT a.id || ' ' || p.id || ' ' || n.id "
                                    "FROM activities a, posts p, notes n"),
                        "1 2 3");
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
    open_before(p, POST_IDS);
    bring_up_to_date(p);
    RUN(p, ROLE, STATUS, PERSON("1"), CONVERSATION, NEW_MESSAGES(ID("7")), NOTES(ID("7") AND_ID("8")));
    assert_non_null(strstr(findings(p), "id 7 belongs to more than one message, note or activity"));
    assert_null(strstr(findings(p), "id 8 belongs"));
}

/* ---- one table of field values --------------------------------------------------------------- */

#define ORGANIZATION(id)                                                                               \
    "INSERT INTO organizations (id, name, name_key, is_shared, is_validated, created_at, updated_at) " \
    "VALUES (" id ", 'Acme', 'acme', 0, 0, 0, 0)"
#define FIELD(id, area, type)                                                                           \
    "INSERT INTO custom_fields (id, area, type, key, is_required_for_agents, "                          \
    "is_required_on_resolution, is_visible_to_customers, "                                              \
    "is_customer_editable, is_required_for_customers, sort_order, is_enabled, created_at, updated_at) " \
    "VALUES (" id ", " area ", " type ", 'f" id "', 0, 0, 0, 0, 0, 0, 1, 0, 0)"
#define FILE_ROW(id)                                                                 \
    "INSERT INTO files (id, user_id, name, content_type, size, sha256, created_at) " \
    "VALUES (" id ", 1, 'f', 't', 1, 's', 0)"
#define FIELD_JOB(id, step)                                                                            \
    "INSERT INTO jobs (id, kind, status, input, attempts, run_at, created_at, updated_at) VALUES (" id \
    ", 'cascade', 1, '{\"of\":\"field\",\"ids\":[7,8],\"at\":1,\"step\":" step                         \
    ",\"place\":-1,\"after\":12,\"since\":5}', 0, 0, 0, 0)"

static void values_of_people_and_organizations_move_into_one_table(void **state) {
    struct desk_place *p = *state;
    open_before(p, FIELD_VALUES);
    RUN(p, ROLE, PERSON("1"), PERSON("2"), ORGANIZATION("1"), FIELD("101", "2", "1"), FIELD("102", "2", "7"),
        FIELD("103", "3", "1"), FILE_ROW("5"),
        "INSERT INTO user_field_values (user_id, field_id, value, value_key, file_id) "
        "VALUES (1, 101, 'Gold', 'gold', NULL), (2, 101, 'Tin', 'tin', NULL), (1, 102, '5', '5', 5)",
        "INSERT INTO organization_field_values (organization_id, field_id, value, value_key) "
        "VALUES (1, 103, 'Big', 'big')",
        FIELD_JOB("1", "2"), FIELD_JOB("2", "0"));
    bring_up_to_date(p);
    assert_string_equal(ask_list(p, "SELECT area || ' ' || owner_id || ' ' || field_id || ' ' || value || ' "
                                    "' || value_key || ' ' || COALESCE(file_id, 0) "
                                    "FROM field_values ORDER BY area, owner_id, field_id"),
                        "2 1 101 Gold gold 0,2 1 102 5 5 5,2 2 101 Tin tin 0,3 1 103 Big big 0");
    /* A deletion of a field that is under way takes the steps of the present program. */
    assert_int_equal(ask_number(p, "SELECT COUNT(*) FROM jobs "
                                   "WHERE input LIKE '%\"at\":1,\"step\":0,\"place\"%'"),
                     2);
    assert_null(strstr(findings(p), "custom field"));
}

static void a_large_store_keeps_every_value(void **state) {
    struct desk_place *p = *state;
    open_before(p, FIELD_VALUES);
    RUN(p, ROLE, FIELD("101", "2", "1"), FIELD("103", "3", "1"),
        "INSERT INTO users (id, uuid, full_name, name_key, is_enabled, is_mfa_enabled, role_id, "
        "role_type, created_at, updated_at) SELECT n.id, 'u' || n.id, 'Ada', 'ada', 1, 0, 1, 1, 0, 0 "
        "FROM (" NUMBERS("50000") ") n",
        "INSERT INTO user_field_values (user_id, field_id, value, value_key) "
        "SELECT id, 101, 'v' || id, 'v' || id FROM users "
        "WHERE full_name = 'Ada'",
        "INSERT INTO organizations (id, name, name_key, is_shared, is_validated, created_at, updated_at) "
        "SELECT n.id, 'Acme', 'acme', 0, 0, 0, 0 "
        "FROM (" NUMBERS("20000") ") n",
        "INSERT INTO organization_field_values (organization_id, field_id, value, value_key) "
        "SELECT id, 103, 'o' || id, 'o' || id FROM organizations");
    bring_up_to_date(p);
    assert_int_equal(ask_number(p, "SELECT COUNT(*) FROM field_values "
                                   "WHERE area = 2 AND field_id = 101 AND value = 'v' || owner_id"),
                     50000);
    assert_int_equal(ask_number(p, "SELECT COUNT(*) FROM field_values "
                                   "WHERE area = 3 AND field_id = 103 AND value = 'o' || owner_id"),
                     20000);
    assert_int_equal(ask_number(p, "SELECT COUNT(*) FROM field_values"), 70000);
}

static void a_check_finds_values_without_owner_and_of_another_area(void **state) {
    struct desk_place *p = *state;
    assert_int_equal(desk_open(p, schema_files), 0);
    RUN(p, ROLE, STATUS, PERSON("1"), CONVERSATION, FIELD("101", "2", "1"), FIELD("201", "1", "1"),
        "INSERT INTO field_values (area, owner_id, field_id, value, value_key) "
        "VALUES (1, 1, 201, 'a', 'a'), (2, 1, 101, 'a', 'a')");
    assert_null(strstr(findings(p), "custom field"));
    RUN(p, "INSERT INTO field_values (area, owner_id, field_id, value, value_key) "
           "VALUES (1, 9, 201, 'a', 'a'), (3, 1, 101, 'a', 'a')");
    assert_non_null(strstr(findings(p), "custom field 201 has a value of owner 9"));
    assert_non_null(strstr(findings(p), "custom field 101 has a value of owner 1"));
}

/* ---- values of conversations ----------------------------------------------------------------- */

static int put_case_values(struct conn *c, void *arg) {
    struct desk desk = {.cascade_rows = 1000};
    struct work w = {.arena = arg,
                     .conn = c,
                     .now = 1000,
                     .desk = &desk,
                     .actor = {.kind = ACTOR_SYSTEM, .cause = S("Test")}};
    struct custom_field *fields;
    int64_t option = 0;
    assert_int_equal(custom_fields_of(&w, AREA_CASES, &fields), 2);
    struct field_value values[] = {{&fields[0], S("Gold")}, {&fields[1], S("31")}};
    assert_int_equal(custom_field_used(&w, &fields[0]), 0);
    assert_int_equal(field_values_put(&w, AREA_CASES, 1, values, 2), 0);
    assert_int_equal(field_value_exists(&w, &fields[0], 1), 1);
    assert_int_equal(field_value_exists(&w, &fields[0], 2), 0);
    assert_int_equal(custom_field_used(&w, &fields[0]), 1);
    assert_int_equal(field_option_in_use(&w, &fields[1], S("[32]"), &option), 1);
    assert_int_equal(option, 31);
    assert_int_equal(field_option_in_use(&w, &fields[1], S("[31]"), &option), 0);
    /* cleared */
    assert_int_equal(field_values_put(&w, AREA_CASES, 1, &(struct field_value){&fields[0], {0}}, 1), 0);
    assert_int_equal(field_value_exists(&w, &fields[0], 1), 0);
    assert_int_equal(field_values_put(&w, AREA_CASES, 99, values, 1), -ERR_RESOURCE_NOT_FOUND);
    return 0;
}

static int remove_case_field(struct conn *c, void *arg) {
    struct desk desk = {.cascades = cascades, .cascade_rows = 1000};
    struct work w = {.arena = arg,
                     .conn = c,
                     .now = 1000,
                     .desk = &desk,
                     .actor = {.kind = ACTOR_SYSTEM, .cause = S("Test")}};
    return custom_fields_remove(&w, S("[202]"));
}

static void conversations_have_values_of_their_own(void **state) {
    struct desk_place *p = *state;
    assert_int_equal(desk_open(p, schema_files), 0);
    RUN(p, ROLE, STATUS, PERSON("1"), CONVERSATION, FIELD("201", "1", "1"), FIELD("202", "1", "5"),
        FIELD("101", "2", "1"),
        "INSERT INTO custom_field_options (id, field_id, sort_order, created_at, updated_at) "
        "VALUES (31, 202, 1, 0, 0), (32, 202, 2, 0, 0)",
        "INSERT INTO field_values (area, owner_id, field_id, value, value_key) VALUES (2, 1, 101, 'a', 'a')");
    assert_int_equal(db_write(p->place.db, put_case_values, p->arena), 0);
    assert_string_equal(ask_list(p, "SELECT area || ' ' || field_id FROM field_values ORDER BY 1"),
                        "1 202,2 101");
    assert_int_equal(db_write(p->place.db, remove_case_field, p->arena), 0);
    assert_string_equal(ask_list(p, "SELECT area || ' ' || field_id FROM field_values"),
                        "2 101"); /* the person with the same id keeps theirs */
    assert_int_equal(ask_number(p, "SELECT COUNT(*) FROM custom_fields WHERE id = 202"), 0);
}

static void a_desk_gets_the_system_views_and_a_job_for_keys_of_subjects(void **state) {
    struct desk_place *p = *state;
    open_before(p, "_views");
    RUN(p, ROLE, STATUS, PERSON("1"), "UPDATE users SET created_at = 7", CONVERSATION);
    bring_up_to_date(p);
    assert_string_equal(ask_list(p,
                                 "SELECT type || ' ' || is_system || ' ' || is_default || ' ' || created_at "
                                 "FROM views ORDER BY sort_order"),
                        "1 1 1 7,2 1 0 7,3 1 0 7");
    assert_int_equal(ask_number(p, "SELECT COUNT(*) FROM jobs "
                                   "WHERE kind = 'index_names' AND input = '{\"step\": 6}'"),
                     1);
}

/* ---- the history of statuses ----------------------------------------------------------------- */

#define A_CASE(id, status, state, pending, completed)                                                   \
    "INSERT INTO cases (id, uuid, subject, channel, requester_id, creator_id, "                         \
    "message_seq, reopen_count, created_at, updated_at, status_id, status_type, state, "                \
    "last_pending_at, last_completed_at) VALUES (" id ", 'c" id "', 's', 1, 1, 1, 0, 0, 0, 90, " status \
    ", " status ", " state ", " pending ", " completed ")"
#define LOGGED(id, from, to, at)                                                                       \
    "INSERT INTO change_log (kind, object_id, case_id, verb, property, old_value, "                    \
    "new_value, actor_kind, changed_at) VALUES ('case', " id ", " id ", 3, 'status', '" from "', '" to \
    "', 1, " at ")"

static void conversations_get_the_history_of_statuses_that_is_known(void **state) {
    struct desk_place *p = *state;
    open_before(p, "_clocks");
    RUN(p, ROLE, STATUS, PERSON("1"),
        "INSERT INTO case_statuses (id, label, type, sort_order, is_sla_active, created_at, updated_at) "
        "SELECT v.id, 's' || v.id, v.id, v.id, 1, 0, 0 "
        "FROM (" ID("2") AND_ID("3") AND_ID("4") AND_ID("5") ") v WHERE v.id > 0 ON CONFLICT DO NOTHING",
        /* in the log */
        A_CASE("1", "4", "1", "NULL", "60"), LOGGED("1", "1", "2", "40"), LOGGED("1", "2", "4", "60"),
        /* pruned from it */
        A_CASE("2", "3", "1", "70", "50"),
        /* nothing happened */
        A_CASE("3", "1", "1", "NULL", "NULL"),
        /* in the trash */
        A_CASE("4", "2", "3", "NULL", "NULL"), LOGGED("4", "1", "2", "30"));
    bring_up_to_date(p);
    assert_string_equal(ask_list(p, "SELECT case_id || ':' || from_status_id || to_status_id || '@' || at "
                                    "|| '/' || to_state FROM case_status_changes "
                                    "ORDER BY case_id, id"),
                        "1:12@40/1,1:24@60/1,2:13@70/1,4:12@30/1,4:22@90/3");
    bring_up_to_date(p);
    assert_null(strstr(findings(p), "history of statuses"));
    RUN(p, "UPDATE cases SET status_id = 2, status_type = 2 WHERE id = 2");
    assert_non_null(strstr(findings(p), "conversation 2 has a history of statuses"));
}

/* ---- counters of conversations --------------------------------------------------------------- */

#define SAID(id, in, by_staff, is_requester)                                           \
    "INSERT INTO posts (id, case_id, kind, uuid, content_text, creator_id, by_staff, " \
    "is_requester, channel, created_at, updated_at) "                                  \
    "VALUES (" id ", " in ", 1, 'p" id "', 'm', 1, " by_staff ", " is_requester ", 1, 0, 0)"
#define HAPPENED(id, in, fields)                                                                    \
    "INSERT INTO activities (id, owner_case_id, name, did, fields, created_at) VALUES (" id ", " in \
    ", 9, 'changed', '" fields "', 0)"

static const char counters[] =
    "SELECT id || ':' || agent_message_count || ' ' || requester_message_count || ' ' || "
    "assignee_change_count || ' ' || team_change_count "
    "FROM cases ORDER BY id";

static void conversations_get_the_counters_of_their_old_messages_and_activities(void **state) {
    struct desk_place *p = *state;
    open_before(p, "_case_counters");
    RUN(p, ROLE, STATUS, PERSON("1"), A_CASE("1", "1", "1", "NULL", "NULL"),
        A_CASE("2", "1", "3", "NULL", "NULL"), A_CASE("3", "1", "1", "NULL", "NULL"),
        /* a message of neither: a participant's */
        SAID("1", "1", "0", "1"), SAID("2", "1", "1", "0"), SAID("3", "1", "0", "1"),
        SAID("4", "1", "0", "0"), SAID("5", "1", "0", "1"), SAID("6", "2", "1", "0"),
        HAPPENED("11", "1", "[\"assigned_agent\"]"),
        HAPPENED("12", "1", "[\"status\",\"assigned_agent\",\"assigned_team\"]"),
        HAPPENED("13", "1", "[\"status\"]"), HAPPENED("14", "2", "[\"assigned_team\"]"),
        "UPDATE cases SET message_seq = (SELECT COUNT(*) FROM posts p WHERE p.case_id = cases.id), "
        "last_message_id = (SELECT MAX(p.id) FROM posts p WHERE p.case_id = cases.id)");
    bring_up_to_date(p);
    assert_string_equal(ask_list(p, counters), "1:1 3 2 1,2:1 0 0 1,3:0 0 0 0");
    assert_null(strstr(findings(p), "counts"));
    RUN(p, "UPDATE cases SET requester_message_count = 2 WHERE id = 1",
        "UPDATE cases SET team_change_count = 0 WHERE id = 2");
    assert_non_null(strstr(findings(p), "conversation 1 counts another number of messages"));
    assert_non_null(strstr(findings(p), "conversation 2 counts fewer changes"));
}

/* ---- what monitors have done ----------------------------------------------------------------- */

static void a_check_finds_monitored_conversations_without_their_monitor(void **state) {
    struct desk_place *p = *state;
    assert_int_equal(desk_open(p, schema_files), 0);
    RUN(p, ROLE, STATUS, PERSON("1"), CONVERSATION,
        "INSERT INTO monitors (id, title, is_enabled, created_at, updated_at) VALUES (5, 'm', 0, 0, 0)",
        "INSERT INTO monitor_cases (monitor_id, case_id, generation, updated_at) VALUES (5, 1, 0, 0)");
    assert_null(strstr(findings(p), "monitor"));
    RUN(p, "INSERT INTO monitor_cases (monitor_id, case_id, generation, updated_at) VALUES (6, 1, 0, 0)");
    assert_non_null(strstr(findings(p), "monitor 6 has acted on conversation 1, but one of them is not "
                                        "there"));
    /* The cascade of a deleted monitor deletes them. */
    RUN(p, "INSERT INTO jobs (id, kind, status, input, attempts, run_at, created_at, updated_at) "
           "VALUES (1001, 'cascade', 1, '{}', 0, 0, 0, 0)");
    assert_null(strstr(findings(p), "monitor"));
}

static void a_check_finds_translations_without_owner(void **state) {
    struct desk_place *p = *state;
    assert_int_equal(desk_open(p, schema_files), 0);
    RUN(p, "INSERT INTO categories (id, display_order, created_at, updated_at) VALUES (3, 1, 0, 0)",
        "INSERT INTO locale_fields (id, owner_kind, owner_id, locale, translation, created_at, updated_at) "
        "VALUES (41, 7, 3, 'en-us', 't', 0, 0), (42, 8, 3, 'en-us', 't', 0, 0)");
    assert_null(strstr(findings(p), "translation"));
    RUN(p, "INSERT INTO locale_fields (id, owner_kind, owner_id, locale, translation, "
           "created_at, updated_at) VALUES (43, 9, 3, 'en-us', 't', 0, 0)");
    assert_non_null(strstr(findings(p), "translation 43 has no owner"));
}

/* ---- domains of brands ----------------------------------------------------------------------- */

static void domains_of_before_stay_trusted(void **state) {
    struct desk_place *p = *state;
    open_before(p, "0074_trusted_domains.sql");
    RUN(p, "INSERT INTO brands (id, name, domain, locale_id, is_default, is_enabled, "
           "created_at, updated_at) VALUES (5, 'b', 'shop.example', 1, 0, 1, 0, 0)");
    bring_up_to_date(p);
    assert_string_equal(ask_list(p, "SELECT id || ':' || COALESCE(trusted_domain, '-') "
                                    "FROM brands ORDER BY id"),
                        "1:-,5:shop.example");
}

/* ---- scopes of clients ----------------------------------------------------------------------- */

static void clients_without_scopes_keep_all_of_them(void **state) {
    struct desk_place *p = *state;
    open_before(p, "_no_scopes");
    RUN(p, "INSERT INTO oauth_clients (id, name, key, scopes, is_public, "
           "is_password_grant_enabled, created_at, updated_at) "
           "VALUES (1, 'a', 'a', 0, 0, 0, 0, 0), (2, 'b', 'b', 1, 0, 0, 0, 0)");
    bring_up_to_date(p);
    uint32_t all = (uint32_t)scopes_write();
    char expected[64];
    snprintf(expected, sizeof expected, "1:%u,2:1", all);
    assert_string_equal(ask_list(p, "SELECT id || ':' || scopes FROM oauth_clients ORDER BY id"), expected);
}

/* ---- locales --------------------------------------------------------------------------------- */

static void locales_get_scripts_and_lower_case_directions(void **state) {
    struct desk_place *p = *state;
    open_before(p, "_locale_scripts");
    bring_up_to_date(p);
    const char *all = "SELECT locale || ' ' || COALESCE(native_region, "
                      "'-') || ' ' || script || ' ' || direction "
                      "FROM locales WHERE locale IN ('ar', 'en-us', 'pt-br') AND variant IS NULL "
                      "ORDER BY locale";
    assert_string_equal(ask_list(p, all), "ar - Arab rtl,en-us United States Latn ltr,pt-br Brasil Latn ltr");
}

/* ---- posts that a merge has moved ------------------------------------------------------------ */

#define BEGUN(id, at, state, into)                                                                \
    "INSERT INTO cases (id, uuid, subject, channel, state, requester_id, creator_id, "            \
    "status_id, status_type, message_seq, reopen_count, created_at, updated_at, merged_into_id) " \
    "VALUES (" id ", 'c" id "', 's', 1, " state ", 1, 1, 1, 1, 0, 0, " at ", 0, " into ")"
#define WROTE(id, in, at)                                                                  \
    "INSERT INTO posts (id, case_id, kind, uuid, content_text, creator_id, is_requester, " \
    "channel, created_at, updated_at) VALUES (" id ", " in ", 1, 'p" id "', 'm', 1, 1, 1, " at ", 0)"

static void posts_older_than_their_conversation_were_written_in_a_merged_one(void **state) {
    struct desk_place *p = *state;
    open_before(p, "_posts_written_in");
    RUN(p, ROLE, STATUS, PERSON("1"), BEGUN("1", "1000", "1", "NULL"), BEGUN("2", "100", "4", "1"),
        BEGUN("3", "500", "4", "1"), BEGUN("4", "1000", "1", "NULL"), WROTE("10", "1", "150"),
        WROTE("11", "1", "600"), WROTE("12", "1", "1200"), WROTE("13", "1", "50"), WROTE("14", "4", "50"));
    bring_up_to_date(p);
    assert_string_equal(ask_list(p, "SELECT id || ':' || COALESCE(written_case_id, 0) "
                                    "FROM posts ORDER BY id"),
                        "10:2,11:3,12:0,13:0,14:0");
    assert_int_equal(ask_number(p, "SELECT COUNT(*) FROM jobs WHERE kind = 'clocks'"), 0);
    bring_up_to_date(p);
    assert_non_null(strstr(findings(p), "message 13 is older than conversation 1, in which it was written"));
    assert_null(strstr(findings(p), "message 10"));
}

/* ---- references of a conversation that the schema does not hold any more ---------------------- */

#define NEW_PERSON(last, requester)                                                                       \
    "UPDATE cases SET last_updated_by_id = " last ", last_replier_id = " last ", sla_version_id = NULL, " \
    "requester_id = " requester " WHERE id = 1"

static void last_actors_lose_their_foreign_keys_and_requesters_keep_theirs(void **state) {
    struct desk_place *p = *state;
    open_before(p, "_last_actors");
    RUN(p, ROLE, STATUS, PERSON("1"), PERSON("2"), CONVERSATION, NEW_PERSON("1", "1"));
    bring_up_to_date(p);
    RUN(p, NEW_PERSON("2", "2"));
    const char *const texts[] = {NEW_PERSON("1", "9"), NULL};
    assert_int_equal(db_write(p->place.db, run_texts, (void *)(uintptr_t)texts), -ERR_FIELD_INVALID);
    RUN(p, NEW_PERSON("9", "1"));
}

/* ---- ids without a counter, and markers by conversation --------------------------------------- */

#define SETTLE_CASES "@POSTGRES{SELECT setval('cases_id_seq', 7)}@@SQLITE{SELECT 1}@"

static void ids_that_were_deleted_before_or_after_are_not_given_again(void **state) {
    struct desk_place *p = *state;
    open_before(p, "_fewer_pages");
    RUN(p, ROLE, STATUS, PERSON("1"), BEGUN("1", "0", "1", "NULL"), BEGUN("7", "0", "1", "NULL"), new_note,
        new_message, new_activity, new_note, "DELETE FROM notes WHERE id = 4", SETTLE_CASES,
        "DELETE FROM cases WHERE id = 7");
    bring_up_to_date(p);
    RUN(p, new_message, "DELETE FROM posts WHERE id = 5", new_activity, "DELETE FROM activities", new_note,
        BEGUN("@NEXT_CASE_ID@", "0", "1", "NULL"), "DELETE FROM cases WHERE id > 1");
    place_close(&p->place); /* also after a restart */
    assert_int_equal(desk_open(p, schema_files), 0);
    RUN(p, new_message, BEGUN("@NEXT_CASE_ID@", "0", "1", "NULL"));
    assert_string_equal(ask_list(p, "SELECT CAST(t.id AS TEXT) FROM posts t ORDER BY t.id"), "2,8");
    assert_string_equal(ask_list(p, "SELECT CAST(t.id AS TEXT) FROM notes t ORDER BY t.id"), "1,7");
    assert_string_equal(ask_list(p, "SELECT CAST(t.id AS TEXT) FROM cases t ORDER BY t.id"), "1,9");
}

#define JOB \
    "INSERT INTO jobs (id, kind, status, input, attempts, run_at, created_at, updated_at) VALUES (@NEXT_JOB_ID@, 'x', 3, '{}', 1, 0, 0, 0)"
#define LETTER                                                                                                     \
    "INSERT INTO outgoing_mails (id, template, recipient, message_id, status, attempts, retry_until, created_at, " \
    "updated_at) VALUES (@NEXT_MAIL_ID@, 'x', 'x', 'x', 2, 1, 0, 0, 0)"

static void ids_of_deleted_jobs_and_letters_are_not_given_again(void **state) {
    struct desk_place *p = *state;
    open_before(p, "_fewer_counters");
    RUN(p, JOB, JOB, LETTER, LETTER);
    int64_t deleted = ask_number(p, "SELECT MAX(id) FROM jobs");
    RUN(p, "DELETE FROM jobs", "DELETE FROM outgoing_mails");
    bring_up_to_date(p);
    RUN(p, JOB, LETTER, LETTER, "DELETE FROM jobs", "DELETE FROM outgoing_mails WHERE id = 4", JOB, LETTER);
    assert_int_equal(ask_number(p, "SELECT MAX(id) FROM jobs"), deleted + 2);
    assert_string_equal(ask_list(p, "SELECT CAST(m.id AS TEXT) FROM outgoing_mails m ORDER BY m.id"), "3,5");
}

static void read_markers_keep_their_rows_in_the_order_of_conversations(void **state) {
    struct desk_place *p = *state;
    open_before(p, "_fewer_pages");
    RUN(p, ROLE, STATUS, PERSON("1"), PERSON("2"), BEGUN("1", "0", "1", "NULL"), BEGUN("2", "0", "1", "NULL"),
        "INSERT INTO read_markers (case_id, user_id, last_read_post_id, last_read_seq, last_read_at) "
        "VALUES (2, 1, 5, 3, 100), (1, 2, NULL, 0, 200), (1, 1, 4, 2, 300)");
    bring_up_to_date(p);
    assert_string_equal(
        ask_list(p, "SELECT case_id || ' ' || user_id || ' ' || COALESCE(last_read_post_id, 0) || ' ' "
                    "|| last_read_seq || ' ' || last_read_at FROM read_markers ORDER BY case_id, user_id"),
        "1 1 4 2 300,1 2 0 0 200,2 1 5 3 100");
    const char *const again[] = {"INSERT INTO read_markers (case_id, user_id, last_read_seq, last_read_at) "
                                 "VALUES (1, 2, 1, 1)",
                                 NULL};
    assert_int_equal(db_write(p->place.db, run_texts, (void *)(uintptr_t)again), -ERR_FIELD_DUPLICATE);
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
        IN_DESK(values_of_people_and_organizations_move_into_one_table),
        IN_DESK(a_large_store_keeps_every_value),
        IN_DESK(a_check_finds_values_without_owner_and_of_another_area),
        IN_DESK(conversations_have_values_of_their_own),
        IN_DESK(conversations_get_the_history_of_statuses_that_is_known),
        IN_DESK(conversations_get_the_counters_of_their_old_messages_and_activities),
        IN_DESK(a_check_finds_monitored_conversations_without_their_monitor),
        IN_DESK(a_check_finds_translations_without_owner),
        IN_DESK(clients_without_scopes_keep_all_of_them),
        IN_DESK(domains_of_before_stay_trusted),
        IN_DESK(locales_get_scripts_and_lower_case_directions),
        IN_DESK(posts_older_than_their_conversation_were_written_in_a_merged_one),
        IN_DESK(last_actors_lose_their_foreign_keys_and_requesters_keep_theirs),
        IN_DESK(ids_that_were_deleted_before_or_after_are_not_given_again),
        IN_DESK(ids_of_deleted_jobs_and_letters_are_not_given_again),
        IN_DESK(read_markers_keep_their_rows_in_the_order_of_conversations),
        IN_DESK(a_desk_gets_the_system_views_and_a_job_for_keys_of_subjects),
    };
    return cmocka_run_group_tests_name("migrations", tests, NULL, NULL);
}
