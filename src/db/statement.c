/* Statements: a cache in each connection, binds by name, and the short forms of the usual questions.
 *
 * A statement is in one of two rings of its connection: `running` between db_start and stmt_end, else `idle`, most
 * recently used first. Only idle ones are evicted. A text that is started again while it runs (a query inside the loop
 * of the same query) gets a second, private statement that lives until its stmt_end. */
#include "db/db_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/log.h"

struct param {
    const char *name; /* of SQLite, with its colon; lives as long as the statement */
    unsigned round;   /* the start that bound it last */
};

struct stmt {
    struct ring link;
    struct stmt *chain; /* next of its bucket */
    struct conn *conn;
    sqlite3_stmt *handle;
    const char *sql; /* as it was given, before the dialect */
    uint64_t hash;
    bool cached;
    int state; /* 1: stmt_step may find a row; else what it answers from now on */
    unsigned round;
    int param_count;
    struct param params[];
};

/* ---- the list of QUERY() ------------------------------------------------------------------------------
 * The linker draws these two around the section when any file of the program has a query. */

extern const struct query *const __start_queries[] __attribute__((weak, visibility("hidden")));
extern const struct query *const __stop_queries[] __attribute__((weak, visibility("hidden")));

size_t query_count(void) {
    return __start_queries ? ((uintptr_t)__stop_queries - (uintptr_t)__start_queries) / sizeof *__start_queries : 0;
}

const struct query *query_at(size_t i) {
    assert(i < query_count());
    return __start_queries[i];
}

/* ---- the cache ---------------------------------------------------------------------------------------- */

static void statement_free(struct stmt *s) {
    ring_remove(&s->link);
    sqlite3_finalize(s->handle);
    free(s);
}

static struct stmt **bucket_of(struct conn *c, uint64_t hash) { return &c->buckets[hash % STATEMENT_BUCKETS]; }

static struct stmt *cache_find(struct conn *c, uint64_t hash, const char *sql) {
    struct stmt *s = *bucket_of(c, hash);
    while (s && (s->hash != hash || strcmp(s->sql, sql) != 0)) s = s->chain;
    return s;
}

static void cache_drop(struct conn *c, struct stmt *s) {
    struct stmt **at = bucket_of(c, s->hash);
    while (*at != s) at = &(*at)->chain;
    *at = s->chain;
    c->cached--;
    statement_free(s);
}

static void cache_add(struct conn *c, struct stmt *s) {
    if (c->cached >= STATEMENTS_MAX && !ring_empty(&c->idle)) cache_drop(c, RING_OF(c->idle.prev, struct stmt, link));
    struct stmt **bucket = bucket_of(c, s->hash);
    s->chain = *bucket;
    *bucket = s;
    s->cached = true;
    c->cached++;
}

static bool blank(const char *tail) { return tail[strspn(tail, " \t\r\n;")] == '\0'; }

static int compile(struct conn *c, const char *sql, sqlite3_stmt **handle) {
    struct arena *a = arena_new();
    struct str text = db_dialect(a, false, sql);
    const char *tail = "";
    count(&c->counters.prepares);
    int code = sqlite3_prepare_v3(c->handle, text.p, (int)text.n + 1, SQLITE_PREPARE_PERSISTENT, handle, &tail);
    int rc = code ? conn_prepare_error(c, code, sql) : 0;
    if (rc == 0 && (*handle == NULL || !blank(tail))) {
        log_error("store: not one statement: %s", sql);
        sqlite3_finalize(*handle);
        rc = -ERR_INTERNAL_ERROR;
    }
    arena_free(a);
    return rc;
}

