/* The plan of the demo desk: its values are valid for every seed and size. Its rules are valid, too. */
#include "engines.h"

#include "core/desk/setting.h"
#include "core/rules/action.h"
#include "core/rules/rule_predicate.h"
#include "demo/demo.h"
#include "demo/index.h"
#include "demo/plan.h"
#include "demo/text.h"

#include "base/arena.h"

static void times_never_go_back(void **state) {
    static const int64_t sizes[] = {1, 2, 99, 100, 2500, 100000};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct demo_world w;
        demo_world(&w, s, sizes[s]);
        int64_t last = w.start;
        for (int64_t id = 1; id <= sizes[s]; id++) {
            int64_t at = demo_case_time(&w, id);
            assert_true(at >= last && at < w.end);
            last = at;
        }
    }
}

static void large_desks_do_not_overflow(void **state) {
    struct demo_world w;
    (void)state;
    demo_world(&w, 1, 100000000);
    assert_true(demo_case_time(&w, 1) >= w.start);
    assert_true(demo_case_time(&w, 100000000) < w.end);
    assert_true(w.end - demo_case_time(&w, 100000000) < TIME_DAY);
}

static void people_are_members_once(void **state) {
    struct demo_world w;
    (void)state;
    demo_world(&w, 1, 100);
    for (int t = 0; t < DEMO_TEAMS; t++)
        for (int i = 0; i < w.team_size[t]; i++)
            for (int j = 0; j < i; j++) assert_int_not_equal(w.team[t][i], w.team[t][j]);
}

static void check_case(const struct demo_world *w, const struct demo_case *c) {
    bool answered = false;
    int64_t at = c->created_at;
    assert_in_range(c->message_count, 1, DEMO_MESSAGES_MAX);
    assert_true(c->messages[0].by_requester && c->messages[0].at == c->created_at);
    for (int i = 0; i < c->message_count; i++) {
        const struct demo_message *m = &c->messages[i];
        assert_true(m->at >= at && m->at < w->end && m->creator_id > 0);
        at = m->at;
        answered = answered || !m->by_requester;
    }
    assert_true(c->updated_at >= at && c->updated_at < w->end);
    assert_true(c->requester.created_at <= c->created_at);
    assert_true(c->requester.id == DEMO_CUSTOMER || c->requester.id < DEMO_FIRST_CUSTOMER + w->customers);
    if (c->status == STATUS_NEW) assert_false(answered);
    if (c->status == STATUS_PENDING) assert_false(c->messages[c->message_count - 1].by_requester);
}

static void conversations_make_sense(void **state) {
    struct demo_world w;
    struct demo_case c, again;
    int64_t own = 0, messages = 0;
    (void)state;
    demo_world(&w, 7, 20000);
    for (int64_t id = 1; id <= w.conversations; id++) {
        demo_case(&w, id, &c);
        check_case(&w, &c);
        own += c.requester.id == DEMO_CUSTOMER;
        messages += c.message_count;
    }
    assert_int_equal(own, 25);
    assert_in_range(messages, 29 * w.conversations / 10, 31 * w.conversations / 10);
    demo_case(&w, 4711, &c);
    demo_case(&w, 4711, &again);
    assert_int_equal(c.created_at, again.created_at);
    assert_int_equal(c.requester.id, again.requester.id);
    assert_int_equal(c.message_count, again.message_count);
}

static void texts_are_whole(void **state) {
    struct demo_world w;
    struct demo_case c;
    struct buf text = {0};
    (void)state;
    demo_world(&w, 3, 3000);
    for (int64_t id = 1; id <= w.conversations; id++) {
        demo_case(&w, id, &c);
        demo_subject(&text, &w, &c);
        for (int i = 0; i <= c.message_count; i++) {
            assert_true(text.n > 0 && utf8_valid(buf_view(&text)));
            assert_null(memchr(text.p, '{', text.n));
            if (i < c.message_count) demo_contents(&text, &w, &c, i);
        }
    }
    buf_free(&text);
}

