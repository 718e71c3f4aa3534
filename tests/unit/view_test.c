/* Predicates of conversations give the same result in SQL and in memory, and counts of views are exact,
 * recent or unknown. The store is a small demo desk. With DATABASE=postgres://... it is on that database. */
#include "engines.h"

#include "core/access/access.h"
#include "core/cases/case.h"
#include "core/cases/case_value.h"
#include "core/cases/case_view.h"
#include "core/cases/view_count.h"
#include "core/desk/setting.h"
#include "core/people/tag.h"
#include "core/words.h"
#include "core/rules/monitor.h"
#include "demo/demo.h"

#define CASES 300
#define PRODUCTS 3

struct world {
    struct desk_place at;
    struct desk desk;
    struct work w;
    struct definitions d;
    struct str products[PRODUCTS]; /* options of the custom field product, as text */
};

QUERY(trash_some, "UPDATE cases SET state = 3 WHERE id <= 20");
QUERY(more_active, "INSERT INTO case_totals (kind, id, with_id, priority_id, n1, n2, n3, n4, n5, n6) "
                   "VALUES (1, 0, -1, -1, 0, 0, 0, 0, 0, :n)");
QUERY(log_a_change,
      "INSERT INTO change_log (kind, object_id, verb, actor_kind, changed_at) VALUES ('case', 1, 3, 4, 0)");
QUERY(set_types,
      "UPDATE cases SET type_id = 1 + id % 3, assigned_agent_id = CASE WHEN id % 7 = 0 THEN requester_id "
      "ELSE assigned_agent_id END, organization_id = CASE WHEN id % 5 = 0 THEN NULL "
      "ELSE organization_id END");

/* The requester of conversation 7 is its agent too. A cascade has not taken the conversation from the
 * deleted agent yet. */
QUERY(delete_one, "UPDATE users SET leaving_at = 1 WHERE id = (SELECT requester_id FROM cases WHERE id = 7)");
QUERY(delete_slowly, "INSERT INTO jobs (kind, status, input, attempts, run_at, created_at, updated_at) "
                     "VALUES ('cascade', 1, '{}', 0, 0, 0, 0)");

/* The demo has SLAs, clocks and business hours, which this test replaces by its own. */
QUERY(drop_metrics, "DELETE FROM sla_metrics");
QUERY(detach_slas, "UPDATE cases SET sla_version_id = NULL");
QUERY(drop_targets, "DELETE FROM sla_targets");
QUERY(drop_versions, "DELETE FROM sla_versions");
QUERY(drop_slas, "DELETE FROM slas");
QUERY(unuse_hours, "UPDATE teams SET businesshour_id = NULL");
QUERY(drop_hours, "DELETE FROM business_hours WHERE is_default = 0");

/* Every third conversation has an SLA, and every sixth has a breach. Some were asked for a rating, and
 * team 1 has hours of its own. */
QUERY(make_sla, "INSERT INTO slas (id, title, is_enabled, version_id, created_at, updated_at) "
                "VALUES (1, 'S', 1, 1, 0, 0)");
QUERY(make_version, "INSERT INTO sla_versions (id, sla_id, title, created_at, updated_at) "
                    "VALUES (1, 1, 'S', 0, 0), (2, 1, 'S', 0, 0)");
QUERY(make_target, "INSERT INTO sla_targets (id, sla_version_id, type, goal_in_seconds, operational_hours, "
                   "created_at, updated_at) VALUES (1, 1, 1, 60, 2, 0, 0)");
QUERY(attach_sla, "UPDATE cases "
                  "SET sla_version_id = 1 + id % 2, surveyed_at = CASE WHEN id % 2 = 0 THEN 5 ELSE NULL END "
                  "WHERE id % 3 = 0");
QUERY(make_metrics,
      "INSERT INTO sla_metrics (case_id, type, sla_target_id, stage, started_at, is_breached, "
      "created_at, updated_at) SELECT id, 1, 1, 1, 0, CASE WHEN id % 2 = 0 THEN 1 ELSE 0 END, 0, 0 "
      "FROM cases WHERE id % 3 = 0");
QUERY(make_hours,
      "INSERT INTO business_hours (id, title, zones, holidays, time_zone, is_default, "
      "created_at, updated_at) "
      "VALUES (2, 'Late', '{\"monday\":[22,23],\"saturday\":[0,10,11,23]}', '[]', 'Asia/Tokyo', 0, 0, 0)");
