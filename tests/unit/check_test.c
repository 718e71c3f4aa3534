/* The checks of the tables at the start: each kind of defect stops it, and is named by resource and
 * member. */
#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include <fnmatch.h>

#include "api/table/check.h"
#include "api/table/fields.h"
#include "api/rows/generic.h"
#include "api/call/machine.h"
#include "core/access/scope.h"
#include "core/all/column.h"
#include "core/desk/setting.h"

static const struct word sizes[] = {{1, "SMALL"}, {2, "LARGE"}, {0}};
static const struct word numbers_twice[] = {{1, "SMALL"}, {1, "LARGE"}, {0}};
static const struct word numbered_below_zero[] = {{1, "SMALL"}, {-2, "LARGE"}, {0}};
static const struct word spelled_twice[] = {{1, "SMALL"}, {2, "small"}, {0}};

static const struct route no_routes[] = {{0}};

static struct resource thing_of(const struct field *fields, const struct route *routes) {
    return (struct resource){.type = "thing",
                             .scope = "",
                             .title = "Things",
                             .doc = "Things.",
                             .table = "things",
                             .fields = fields,
                             .routes = routes,
                             .visible = access_everyone};
}

static bool refused(const struct resource *r, const char *why) {
    struct arena *a = arena_new();
    char err[512] = "";
    bool ok = router_check(a, r, err, sizeof err);
    arena_free(a);
    if (ok || strcmp(err, why) != 0) print_error("'%s' in place of '%s'\n", err, why);
    return !ok && strcmp(err, why) == 0;
}

static bool passes(const struct resource *r) {
    struct arena *a = arena_new();
    char err[512] = "";
    bool ok = router_check(a, r, err, sizeof err);
    arena_free(a);
    if (!ok) print_error("%s\n", err);
    return ok;
}

/* A resource with this one member beside a sound one. */
static bool field_refused(struct field f, const char *why) {
    struct field fields[] = {{"text", F_TEXT, 0, .doc = "Text."}, f, {0}};
    struct resource r = thing_of(fields, no_routes);
    if (fields[1].doc == NULL) fields[1].doc = "It.";
    return refused(&r, why);
}

static bool route_refused(struct route r, const char *why) {
    static const struct field fields[] = {{"text", F_TEXT, 0, .doc = "Text."}, {0}};
    struct route routes[] = {r, {0}};
    struct resource thing = thing_of(fields, routes);
    return refused(&thing, why);
}

static void a_sound_table_passes(void **state) {
    (void)state;
    static const struct field fields[] = {
        {"text", F_TEXT, REQUIRED, .doc = "Text."},
        {"size", F_WORD, 0, .words = sizes, .initial = "large", .doc = "Size."},
        {"mine", F_BOOL, READONLY, .column = "t.user_id = :me", .doc = "Whether it is the caller's."},
        {0}};
    static const struct field args[] = {
        {"size", F_WORDS, .words = sizes, .filter = "t.size IN @LIST(:size)", .doc = "Of these sizes."}, {0}};
    static const struct route routes[] = {{GET, "/users/:id/things", AD, "users", LIST, api_list,
                                           .summary = "List", .args = args, .reply = "tag", .of = "user",
                                           .where = "t.user_id = :id AND t.owner <> :me",
                                           .errors = "FIELD_INVALID"},
                                          {0}};
    struct resource r = thing_of(fields, routes);
    assert_true(passes(&r));
}

/* ---- members --------------------------------------------------------------------------------- */

static void references_are_known(void **state) {
    (void)state;
    assert_true(field_refused((struct field){"owner", F_REF, .ref = "usr"},
                              "table of thing, owner: it refers to an unknown resource"));
    assert_true(field_refused((struct field){"owners", F_MANY, .ref = "user"},
                              "table of thing, owners: it needs a query in .many, or .owned_by"));
    assert_true(field_refused((struct field){"owner", F_REF, .ref = "team", .shows = "title,nme"},
                              "table of thing, owner: .shows names nme, which team has not"));
}

