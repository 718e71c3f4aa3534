/* Custom fields: patterns, keys, values, and the migration of an older desk. */
#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include <time.h>

#include "base/limits.h"
#include "base/pattern.h"
#include "core/fields/field_catalogue.h"
#include "core/fields/field_value.h"
#include "core/people/tag.h"

static void patterns_are_found_anywhere_in_unicode(void **state) {
    (void)state;
    assert_int_equal(pattern_found(S("b+"), S("abbc")), 1);
    assert_int_equal(pattern_found(S("^b+$"), S("abbc")), 0);
    assert_int_equal(pattern_found(S("^.$"), S("\xC3\xBC")), 1);
    assert_int_equal(pattern_found(S("("), S("x")), -1);
    assert_int_equal(pattern_found(S(""), S("")), 1);
}

static void wrong_patterns_say_why(void **state) {
    (void)state;
    struct arena *a = arena_new();
    static const char *const bad[] = {"(",
                                      "[a",
                                      "a{2,1}",
                                      "\\C",
                                      "(?<n>a)(?<n>b)",
                                      "*",
                                      "((((((a{1,999}){1,999}){1,999}){1,999}){1,999}))"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_non_null(pattern_wrong(a, str_of(bad[i])));
    assert_null(pattern_wrong(a, S("^[A-Z]{2}-[0-9]+$")));
    arena_free(a);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Without limits each of these would run for years. */
static void catastrophic_patterns_end(void **state) {
    (void)state;
    static const char *const slow[] = {"^(a+)+$",
                                       "^(a|a)*$",
                                       "^(([a-z])+.)+[A-Z]([a-z])+$",
                                       "^(?:a?){200}a{300}$",
                                       "(a*)*b",
                                       "^(?>(a+))*(a|aa)+$",
                                       "(*NO_AUTO_POSSESS)(*LIMIT_MATCH=4000000000)^(a+)+$"};
    char text[256];
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '!';
    double began = seconds();
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
        assert_int_not_equal(pattern_found(str_of(slow[i]), (struct str){text, sizeof text}), 1);
    assert_true(seconds() - began < 1.0);
}

static void value_keys_are_cut_between_characters(void **state) {
    (void)state;
    struct arena *a = arena_new();
    char text[400];
    for (size_t i = 0; i + 1 < sizeof text; i += 2)
        memcpy(text + i, "\xC3\x98", 2); /* a letter with a stroke: two bytes, also when folded */
    struct str key = field_value_key(a, FIELD_TEXT, (struct str){text, sizeof text});
    assert_int_equal(key.n, LIMIT_VALUE_KEY);
    assert_true(utf8_valid(key));
    struct str odd = field_value_key(a, FIELD_TEXT, str_fmt(a, "x%.*s", (int)sizeof text, text));
    assert_int_equal(odd.n, LIMIT_VALUE_KEY - 1);
    assert_true(utf8_valid(odd));
    assert_true(str_eq(field_value_key(a, FIELD_TEXT, S("Gold")), S("gold")));
    assert_true(
        str_eq(field_value_key(a, FIELD_DECIMAL, S("12.50")), field_value_key(a, FIELD_NUMERIC, S("12.5"))));
    arena_free(a);
}

static void tags_fold_alike_or_are_none(void **state) {
    (void)state;
    struct arena *a = arena_new();
    assert_true(str_eq(tag_key(a, S(" M\xC3\xBCller ")), tag_key(a, S("MULLER"))));
    static const char *const none[] = {"", " ", "a,b", "a\nb", "\xCC\x81", "\x7F"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) assert_null(tag_key(a, str_of(none[i])).p);
    arena_free(a);
}

static void keys_of_fields_begin_with_a_letter(void **state) {
    (void)state;
    static const char *const good[] = {"a", "plan_size", "A-1"}, *const bad[] = {"",        "1",   "_a",
                                                                                 "a b",     "a.b", "a[b]",
                                                                                 "\xC3\xBC"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_true(field_key_valid(str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(field_key_valid(str_of(bad[i])));
}

static void assert_value(enum field_kind type, const char *text, const char *want) {
    struct arena *a = arena_new();
    const struct custom_field f = {.id = 7, .area = AREA_USERS, .type = type};
    static const struct field_option options[] = {{3, 7}, {20, 7}, {5, 8}};
    struct str value = {0};
    const char *why = field_value_read(a, &f, options, 3, str_of(text), &value);
    if (want == NULL) assert_non_null(why);
    else assert_true(why == NULL && str_eq(value, str_of(want)));
    arena_free(a);
}

static void values_have_one_form(void **state) {
    (void)state;
    assert_value(FIELD_CHECKBOX, "20, 3,20", "3,20");
    assert_value(FIELD_CHECKBOX, "3,5", NULL);
    assert_value(FIELD_SELECT, " 03 ", "3");
    assert_value(FIELD_SELECT, "3,20", NULL);
    assert_value(FIELD_NUMERIC, "-007", "-7");
    assert_value(FIELD_DECIMAL, "-007.50", "-7.50");
    assert_value(FIELD_DECIMAL, "0.0", "0.0");
    assert_value(FIELD_DECIMAL, "1.2.3", NULL);
    assert_value(FIELD_YESNO, "TRUE", "yes");
    assert_value(FIELD_DATE, "2028-02-29", "2028-02-29");
    assert_value(FIELD_DATE, "2028-02-29T23:00:00-05:00", "2028-02-29");
    assert_value(FIELD_DATE, "2026-02-29", NULL);
    assert_value(FIELD_DATE, "2026-02-28T", NULL);
    assert_value(FIELD_DATE, "2026-02-2x", NULL);
}

/* ---- the migration of an older desk: it gets the system fields ------------------------------- */

QUERY(old_field, "INSERT INTO custom_fields (area, type, key, is_required_for_agents, "
                 "is_required_on_resolution, is_visible_to_customers, is_customer_editable, "
                 "is_required_for_customers, sort_order, is_enabled, created_at, updated_at) "
                 "VALUES (:area, 1, 'status', 0, 0, 0, 0, 0, 1, 1, 1, 1)");
QUERY(old_desk, "INSERT INTO settings (name, value, updated_at) VALUES ('desk.created_at', '7', 7)");
QUERY(system_fields_counted,
      "SELECT COUNT(*) FROM custom_fields f JOIN locale_fields l ON l.owner_kind = 1 AND l.owner_id = f.id "
      "WHERE f.is_system = 1 AND f.area = 1 AND f.created_at = 7 AND l.created_at = 7");
QUERY(renamed_counted,
      "SELECT COUNT(*) FROM custom_fields WHERE is_system = 0 AND key = 'status-' || id AND area = 1");
QUERY(kept_counted, "SELECT COUNT(*) FROM custom_fields WHERE is_system = 0 AND key = 'status' AND area = 2");

static int fill_old(struct conn *c, void *arg) {
    (void)arg;
    TRY(db_exec(c, &old_desk, NULL));
    for (int area = 1; area <= 2; area++) TRY(db_exec(c, &old_field, BINDS(B_INT("area", area))));
    return 0;
}

static int64_t counted(struct conn *c, const struct query *q) {
    int64_t n = 0;
    assert_int_equal(db_int(c, q, NULL, &n), 1);
    return n;
}

static void an_older_desk_gets_system_fields_beside_its_own(void **state) {
    struct place *p = *state;
    struct schema_file before[64] = {0};
    for (int i = 0; strncmp(schema_files[i].name, "0017_", 5) != 0; i++) before[i] = schema_files[i];
    assert_int_equal(place_open(p, before), 0);
    assert_int_equal(db_write(p->db, fill_old, NULL), 0);
    place_close(p);
    assert_int_equal(place_open(p, schema_files), 0);
    struct conn *c = db_reader(p->db);
    assert_int_equal(db_read_begin(c, 0), 0);
    assert_int_equal(counted(c, &system_fields_counted), 7);
    assert_int_equal(counted(c, &renamed_counted), 1);
    assert_int_equal(counted(c, &kept_counted), 1);
    db_read_end(c);
}

/* ---- the set that is kept in memory ---------------------------------------------------------- */

struct field_change {
    struct work work;
    const char *key; /* the field gets it */
    bool fails;
    bool seen; /* by the work itself */
};

static bool sees_key(struct work *w, const char *key) {
    struct custom_field *list;
    assert_int_equal(custom_fields_of(w, AREA_CASES, &list), 1);
    return str_eq(list[0].key, str_of(key));
}

QUERY(field_insert, "INSERT INTO custom_fields (area, type, key, is_required_for_agents, "
                    "is_required_on_resolution, is_visible_to_customers, is_customer_editable, "
                    "is_required_for_customers, sort_order, is_enabled, created_at, updated_at) "
                    "VALUES (:area, 1, 'first', 0, 0, 0, 0, 0, 1, 1, 1, 1)");
QUERY(field_rename, "UPDATE custom_fields SET key = :key WHERE is_system = 0");

static int insert_field(struct conn *c, void *arg) {
    (void)arg;
    return db_exec(c, &field_insert, BINDS(B_INT("area", AREA_CASES))) == 1 ? 0 : -ERR_INTERNAL_ERROR;
}

static int rename_field(struct conn *c, void *arg) {
    struct field_change *x = arg;
    x->work.conn = c;
    TRY(db_exec(c, &field_rename, BINDS(B_TEXT("key", str_of(x->key)))));
    TRY(custom_fields_changed(&x->work));
    x->seen = sees_key(&x->work, x->key);
    return x->fails ? -ERR_FIELD_INVALID : 0;
}

static void assert_reader_sees(struct desk *desk, const char *key) {
    struct work w;
    work_init(&w, desk, arena_new());
    w.conn = db_reader(desk->db);
    assert_int_equal(db_read_begin(w.conn, 0), 0);
    assert_true(sees_key(&w, key));
    assert_true(sees_key(&w, key)); /* the kept set */
    db_read_end(w.conn);
    arena_free(w.arena);
}

static void changed_fields_are_kept_when_their_write_commits_and_not_before(void **state) {
    struct place *p = *state;
    assert_int_equal(place_open(p, schema_files), 0);
    assert_int_equal(db_write(p->db, insert_field, NULL), 0);
    struct desk desk = {.db = p->db, .fields = field_catalogue_new()};
    assert_reader_sees(&desk, "first");
    const char *now = "first";
    static const struct {
        const char *key;
        bool fails;
    } changes[] = {{"second", true}, {"third", false}, {"fourth", true}, {"fifth", true}, {"sixth", false}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct field_change x = {.key = changes[i].key, .fails = changes[i].fails};
        work_init(&x.work, &desk, arena_new());
        int rc = db_write(p->db, rename_field, &x);
        assert_int_equal(rc < 0, x.fails);
        assert_true(x.seen);
        if (!x.fails) now = x.key;
        if (!x.fails) work_committed(&x.work);
        arena_free(x.work.arena);
        assert_reader_sees(&desk, now);
    }
    field_catalogue_free(desk.fields);
}

static int make_folder(void **state) {
    struct place *p = calloc(1, sizeof *p);
    if (p == NULL) return -1;
    *state = p;
    snprintf(p->dir, sizeof p->dir, "/tmp/deskd-test-XXXXXX");
    return mkdtemp(p->dir) ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_older_desk_gets_system_fields_beside_its_own, make_folder,
                                        place_remove),
        cmocka_unit_test_setup_teardown(changed_fields_are_kept_when_their_write_commits_and_not_before,
                                        make_folder, place_remove),
        cmocka_unit_test(patterns_are_found_anywhere_in_unicode),
        cmocka_unit_test(wrong_patterns_say_why),
        cmocka_unit_test(catastrophic_patterns_end),
        cmocka_unit_test(value_keys_are_cut_between_characters),
        cmocka_unit_test(tags_fold_alike_or_are_none),
        cmocka_unit_test(keys_of_fields_begin_with_a_letter),
        cmocka_unit_test(values_have_one_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
