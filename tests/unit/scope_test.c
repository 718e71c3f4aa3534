/* Scopes on every route of the API: credentials with fewer scopes are admitted only where a scope allows
 * it. */
#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include "api/call/machine.h"
#include "api/caller/auth_admit.h"
#include "core/access/scope.h"
#include "core/words.h"

#define MASKS 12

struct tables {
    struct arena *arena;
    struct router router;
};

static int tables_make(void **state) {
    static struct tables t;
    char err[256];
    t.arena = arena_new();
    *state = &t;
    if (router_make(&t.router, t.arena, err, sizeof err)) return 0;
    fprintf(stderr, "%s\n", err);
    return -1;
}

static int tables_end(void **state) {
    struct tables *t = *state;
    arena_free(t->arena);
    return 0;
}

/* Returns the highest role that the route accepts. */
static int role_of(const struct route *r) {
    for (int rank = ROLE_OWNER; rank > ROLE_PUBLIC; rank--)
        if (r->roles & 1u << rank) return rank;
    return ROLE_PUBLIC;
}

static int admitted(const struct compiled *k, enum actor_kind kind, uint32_t mask) {
    const struct route *r = k->route;
    struct arena *a = arena_new();
    struct desk desk = {0};
    struct call c = {.route = r, .resource = k->reply, .method = r->method};
    work_init(&c.work, &desk, a);
    c.query = json_new(a, JSON_OBJECT);
    c.work.actor = (struct actor){.kind = kind, .rank = role_of(r), .user_id = 1, .scopes = mask};
    int rc = auth_admit(&c);
    arena_free(a);
    return rc;
}

/* Names the scopes of a mask, instead of its bits. */
static bool grants(const char *granted, const struct route *r) {
    char read[64], write[64];
    bool reads = r->method == GET || r->reads;
    const char *scope = route_bearer(r);
    if (scope == NULL || strcmp(scope, BEARER_ANY) == 0) return scope != NULL;
    if (strcmp(scope, BEARER_WRITES) == 0) return strstr(granted, ":write ") != NULL;
    snprintf(read, sizeof read, " %s:read ", scope);
    snprintf(write, sizeof write, " %s:write ", scope);
    return strstr(granted, write) || (reads && strstr(granted, read));
}

/* True if the scopes show the items of the reply: they have one level of one of the scopes that these need. */
static bool shows(const char *granted, const struct compiled *k) {
    char read[64], write[64];
    struct str rest = str_of(route_content(k->route, k->reply));
    if (rest.n == 0) return true;
    while (rest.p) {
        struct str scope = str_cut(&rest, ' ');
        snprintf(read, sizeof read, " %.*s:read ", (int)scope.n, scope.p);
        snprintf(write, sizeof write, " %.*s:write ", (int)scope.n, scope.p);
        if (strstr(granted, read) || strstr(granted, write)) return true;
    }
    return false;
}

static uint32_t mask_of(const char *granted) {
    uint32_t mask = 0;
    for (struct str rest = str_of(granted); rest.p;) {
        struct str level = str_cut(&rest, ' '), name = str_cut(&level, ':');
        if (name.n) mask |= scope_bit(name, str_eq(level, S("write")));
    }
    return mask;
}

static void test_scopes_narrow_every_route(void **state) {
    static const char *const masks[MASKS] = {" ",
                                             " users:read ",
                                             " users:write ",
                                             " conversations:read ",
                                             " conversations:write ",
                                             " insights:read ",
                                             " insights:write ",
                                             " search:read ",
                                             " search:write ",
                                             " configuration:read ",
                                             " configuration:write ",
                                             " users:read configuration:write "};
    const struct tables *t = *state;
    int refused = 0, taken = 0;
    for (int i = 0; i < t->router.count; i++) {
        const struct compiled *k = &t->router.routes[i];
        const struct route *r = k->route;
        for (int m = 0; m < MASKS; m++) {
            bool may = grants(masks[m], r) && (shows(masks[m], k) || route_is_open(r));
            int rc = admitted(k, ACTOR_TOKEN, mask_of(masks[m])), wanted = may ? 0 : -ERR_PERMISSIONS_DENIED;
            if (rc != wanted) print_error("%s with scopes%s: %d\n", r->path, masks[m], rc);
            assert_int_equal(rc, wanted);
            if (r->scope[0]) *(rc ? &refused : &taken) += 1;
        }
        assert_int_equal(admitted(k, ACTOR_PERSON, SCOPES_ALL), 0);
        assert_int_equal(admitted(k, ACTOR_TOKEN, SCOPES_ALL), route_bearer(r) ? 0 : -ERR_PERMISSIONS_DENIED);
    }
    assert_true(refused > 500 && taken > 100);
}

static void test_levels(void **state) {
    (void)state;
    struct actor reader = {.scopes = mask_of("users:read")}, writer = {.scopes = mask_of("users:write")},
                 none = {0};
    assert_true(scope_granted(&reader, "users", false));
    assert_false(scope_granted(&reader, "users", true));
    assert_false(scope_granted(&reader, "conversations", false));
    assert_true(scope_granted(&writer, "users", true));
    assert_true(scope_granted(&writer, "users", false));
    assert_false(scope_granted(&none, "users", false));
    assert_true(scope_granted(&none, "", true));
    assert_false(scope_granted(&(struct actor){.scopes = SCOPES_ALL}, "user", false));
}

static void test_common_scopes(void **state) {
    (void)state;
    assert_int_equal(scopes_common(mask_of("users:write"), mask_of("users:read")), mask_of("users:read"));
    assert_int_equal(scopes_common(mask_of("users:write"), mask_of("users:write")),
                     mask_of("users:write") | mask_of("users:read"));
    assert_int_equal(
        scopes_common(mask_of("users:write search:read"), mask_of("insights:write search:write")),
        mask_of("search:read"));
    assert_int_equal(scopes_common(mask_of("users:write"), 0), 0);
}

static void test_texts_name_every_scope(void **state) {
    (void)state;
    struct arena *a = arena_new();
    struct str text = scopes_text(a, scopes_every());
    assert_int_equal(mask_of(text.p), scopes_every());
    for (int i = 0; scopes[i].name; i++) assert_non_null(strstr(text.p, scopes[i].name));
    assert_string_equal(scopes_text(a, mask_of("users:read search:write")).p, "users:read search:write");
    assert_string_equal(scopes_json(a, mask_of("users:read search:write")).p,
                        "[\"users:read\",\"search:write\"]");
    assert_string_equal(scopes_json(a, 0).p, "[]");
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_scopes_narrow_every_route, tables_make, tables_end),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_common_scopes),
        cmocka_unit_test(test_texts_name_every_scope),
    };
    return cmocka_run_group_tests_name("scope", tests, NULL, NULL);
}