static void written_rows_of_an_owner_have_a_table(void **state) {
    (void)state;
    static const struct field made[] = {{"text", F_TEXT, 0, .doc = "Text."}, {0}};
    const char *why = "table of thing, values: .owned_by needs rows with a table, or READONLY";
    struct field values = {"values", F_MANY, .ref = "setting", .owned_by = "user_id"};
    assert_null(resource_of("setting")->table);
    assert_true(field_refused(values, why));
    values.flags = READONLY;
    struct field fields[] = {made[0], values, {0}};
    fields[1].doc = "It.";
    struct resource r = thing_of(fields, no_routes);
    assert_true(passes(&r));
    fields[1].flags = 0, fields[1].ref = "team";
    assert_true(passes(&r));
}

static void items_of_lists_in_requests_have_a_type(void **state) {
    (void)state;
    static const struct field text[] = {{ITEM_TEXT, F_TEXT, .doc = "Text."}, {0}};
    struct field list = {"things", F_LIST, .doc = "It."};
    assert_true(field_refused(list, "table of thing, things: requests send it, so it needs .items, or a "
                                    "resource with .items in .ref"));
    struct field fields[] = {list, {0}};
    struct resource r = thing_of(fields, no_routes);
    fields[0].items = text;
    assert_true(passes(&r));
    fields[0].items = NULL, fields[0].flags = READONLY;
    assert_true(passes(&r));
}

static void words_are_numbered_and_spelled_once(void **state) {
    (void)state;
    assert_true(field_refused((struct field){"size", F_WORD, .words = NULL},
                              "table of thing, size: it has no .words"));
    assert_true(field_refused((struct field){"size", F_WORD, .words = numbers_twice},
                              "table of thing, size: SMALL and LARGE share a number or a spelling"));
    assert_true(field_refused((struct field){"size", F_WORD, .words = spelled_twice},
                              "table of thing, size: SMALL and small share a number or a spelling"));
    assert_true(field_refused((struct field){"size", F_WORD, .words = numbered_below_zero},
                              "table of thing, size: the number of LARGE is negative"));
}

static void initial_values_are_values(void **state) {
    (void)state;
    assert_true(field_refused((struct field){"size", F_WORD, .words = sizes, .initial = "HUGE"},
                              "table of thing, size: .initial is HUGE, which a client could not send"));
    assert_true(field_refused((struct field){"is_big", F_BOOL, .initial = "yes"},
                              "table of thing, is_big: .initial is yes, which a client could not send"));
    assert_true(field_refused((struct field){"level", F_INT, .min = 1, .max = 3, .initial = "4"},
                              "table of thing, level: .initial is 4, which a client could not send"));
    const char *unread = "table of thing, level: no POST reads its .initial. Give the column a DEFAULT in "
                         "the schema";
    assert_true(field_refused((struct field){"level", F_INT, READONLY, .initial = "1"}, unread));
    assert_true(
        field_refused((struct field){"level", F_INT, HIDDEN, .column = "t.level", .initial = "1"}, unread));
    assert_true(field_refused((struct field){"level", F_INT, UPDATE_ONLY, .initial = "1"}, unread));
    assert_true(field_refused((struct field){"level", F_COMPUTED, .initial = "1"}, unread));
    assert_true(field_refused((struct field){"note", F_TEXT, .example = "Hello"},
                              "table of thing, note: .example is not JSON (texts need quotes)"));
}

static void members_can_be_used(void **state) {
    (void)state;
    assert_true(field_refused((struct field){"text", F_INT, .min = 0},
                              "table of thing, text: another member has its name"));
    assert_true(field_refused((struct field){"note", F_TEXT, REQUIRED | READONLY, .max = 9},
                              "table of thing, note: it is REQUIRED, but READONLY: nobody could send it"));
    assert_true(field_refused((struct field){"note", F_TEXT, .bound = ":me"},
                              "table of thing, note: it is .bound, so it must be READONLY or HIDDEN"));
    assert_true(field_refused((struct field){"note", F_TEXT, .shown_if = "cases.visible"},
                              "table of thing, note: .shown_if names cases.visible, which is no boolean "
                              "setting"));
    assert_true(
        field_refused((struct field){"note", F_TEXT, .shown_if = "mail.port"},
                      "table of thing, note: .shown_if names mail.port, which is no boolean setting"));
}