QUERY(use_hours, "UPDATE teams SET businesshour_id = 2 WHERE id % 2 = 1");

static int more_rows(struct conn *c, void *arg) {
    static const struct query *const all[] = {
        &drop_metrics, &detach_slas,  &drop_targets, &drop_versions, &drop_slas,    &unuse_hours, &drop_hours,
        &make_sla,     &make_version, &make_target,  &attach_sla,    &make_metrics, &make_hours,  &use_hours};
    (void)arg;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) TRY(db_exec(c, all[i], NULL));
    TRY(db_exec(c, &delete_one, NULL));
    TRY(db_exec(c, &delete_slowly, NULL));
    return db_exec(c, &set_types, NULL);
}
static int log_one(struct conn *c, void *arg) {
    (void)arg;
    return db_exec(c, &log_a_change, NULL);
}
static int grow(struct conn *c, void *n) {
    return db_exec(c, &more_active, BINDS(B_INT("n", *(int64_t *)n)));
}
static int hide(struct conn *c, void *arg) {
    (void)arg;
    return db_exec(c, &trash_some, NULL);
}

/* Reads again, in a new snapshot, as this person. */
static void look_again(struct world *w, int64_t user_id, int access) {
    if (w->w.arena) {
        db_read_end(w->w.conn);
        arena_free(w->w.arena);
    }
    int64_t now = w->w.now ? w->w.now : INT64_C(1795255800000);
    work_init(&w->w, &w->desk, arena_new());
    w->w.now = now;
    w->w.actor =
        (struct actor){.kind = ACTOR_PERSON, .rank = ROLE_AGENT, .user_id = user_id, .case_access = access};
    w->w.conn = db_reader(w->at.place.db);
    assert_int_equal(db_read_begin(w->w.conn, 0), 0);
    assert_int_equal(definitions_load(&w->w, &case_subject, RULE_FILTER, &w->d), 0);
}

static struct predicate *predicate_of(struct world *w, const char *field, const char *operator,
                                      const char * value) {
    struct json *j;
    struct json_error err;
    struct predicate *p;
    struct str text = str_fmt(w->w.arena,
                              "[{\"propositions\": [{\"field\": \"%s\", \"operator\": \"%s\", \"value\": "
                              "\"%s\"}]}]",
                              field, operator, value);
    assert_int_equal(json_parse(w->w.arena, text, &j, &err), 0);
    if (predicate_read_collections(&w->w, &w->d, j, S("p"), PREDICATE_NEW, &p) < 0) return NULL;
    return p;
}

static struct str all_cases(struct arena *a) {
    int64_t ids[CASES];
    for (int i = 0; i < CASES; i++) ids[i] = i + 1;
    return json_ids(a, ids, CASES);
}

/* Returns the number of conversations for which the predicate holds. */
static int compare(struct world *w, const struct predicate *p, struct moment *m, const struct facts *facts,
                   const char *what) {
    bool found[CASES + 1] = {false};
    struct condition c = predicate_condition(p, m, w->w.arena);
    struct stmt *s;
    int rc, hits = 0;
    assert_int_equal(
        db_start(w->w.conn, str_fmt(w->w.arena, "SELECT t.id FROM cases t WHERE %s", c.sql).p, c.binds, &s),
        0);
    while ((rc = stmt_step(s)) == 1) found[col_int(s, 0)] = true;
    stmt_end(s);
    assert_int_equal(rc, 0);
    for (int id = 1; id <= CASES; id++) {
        bool holds = predicate_holds(p, m, facts[id - 1].list);
        if (holds != found[id])
            print_message("%s, conversation %d: SQL says %d, memory %d\n", what, id, found[id], holds);
        assert_int_equal(holds, found[id]);
        hits += holds;
    }
    return hits;
}

/* The number of asked predicates and of conversations for which they hold. */
struct agreement {
    int asked, hits;
};

/* Compares every field, operator and value of a kind of rule. Triggers are left out, because history has
 * no SQL. */
