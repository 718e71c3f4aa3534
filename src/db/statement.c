/* Statements: a cache in each connection, binding by name, and short forms for common queries.
 *
 * A statement is in one of two rings of its connection: `running` between db_start and stmt_end, else
 * `idle`, most recently used first. Only idle ones are evicted. A text that is started again while it runs
 * (a query inside the loop of the same query) gets a second, private statement that lives until its
 * stmt_end. */
#include "db/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/log.h"

/* ---- the list of QUERY() ---------------------------------------------------------------------
 * The linker defines these two symbols around the section if the program has any query. */

extern const struct query *const __start_queries[] __attribute__((weak, visibility("hidden")));
extern const struct query *const __stop_queries[] __attribute__((weak, visibility("hidden")));

size_t query_count(void) {
    return __start_queries
               ? ((uintptr_t)__stop_queries - (uintptr_t)__start_queries) / sizeof *__start_queries
               : 0;
}

const struct query *query_at(size_t i) {
    assert(i < query_count());
    return __start_queries[i];
}

/* ---- the cache ------------------------------------------------------------------------------- */

static void statement_free(struct stmt *s) {
    ring_remove(&s->link);
    s->engine->finalize(s->conn, s->handle);
    free(s);
}

static struct stmt **statement_bucket(struct conn *c, uint64_t hash) {
    return &c->buckets[hash % STATEMENT_BUCKETS];
}

static struct stmt *cache_find(struct conn *c, uint64_t hash, const char *sql) {
    struct stmt *s = *statement_bucket(c, hash);
    while (s && (s->hash != hash || strcmp(s->sql, sql) != 0)) s = s->chain;
    return s;
}

/* The statement that was last started with a text at this address. Most texts are constants, so this is
 * usually the one, and the text needs no hash. */
static struct stmt **statement_at(struct conn *c, const char *sql) {
    return &c->started[((uintptr_t)sql ^ (uintptr_t)sql >> 8) % STATEMENTS_STARTED];
}

struct stmt *statement_of_hash(struct conn *c, uint64_t hash) {
    struct stmt *s = *statement_bucket(c, hash);
    while (s && s->hash != hash) s = s->chain;
    return s && s->state != 1 ? s : NULL;
}

static void cache_drop(struct conn *c, struct stmt *s) {
    for (size_t i = 0; i < STATEMENTS_STARTED; i++)
        if (c->started[i] == s) c->started[i] = NULL;
    struct stmt **at = statement_bucket(c, s->hash);
    while (*at != s) at = &(*at)->chain;
    *at = s->chain;
    c->cached--;
    statement_free(s);
}

static void cache_add(struct conn *c, struct stmt *s) {
    if (c->cached >= STATEMENTS_MAX && !ring_empty(&c->idle))
        cache_drop(c, RING_OF(c->idle.prev, struct stmt, link));
    struct stmt **bucket = statement_bucket(c, s->hash);
    s->chain = *bucket;
    *bucket = s;
    s->cached = true;
    c->cached++;
}

/* A statement copies the names of its parameters, because SQLite frees its own when it prepares a
 * statement again after a schema change. */
static size_t names_size(struct conn *c, void *handle, int params) {
    size_t size = 0;
    for (int i = 0; i < params; i++) {
        const char *name = c->engine->param_name(handle, i);
        size += name ? strlen(name) + 1 : 0;
    }
    return size;
}

static void names_copy(struct stmt *s, char *at) {
    for (int i = 0; i < s->param_count; i++) {
        const char *name = s->engine->param_name(s->handle, i);
        /* matches no bind, so db_start refuses the statement */
        s->params[i].name = name ? strcpy(at, name) : "?";
        at += name ? strlen(name) + 1 : 0;
    }
}

static int statement_new(struct conn *c, uint64_t hash, const char *sql, struct stmt **out) {
    void *handle = NULL;
    int params = 0;
    count(&c->counters.prepares);
    c->preparing[0] = 0;
    int rc = c->engine->prepare(c, sql, &handle, &params);
    if (rc < 0) return rc;
    size_t size = sizeof(struct stmt) + (size_t)params * sizeof(struct param), length = strlen(sql) + 1;
    struct stmt *s = calloc(1, size + length + names_size(c, handle, params));
    if (!s) {
        c->engine->finalize(c, handle);
        return UNAVAILABLE("statements without memory", "store: no memory for a statement");
    }
    ring_init(&s->link);
    s->conn = c;
    s->engine = c->engine;
    s->handle = handle;
    s->hash = hash;
    s->sql = memcpy((char *)s + size, sql, length);
    s->param_count = params;
    s->tracked = c->role != CONN_READER && c->store && sql_changes_tracked(c->store->tracked, sql);
    s->changes = c->role != CONN_READER && c->store ? sql_changes_marked(c->store->marked, sql) : 0;
    memcpy(s->untracked, c->preparing, sizeof s->untracked);
    names_copy(s, (char *)s + size + length);
    *out = s;
    return 0;
}

static int statement_find(struct conn *c, const char *sql, struct stmt **out) {
    uint64_t hash = XXH3_64bits(sql, strlen(sql));
    struct stmt *s = cache_find(c, hash, sql);
    if (!s || s->state == 1) {
        bool taken = s != NULL;
        int rc = statement_new(c, hash, sql, &s);
        if (rc < 0) return rc;
        if (!taken) cache_add(c, s);
    }
    *out = s;
    return 0;
}