static void values_in_the_sql_of_members_are_bound(void **state) {
    (void)state;
    assert_true(field_refused((struct field){"note", F_TEXT, READONLY, .column = "t.a = :user"},
                              "table of thing, note: .column names :user, which is not bound there (:me)"));
    assert_true(
        field_refused((struct field){"tags", F_MANY, READONLY, .ref = "tag",
                                     .many = "SELECT a, b FROM c WHERE a IN @LIST(:owners)"},
                      "table of thing, tags: .many names :owners, which is not bound there (:ids :me)"));
}

/* ---- resources ------------------------------------------------------------------------------- */

static void members_that_a_resource_names_are_there(void **state) {
    (void)state;
    static const struct field fields[] = {{"text", F_TEXT, 0, .doc = "Text."}, {0}};
    struct resource r = thing_of(fields, no_routes), sound = r;
    r.url = "users/:user_id/things/:id";
    assert_true(refused(&r, "table of thing, .url: it names user_id, which is no member. Add it, HIDDEN and "
                            "with .column"));
    r = sound, r.conversation = "case_id";
    assert_true(refused(&r, "table of thing, .conversation: it names case_id, no member"));
    r = sound, r.reference_also = "title";
    assert_true(refused(&r, "table of thing, .reference_also: it names title, no member"));
    r = sound, r.has_default = true;
    assert_true(refused(&r, "table of thing, .has_default: there is no member is_default"));
    r = sound, r.brief_of = "things";
    assert_true(refused(&r, "table of thing, .brief_of: it names an unknown resource"));
}

static void values_in_the_sql_of_resources_are_bound(void **state) {
    (void)state;
    static const struct field fields[] = {{"text", F_TEXT, 0, .doc = "Text."}, {0}};
    struct resource r = thing_of(fields, no_routes), sound = r;
    r.where = "t.owner = :me";
    assert_true(refused(&r, "table of thing, its rows: .where names :me, which is not bound there (nothing "
                            "is)"));
    r = sound, r.alive = "t.at > :now";
    assert_true(refused(&r, "table of thing, its rows: .alive names :now, which is not bound there (:me)"));
    r = sound, r.unique_among = "t.owner = :me";
    assert_true(refused(&r, "table of thing, its rows: .unique_among names :me, which is not bound there "
                            "(nothing is)"));
    r = sound, r.from = "things t JOIN others o ON o.id = :other";
    assert_true(refused(&r, "table of thing, its rows: .from names :other, which is not bound there (:me)"));
    r = sound, r.changed = "(SELECT 1 WHERE 1 = :thing)";
    assert_true(refused(&r, "table of thing, its rows: .changed names :thing, which is not bound there "
                            "(nothing is)"));
}

static void seen_by_an_unbound_name(struct work *w, struct branches *out) {
    if (w->actor.rank == ROLE_CUSTOMER) branch_add(out, "t.user_id = :my_id");
    branch_bind_int(out, ":me", 1);
}

static void values_in_visibility_are_bound_for_every_caller(void **state) {
    (void)state;
    struct desk desk = {0};
    struct work w;
    struct resource r = {.type = "thing", .scope = "", .visible = seen_by_an_unbound_name};
    char err[512] = "";
    work_init(&w, &desk, arena_new());
    assert_false(visible_check(&w, &r, err, sizeof err));
    assert_string_equal(err, "table of thing, .visible: to customers names :my_id, which is not bound there "
                             "(:me)");
    r.visible = access_of_person;
    assert_true(visible_check(&w, &r, err, sizeof err));
    arena_free(w.arena);
}