static struct agreement agree(struct world *w, enum rule_user user) {
    static const char *const values[] = {"0",
                                         "1",
                                         "2",
                                         "3",
                                         "(current_user)",
                                         "(current_users_team)",
                                         "(requester)",
                                         "(assignee)",
                                         "MAIL",
                                         "GOOD",
                                         "e",
                                         "vip",
                                         "today",
                                         "lastyear",
                                         "last365days",
                                         "nextweek",
                                         "2026-11-21",
                                         "110",
                                         "150",
                                         "5",
                                         "48",
                                         "3000",
                                         "ACTIVE",
                                         "OFFERED",
                                         "en-us"};
    struct facts *facts;
    struct moment m;
    struct agreement sum = {0, 0};
    look_again(w, 3, CASES_ALL);
    assert_int_equal(definitions_load(&w->w, &case_subject, user, &w->d), 0);
    bool *wanted = arena_array(w->w.arena, (size_t)w->d.count, sizeof *wanted);
    for (int i = 0; i < w->d.count; i++) wanted[i] = !w->d.list[i].added;
    assert_int_equal(facts_read(&w->w, &w->d, wanted, all_cases(w->w.arena), &facts), CASES);
    assert_int_equal(moment_read(&w->w, NEEDS_TEAMS | NEEDS_HOURS, &m), 0);
    for (int i = 0; i < w->d.count; i++)
        for (const struct word *o = operator_words; o->word; o++)
            for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
                const struct predicate *p = predicate_of(w, w->d.list[i].field, o->word, values[v]);
                work_set_aside(&w->w);
                if (p == NULL) continue;
                sum.asked++;
                sum.hits +=
                    compare(w, p, &m, facts,
                            str_fmt(w->w.arena, "%s %s %s", w->d.list[i].field, o->word, values[v]).p);
            }
    return sum;
}

static void sql_and_memory_agree_on_conversations(void **state) {
    static const enum rule_user users[] = {RULE_FILTER, RULE_SLA, RULE_MONITOR};
    for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
        struct agreement sum = agree(*state, users[i]);
        assert_in_range(sum.asked, users[i] == RULE_SLA ? 50 : 150, 10000);
        assert_in_range(sum.hits, sum.asked * CASES / 10, sum.asked * CASES * 9 / 10);
    }
}

/* ---- history --------------------------------------------------------------------------------- */

static const char *const history_fields[] = {
    "cases.casestatusid", "cases.casepriorityid",  "cases.casetypeid", "cases.assigneeteamid",
    "cases.requesterid",  "cases.assigneeagentid", "cases.rating"};
static const char *const history_values[] = {"0",   "1",   "2",   "3",   "4",    "5",  "103",
                                             "104", "105", "110", "111", "GOOD", "BAD"};
#define HISTORY_FIELDS (sizeof history_fields / sizeof *history_fields)
#define HISTORY_VALUES (sizeof history_values / sizeof *history_values)

/* For each value, the conversations whose field is equal to it, by SQL. */
struct equal_to {
    bool asked[HISTORY_FIELDS][HISTORY_VALUES], is[HISTORY_FIELDS][HISTORY_VALUES][CASES + 1];
};

static void read_equal(struct world *w, struct equal_to *out) {
    for (size_t f = 0; f < HISTORY_FIELDS; f++)
        for (size_t v = 0; v < HISTORY_VALUES; v++) {
            const struct predicate *p =
                predicate_of(w, history_fields[f], "comparison_equalto", history_values[v]);
            struct condition c;
            struct stmt *s;
            work_set_aside(&w->w);
            if (p == NULL) continue;
            out->asked[f][v] = true;
            assert_int_equal(predicate_condition_now(&w->w, p, &c), 0);
            assert_int_equal(db_start(w->w.conn,
                                      str_fmt(w->w.arena, "SELECT t.id FROM cases t WHERE %s", c.sql).p,
                                      c.binds, &s),
                             0);
            while (stmt_step(s) == 1) out->is[f][v][col_int(s, 0)] = true;
            stmt_end(s);
        }
}

/* ---- the history of tags and custom fields --------------------------------------------------- */

/* Fields whose values are also read as text, so that the test sees each difference. */
static const struct stored_field {
    const char *field, *sql; /* (conversation, value) */
} stored_fields[] = {
    {"cases.casepriorityid", "SELECT t.id, CAST(COALESCE(t.priority_id, 0) AS TEXT) FROM cases t"},
    {"tags.name", "SELECT k.case_id, CAST(k.tag_id AS TEXT) FROM case_tags k ORDER BY k.case_id, k.tag_id"},
    {"casefields.order_number", "SELECT v.owner_id, v.value FROM field_values v "
                                "JOIN custom_fields f ON f.id = v.field_id "
                                "WHERE v.area = 1 AND f.key = 'order_number'"},
    {"casefields.product", "SELECT v.owner_id, v.value FROM field_values v "
                           "JOIN custom_fields f ON f.id = v.field_id "
                           "WHERE v.area = 1 AND f.key = 'product'"},
};
#define STORED_FIELDS (sizeof stored_fields / sizeof *stored_fields)

