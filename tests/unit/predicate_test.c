/* Predicates give the same result in SQL and in memory: random predicates on random organizations are
 * evaluated both ways. For a few operators the result is also compared with the data. With
 * DATABASE=postgres://... the store is that database. */
#include "engines.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include "base/fold.h"
#include "core/time/calendar.h"
#include "core/fields/custom_field.h"
#include "core/predicates/predicate.h"
#include "core/desk/setting.h"
#include "core/words.h"

#define ROWS 200
#define PREDICATES 800
#define NOW INT64_C(1795255800000) /* 2026-11-21T10:10:00Z, a Saturday */

#define ROW_OF(f) ((f) + 100) /* a desk has system fields, too */

struct world {
    struct place place;
    struct settings *settings;
    unsigned seed;
};

static unsigned roll(struct world *w, unsigned sides) {
    w->seed = w->seed * 1103515245u + 12345u;
    return (w->seed >> 16) % sides;
}
#define PICK(w, list) (list[roll(w, sizeof list / sizeof *list)])

static const char *const words[] = {"Acme",
                                    "ACME Union",
                                    "M\xC3\xBCller",
                                    "Muller & Sons",
                                    "100%",
                                    "100% sure",
                                    "a_b",
                                    "axb",
                                    "50",
                                    "\\",
                                    "'; DROP TABLE organizations; --",
                                    "\xF0\x9F\x90\x99 octopus",
                                    "e\xCC\x81"
                                    "clair",
                                    "\xC3\x89"
                                    "clair"};
static const char *const tags[] = {"vip", "VIP", "\xC3\xA9toile", "etoile", "new", "a_b", "%"};
static const char *const numbers[] = {"0",
                                      "-0",
                                      "1",
                                      "-1",
                                      "12",
                                      "012",
                                      "12.5",
                                      "-12.5",
                                      "12.50",
                                      "0.05",
                                      "100000000000000000000",
                                      "-99999999999999999999.9",
                                      "7"};
static const char *const dates[] = {"2026-11-20", "2026-11-21", "2026-11-22",
                                    "2025-01-01", "1999-12-31", "2026-11-21T23:30:00+00:00"};
enum {
    TEXT_FIELD = 1,
    NUMERIC_FIELD,
    DECIMAL_FIELD,
    DATE_FIELD,
    YESNO_FIELD,
    SELECT_FIELD,
    CHECKBOX_FIELD,
    FIELDS
};
static const int types[FIELDS] = {0,          FIELD_TEXT,  FIELD_NUMERIC, FIELD_DECIMAL,
                                  FIELD_DATE, FIELD_YESNO, FIELD_SELECT,  FIELD_CHECKBOX};

/* ---- a store of organizations
 * ---------------------------------------------------------------------------------------- */

QUERY(put_organization,
      "INSERT INTO organizations (id, name, name_key, is_shared, is_validated, created_at, updated_at) "
      "VALUES (:id, :name, :key, :shared, 0, :created, :updated)");
QUERY(put_tag, "INSERT INTO tags (id, name, name_key, created_at) "
               "VALUES (:id, :name, :key, 0) ON CONFLICT DO NOTHING");
QUERY(put_tagged, "INSERT INTO organization_tags (organization_id, tag_id) "
                  "SELECT CAST(:id AS BIGINT), g.id FROM tags g "
                  "WHERE g.name_key = :key ON CONFLICT DO NOTHING");
QUERY(put_field, "INSERT INTO custom_fields (id, area, type, key, is_required_for_agents, "
                 "is_required_on_resolution, is_visible_to_customers, is_customer_editable, "
                 "is_required_for_customers, sort_order, is_enabled, created_at, updated_at) "
                 "VALUES (:id, 3, :type, :key, 0, 0, 0, 0, 0, 0, 1, 0, 0)");
QUERY(put_option, "INSERT INTO custom_field_options (id, field_id, sort_order, created_at, updated_at) "
                  "VALUES (:id, :field, 0, 0, 0)");