static void scopes_of_contents_are_given_and_known(void **state) {
    (void)state;
    static const struct field fields[] = {{"text", F_TEXT, 0, .doc = "Text."}, {0}};
    struct resource r = thing_of(fields, no_routes), sound = r;
    r.scope = NULL;
    assert_true(refused(&r, "table of thing, .scope: no scopes that show its rows to a token (\"\" means "
                            "every token)"));
    r = sound, r.scope = "users things";
    assert_true(refused(&r, "table of thing, .scope: users things has an unknown scope (core/access/scope.c "
                            "lists them)"));
    r = sound, r.scope = "users conversations";
    assert_true(passes(&r));
    assert_true(field_refused((struct field){"note", F_TEXT, .scope = "things"},
                              "table of thing, note: it has the unknown scope things"));
    assert_true(field_refused((struct field){"note", F_TEXT, .scope = ""},
                              "table of thing, note: it has the unknown scope "));
}

static void types_are_given_once(void **state) {
    (void)state;
    char err[512] = "";
    const struct resource one = {.type = "thing", .scope = ""}, other = {.type = "thing", .scope = ""};
    const struct resource *const list[] = {&one, &other, NULL};
    assert_false(tables_check(list, err, sizeof err));
    assert_string_equal(err, "table of thing: another resource has its type");
    assert_true(tables_check(resources, err, sizeof err));
}

/* ---- routes ---------------------------------------------------------------------------------- */

#define LIST_THINGS GET, "/things", AD, "users", LIST, api_list, .summary = "List", .reply = "tag"

static void routes_say_who_may_call_them(void **state) {
    (void)state;
    assert_true(route_refused((struct route){LIST_THINGS, .permission = "things.manage"},
                              "table of thing, GET /things: unknown permission things.manage "
                              "(core/access/permission.c lists them)"));
    assert_true(route_refused(
        (struct route){GET, "/things", 0, "users", LIST, api_list, .summary = "List", .reply = "tag"},
        "table of thing, GET /things: no roles"));
    assert_true(route_refused(
        (struct route){GET, "/things", AD, NULL, LIST, api_list, .summary = "List", .reply = "tag"},
        "table of thing, GET /things: no scope (\"\" means none)"));
    assert_true(route_refused(
        (struct route){GET, "/things", AD, "thing", LIST, api_list, .summary = "List", .reply = "tag"},
        "table of thing, GET /things: unknown scope thing (core/access/scope.c lists "
        "them)"));
    assert_true(route_refused((struct route){LIST_THINGS, .bearer = BEARER_ANY},
                              "table of thing, GET /things: .bearer needs the scope \"\""));
    assert_true(route_refused((struct route){GET, "/things", AD, "", LIST, api_list, .bearer = "thing",
                                             .summary = "List", .reply = "tag"},
                              "table of thing, GET /things: .bearer names the unknown scope thing "
                              "(core/access/scope.c lists them)"));
    assert_true(route_refused((struct route){LIST_THINGS, .content = "thing"},
                              "table of thing, GET /things: .content has an unknown scope: thing"));
    assert_true(
        route_refused((struct route){DELETE, "/things", AD, "", COUNT, api_delete, .bearer = BEARER_ANY,
                                     .summary = "Delete"},
                      "table of thing, DELETE /things: .bearer of a write is BEARER_WRITES or a scope: "
                      "tokens that only read may not write"));
}