static int statement_get(struct conn *c, const char *sql, struct stmt **out) {
    struct stmt **at = statement_at(c, sql), *s = *at;
    if (s == NULL || s->state == 1 || strcmp(s->sql, sql) != 0) {
        int rc = statement_find(c, sql, &s);
        if (rc < 0) return rc;
        if (s->cached) *at = s;
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

/* ---- binds ----------------------------------------------------------------------------------- */

/* Names differ in most cases by their first letter, which follows the colon. */
static bool param_is(struct param *p, const struct bind *b) {
    if (b->literal && b->name == p->literal) return true;
    if (p->name[1] != b->name[1] || strcmp(p->name, b->name) != 0) return false;
    if (b->literal) p->literal = b->name;
    return true;
}

/* Binds usually come in the order in which the query first names them. The search continues after the last
 * match, so the first comparison usually matches. */
static int param_find(struct stmt *s, const struct bind *b, int from) {
    for (int k = 0; k < s->param_count; k++) {
        int i = from + k < s->param_count ? from + k : from + k - s->param_count;
        if (param_is(&s->params[i], b)) return i;
    }
    return -1;
}

static int bind_all(struct stmt *s, const struct bind *binds) {
    int left = s->param_count, next = 0;
    for (const struct bind *b = binds; b && b->type != BIND_END; b++) {
        int at = param_find(s, b, next);
        if (at < 0) continue;
        int rc = s->engine->bind(s, at, b);
        if (rc < 0) return rc;
        if (s->params[at].round != s->round) left--;
        s->params[at].round = s->round;
        next = at + 1;
    }
    if (left == 0) return 0;
    for (int i = 0; i < s->param_count; i++)
        if (s->params[i].round != s->round)
            log_error("store: the parameter %s is not bound in: %s", s->params[i].name, s->sql);
    return -ERR_INTERNAL_ERROR;
}

/* ---- db.h ------------------------------------------------------------------------------------ */

int db_start(struct conn *c, const char *sql, const struct bind *binds, struct stmt **out) {
    *out = NULL;
    c->refused[0] = 0;
    /* The engine rolled back the transaction by itself. Outside of it each statement would commit alone. */
    if (c->engine->lost(c)) return -ERR_SERVICE_UNAVAILABLE;
    struct stmt *s;
    int rc = statement_get(c, sql, &s);
    if (rc < 0) return rc;
    if (s->tracked) c->tracked = true;
    c->changed |= s->changes;
    if (s->untracked[0]) memcpy(c->untracked, s->untracked, sizeof c->untracked);
    rc = bind_all(s, binds);
    if (rc < 0) stmt_end(s);
    else *out = s;
    return rc;
}

int stmt_step(struct stmt *s) {
    if (s->state <= 0) return s->state;
    int rc = s->engine->step(s);
    return rc == 1 ? 1 : (s->state = rc);
}

void stmt_end(struct stmt *s) {
    struct conn *c = s->conn;
    int late = s->engine->reset(s);
    if (late < 0) c->late_error = late;
    s->state = 0;
    if (!s->cached) {
        statement_free(s);
        return;
    }
    ring_remove(&s->link);
    ring_add(&c->idle, &s->link);
}

int64_t col_int(struct stmt *s, int i) { return s->engine->col_int(s->handle, i); }
bool col_int_given(struct stmt *s, int i, int64_t *out) {
    return s->engine->col_int_given(s->handle, i, out);
}
struct str col_text(struct stmt *s, int i) {
    return s->engine->col_text(s->handle, i);
}
bool col_null(struct stmt *s, int i) { return s->engine->col_null(s->handle, i); }
int col_count(struct stmt *s) { return s->engine->col_count(s->handle); }

int db_exec_text(struct conn *c, const char *sql, const struct bind *binds) {
    struct stmt *s;
    int rc = db_start(c, sql, binds, &s);
    if (rc < 0) return rc;
    while ((rc = stmt_step(s)) == 1) {}
    if (rc == 0) rc = s->engine->changed(s);
    stmt_end(s);
    return rc;
}

int db_exec(struct conn *c, const struct query *q, const struct bind *binds) {
    return db_exec_text(c, q->sql, binds);
}

int db_later_text(struct conn *c, const char *sql, const struct bind *binds) {
    struct stmt *s;
    int rc = db_start(c, sql, binds, &s);
    if (rc < 0) return rc;
    if (c->engine->later) rc = c->engine->later(s);
    else
        while ((rc = stmt_step(s)) == 1) {}
    stmt_end(s);
    return rc;
}

int db_later(struct conn *c, const struct query *q, const struct bind *binds) {
    return db_later_text(c, q->sql, binds);
}

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

int db_text(struct conn *c, const struct query *q, const struct bind *binds, struct arena *a,
            struct str *out) {
    struct stmt *s;
    int rc = db_row(c, q, binds, &s);
    if (rc != 1) return rc;
    bool null = col_null(s, 0);
    if (!null) *out = str_dup(a, col_text(s, 0));
    stmt_end(s);
    return null ? 0 : 1;
}

int db_ids(struct conn *c, const struct query *q, const struct bind *binds, struct arena *a, int64_t **out) {
    int64_t *ids = NULL;
    int n = 0, room = 0, rc;
    DB_ROWS(rc, c, q, binds, row) {
        ids = arena_more(a, ids, n, &room, sizeof *ids);
        ids[n++] = col_int(row, 0);
    }
    *out = ids;
    return rc < 0 ? rc : n;
}

int db_insert(struct conn *c, const struct query *q, const struct bind *binds, int64_t *id) {
    struct stmt *s;
    int rc = db_start(c, q->sql, binds, &s);
    if (rc < 0) return rc;
    rc = stmt_step(s);
    if (rc == 1) {
        *id = col_int(s, 0);
        rc = stmt_step(s); /* foreign keys are checked here */
    } else if (rc == 0) {
        assert(c->engine->inserted && c->engine->changed(s) == 1); /* no ON CONFLICT DO NOTHING */
        *id = c->engine->inserted(c);
    }
    stmt_end(s);
    return rc;
}
