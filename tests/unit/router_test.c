/* The checks of the tables at start-up: a resource without visibility, or a nested route without its
 * parent, stops the start. A new row gets the columns that its path and its caller decide. */
#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include "api/rows/generic.h"
#include "api/call/machine.h"

static bool refused(const struct resource *r, const char *why) {
    struct arena *a = arena_new();
    char err[512] = "";
    bool ok = router_check(a, r, err, sizeof err);
    arena_free(a);
    if (!ok && !strstr(err, why)) print_error("%s\n", err);
    return !ok && strstr(err, why);
}

static bool taken(const struct resource *r) {
    struct arena *a = arena_new();
    char err[512] = "";
    bool ok = router_check(a, r, err, sizeof err);
    arena_free(a);
    if (!ok) print_error("%s\n", err);
    return ok;
}

static void test_every_resource_says_who_sees_it(void **state) {
    (void)state;
    int tables = 0;
    for (const struct resource *const *r = resources; *r; r++) {
        struct resource open = **r;
        assert_true(taken(&open));
        if (open.table == NULL && open.from == NULL) continue;
        open.visible = NULL;
        open.within = (struct within){0};
        assert_true(refused(&open, "visibility is missing"));
        tables++;
    }
    assert_true(tables > 30);
}

static int nothing(struct call *c) {
    (void)c;
    return 0;
}

#define LIST_OF "/users/:id/things"
static const struct field fields[] = {{"text", F_TEXT, 0, .doc = "Text."}, {0}};

static struct resource thing(const struct route *routes) {
    return (struct resource){.type = "thing",
                             .scope = "",
                             .title = "Things",
                             .doc = "Things.",
                             .table = "things",
                             .fields = fields,
                             .routes = routes,
                             .visible = access_everyone};
}

static void test_nesting_is_complete(void **state) {
    (void)state;
    struct route routes[2] = {{GET, LIST_OF, AD, "users", LIST, api_list, .summary = "List", .reply = "tag"},
                              {0}};
    struct resource r = thing(routes);
    routes[0].of = "user";
    assert_true(refused(&r, "needs .within or .where"));
    routes[0].where = "t.user_id = :id";
    assert_true(taken(&r));
    routes[0].within = (struct within){"user", "user_id"};
    assert_true(refused(&r, ".of and .within exclude"));
    routes[0].of = routes[0].where = NULL;
    assert_true(taken(&r));
    routes[0].within.parent = "nothing";
    assert_true(refused(&r, ".within.parent is unknown"));
    routes[0].within = (struct within){"case_message", "post_id"};
    assert_true(refused(&r, ".within.parent is unknown"));
    routes[0].within = (struct within){"user", NULL};
    assert_true(refused(&r, "names no column"));
    routes[0].within = (struct within){"user", "user_id"};
    routes[0].path = "/things";
    assert_true(refused(&r, "needs a path variable"));
    routes[0] = (struct route){
        GET, LIST_OF "/:thing_id", AD, "users", ONE, api_get, .summary = "Read", .reply = "tag"};
    assert_true(refused(&r, "needs .within or .where"));
    routes[0].handler = nothing; /* it may call api_target */
    assert_true(refused(&r, "needs .within or .where"));
    routes[0].of = "user";
    assert_true(taken(&r));
    routes[0] = (struct route){GET, LIST_OF, AD, "users", LIST, nothing, .summary = "List"};
    assert_true(refused(&r, "needs .within or .where"));
    routes[0] = (struct route){POST, LIST_OF, AD, "users", ONE, api_create, .summary = "Make"};
    assert_true(refused(&r, "needs .within or .where"));
    r.within = (struct within){"nothing", "user_id"};
    assert_true(refused(&r, "a parent with table and .visible"));
    r.within.parent = "user";
    assert_true(refused(&r, ".visible and .within exclude"));
}

static void test_scopes_and_bound_fields_are_known(void **state) {
    (void)state;
    static const struct field bound[] = {{"owner_id", F_INT, HIDDEN, .bound = ":id"}, {0}};
    struct route routes[2] = {
        {POST, LIST_OF, AD, "users", ONE, api_create, .summary = "Make", .reply = "tag", .of = "user"}, {0}};
    struct resource r = thing(routes);
    r.fields = bound;
    assert_true(taken(&r));
    routes[0].path = "/things";
    assert_true(refused(&r, "owner_id is bound to :id"));
    routes[0].scope = "user";
    assert_true(refused(&r, "unknown scope user"));
}

/* ---- columns of a new row -------------------------------------------------------------------- */

static const struct schema_file greetings[] = {
    {"0001_greetings.sql", "CREATE TABLE greetings (id @ID@, user_id BIGINT NOT NULL, author_id BIGINT, "
                           "created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL);"},
    {0},
};
QUERY(greeting_sum, "SELECT g.user_id * 1000 + COALESCE(g.author_id, 999) FROM greetings g WHERE g.id = :id");