static void names_in_routes_are_known(void **state) {
    (void)state;
    assert_true(route_refused((struct route){LIST_THINGS, .errors = "FIELD_INVALID FIELD_WRONG"},
                              "table of thing, GET /things: .errors names FIELD_WRONG, which is unknown"));
    assert_true(route_refused((struct route){LIST_THINGS, .headers = "X-Thing"},
                              "table of thing, GET /things: .headers names X-Thing, which is unknown"));
    assert_true(route_refused((struct route){LIST_THINGS, .lane_for = "password"},
                              "table of thing, GET /things: .lane_for names password, no parameter"));
    assert_true(route_refused(
        (struct route){PUT, "/things/reorder", AD, "users", NONE, api_reorder, .summary = "Reorder"},
        "table of thing, PUT /things/reorder: api_reorder needs .ordered, and a list of ids in .input"));
    assert_true(route_refused((struct route){LIST_THINGS, .outside = api_list},
                              "table of thing, GET /things: .outside needs a read with .executor = POOL"));
    assert_true(route_refused((struct route){LIST_THINGS, .record_list = "things"},
                              "table of thing, GET /things: .records and .record_list belong together"));
    assert_true(route_refused((struct route){LIST_THINGS, .also = ONE, .also_reply = "tag"},
                              "table of thing, GET /things: .also, .also_status and .also_reply belong "
                              "together"));
    assert_true(
        route_refused((struct route){LIST_THINGS, .also = ONE, .also_status = 202, .also_reply = "things"},
                      "table of thing, GET /things: .also_reply names an unknown resource"));
}

/* A route with its own parameters takes these alone. */
static void routes_name_parameters_of_their_own_table(void **state) {
    (void)state;
    static const struct field input[] = {{"password", F_TEXT, 0, .doc = "Password."}, {0}};
    static const struct field fields[] = {{"text", F_TEXT, 0, .doc = "Text."}, {0}};
    struct route routes[] = {{POST, "/things", AD, "users", ONE, api_create, .summary = "Make",
                              .input = input, .lane_for = "password"},
                             {0}};
    struct resource r = thing_of(fields, routes);
    assert_true(passes(&r));
    routes[0].lane_for = "password,text";
    assert_true(refused(&r, "table of thing, POST /things: .lane_for names text, no parameter"));
    routes[0].lane_for = NULL, routes[0].records = &r, routes[0].record_list = "text";
    assert_true(refused(&r, "table of thing, POST /things: .record_list names text, no parameter"));
    routes[0].record_list = "password";
    assert_true(passes(&r));
}

static void values_in_the_sql_of_routes_are_bound(void **state) {
    (void)state;
    static const struct field args[] = {
        {"sizes", F_WORDS, .words = sizes, .filter = "t.size IN @LIST(:size)", .doc = "Sizes."}, {0}};
    assert_true(route_refused((struct route){LIST_THINGS, .where = "t.user_id = :id"},
                              "table of thing, GET /things: .where names :id, which is not bound there "
                              "(:me)"));
    assert_true(route_refused((struct route){LIST_THINGS, .order = {.key = "t.rank = :rank"}},
                              "table of thing, GET /things: .order names :rank, which is not bound there "
                              "(:me)"));
    assert_true(route_refused((struct route){LIST_THINGS, .args = args},
                              "table of thing, GET /things, sizes: .filter names :size, which is not bound "
                              "there (:sizes :me)"));
}

/* ---- other tables ---------------------------------------------------------------------------- */

static bool settings_refused(const struct setting *list, const char *why) {
    char err[256] = "";
    bool ok = settings_check(list, err, sizeof err);
    if (ok || strcmp(err, why) != 0) print_error("'%s' in place of '%s'\n", err, why);
    return !ok && strcmp(err, why) == 0;
}

