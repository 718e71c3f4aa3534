/* Tests that run on SQLite and, with DATABASE=postgres://..., on PostgreSQL: a store of its own for each. */
#ifndef TESTS_UNIT_ENGINES_H
#define TESTS_UNIT_ENGINES_H

#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include <libpq-fe.h>

struct desk_place {
    struct place place;
    struct arena *arena;
    const char *url; /* NULL: SQLite */
};

/* A new database of the cluster that DATABASE names, beside the one that it names. */
static inline const char *fresh_database(struct arena *a, const char *url) {
    static int made;
    const char *slash = strrchr(url, '/'), *query = strchr(url, '?');
    while (query && slash > query) { /* host=/tmp/... has slashes, too */
        const char *p = url;
        for (slash = NULL; p < query; p++)
            if (*p == '/') slash = p;
    }
    PGconn *conn = PQconnectdb(url);
    struct str name = str_fmt(a, "unit_%d_%d", (int)getpid(), ++made);
    PGresult *r = PQexec(conn, str_fmt(a, "CREATE DATABASE %s", name.p).p);
    assert_int_equal(PQresultStatus(r), PGRES_COMMAND_OK);
    PQclear(r);
    PQfinish(conn);
    return str_fmt(a, "%.*s/%s%s", (int)(slash - url), url, name.p, query ? query : "").p;
}

static inline int desk_open(struct desk_place *p, const struct schema_file *files) {
    struct db_config cfg = {.dir = p->place.dir, .url = p->url, .create = true};
    return db_open_with(&cfg, files, &p->place.db, (struct why){p->place.err, sizeof p->place.err});
}

static inline int desk_place_make(void **state) {
    struct desk_place *p = calloc(1, sizeof *p);
    const char *url = getenv("DATABASE");
    snprintf(p->place.dir, sizeof p->place.dir, "/tmp/deskd-test-XXXXXX");
    if (!p || !mkdtemp(p->place.dir)) return -1;
    p->arena = arena_new();
    if (url) p->url = fresh_database(p->arena, url);
    *state = p;
    return 0;
}

static inline int desk_place_remove(void **state) {
    struct desk_place *p = *state;
    char command[64];
    if (p->place.db) place_close(&p->place);
    snprintf(command, sizeof command, "rm -rf %s", p->place.dir);
    arena_free(p->arena);
    free(p);
    return system(command);
}

/* ---- statements, each a text of the shared dialect ------------------------------------------- */

static inline int run_texts(struct conn *c, void *arg) {
    for (const char *const *text = arg; *text; text++) {
        int rc = db_exec_text(c, *text, NULL);
        if (rc < 0) {
            print_message("refused: %s\n", *text);
            return rc;
        }
    }
    return 0;
}
#define RUN(p, ...)   \
    assert_int_equal( \
        db_write((p)->place.db, run_texts, (void *)(uintptr_t)(const char *const[]){__VA_ARGS__, NULL}), 0)

static inline int64_t ask_number(struct desk_place *p, const char *sql) {
    struct query q = {"asked", sql};
    struct conn *c = db_reader(p->place.db);
    int64_t n = -1;
    assert_int_equal(db_read_begin(c, 0), 0);
    int rc = db_int(c, &q, NULL, &n);
    db_read_end(c);
    if (rc < 0) print_message("refused: %s\n", sql);
    assert_int_equal(rc, 1);
    return n;
}

/* The first column of all rows, with commas. */
static inline const char *ask_list(struct desk_place *p, const char *sql) {
    struct query q = {"asked", sql};
    struct conn *c = db_reader(p->place.db);
    struct str list = S("");
    int rc;
    assert_int_equal(db_read_begin(c, 0), 0);
    DB_ROWS(rc, c, &q, NULL, row) {
        struct str text = col_text(row, 0);
        list = str_fmt(p->arena, "%s%s%.*s", list.p, list.n ? "," : "", (int)text.n, text.p);
    }
    db_read_end(c);
    if (rc < 0) print_message("refused: %s\n", sql);
    assert_int_equal(rc, 0);
    return list.p;
}

#endif