static int statement_new(struct conn *c, uint64_t hash, const char *sql, struct stmt **out) {
    sqlite3_stmt *handle = NULL;
    int rc = compile(c, sql, &handle);
    if (rc < 0) return rc;
    int params = sqlite3_bind_parameter_count(handle);
    size_t size = sizeof(struct stmt) + (size_t)params * sizeof(struct param), length = strlen(sql) + 1;
    struct stmt *s = calloc(1, size + length);
    if (!s) {
        sqlite3_finalize(handle);
        return -ERR_SERVICE_UNAVAILABLE;
    }
    ring_init(&s->link);
    s->conn = c;
    s->handle = handle;
    s->hash = hash;
    s->sql = memcpy((char *)s + size, sql, length);
    s->param_count = params;
    for (int i = 0; i < params; i++) {
        const char *name = sqlite3_bind_parameter_name(handle, i + 1);
        s->params[i].name = name ? name : "?"; /* matches no bind, so db_start refuses the text */
    }
    *out = s;
    return 0;
}

static int statement_get(struct conn *c, const char *sql, struct stmt **out) {
    uint64_t hash = XXH3_64bits(sql, strlen(sql));
    struct stmt *s = cache_find(c, hash, sql);
    if (!s || s->state == 1) {
        bool taken = s != NULL;
        int rc = statement_new(c, hash, sql, &s);
        if (rc < 0) return rc;
        if (!taken) cache_add(c, s);
    }
    s->state = 1;
    s->round++;
    ring_remove(&s->link);
    ring_add(&c->running, &s->link);
    count(&c->counters.statements);
    *out = s;
    return 0;
}

void statements_end(struct conn *c) {
    while (!ring_empty(&c->running)) {
        struct stmt *s = RING_OF(c->running.next, struct stmt, link);
        log_error("store: a statement was never ended: %s", s->sql);
        stmt_end(s);
    }
}

void statements_free(struct conn *c) {
    while (!ring_empty(&c->idle)) cache_drop(c, RING_OF(c->idle.next, struct stmt, link));
}

/* ---- binds -------------------------------------------------------------------------------------------- */

/* Binds usually come in the order in which the text first names them: looking on from the last one found, the first
 * comparison is the right one. */
static int param_find(const struct stmt *s, const char *name, int from) {
    for (int k = 0; k < s->param_count; k++) {
        int i = from + k < s->param_count ? from + k : from + k - s->param_count;
        if (strcmp(s->params[i].name, name) == 0) return i;
    }
    return -1;
}

static int bind_one(sqlite3_stmt *handle, int at, const struct bind *b) {
    bool null = b->type == BIND_NULL || (b->type != BIND_INT && b->s.p == NULL);
    if (null) return sqlite3_bind_null(handle, at);
    if (b->type == BIND_INT) return sqlite3_bind_int64(handle, at, b->i);
    if (b->type == BIND_BLOB) return sqlite3_bind_blob64(handle, at, b->s.p, b->s.n, SQLITE_STATIC);
    return sqlite3_bind_text64(handle, at, b->s.p, b->s.n, SQLITE_STATIC, SQLITE_UTF8);
}

static int bind_all(struct stmt *s, const struct bind *binds) {
    int left = s->param_count, next = 0;
    for (const struct bind *b = binds; b && b->type != BIND_END; b++) {
        int at = param_find(s, b->name, next);
        if (at < 0) continue;
        int code = bind_one(s->handle, at + 1, b);
        if (code) return conn_error(s->conn, code, s->sql);
        if (s->params[at].round != s->round) left--;
        s->params[at].round = s->round;
        next = at + 1;
    }
    if (left == 0) return 0;
    for (int i = 0; i < s->param_count; i++)
        if (s->params[i].round != s->round)
            log_error("store: nothing is bound to %s in: %s", s->params[i].name, s->sql);
    return -ERR_INTERNAL_ERROR;
}

/* ---- db.h --------------------------------------------------------------------------------------------- */