static void scopes_and_settings_are_sound(void **state) {
    (void)state;
    char err[256] = "";
    assert_false(
        scopes_check((const struct scope[]){{"users", "", ""}, {"search", "", ""}, {"users", "", ""}, {0}},
                     err, sizeof err));
    assert_string_equal(err, "table of scopes, users: another row has its name");
    assert_false(scopes_check((const struct scope[]){{"users", "See people", NULL}, {0}}, err, sizeof err));
    assert_string_equal(err, "table of scopes, users: it has no text of its rights");
    static const char names[][2] = {"a", "b", "c", "d", "e", "f", "g", "h", "i",
                                    "j", "k", "l", "m", "n", "o", "p", "q"};
    struct scope many[18] = {0};
    for (int i = 0; i < 17; i++) many[i] = (struct scope){names[i], "", ""};
    assert_false(scopes_check(many, err, sizeof err));
    assert_string_equal(err, "table of scopes, q: a mask has room for 16 scopes");
    many[16].name = NULL;
    assert_true(scopes_check(many, err, sizeof err));
    assert_true(settings_refused(
        (const struct setting[]){
            {1, "a.b", SETTING_BOOL, "1", .min = 0}, {1, "a.c", SETTING_BOOL, "1", .min = 0}, {0}},
        "table of settings, a.c: another row has its id: take one that was never used"));
    assert_true(settings_refused((const struct setting[]){{1, "a.b", SETTING_BOOL, "1", .min = 0},
                                                          {2, "a.b", SETTING_BOOL, "1", .min = 0},
                                                          {0}},
                                 "table of settings, a.b: another row has its name"));
    assert_true(
        settings_refused((const struct setting[]){{1, "a.b", SETTING_INT, "9", .min = 1, .max = 3}, {0}},
                         "table of settings, a.b: its initial value is not one of its values"));
    assert_true(
        settings_refused((const struct setting[]){{1, "a.b", SETTING_WORD, "HUGE", .words = sizes}, {0}},
                         "table of settings, a.b: its initial value is not one of its values"));
    assert_true(
        settings_refused((const struct setting[]){{1, "a.b", SETTING_TEXT, "", .same_as = "a.c"}, {0}},
                         "table of settings, a.b: .same_as names no setting"));
    assert_true(
        settings_refused((const struct setting[]){{1, "a.b", SETTING_TEXT, "", .forgets = "a.b"}, {0}},
                         "table of settings, a.b: .forgets names no secret"));
}

/* ---- groups of fields ------------------------------------------------------------------------ */

static const struct field inner[] = {{"c", F_TEXT, 0, .doc = "C."}, {0}};
static const struct field middle[] = {{"b", F_TEXT, 0, .doc = "B."}, {"*", .group = inner}, {0}};
static const struct field outer[] = {
    {"a", F_TEXT, 0, .doc = "A."}, {"*", .group = middle}, {"d", F_TEXT, 0, .doc = "D."}, {0}};

static void rows_of_groups_stand_in_their_place(void **state) {
    (void)state;
    struct arena *a = arena_new();
    const struct field *rows = fields_expand(a, outer);
    const char *const names[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++) assert_string_equal(rows[i].name, names[i]);
    assert_null(rows[4].name);
    assert_ptr_equal(fields_expand(a, inner), inner);
    arena_free(a);
}

static void no_table_of_the_server_shows_a_group_row(void **state) {
    (void)state;
    int groups = 0;
    for (const struct resource *const *r = resources; *r; r++) {
        for (const struct field *f = (*r)->fields; f && f->name; f++) groups += f->group != NULL;
        for (const struct field *f = fields_of((*r)->fields); f && f->name; f++)
            assert_true(f->group == NULL && strcmp(f->name, "*") != 0);
    }
    assert_true(groups > 20);
}

static void groups_are_checked_with_their_table(void **state) {
    (void)state;
    static const struct field wordless[] = {{"size", F_WORD, 0, .doc = "S."}, {0}},
                              text[] = {{"text", F_TEXT, 0, .doc = "Text."}, {0}};
    static struct field circle[] = {{"e", F_TEXT, 0, .doc = "E."}, {.name = "*"}, {0}};
    circle[1].group = circle;
    struct resource thing = thing_of(outer, no_routes);
    assert_true(passes(&thing));
    static const struct field with_wordless[] = {{"*", .group = wordless}, {0}};
    thing.fields = with_wordless;
    assert_true(refused(&thing, "table of thing, size: it has no .words"));
    static const struct field twice[] = {{"text", F_TEXT, 0, .doc = "Text."}, {"*", .group = text}, {0}};
    thing.fields = twice;
    assert_true(refused(&thing, "table of thing, text: another member has its name"));
    static const struct field named[] = {{"text", .group = text}, {0}},
                              more[] = {{"*", F_TEXT, READONLY, .group = text}, {0}},
                              none[] = {{.name = "*"}, {0}};
    const struct field *const wrong[] = {named, more, none};
    for (int i = 0; i < 3; i++) {
        thing.fields = wrong[i];
        assert_true(refused(&thing, i ? "table of thing, *: a row with .group is called \"*\" and has no "
                                        "other member"
                                      : "table of thing, text: a row with .group is called \"*\" and has no "
                                        "other member"));
    }
    thing.fields = circle;
    assert_true(refused(&thing, "table of thing, e: groups stand in each other, in a circle"));
}

