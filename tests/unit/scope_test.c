/* Scopes on every route of the API: credentials with fewer scopes are admitted only where a scope allows it. */
#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include "api/machine.h"
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

static int admitted(const struct route *r, uint32_t mask) {
    struct arena *a = arena_new();
    struct desk desk = {0};
    struct call c = {.route = r, .method = r->method};
    work_init(&c.work, &desk, a);
    c.query = json_new(a, JSON_OBJECT);
    c.work.actor = (struct actor){.kind = ACTOR_TOKEN, .rank = role_of(r), .user_id = 1, .scopes = mask};
    int rc = auth_admit(&c);
    arena_free(a);
    return rc;
}

/* Names the scopes of a mask, instead of its bits. */
static bool grants(const char *granted, const struct route *r) {
    char read[64], write[64];
    bool reads = r->method == GET || r->reads;
    if (r->scope[0] == 0) return true;
    snprintf(read, sizeof read, " %s:read ", r->scope);
    snprintf(write, sizeof write, " %s:write ", r->scope);
    return strstr(granted, write) || (reads && strstr(granted, read));
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
        const struct route *r = t->router.routes[i].route;
        for (int m = 0; m < MASKS; m++) {
            int rc = admitted(r, mask_of(masks[m])), wanted = grants(masks[m], r) ? 0 : -ERR_PERMISSIONS_DENIED;
            if (rc != wanted) print_error("%s with scopes%s: %d\n", r->path, masks[m], rc);
            assert_int_equal(rc, wanted);
            if (r->scope[0]) *(rc ? &refused : &taken) += 1;
        }
        assert_int_equal(admitted(r, SCOPES_ALL), 0);
    }
    assert_true(refused > 500 && taken > 100);
}

static void test_levels(void **state) {
    (void)state;
    struct actor reader = {.scopes = mask_of("users:read")}, writer = {.scopes = mask_of("users:write")}, none = {0};
    assert_true(scope_granted(&reader, "users", false));
    assert_false(scope_granted(&reader, "users", true));
    assert_false(scope_granted(&reader, "conversations", false));
    assert_true(scope_granted(&writer, "users", true));
    assert_true(scope_granted(&writer, "users", false));
    assert_false(scope_granted(&none, "users", false));
    assert_true(scope_granted(&none, "", true));
    assert_false(scope_granted(&(struct actor){.scopes = SCOPES_ALL}, "user", false));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_scopes_narrow_every_route, tables_make, tables_end),
        cmocka_unit_test(test_levels),
    };
    return cmocka_run_group_tests_name("scope", tests, NULL, NULL);
}