struct stored {
    struct str of[STORED_FIELDS][CASES + 1];
};

static void read_stored(struct world *w, struct stored *out) {
    for (size_t f = 0; f < STORED_FIELDS; f++) {
        struct stmt *s;
        assert_int_equal(db_start(w->w.conn, stored_fields[f].sql, NULL, &s), 0);
        while (stmt_step(s) == 1) {
            struct str *one = &out->of[f][col_int(s, 0)], more = col_text(s, 1);
            *one = str_fmt(w->w.arena, "%.*s,%.*s", (int)one->n, one->n ? one->p : "", (int)more.n, more.p);
        }
        stmt_end(s);
    }
}

/* Changes tags and custom fields of one conversation. Some changes of a second turn take back those of the
 * first. */
static void change_sets(struct world *w, int id, int turn) {
    const struct str names[] = {S("vip"), S("urgent"), S("refund"), S("history")};
    struct custom_field *fields;
    int n = custom_fields_of(&w->w, AREA_CASES, &fields);
    assert_true(n >= 2);
    if (id % 3) assert_true(tags_add(&w->w, &case_tagging, id, names + id % 3, 2) >= 0);
    if (id % 5 == 0) assert_true(tags_remove(&w->w, &case_tagging, id, names + 1, 2) >= 0);
    if (turn == 2 && id % 7 == 0) assert_true(tags_remove(&w->w, &case_tagging, id, names, 4) >= 0);
    for (int i = 0; i < n; i++) {
        bool order = str_eq(fields[i].key, S("order_number")), product = str_eq(fields[i].key, S("product"));
        struct field_value v = {&fields[i], {0}};
        if (order && (id + turn) % 4) v.value = id % 3 ? S("A-1") : S("\xC3\x84-2");
        if (product && (id + turn) % 5) v.value = w->products[(id / 2 + turn) % PRODUCTS];
        if ((order && id % 3) || (product && id % 8)) assert_true(case_values_change(&w->w, id, &v, 1) >= 0);
    }
}

QUERY(product_options, "SELECT CAST(o.id AS TEXT) FROM custom_field_options o "
                       "JOIN custom_fields f ON f.id = o.field_id "
                       "WHERE f.key = 'product' ORDER BY o.id");

static void read_products(struct world *w) {
    int n = 0, rc;
    DB_ROWS(rc, w->w.conn, &product_options, NULL, row) {
        if (n < PRODUCTS) w->products[n++] = str_dup(w->w.arena, col_text(row, 0));
    }
    assert_int_equal(rc, 0);
    assert_int_equal(n, PRODUCTS);
}

/* Changes some properties of every second conversation, some of them twice. */
static void change_cases(struct world *w) {
    for (int id = 2; id <= CASES; id += 2) {
        struct case_now now;
        if (case_load(&w->w, id, &now) != 1 || now.status_type == STATUS_CLOSED) continue;
        for (int turn = id % 3; turn < 3; turn++) {
            struct case_change wanted = {.set = (unsigned)(CASE_PRIORITY | CASE_TYPE |
                                                           (id % 4 ? CASE_TEAM | CASE_AGENT : CASE_RATING)),
                                         .priority_id = (id / 2 + turn) % 5,
                                         .type_id = (id / 3 + turn) % 4,
                                         .assigned_team_id = (id / 5) % 3,
                                         .assigned_agent_id = id % 5 ? 3 + id % 4 : 0,
                                         .rating = id / 7 % 3,
                                         .incomplete = true};
            if (id % 8 == 2) wanted.set |= CASE_STATUS, wanted.status_id = 2 + id % 3;
            assert_int_equal(case_change(&w->w, &now, &wanted), 0);
            change_sets(w, id, turn);
        }
    }
}

/* The expected result of a history operator. before, after: whether SQL found the conversation. */
static bool history_expected(const char *operator, bool changed, bool before, bool after) {
    bool negated = strstr(operator, "_not_") != NULL, to = strstr(operator, "_to") != NULL,
         from = strstr(operator, "_from") != NULL;
    return (changed && (to ? after : from ? before : true)) != negated;
}