QUERY(put_value, "INSERT INTO field_values (area, owner_id, field_id, value, value_key) "
                 "VALUES (3, :id, :field, :value, :key)");

static struct str value_of(struct world *w, int field) {
    static const char *const picks[] = {"3", "4", "3,4", "12", "1"};
    static const char *const days[] = {"2026-11-20", "2026-11-21", "2026-11-22", "2025-01-01", "1999-12-31"};
    static const char *const whole[] = {"0", "1", "-1", "12", "100000000000000000000", "7"};
    switch (field) {
    case NUMERIC_FIELD: return str_of(PICK(w, whole));
    case DECIMAL_FIELD: return str_of(PICK(w, numbers));
    case DATE_FIELD: return str_of(PICK(w, days));
    case YESNO_FIELD: return str_of(roll(w, 2) ? "yes" : "no");
    case SELECT_FIELD: return str_of(roll(w, 2) ? "1" : "2");
    case CHECKBOX_FIELD: return str_of(PICK(w, picks));
    default: return str_of(PICK(w, words));
    }
}

static int64_t some_time(struct world *w) {
    int64_t hours = roll(w, 2) ? (int64_t)roll(w, 24 * 10) : (int64_t)roll(w, 24 * 800);
    return NOW - hours * TIME_HOUR + (roll(w, 3) ? 0 : TIME_DAY);
}

static int fill_one(struct world *w, struct conn *c, struct arena *a, int id) {
    struct str name = str_fmt(a, "%s %s", PICK(w, words), PICK(w, words));
    TRY(db_exec(c, &put_organization,
                BINDS(B_INT("id", id), B_TEXT("name", name), B_TEXT("key", fold_key(a, name)),
                      B_INT("shared", roll(w, 2)), B_INT("created", some_time(w)),
                      B_INT("updated", some_time(w)))));
    for (unsigned n = roll(w, 4); n; n--)
        TRY(db_exec(c, &put_tagged,
                    BINDS(B_INT("id", id), B_TEXT("key", fold_key(a, str_of(PICK(w, tags)))))));
    for (int f = 1; f < FIELDS; f++)
        if (roll(w, 3)) {
            struct str value = value_of(w, f), key = field_value_key(a, (enum field_kind)types[f], value);
            TRY(db_exec(c, &put_value,
                        BINDS(B_INT("id", id), B_INT("field", ROW_OF(f)), B_TEXT("value", value),
                              B_TEXT("key", key))));
        }
    return 0;
}

static int fill(struct conn *c, void *arg) {
    struct world *w = arg;
    struct arena *a = arena_new();
    for (int i = 0; i < (int)(sizeof tags / sizeof *tags); i++)
        TRY(db_exec(c, &put_tag,
                    BINDS(B_INT("id", i + 1), B_TEXT("name", str_of(tags[i])),
                          B_TEXT("key", fold_key(a, str_of(tags[i]))))));
    for (int f = 1; f < FIELDS; f++)
        TRY(db_exec(
            c, &put_field,
            BINDS(B_INT("id", ROW_OF(f)), B_INT("type", types[f]), B_TEXT("key", str_fmt(a, "f%d", f)))));
    for (int o = 1; o <= 2; o++)
        TRY(db_exec(c, &put_option, BINDS(B_INT("id", o), B_INT("field", ROW_OF(SELECT_FIELD)))));
    for (int o = 3; o <= 12; o++)
        TRY(db_exec(c, &put_option, BINDS(B_INT("id", o), B_INT("field", ROW_OF(CHECKBOX_FIELD)))));
    for (int id = 1; id <= ROWS; id++) TRY(fill_one(w, c, a, id));
    arena_free(a);
    return 0;
}

