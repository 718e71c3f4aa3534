/* Erasure: the table of columns covers the schema, and a statement erases each column that it calls
 * erased. */
#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include "api/table/resource.h"
#include "core/all/cascades.h"
#include "core/desk/cascade_step.h"
#include "core/desk/setting.h"
#include "core/erasure/erase.h"
#include "db/engine.h"

static const struct query columns_with_texts = {
    "columns_with_texts",
    "SELECT m.name, p.name FROM sqlite_master m "
    "JOIN pragma_table_info(m.name) p "
    "WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND UPPER(p.type) IN ('TEXT', 'BLOB') "
    "AND m.sql NOT LIKE 'CREATE VIRTUAL TABLE%' "
    "ORDER BY 1, 2"};

static bool names_word(struct str list, struct str word) {
    while (list.n) {
        const char *end = memchr(list.p, ' ', list.n);
        size_t n = end ? (size_t)(end - list.p) : list.n;
        if (str_eq((struct str){list.p, n}, word)) return true;
        list = (struct str){list.p + n + (end != NULL), list.n - n - (end != NULL)};
    }
    return false;
}

/* The reason for which all texts of a resource's table are kept, or NULL. */
static const char *reason_of_resource(struct str table) {
    for (const struct resource *const *r = resources; *r; r++)
        if ((*r)->table && (*r)->texts_kept && str_eq(str_of((*r)->table), table)) return (*r)->texts_kept;
    return NULL;
}

/* The row of a column: its own, else that of all columns of the table. */
static const struct erase_column *row_of(struct str table, struct str column) {
    const struct erase_column *all = NULL;
    for (const struct erase_column *e = erase_table; e->table; e++) {
        if (!str_eq(str_of(e->table), table)) continue;
        if (strcmp(e->columns, "*") == 0) all = e;
        else if (names_word(str_of(e->columns), column)) return e;
    }
    return all;
}

struct columns {
    struct str table[600], column[600];
    int n;
};

static int place_make_desk(void **state) { return place_make_with(state, schema_files); }

static void read_columns(struct place *p, struct arena *a, struct columns *out) {
    struct conn *c = db_reader(p->db);
    int rc;
    assert_int_equal(db_read_begin(c, 0), 0);
    DB_ROWS(rc, c, &columns_with_texts, NULL, row) {
        assert_true(out->n < 600);
        out->table[out->n] = str_dup(a, col_text(row, 0));
        out->column[out->n++] = str_dup(a, col_text(row, 1));
    }
    db_read_end(c);
    assert_int_equal(rc, 0);
    assert_true(out->n > 200);
}

static void each_column_with_texts_or_bytes_has_a_fate(void **state) {
    struct arena *a = arena_new();
    struct columns *found = ARENA_NEW(a, struct columns);
    int missing = 0;
    read_columns(*state, a, found);
    for (int i = 0; i < found->n; i++)
        if (!row_of(found->table[i], found->column[i]) && !reason_of_resource(found->table[i]))
            missing++, print_error("%s.%s: neither erase_table (src/core/erasure/erase_steps.c) nor "
                                   ".texts_kept of a resource says what an erasure does with it\n",
                                   found->table[i].p, found->column[i].p);
    assert_int_equal(missing, 0);
    arena_free(a);
}

#define WRONG(...) (print_error(__VA_ARGS__), assert_true(false))

static bool schema_has(const struct columns *found, struct str table, struct str column) {
    for (int i = 0; i < found->n; i++)
        if (str_eq(found->table[i], table) && (column.p == NULL || str_eq(found->column[i], column)))
            return true;
    return false;
}

static void each_row_names_columns_of_the_schema(void **state) {
    struct arena *a = arena_new();
    struct columns *found = ARENA_NEW(a, struct columns);
    read_columns(*state, a, found);
    for (const struct erase_column *e = erase_table; e->table; e++) {
        if (!schema_has(found, str_of(e->table), (struct str){0}))
            WRONG("erase_table names %s, which has no column with texts\n", e->table);
        if (strcmp(e->columns, "*") == 0) continue;
        char names[256];
        snprintf(names, sizeof names, "%s", e->columns);
        for (char *next, *name = strtok_r(names, " ", &next); name; name = strtok_r(NULL, " ", &next))
            if (!schema_has(found, str_of(e->table), str_of(name)))
                WRONG("erase_table names %s.%s, which the schema lacks\n", e->table, name);
    }
    arena_free(a);
}