struct history_check {
    const struct equal_to *before, *after;
    const struct facts *facts;
    struct moment moment;
    int asked, hits, stored_changes;
};

/* exact: changed means that the value differs. Otherwise a value that came and went has changed, too. */
static void check_stored(struct world *w, struct history_check *h, const struct stored *before,
                         const struct stored *after, bool exact) {
    static const char *const operators[] = {"history_changed", "history_not_changed", "history_changed_to",
                                            "history_changed_from"};
    for (size_t f = 0; f < STORED_FIELDS; f++)
        for (size_t o = 0; o < sizeof operators / sizeof *operators; o++)
            for (size_t v = 0; v < (o < 2 ? 1 : PRODUCTS); v++) {
                struct str value = str_fmt(w->w.arena, ",%s", w->products[v].p);
                const struct predicate *p =
                    predicate_of(w, stored_fields[f].field, operators[o], w->products[v].p);
                work_set_aside(&w->w);
                if (p == NULL && o >= 2) continue;
                assert_non_null(p);
                for (int id = 1; id <= CASES; id++) {
                    const struct fact *fact =
                        &h->facts[id - 1].list[definition_place(&w->d, stored_fields[f].field)];
                    bool differs = !str_eq(before->of[f][id], after->of[f][id]);
                    assert_true(differs ? fact->changed : !fact->changed || (!exact && id % 2 == 0));
                    assert_int_equal(predicate_holds(p, &h->moment, h->facts[id - 1].list),
                                     history_expected(operators[o], fact->changed,
                                                      str_eq(before->of[f][id], value),
                                                      str_eq(after->of[f][id], value)));
                    h->stored_changes += differs;
                }
            }
}

static void check_history(struct world *w, struct history_check *h, size_t f, size_t v,
                          const char *operator) {
    const struct predicate *p = predicate_of(w, history_fields[f], operator, history_values[v]);
    int place = definition_place(&w->d, history_fields[f]);
    work_set_aside(&w->w);
    assert_non_null(p);
    for (int id = 1; id <= CASES; id++) {
        bool changed = h->facts[id - 1].list[place].changed;
        bool holds = predicate_holds(p, &h->moment, h->facts[id - 1].list);
        bool expected = history_expected(operator, changed, h->before->is[f][v][id], h->after->is[f][v][id]);
        if (holds != expected)
            print_message("%s %s %s of %d\n", history_fields[f], operator, history_values[v], id);
        assert_int_equal(holds, expected);
        /* a value that came or went is a change */
        if (h->before->is[f][v][id] != h->after->is[f][v][id]) assert_true(changed);
        h->asked++;
        h->hits += holds;
    }
}

/* Asks all history operators about all fields with each value. */
static void check_all_history(struct world *w, struct history_check *h) {
    static const char *const operators[] = {"history_changed",        "history_changed_to",
                                            "history_changed_from",   "history_not_changed",
                                            "history_not_changed_to", "history_not_changed_from"};
    h->asked = h->hits = 0;
    for (size_t f = 0; f < HISTORY_FIELDS; f++)
        for (size_t v = 0; v < HISTORY_VALUES; v++)
            for (size_t o = 0; h->before->asked[f][v] && o < sizeof operators / sizeof *operators; o++)
                check_history(w, h, f, v, operators[o]);
    assert_in_range(h->hits, h->asked / 10, h->asked * 9 / 10);
}

static int compare_history(struct conn *c, void *arg) {
    struct world *w = arg;
    struct equal_to *before = calloc(1, sizeof *before), *after = calloc(1, sizeof *after);
    struct stored *stored = calloc(2, sizeof *stored);
    struct history_check h = {.before = before, .after = after};
    struct facts *earlier, *facts, *since;
    w->w.conn = c;
    assert_int_equal(definitions_load(&w->w, &case_subject, RULE_TRIGGER, &w->d), 0);
    read_products(w);
    assert_int_equal(facts_read(&w->w, &w->d, NULL, all_cases(w->w.arena), &earlier), CASES);
    read_equal(w, before);
    read_stored(w, &stored[0]);
    change_cases(w);
    read_equal(w, after);
    read_stored(w, &stored[1]);
    assert_int_equal(facts_read(&w->w, &w->d, NULL, all_cases(w->w.arena), &facts), CASES);
    assert_int_equal(facts_read(&w->w, &w->d, NULL, all_cases(w->w.arena), &since), CASES);
    facts_history(&w->w, &w->d, NULL, facts, CASES);
    for (int i = 0; i < CASES; i++) facts_since(&w->d, &since[i], &earlier[i]);
    assert_int_equal(moment_read(&w->w, 0, &h.moment), 0);
    for (int exact = 0; exact < 2; exact++) {
        h.facts = exact ? since : facts;
        check_all_history(w, &h);
        check_stored(w, &h, &stored[0], &stored[1], exact);
    }
    assert_true(h.stored_changes > CASES);
    free(stored);
    free(before);
    free(after);
    return -ERR_INTERNAL_ERROR; /* nothing is kept */
}