static int make(void **state) {
    struct world *w = calloc(1, sizeof *w);
    if (w == NULL) return -1;
    *state = w;
    w->seed = 11;
    snprintf(w->place.dir, sizeof w->place.dir, "/tmp/deskd-test-XXXXXX");
    const char *url = getenv("DATABASE");
    struct arena *a = arena_new();
    struct db_config cfg = {
        .dir = mkdtemp(w->place.dir), .url = url ? fresh_database(a, url) : NULL, .create = true};
    if (cfg.dir == NULL || db_open(&cfg, &w->place.db, w->place.err, sizeof w->place.err) < 0)
        return fputs(w->place.err, stderr), -1;
    arena_free(a);
    if (db_write(w->place.db, fill, w) < 0) return -1;
    w->settings = settings_open(db_reader(w->place.db));
    return w->settings ? 0 : -1;
}

static int unmake(void **state) {
    struct world *w = *state;
    char command[64];
    settings_close(w->settings);
    place_close(&w->place);
    snprintf(command, sizeof command, "rm -rf %s", w->place.dir);
    free(w);
    return system(command);
}

/* ---- random predicates
 * --------------------------------------------------------------------------------------------------- */

static void put_random_value(struct world *w, struct json_writer *j, const struct definition *d) {
    const struct option *o = d->options;
    switch (d->input) {
    case INPUT_TAGS:
        jw_array(j);
        for (unsigned n = roll(w, 3) + 1; n; n--) jw_str(j, str_of(PICK(w, tags)));
        jw_end(j);
        break;
    case INPUT_INTEGER: jw_str(j, str_of(roll(w, 2) ? "12" : roll(w, 2) ? "0" : "-1")); break;
    case INPUT_FLOAT: jw_str(j, str_of(PICK(w, numbers))); break;
    case INPUT_BOOLEAN: jw_bool(j, roll(w, 2)); break;
    case INPUT_OPTIONS:
    case INPUT_MULTIPLE:
        while (o[1].key && roll(w, 3)) o++;
        jw_str(j, str_of(o->key));
        break;
    case INPUT_DATE_ABSOLUTE: jw_str(j, str_of(PICK(w, dates))); break;
    case INPUT_DATE_RELATIVE: {
        int word = (int)roll(w, RELATIVE_DATES);
        jw_str(j, str_of(relative_dates[relative_fits(word, d->sub_type) ? word : 0].word));
        break;
    }
    default: {
        struct str s = str_of(PICK(w, words));
        if (s.n > 3 && roll(w, 2) && (unsigned char)s.p[2] < 0x80) s.n = 2;
        jw_str(j, utf8_valid(s) ? s : S("e"));
    }
    }
}

static void put_random_proposition(struct world *w, struct json_writer *j, const struct definitions *d) {
    const struct definition *field = &d->list[roll(w, (unsigned)d->count)];
    uint64_t allowed = operators_of(d->user, field);
    int operation;
    do operation = (int)roll(w, OPERATORS);
    while (!(allowed & OP(operation)));
    jw_object(j);
    jw_key_raw(j, S("field"));
    jw_str(j, str_of(field->field));
    jw_key_raw(j, S("operator"));
    jw_str(j, str_of(operator_words[operation].word));
    jw_key_raw(j, S("value"));
    put_random_value(w, j, field);
    jw_end(j);
}

static struct str random_predicate(struct world *w, struct arena *a, const struct definitions *d) {
    struct buf b = {0};
    struct json_writer j;
    jw_init(&j, &b);
    jw_object(&j);
    jw_key_raw(&j, S("collection_operator"));
    jw_str(&j, roll(w, 2) ? S("OR") : S("AND"));
    jw_key_raw(&j, S("collections"));
    jw_array(&j);
    for (unsigned n = roll(w, 3) + 1; n; n--) {
        jw_object(&j);
        jw_key_raw(&j, S("proposition_operator"));
        jw_str(&j, roll(w, 2) ? S("OR") : S("AND"));
        jw_key_raw(&j, S("propositions"));
        jw_array(&j);
        for (unsigned k = roll(w, 4) + 1; k; k--) put_random_proposition(w, &j, d);
        jw_end(&j);
        jw_end(&j);
    }
    jw_end(&j);
    jw_end(&j);
    return buf_take(&b, a);
}