/* ---- references of the store ------------------------------------------------------------------ */

static int place_make_desk(void **state) { return place_make_with(state, schema_files); }

static const struct query columns_without_a_foreign_key = {
    "columns_without_a_foreign_key",
    "SELECT m.name || '.' || p.name FROM sqlite_master m JOIN pragma_table_info(m.name) p "
    "WHERE m.type = 'table' AND p.type IN ('BIGINT', 'INTEGER') AND substr(p.name, -3) = '_id' "
    "AND NOT EXISTS (SELECT 1 FROM pragma_foreign_key_list(m.name) f WHERE f.\"from\" = p.name)"};

static bool is_listed_reference(const char *column) {
    const struct column_reference *r = column_references;
    while (r->columns && fnmatch(r->columns, column, FNM_EXTMATCH) != 0) r++;
    return r->columns != NULL;
}

/* A row says which table `deskd check` looks in, or that the column outlives its row. */
static void an_id_without_a_foreign_key_is_a_listed_reference(void **state) {
    struct place *p = *state;
    struct conn *c = db_reader(p->db);
    int rc, found = 0, missing = 0;
    assert_int_equal(db_read_begin(c, 0), 0);
    DB_ROWS(rc, c, &columns_without_a_foreign_key, NULL, row) {
        const char *column = col_text(row, 0).p;
        found++;
        if (is_listed_reference(column)) continue;
        print_error("%s has no foreign key: add it to column_references of core/all/column.c\n", column);
        missing++;
    }
    db_read_end(c);
    assert_int_equal(rc, 0);
    assert_true(found > 30);
    assert_int_equal(missing, 0);
    assert_false(is_listed_reference("users.colour_id"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_table_passes),
        cmocka_unit_test(references_are_known),
        cmocka_unit_test(written_rows_of_an_owner_have_a_table),
        cmocka_unit_test(items_of_lists_in_requests_have_a_type),
        cmocka_unit_test(words_are_numbered_and_spelled_once),
        cmocka_unit_test(initial_values_are_values),
        cmocka_unit_test(members_can_be_used),
        cmocka_unit_test(values_in_the_sql_of_members_are_bound),
        cmocka_unit_test(members_that_a_resource_names_are_there),
        cmocka_unit_test(values_in_the_sql_of_resources_are_bound),
        cmocka_unit_test(values_in_visibility_are_bound_for_every_caller),
        cmocka_unit_test(scopes_of_contents_are_given_and_known),
        cmocka_unit_test(types_are_given_once),
        cmocka_unit_test(routes_say_who_may_call_them),
        cmocka_unit_test(names_in_routes_are_known),
        cmocka_unit_test(routes_name_parameters_of_their_own_table),
        cmocka_unit_test(values_in_the_sql_of_routes_are_bound),
        cmocka_unit_test(scopes_and_settings_are_sound),
        cmocka_unit_test(rows_of_groups_stand_in_their_place),
        cmocka_unit_test(no_table_of_the_server_shows_a_group_row),
        cmocka_unit_test(groups_are_checked_with_their_table),
        cmocka_unit_test_setup_teardown(an_id_without_a_foreign_key_is_a_listed_reference, place_make_desk,
                                        place_remove),
    };
    return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