static void history_operators_compare_with_the_state_before_the_change(void **state) {
    struct world *w = *state;
    look_again(w, 3, CASES_ALL);
    struct conn *reader = w->w.conn;
    assert_int_equal(db_write(w->at.place.db, compare_history, w), -ERR_INTERNAL_ERROR);
    w->w.conn = reader;
}

static void a_count_is_exact_until_a_change_and_then_recent(void **state) {
    struct world *w = *state;
    struct view_rows rows = {0};
    struct counting c;
    enum count_accuracy accuracy;
    int64_t n, first, many = 100000;
    static struct bind nothing;
    w->desk.view_counts = view_counts_new();
    rows = (struct view_rows){
        .type = VIEW_CUSTOM, .state = "t.state = 1", .condition = {"t.type_id = 2", &nothing, 0}};
    assert_true(db_write(w->at.place.db, grow, &many) >= 0);

    look_again(w, 3, CASES_ALL);
    assert_int_equal(counting_begin(&w->w, false, &c), 0);
    c.until = 0; /* the time of the request is spent */
    assert_int_equal(counting_count(&c, &rows, &n, &accuracy), 0);
    assert_int_equal(accuracy, COUNT_UNKNOWN);
    assert_int_equal(counting_begin(&w->w, false, &c), 0);
    assert_int_equal(counting_count(&c, &rows, &first, &accuracy), 0);
    assert_int_equal(accuracy, COUNT_KNOWN);
    assert_true(first > 20);

    assert_true(db_write(w->at.place.db, hide, NULL) >= 0);
    assert_true(db_write(w->at.place.db, log_one, NULL) >= 0);
    look_again(w, 3, CASES_ALL);
    assert_int_equal(counting_begin(&w->w, false, &c), 0);
    assert_int_equal(counting_count(&c, &rows, &n, &accuracy), 0);
    assert_int_equal(accuracy, COUNT_RELATIVE);
    assert_int_equal(n, first);
    assert_int_equal(counting_begin(&w->w, true, &c), 0); /* exact */
    assert_int_equal(counting_count(&c, &rows, &n, &accuracy), 0);
    assert_int_equal(accuracy, COUNT_KNOWN);
    assert_true(n < first);

    assert_true(db_write(w->at.place.db, log_one, NULL) >= 0);
    look_again(w, 3, CASES_ALL);
    assert_int_equal(counting_begin(&w->w, false, &c), 0);
    assert_int_equal(counting_count(&c, &rows, &first, &accuracy), 0);
    assert_int_equal(accuracy, COUNT_RELATIVE);
    w->w.now += 11 * TIME_SECOND;
    assert_int_equal(counting_begin(&w->w, false, &c), 0);
    assert_int_equal(counting_count(&c, &rows, &first, &accuracy), 0);
    assert_int_equal(accuracy, COUNT_KNOWN);
    view_counts_free(w->desk.view_counts);
    w->desk.view_counts = NULL;
}

static int64_t listed(struct world *w, const char *condition) {
    struct branches b = {0};
    struct stmt *s;
    access_cases(&w->w, &b);
    struct str sql = S("SELECT COUNT(*) FROM cases t WHERE (1 = 0");
    for (int i = 0; i < b.count; i++) sql = str_fmt(w->w.arena, "%s OR (%s)", sql.p, b.where[i]);
    assert_int_equal(db_start(w->w.conn, str_fmt(w->w.arena, "%s) AND %s", sql.p, condition).p, b.binds, &s),
                     0);
    assert_int_equal(stmt_step(s), 1);
    int64_t n = col_int(s, 0);
    stmt_end(s);
    return n;
}

/* A deleted person does not ask. */
QUERY(staying, "SELECT id FROM users WHERE id = :id AND leaving_at IS NULL");