static void indexes_are_found_in_the_schema(void **state) {
    struct arena *a = arena_new();
    int recent = 0;
    (void)state;
    for (const struct index *i = indexes_of_schema(a); i; i = i->next) {
        assert_non_null(strstr(i->create, "INDEX"));
        assert_memory_equal(i->drop, "DROP INDEX ", 11);
        recent += str_eq(i->name, S("cases_recent"));
    }
    assert_int_equal(recent, 1);
    arena_free(a);
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* Returns the number of propositions. */
static int check_predicates(struct work *w, enum rule_user user, enum rule_owner owner) {
    struct rule_predicate *list;
    struct definitions d;
    struct predicate *p;
    int n = rule_predicates_read(w, owner, S("[1,2,3,4,5,6,7,8,9]"), &list), propositions = 0;
    assert_true(n >= 1);
    assert_int_equal(rule_definitions_load(w, user, &d), 0);
    for (int i = 0; i < n; i++) {
        assert_int_equal(rule_predicate_compile(w, &d, &list[i], &p), 0);
        for (int c = 0; c < p->count; c++)
            for (int k = 0; k < p->collections[c].count; k++, propositions++)
                if (p->collections[c].propositions[k].test == IS_NEVER) {
                    const struct rule_proposition *bad = &list[i].collections[c].propositions[k];
                    print_message("%.*s %.*s\n", (int)bad->field.n, bad->field.p, (int)bad->operator.n,
                                  bad->operator.p);
                    assert_true(false);
                }
    }
    return propositions;
}

/* Returns the number of actions. */
static int check_actions(struct work *w, enum rule_owner owner) {
    struct rule_action *list;
    int n = rule_actions_read(w, owner, S("[1,2,3,4,5,6,7,8,9]"), &list);
    for (int i = 0; i < n; i++) assert_non_null(list[i].kind);
    assert_int_equal(rule_action_gone(w, list, n), n);
    return n;
}

static void rules_are_valid_and_name_what_is_there(void **state) {
    struct desk_place *p = *state;
    struct demo demo = {.seed = 1, .conversations = 20};
    struct db_config bulk = {.dir = p->place.dir, .url = p->url, .create = true, .bulk = true},
                     served = {.dir = p->place.dir, .url = p->url};
    struct desk desk = {0};
    struct work w;
    for (int i = 0; i < DEMO_LOGINS; i++) demo.password_hashes[i] = S("x");
    assert_int_equal(db_open(&bulk, &p->place.db, p->place.err, sizeof p->place.err), 0);
    assert_int_equal(demo_fill(p->place.db, &demo), 0);
    place_close(&p->place);
    assert_int_equal(db_open(&served, &p->place.db, p->place.err, sizeof p->place.err), 0);
    desk.db = p->place.db;
    desk.settings = settings_open(db_reader(p->place.db));
    work_init(&w, &desk, arena_new());
    w.now = INT64_C(1795255800000);
    w.conn = db_reader(p->place.db);
    assert_int_equal(db_read_begin(w.conn, 0), 0);
    assert_int_equal(check_predicates(&w, RULE_TRIGGER, RULE_OF_TRIGGER), 5);
    assert_int_equal(check_predicates(&w, RULE_MONITOR, RULE_OF_MONITOR), 3);
    assert_true(check_predicates(&w, RULE_SLA, RULE_OF_SLA) >= 1);
    assert_int_equal(check_actions(&w, RULE_OF_TRIGGER), 3);
    assert_int_equal(check_actions(&w, RULE_OF_MONITOR), 1);
    db_read_end(w.conn);
    arena_free(w.arena);
    settings_close(desk.settings);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_never_go_back),
        cmocka_unit_test(large_desks_do_not_overflow),
        cmocka_unit_test(people_are_members_once),
        cmocka_unit_test(conversations_make_sense),
        cmocka_unit_test(texts_are_whole),
        cmocka_unit_test(indexes_are_found_in_the_schema),
        cmocka_unit_test_setup_teardown(rules_are_valid_and_name_what_is_there, desk_place_make,
                                        desk_place_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