static const struct field greeting_fields[] = {
    {"author", F_REF, READONLY, .ref = "user", .bound = ":me", .doc = "Who."}, {0}};
static const struct resource greeting = {.type = "greeting",
                                         .scope = "",
                                         .table = "greetings",
                                         .fields = greeting_fields,
                                         .unlogged = "a test",
                                         .visible = access_everyone};
static const struct within within_user = {"user", "user_id"};

struct made {
    struct work *work;
    int64_t me, sum;
};

static int make(struct conn *conn, void *arg) {
    struct made *m = arg;
    static const struct route route = {.method = POST, .path = "/users/:id/greetings", .handler = nothing};
    struct call c = {.work = *m->work,
                     .home = &greeting,
                     .resource = &greeting,
                     .route = &route,
                     .method = POST,
                     .within = &within_user,
                     .var_count = 1};
    c.vars[0] = (struct path_var){.bind = ":id", .id = 7};
    c.work.conn = conn;
    c.work.actor.user_id = m->me;
    int rc = api_insert(&c);
    return rc < 0 ? rc : db_int(conn, &greeting_sum, BINDS(B_INT("id", c.id)), &m->sum);
}

/* Changes of rows of a conversation are shown by GET /changes to those who see the conversation only. */
static const struct resource greeting_in_case = {.type = "greeting",
                                                 .scope = "",
                                                 .table = "greetings",
                                                 .fields = greeting_fields,
                                                 /* the column holds the id of the conversation */
                                                 .within = {"conversation", "user_id"}};

struct in_case {
    struct work *work;
    int64_t id;
    bool removes;
};

static int change_in_case(struct conn *conn, void *arg) {
    struct in_case *x = arg;
    static const struct route route = {
        .method = POST, .path = "/conversations/:id/greetings", .handler = nothing};
    struct changed object;
    struct call c = {.work = *x->work,
                     .home = &greeting_in_case,
                     .resource = &greeting_in_case,
                     .route = &route,
                     .method = POST,
                     .within = &greeting_in_case.within,
                     .var_count = 1,
                     .id = x->id,
                     .ids = &x->id,
                     .id_count = 1};
    c.vars[0] = (struct path_var){.bind = ":id", .id = 7};
    c.work.conn = conn;
    TRY(x->removes ? api_remove(&c) : api_insert(&c));
    const struct change *made = changes_of(&c.work);
    assert_non_null(made);
    assert_null(made->next);
    assert_int_equal(made->verb, x->removes ? CHANGE_DELETED : CHANGE_CREATED);
    assert_int_equal(made->case_id, 7);
    if (x->removes) return 0;
    TRY(api_object(&c, c.id, &object));
    assert_int_equal(object.case_id, 7);
    x->id = c.id;
    return 0;
}

static void store_of_greetings(struct place *p, struct desk *desk, struct work *w, struct arena *a) {
    char other[sizeof p->dir + 8], command[96];
    place_close(p);
    snprintf(other, sizeof other, "%s/g", p->dir);
    snprintf(command, sizeof command, "mkdir %s", other);
    assert_int_equal(system(command), 0);
    struct db_config cfg = {.dir = other, .create = true};
    assert_int_equal(db_open_with(&cfg, greetings, &p->db, (struct why){p->err, sizeof p->err}), 0);
    *desk = (struct desk){.db = p->db};
    work_init(w, desk, a);
}

static void test_changes_of_a_row_name_its_conversation(void **state) {
    struct place *p = *state;
    struct arena *a = arena_new();
    struct desk desk;
    struct work w;
    store_of_greetings(p, &desk, &w, a);
    struct in_case x = {.work = &w};
    assert_int_equal(db_write(p->db, change_in_case, &x), 0);
    x.removes = true;
    assert_int_equal(db_write(p->db, change_in_case, &x), 0);
    arena_free(a);
}

static void test_a_new_row_belongs_to_the_parent_of_its_path_and_its_caller(void **state) {
    struct place *p = *state;
    struct arena *a = arena_new();
    struct desk desk;
    struct work w;
    store_of_greetings(p, &desk, &w, a);
    struct made mine = {.work = &w, .me = 3}, nobodys = {.work = &w, .me = 0};
    assert_true(db_write(p->db, make, &mine) >= 0);
    assert_true(db_write(p->db, make, &nobodys) >= 0);
    assert_int_equal(mine.sum, 7003);
    assert_int_equal(nobodys.sum, 7999);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_resource_says_who_sees_it),
        cmocka_unit_test(test_nesting_is_complete),
        cmocka_unit_test(test_scopes_and_bound_fields_are_known),
        cmocka_unit_test_setup_teardown(test_changes_of_a_row_name_its_conversation, place_make,
                                        place_remove),
        cmocka_unit_test_setup_teardown(test_a_new_row_belongs_to_the_parent_of_its_path_and_its_caller,
                                        place_make, place_remove),
    };
    return cmocka_run_group_tests_name("router", tests, NULL, NULL);
}