static void a_kept_column_has_a_reason(void **state) {
    (void)state;
    for (const struct erase_column *e = erase_table; e->table; e++) {
        bool stays = e->fate == FATE_KEPT || e->fate == FATE_IMPERSONAL;
        if (reason_of_resource(str_of(e->table)))
            WRONG("%s: its resource has .texts_kept, so erase_table must not name it\n", e->table);
        if (stays != (e->why != NULL))
            WRONG("%s %s: %s\n", e->table, e->columns,
                  stays ? "it has no reason" : "its reason is not shown");
    }
}

/* ---- the statements of an erasure ------------------------------------------------------------ */

struct statements {
    const char *texts[600];
    int n;
};

static void add_statement(struct statements *s, const char *sql) {
    assert_true(s->n < 600);
    s->texts[s->n++] = sql;
}

static void add_steps(struct statements *s, enum cascade what) {
    const struct step *step;
    for (int64_t n = 0; (step = cascade_step(&cascades[what], n))->apply[0]; n++)
        for (size_t i = 0; i < sizeof step->apply / sizeof *step->apply && step->apply[i]; i++)
            add_statement(s, step->apply[i]->sql);
}

/* A person with an address and a tag, so that their statements run, too. */
static const struct query person[] = {
    {"person", "INSERT INTO users (id, uuid, full_name, name_key, is_enabled, is_mfa_enabled, "
               "role_id, role_type, created_at, updated_at) "
               "VALUES (7, 'u', 'Ada', 'ada', 1, 0, 4, 1, 0, 0)"},
    {"address", "INSERT INTO identity_emails (user_id, email, email_key, is_primary, "
                "is_validated, is_claim, is_notification_enabled, created_at, updated_at) "
                "VALUES (7, 'ada@lumen.example', 'ada@lumen.example', 1, 1, 0, 0, 0, 0)"},
    {"tag", "INSERT INTO tags (id, name, name_key, created_at) VALUES (7, 'ada', 'ada', 0)"},
    {"tagged", "INSERT INTO user_tags (user_id, tag_id) VALUES (7, 7)"},
};

struct erasing {
    struct arena *arena;
    struct statements *out;
};

/* The first write of an erasure: its statements are those that the connection has prepared. */
static int erase_person(struct conn *c, void *arg) {
    struct erasing *e = arg;
    struct desk desk = {.settings = settings_open(c), .cascades = cascades};
    struct work w;
    int64_t id;
    assert_non_null(desk.settings);
    for (size_t i = 0; i < sizeof person / sizeof *person; i++) TRY(db_exec(c, &person[i], NULL));
    work_init(&w, &desk, e->arena);
    w.conn = c;
    w.now = 1;
    w.actor.kind = ACTOR_SYSTEM;
    TRY(erasure_start(&w, 7, false, &id));
    settings_close(desk.settings);
    for (struct ring *r = c->idle.next; r != &c->idle; r = r->next)
        add_statement(e->out, str_dup(e->arena, str_of(RING_OF(r, struct stmt, link)->sql)).p);
    return 0;
}

static bool has_words(const char *text, const char *first, struct str second, const char *third) {
    char words[128];
    snprintf(words, sizeof words, "%s%.*s%s", first, (int)second.n, second.p, third);
    return strstr(text, words) != NULL;
}

static bool statement_deletes(const struct statements *s, struct str table) {
    for (int i = 0; i < s->n; i++)
        if (has_words(s->texts[i], "DELETE FROM ", table, " ")) return true;
    return false;
}

static bool statement_sets(const struct statements *s, struct str table, struct str column) {
    for (int i = 0; i < s->n; i++)
        if (has_words(s->texts[i], "UPDATE ", table, " SET ") && has_words(s->texts[i], " ", column, " = "))
            return true;
    return false;
}