static int found_by_sql(struct work *w, const struct predicate *p, bool *found) {
    struct condition c;
    TRY(predicate_condition_now(w, p, &c));
    struct stmt *s;
    int rc;
    memset(found, 0, ROWS + 1);
    TRY(db_start(w->conn, str_fmt(w->arena, "SELECT t.id FROM organizations t WHERE %s", c.sql).p, c.binds,
                 &s));
    while ((rc = stmt_step(s)) == 1) found[col_int(s, 0)] = true;
    stmt_end(s);
    return rc;
}

static struct str all_ids(struct arena *a) {
    int64_t ids[ROWS];
    for (int i = 0; i < ROWS; i++) ids[i] = i + 1;
    return json_ids(a, ids, ROWS);
}

static void stop_at(struct str predicate, const char *why) {
    print_message("%s\n%s\n", predicate.p, why);
    assert_true(false);
}

/* Returns the number of rows found by all predicates, so that a test without effect is noticed. */
static int compare_all(struct world *world, struct work *w, const struct definitions *d) {
    struct facts *facts;
    struct moment m;
    bool found[ROWS + 1];
    int hits = 0;
    assert_int_equal(facts_read(w, d, NULL, all_ids(w->arena), &facts), ROWS);
    assert_int_equal(moment_read(w, NEEDS_TEAMS | NEEDS_HOURS, &m), 0);
    for (int i = 0; i < PREDICATES; i++) {
        struct arena_mark mark = arena_mark(w->arena);
        struct json *j;
        struct json_error err;
        struct predicate *p;
        struct str text = random_predicate(world, w->arena, d);
        assert_int_equal(json_parse(w->arena, text, &j, &err), 0);
        if (predicate_read(w, d, j, S("predicates"), &p) < 0) stop_at(text, w->problems->message.p);
        assert_int_equal(found_by_sql(w, p, found), 0);
        for (int id = 1; id <= ROWS; id++) {
            bool holds = predicate_holds(p, &m, facts[id - 1].list);
            if (holds != found[id])
                stop_at(text,
                        str_fmt(w->arena, "organization %d: SQL says %d, memory %d", id, found[id], holds).p);
            hits += holds;
        }
        arena_return(w->arena, mark);
    }
    return hits;
}

QUERY(put_zone, "INSERT INTO settings (name, value, updated_at) "
                "VALUES ('desk.time_zone', :zone, 0) ON CONFLICT (name) DO UPDATE "
                "SET value = excluded.value");
static const char *const zones[] = {"UTC", "Pacific/Kiritimati", "America/St_Johns"};

static int set_zone(struct conn *c, void *zone) {
    return db_exec(c, &put_zone, BINDS(B_TEXT("zone", str_of(zone))));
}

static void sql_and_memory_agree(void **state) {
    struct world *world = *state;
    struct desk desk = {.db = world->place.db, .settings = world->settings};
    struct work w;
    struct definitions d;
    for (size_t z = 0; z < sizeof zones / sizeof *zones; z++) {
        assert_true(db_write(world->place.db, set_zone, (void *)(uintptr_t)zones[z]) >= 0);
        assert_int_equal(settings_reload(world->settings, db_reader(world->place.db)), 0);
        work_init(&w, &desk, arena_new());
        w.now = NOW;
        w.conn = db_reader(world->place.db);
        assert_int_equal(db_read_begin(w.conn, 0), 0);
        assert_int_equal(definitions_load(&w, &organization_subject, RULE_FILTER, &d), 0);
        int hits = compare_all(world, &w, &d);
        assert_in_range(hits, PREDICATES * ROWS / 10, PREDICATES * ROWS * 9 / 10);
        db_read_end(w.conn);
        arena_free(w.arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sql_and_memory_agree, make, unmake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