static void a_count_sees_what_the_list_sees(void **state) {
    static struct bind nothing;
    struct world *w = *state;
    struct counting c;
    enum count_accuracy accuracy;
    int64_t n, total = 0, staying_id;
    struct view_rows rows = {
        .type = VIEW_CUSTOM, .state = "t.state = 1", .condition = {"t.type_id = 2", &nothing, 0}};
    for (int access = CASES_SELF; access <= CASES_ALL; access++)
        for (int64_t user = 1; user < DEMO_FIRST_STAFF + 10; user++) {
            look_again(w, user, access);
            if (db_int(w->w.conn, &staying, BINDS(B_INT("id", user)), &staying_id) == 0) continue;
            assert_int_equal(counting_begin(&w->w, true, &c), 0);
            assert_int_equal(counting_count(&c, &rows, &n, &accuracy), 0);
            assert_int_equal(n, listed(w, "t.type_id = 2"));
            total += n;
        }
    assert_true(total > 0);
}

static void a_scan_in_parts_chooses_what_one_statement_chooses(void **state) {
    struct world *w = *state;
    look_again(w, 3, CASES_ALL);
    assert_int_equal(definitions_load(&w->w, &case_subject, RULE_MONITOR, &w->d), 0);
    struct monitor m = {
        .rule = {.id = 1, .predicate = predicate_of(w, "cases.casestatusid", "comparison_equalto", "2")}};
    int64_t *whole, *part, after = 0, looked;
    int n = monitor_choose(&w->w, &m, 0, CASES, &whole), found = 0, parts = 0;
    assert_in_range(n, 2, CASES - 1);
    for (;; after = looked, parts++) {
        int some = monitor_choose_among(&w->w, &m, after, 7, &looked, &part);
        assert_true(some >= 0 && found + some <= n);
        for (int i = 0; i < some; i++) assert_int_equal(part[i], whole[found + i]);
        found += some;
        if (looked == 0) break;
    }
    assert_int_equal(found, n);
    assert_int_equal(parts, (CASES + 6) / 7);
}

static int view_world_make(void **state) {
    struct world *w = calloc(1, sizeof *w);
    *state = w;
    snprintf(w->at.place.dir, sizeof w->at.place.dir, "/tmp/deskd-test-XXXXXX");
    assert_non_null(mkdtemp(w->at.place.dir));
    const char *url = getenv("DATABASE");
    struct arena *a = arena_new();
    if (url) url = fresh_database(a, url);
    struct demo demo = {.seed = 1, .conversations = CASES};
    for (int i = 0; i < DEMO_LOGINS; i++) demo.password_hashes[i] = S("x");
    struct db_config bulk = {.dir = w->at.place.dir, .url = url, .create = true, .bulk = true},
                     cfg = {.dir = w->at.place.dir, .url = url};
    if (db_open(&bulk, &w->at.place.db, w->at.place.err, sizeof w->at.place.err) < 0)
        return fputs(w->at.place.err, stderr), -1;
    if (demo_fill(w->at.place.db, &demo) < 0 || db_close(w->at.place.db) < 0) return -1;
    if (db_open(&cfg, &w->at.place.db, w->at.place.err, sizeof w->at.place.err) < 0)
        return fputs(w->at.place.err, stderr), -1;
    if (db_write(w->at.place.db, more_rows, NULL) < 0) return -1;
    w->desk.db = w->at.place.db;
    w->desk.settings = settings_open(db_reader(w->at.place.db));
    arena_free(a);
    return w->desk.settings ? 0 : -1;
}

static int view_world_unmake(void **state) {
    struct world *w = *state;
    char command[64];
    db_read_end(w->w.conn);
    arena_free(w->w.arena);
    settings_close(w->desk.settings);
    db_close(w->at.place.db);
    snprintf(command, sizeof command, "rm -rf %s", w->at.place.dir);
    free(w);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sql_and_memory_agree_on_conversations),
        cmocka_unit_test(history_operators_compare_with_the_state_before_the_change),
        cmocka_unit_test(a_count_sees_what_the_list_sees),
        cmocka_unit_test(a_count_is_exact_until_a_change_and_then_recent),
        cmocka_unit_test(a_scan_in_parts_chooses_what_one_statement_chooses),
    };
    return cmocka_run_group_tests(tests, view_world_make, view_world_unmake);
}