static const struct query parents = {"parents", "SELECT f.\"table\" FROM pragma_foreign_key_list(:table) f "
                                                "WHERE f.on_delete = 'CASCADE'"};

/* The store deletes rows with the row that they belong to. */
static bool parent_is_deleted(struct place *p, const struct statements *s, struct str table) {
    struct conn *c = db_reader(p->db);
    bool deleted = false;
    int rc;
    assert_int_equal(db_read_begin(c, 0), 0);
    DB_ROWS(rc, c, &parents, BINDS(B_TEXT("table", table)), row)
    deleted = deleted || statement_deletes(s, col_text(row, 0));
    db_read_end(c);
    assert_int_equal(rc, 0);
    return deleted;
}

/* Rows that follow from another column. */
static const struct {
    const char *table, *from, *column;
} followers[] = {
    {"files", "files", "expires_at"}, /* the sweeper deletes expired files */
    {"search_pieces", "search_texts", "terms"},
    {"search_words_data", "search_texts", "terms"},
};

static bool is_erased(struct place *p, const struct statements *s, struct str table, struct str column) {
    for (size_t i = 0; i < sizeof followers / sizeof *followers; i++) {
        if (!str_eq(table, str_of(followers[i].table))) continue;
        struct str from = str_of(followers[i].from);
        return statement_deletes(s, from) || statement_sets(s, from, str_of(followers[i].column));
    }
    return statement_deletes(s, table) || statement_sets(s, table, column) || parent_is_deleted(p, s, table);
}

/* always: the statements of each erasure; texts: those of the steps of one with contents=true. */
static void read_statements(struct place *p, struct arena *a, struct statements *always,
                            struct statements *texts) {
    assert_int_equal(db_write(p->db, erase_person, &(struct erasing){a, always}), 0);
    add_steps(always, CASCADE_ERASED);
    add_steps(texts, CASCADE_ERASED_TEXTS);
}

static void an_erased_column_has_a_statement(void **state) {
    struct place *p = *state;
    struct arena *a = arena_new();
    struct columns *found = ARENA_NEW(a, struct columns);
    struct statements *always = ARENA_NEW(a, struct statements), *texts = ARENA_NEW(a, struct statements);
    int missing = 0;
    read_columns(p, a, found);
    read_statements(p, a, always, texts);
    for (int i = 0; i < found->n; i++) {
        const struct erase_column *e = row_of(found->table[i], found->column[i]);
        if (!e || e->fate == FATE_KEPT || e->fate == FATE_IMPERSONAL) continue;
        if (is_erased(p, e->fate == FATE_WITH_TEXTS ? texts : always, found->table[i], found->column[i]))
            continue;
        missing++,
            print_error(
                "erase_table says that an erasure removes %s.%s, but no statement of it does (src/core/erasure/erase_steps.c)\n",
                e->table, found->column[i].p);
    }
    assert_int_equal(missing, 0);
    arena_free(a);
}

/* The test above would pass if every column seemed to be erased. */
static void a_kept_column_has_no_statement(void **state) {
    struct place *p = *state;
    struct arena *a = arena_new();
    struct statements *always = ARENA_NEW(a, struct statements), *texts = ARENA_NEW(a, struct statements);
    read_statements(p, a, always, texts);
    assert_true(is_erased(p, always, S("events"), S("label")));
    assert_true(is_erased(p, texts, S("posts"), S("content_text")));
    assert_false(is_erased(p, always, S("posts"), S("content_text")));
    assert_false(is_erased(p, texts, S("posts"), S("uuid")));
    assert_false(is_erased(p, texts, S("cases"), S("legacy_id")));
    assert_false(is_erased(p, texts, S("teams"), S("title")));
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_kept_column_has_no_statement, place_make_desk, place_remove),
        cmocka_unit_test_setup_teardown(an_erased_column_has_a_statement, place_make_desk, place_remove),
        cmocka_unit_test_setup_teardown(each_column_with_texts_or_bytes_has_a_fate, place_make_desk,
                                        place_remove),
        cmocka_unit_test_setup_teardown(each_row_names_columns_of_the_schema, place_make_desk, place_remove),
        cmocka_unit_test(a_kept_column_has_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
