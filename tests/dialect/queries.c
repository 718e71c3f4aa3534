/* Lists every statement of the program for the check that both engines take it (dialect.sh): those with a
 * name, and those that are composed from the tables of resources, by the code that serves requests
 * (rehearse.h).
 *
 *     queries postgres    the schema and a PREPARE of each statement, for psql
 *     queries sqlite      prepares each in a fresh store; names those that fail, and each INSERT without a column that it must write */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "db/db_internal.h"
#include "pretend.h"
#include "rehearse.h"

enum { PARAMS_MAX = 64 };

/* ---- what there is to list ------------------------------------------------------------------- */

typedef void each_statement(void *arg, const char *name, const char *sql);

static void named_queries(void *arg, each_statement *each) {
    for (size_t i = 0; i < query_count(); i++) each(arg, query_at(i)->name, query_at(i)->sql);
}

static void composed_statements(void *arg, each_statement *each) {
    for (int i = 0; i < pretend.count; i++) each(arg, pretend.list[i].name, pretend.list[i].sql);
}

/* ---- PostgreSQL ------------------------------------------------------------------------------ */

static void print_prepare(void *arg, const char *name, const char *sql) {
    int *n = arg;
    struct str names[PARAMS_MAX], text;
    struct arena *a = arena_new();
    dialect_number(a, db_dialect(a, true, sql).p, names, PARAMS_MAX, &text);
    printf("-- %s\nPREPARE q%d AS %s\n;\n", name, ++*n, text.p);
    arena_free(a);
}

static int list_postgres(void) {
    struct arena *a = arena_new();
    pretend.blocks = true;
    if (rehearse_all() != 0) return 1;
    puts("\\set ON_ERROR_STOP on");
    printf("%s;\n", schema_table);
    for (const struct schema_file *f = schema_files; f->name; f++)
        printf("-- %s\n%s\n", f->name, db_dialect(a, true, f->sql).p);
    arena_free(a);
    puts("\\set ON_ERROR_STOP off");
    int n = 0;
    named_queries(&n, print_prepare);
    composed_statements(&n, print_prepare);
    return 0;
}

/* ---- SQLite ---------------------------------------------------------------------------------- */

struct trial {
    struct conn *conn;
    int count, failed;
};

static void prepare(void *arg, const char *name, const char *sql) {
    struct trial *t = arg;
    struct arena *a = arena_new();
    struct str names[PARAMS_MAX], numbered;
    struct bind binds[PARAMS_MAX + 1] = {0};
    size_t n = dialect_number(a, sql, names, PARAMS_MAX, &numbered);
    for (size_t i = 0; i < n; i++)
        binds[i] = (struct bind){.name = str_dup(a, names[i]).p, .type = BIND_NULL};
    struct stmt *s;
    t->count++;
    if (db_start(t->conn, sql, binds, &s) == 0) {
        stmt_end(s);
    } else {
        t->failed++;
        printf("SQLite does not take %s\n", name);
    }
    arena_free(a);
}

static bool is_written(struct str columns, struct str column) {
    while (columns.p)
        if (str_eq(str_trim(str_cut(&columns, ',')), column)) return true;
    return false;
}

/* No QUERY, because PostgreSQL has no such function. */
static const struct query columns_needed = {"columns_needed",
                                            "SELECT name FROM pragma_table_info(:table) "
                                            "WHERE \"notnull\" = 1 AND dflt_value IS NULL AND pk = 0"};

/* An INSERT without a column that is NOT NULL and has no DEFAULT is prepared, but can't run. */
static void check_insert(void *arg, const char *name, const char *sql) {
    struct trial *t = arg;
    struct str rest = str_of(sql), columns;
    int rc;
    if (!str_starts(rest, S("INSERT INTO "))) return;
    rest = (struct str){rest.p + 12, rest.n - 12};
    columns = rest;
    struct str table = str_cut(&columns, ' ');
    if (columns.n == 0 || columns.p[0] != '(') return;
    columns = (struct str){columns.p + 1, strcspn(columns.p, ")") - 1};
    DB_ROWS(rc, t->conn, &columns_needed, BINDS(B_TEXT("table", table)), row) {
        struct str column = col_text(row, 0);
        if (is_written(columns, column)) continue;
        t->failed++;
        printf("%s does not write %.*s.%.*s, which is NOT NULL without a DEFAULT\n", name, (int)table.n,
               table.p, (int)column.n, column.p);
    }
    if (rc < 0) t->failed++;
}

static int prepare_all(struct conn *c, void *arg) {
    struct trial *t = arg;
    t->conn = c;
    named_queries(t, prepare); /* the rehearsal has prepared the others */
    named_queries(t, check_insert);
    composed_statements(t, check_insert);
    return 0;
}

static int try_sqlite(void) {
    char dir[] = "/tmp/deskd-queries-XXXXXX", err[256] = "no temporary folder", command[64];
    struct trial t = {0};
    struct db *db;
    struct db_config cfg = {.dir = dir, .create = true};
    int refused = rehearse_all();
    if (refused < 0) return 1;
    int rc = mkdtemp(dir) ? db_open(&cfg, &db, err, sizeof err) : -ERR_INTERNAL_ERROR;
    if (rc == 0) {
        rc = db_write(db, prepare_all, &t);
        t.count += pretend.count;
        t.failed += refused;
        db_close(db);
        printf("SQLite: %d statements, %d refused\n", t.count, t.failed);
    } else {
        fprintf(stderr, "%s\n", err);
    }
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command) != 0 || rc < 0 || t.failed ? 1 : 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "postgres") == 0) return list_postgres();
    if (argc == 2 && strcmp(argv[1], "sqlite") == 0) return try_sqlite();
    fputs("usage: queries postgres|sqlite\n", stderr);
    return 2;
}