int db_start(struct conn *c, const char *sql, const struct bind *binds, struct stmt **out) {
    *out = NULL;
    /* SQLite rolled the transaction back by itself: outside of it each statement would commit alone. */
    if (conn_lost(c)) return -ERR_SERVICE_UNAVAILABLE;
    struct stmt *s;
    int rc = statement_get(c, sql, &s);
    if (rc < 0) return rc;
    rc = bind_all(s, binds);
    if (rc < 0)
        stmt_end(s);
    else
        *out = s;
    return rc;
}

int stmt_step(struct stmt *s) {
    if (s->state <= 0) return s->state;
    int code = sqlite3_step(s->handle);
    if (code == SQLITE_ROW) return 1;
    return s->state = code == SQLITE_DONE ? 0 : conn_error(s->conn, code, s->sql);
}

void stmt_end(struct stmt *s) {
    struct conn *c = s->conn;
    int code = sqlite3_reset(s->handle);
    /* A foreign key is checked when a statement ends, so one that RETURNS a row may still fail here. */
    if (s->state == 1 && code) c->late_error = conn_error(c, code, s->sql);
    s->state = 0;
    if (!s->cached) {
        statement_free(s);
        return;
    }
    sqlite3_clear_bindings(s->handle);
    ring_remove(&s->link);
    ring_add(&c->idle, &s->link);
}

int64_t col_int(struct stmt *s, int i) { return sqlite3_column_int64(s->handle, i); }
bool col_null(struct stmt *s, int i) { return sqlite3_column_type(s->handle, i) == SQLITE_NULL; }
int col_count(struct stmt *s) { return sqlite3_column_count(s->handle); }

struct str col_text(struct stmt *s, int i) {
    if (col_null(s, i)) return (struct str){0};
    const char *p = sqlite3_column_type(s->handle, i) == SQLITE_BLOB ? sqlite3_column_blob(s->handle, i)
                                                                     : (const char *)sqlite3_column_text(s->handle, i);
    return (struct str){p ? p : "", (size_t)sqlite3_column_bytes(s->handle, i)};
}

int db_exec_text(struct conn *c, const char *sql, const struct bind *binds) {
    struct stmt *s;
    int rc = db_start(c, sql, binds, &s);
    if (rc < 0) return rc;
    while ((rc = stmt_step(s)) == 1) {
    }
    if (rc == 0 && !sqlite3_stmt_readonly(s->handle)) rc = sqlite3_changes(c->handle);
    stmt_end(s);
    return rc;
}

int db_exec(struct conn *c, const struct query *q, const struct bind *binds) { return db_exec_text(c, q->sql, binds); }

int db_row(struct conn *c, const struct query *q, const struct bind *binds, struct stmt **row) {
    int rc = db_start(c, q->sql, binds, row);
    if (rc < 0) return rc;
    rc = stmt_step(*row);
    if (rc == 1) return 1;
    stmt_end(*row);
    *row = NULL;
    return rc;
}

int db_int(struct conn *c, const struct query *q, const struct bind *binds, int64_t *out) {
    struct stmt *s;
    int rc = db_row(c, q, binds, &s);
    if (rc != 1) return rc;
    bool null = col_null(s, 0);
    *out = col_int(s, 0);
    stmt_end(s);
    return null ? 0 : 1;
}

int db_text(struct conn *c, const struct query *q, const struct bind *binds, struct arena *a, struct str *out) {
    struct stmt *s;
    int rc = db_row(c, q, binds, &s);
    if (rc != 1) return rc;
    bool null = col_null(s, 0);
    if (!null) *out = str_dup(a, col_text(s, 0));
    stmt_end(s);
    return null ? 0 : 1;
}

int db_insert(struct conn *c, const struct query *q, const struct bind *binds, int64_t *id) {
    struct stmt *s;
    int rc = db_row(c, q, binds, &s);
    if (rc < 0) return rc;
    assert(rc == 1); /* the text ends in RETURNING id and has no ON CONFLICT DO NOTHING */
    *id = col_int(s, 0);
    rc = stmt_step(s); /* where foreign keys are checked */
    stmt_end(s);
    return rc;
}
