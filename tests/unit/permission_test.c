/* Permissions: bits are never shared, and roles get the permissions that a newer version adds. */
#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include "core/access/permission.h"
#include "core/words.h"

static bool refused(const struct permission *list, const char *why) {
    char err[256] = "";
    bool ok = permissions_check(list, err, sizeof err);
    if (!ok && !strstr(err, why)) print_error("%s\n", err);
    return !ok && strstr(err, why);
}

static void bits_and_names_are_never_shared(void **state) {
    (void)state;
    char err[256] = "";
    assert_true(permissions_check(permissions, err, sizeof err));
    assert_true(refused((const struct permission[]){{"a", 5, false}, {"b", 7, false}, {"c", 5, false}, {0}},
                        "permissions, c: another row has its bit"));
    assert_true(refused((const struct permission[]){{"a", 5, false}, {"a", 6, false}, {0}},
                        "permissions, a: another row has its name"));
    assert_true(refused((const struct permission[]){{"a", 63, false}, {0}},
                        "permissions, a: a bit is a number from 0 to 62"));
    assert_true(refused((const struct permission[]){{"a", -1, false}, {0}}, "0 to 62"));
}

static void a_desk_keeps_the_bits_it_stores(void **state) {
    (void)state;
    assert_int_equal(permission_of(S("cases.public_reply"))->bit, 0);
    assert_int_equal(permission_of(S("roles.manage"))->bit, 12);
    assert_int_equal(permission_of(S("insights.access"))->bit, 27);
}

/* ---- a desk older than a permission ---------------------------------------------------------- */

static const struct permission older[] = {{"things.see", 3, false}, {"things.change", 40, false}, {0}};
/* The rows are in another order, and one is switched off initially. */
static const struct permission newer[] = {{"things.burn", 61, true},
                                          {"things.sell", 41, false},
                                          {"things.change", 40, false},
                                          {"things.see", 3, false},
                                          {0}};

QUERY(roles_made, "SELECT COUNT(*) FROM roles");
QUERY(role_deny, "UPDATE roles SET denied = 8 WHERE id = 2"); /* things.see */
QUERY(rows_of, "SELECT COUNT(*) FROM role_permissions WHERE name = :name AND value = :value");
QUERY(denied_of, "SELECT denied FROM roles WHERE id = :id");

static int64_t ask(struct conn *c, const struct query *q, const struct bind *binds) {
    int64_t n = -1;
    assert_int_equal(db_int(c, q, binds, &n), 1);
    return n;
}

static int renew(struct conn *c, void *arg) {
    (void)arg;
    int64_t roles = ask(c, &roles_made, NULL), burn = (int64_t)1 << 61;
    assert_int_equal(permissions_lack(c, older), 1);
    assert_int_equal(permissions_fill(c, older, 1), 0);
    assert_int_equal(permissions_lack(c, older), 0);
    assert_int_equal(db_exec(c, &role_deny, NULL), 1);
    assert_int_equal(permissions_lack(c, newer), 1);
    assert_int_equal(permissions_fill(c, newer, 2), 0);
    assert_int_equal(permissions_lack(c, newer), 0);
    assert_int_equal(ask(c, &rows_of, BINDS(B_TEXT("name", S("things.sell")), B_INT("value", 1))), roles);
    assert_int_equal(ask(c, &rows_of, BINDS(B_TEXT("name", S("things.burn")), B_INT("value", 0))), roles);
    assert_int_equal(ask(c, &denied_of, BINDS(B_INT("id", 1))), burn);
    assert_int_equal(ask(c, &denied_of, BINDS(B_INT("id", 2))), burn | 8);
    /* A second run changes nothing, also not what was switched since. */
    struct arena *a = arena_new();
    struct work w = {.conn = c, .arena = a, .now = 3};
    assert_int_equal(permission_set(&w, 1, &newer[0], true), 1);
    assert_int_equal(permissions_fill(c, newer, 4), 0);
    assert_int_equal(ask(c, &denied_of, BINDS(B_INT("id", 1))), 0);
    arena_free(a);
    return 0;
}

static void roles_get_what_a_newer_version_adds(void **state) {
    struct place *p = *state;
    assert_int_equal(db_write(p->db, renew, NULL), 0);
}

static int open_desk(void **state) {
    struct place *p = calloc(1, sizeof *p);
    snprintf(p->dir, sizeof p->dir, "/tmp/deskd-test-XXXXXX");
    if (!mkdtemp(p->dir)) return -1;
    *state = p;
    return place_open(p, schema_files);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_and_names_are_never_shared),
        cmocka_unit_test(a_desk_keeps_the_bits_it_stores),
        cmocka_unit_test_setup_teardown(roles_get_what_a_newer_version_adds, open_desk, place_remove),
    };
    return cmocka_run_group_tests_name("permission", tests, NULL, NULL);
}
