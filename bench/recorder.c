#include "recorder.h"

#include "base/error.h"
#include "db/db_internal.h"
#include "json/json.h"

#include <inttypes.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>

static struct {
    pthread_mutex_t lock;
    struct recording *out; /* NULL: not recording */
    pthread_t thread;
    bool mine;
    struct conn *writer; /* of the newest statement of a write; NULL: none yet */
} recorder = {.lock = PTHREAD_MUTEX_INITIALIZER};

void record_begin(struct recording *out, struct arena *a, bool mine) {
    *out = (struct recording){.arena = a};
    pthread_mutex_lock(&recorder.lock);
    recorder.out = out;
    recorder.thread = pthread_self();
    recorder.mine = mine;
    pthread_mutex_unlock(&recorder.lock);
}

void record_end(void) {
    pthread_mutex_lock(&recorder.lock);
    recorder.out = NULL;
    pthread_mutex_unlock(&recorder.lock);
}

static void keep(struct recording *r, const char *sql, const struct bind *binds) {
    size_t n = 0;
    while (binds && binds[n].name) n++;
    struct recorded *s = ARENA_NEW(r->arena, struct recorded);
    s->sql = str_dup(r->arena, str_of(sql)).p;
    s->binds = arena_array(r->arena, n + 1, sizeof *s->binds);
    for (size_t i = 0; i < n; i++) {
        s->binds[i] = binds[i];
        s->binds[i].name = str_dup(r->arena, str_of(binds[i].name)).p;
        s->binds[i].literal = false;
        if (binds[i].s.p) s->binds[i].s = str_dup(r->arena, binds[i].s);
    }
    if (r->last) r->last->next = s;
    else r->first = s;
    r->last = s;
}

/* Returns true for statements that the caller of recorded_run runs by itself: transactions and savepoints. */
static bool bounds_a_transaction(const char *sql) {
    static const char *const words[] = {"BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        found = found || str_starts(str_of(sql), str_of(words[i]));
    return found;
}

int64_t recorded_rows(void) {
    pthread_mutex_lock(&recorder.lock);
    struct conn *c = recorder.writer;
    pthread_mutex_unlock(&recorder.lock);
    return c && c->handle ? sqlite3_total_changes64(c->handle) : 0;
}

static void note(struct conn *c, const char *sql, const struct bind *binds) {
    if (bounds_a_transaction(sql)) return;
    pthread_mutex_lock(&recorder.lock);
    bool me = pthread_equal(recorder.thread, pthread_self());
    if (recorder.out && me == recorder.mine) keep(recorder.out, sql, binds);
    if (db_writes(c)) recorder.writer = c;
    pthread_mutex_unlock(&recorder.lock);
}

/* ---- wrappers of the calls from the API to the store ----------------------------------------- */

#define WRAP(name, sql, parameters, arguments) \
    int __real_##name parameters;              \
    int __wrap_##name parameters;              \
    int __wrap_##name parameters {             \
        note(c, sql, binds);                   \
        return __real_##name arguments;        \
    }
WRAP(db_start, sql, (struct conn * c, const char *sql, const struct bind *binds, struct stmt **out),
     (c, sql, binds, out))
WRAP(db_row, q->sql, (struct conn * c, const struct query *q, const struct bind *binds, struct stmt **row),
     (c, q, binds, row))
WRAP(db_int, q->sql, (struct conn * c, const struct query *q, const struct bind *binds, int64_t *out),
     (c, q, binds, out))
WRAP(db_text, q->sql,
     (struct conn * c, const struct query *q, const struct bind *binds, struct arena *a, struct str *out),
     (c, q, binds, a, out))
WRAP(db_ids, q->sql,
     (struct conn * c, const struct query *q, const struct bind *binds, struct arena *a, int64_t **out),
     (c, q, binds, a, out))
WRAP(db_exec, q->sql, (struct conn * c, const struct query *q, const struct bind *binds), (c, q, binds))
WRAP(db_exec_text, sql, (struct conn * c, const char *sql, const struct bind *binds), (c, sql, binds))
WRAP(db_insert, q->sql, (struct conn * c, const struct query *q, const struct bind *binds, int64_t *id),
     (c, q, binds, id))

/* ---- columns --------------------------------------------------------------------------------- */

/* Reads names and types from the schema, because db.h does not report them. */
void recorded_columns(struct recording *r, const char *store) {
    sqlite3 *db;
    sqlite3_stmt *s;
    if (sqlite3_open_v2(store, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) return;
    for (struct recorded *q = r->first; q; q = q->next) {
        struct str text = db_dialect(r->arena, false, q->sql);
        if (sqlite3_prepare_v2(db, text.p, (int)text.n, &s, NULL) != SQLITE_OK) continue;
        q->column_count = sqlite3_column_count(s);
        q->columns = arena_array(r->arena, (size_t)q->column_count + 1, sizeof *q->columns);
        for (int i = 0; i < q->column_count; i++) {
            const char *type = sqlite3_column_decltype(s, i);
            q->columns[i].name = str_dup(r->arena, str_of(sqlite3_column_name(s, i)));
            q->columns[i].text = type && strcmp(type, "TEXT") == 0;
        }
        sqlite3_finalize(s);
    }
    sqlite3_close(db);
}

/* ---- running again --------------------------------------------------------------------------- */

static void write_row(struct json_writer *w, const struct recorded *q, struct stmt *s) {
    jw_object(w);
    for (int i = 0; i < q->column_count; i++) {
        jw_key(w, q->columns[i].name);
        int64_t v;
        if (q->columns[i].text) jw_str(w, col_text(s, i)); /* writes null if it is null */
        else if (col_int_given(s, i, &v)) jw_int(w, v);
        else jw_null(w);
    }
    jw_end(w);
}

int recorded_run(const struct recording *r, struct conn *c, struct buf *out) {
    struct json_writer w;
    jw_init(&w, out);
    jw_array(&w);
    for (const struct recorded *q = r->first; q; q = q->next) {
        struct stmt *s;
        int rc = __real_db_start(c, q->sql, q->binds, &s);
        if (rc < 0) return rc;
        while ((rc = stmt_step(s)) == 1) write_row(&w, q, s);
        stmt_end(s);
        if (rc < 0) return rc;
    }
    jw_end(&w);
    return 0;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_plan(const struct recorded *q, struct arena *a, struct conn *c) {
    struct stmt *s;
    struct {
        int64_t id;
        int depth;
    } seen[64];
    int n = 0;
    if (__real_db_start(c, str_fmt(a, "EXPLAIN QUERY PLAN %s", q->sql).p, q->binds, &s) < 0) return;
    while (stmt_step(s) == 1) {
        int depth = 1;
        for (int i = 0; i < n; i++)
            if (seen[i].id == col_int(s, 1)) depth = seen[i].depth + 1;
        if (n < 64) seen[n].id = col_int(s, 0), seen[n++].depth = depth;
        printf("%*s| %s\n", 2 + 2 * depth, "", col_text(s, 3).p);
    }
    stmt_end(s);
}

void recorded_print(const struct recording *r, struct conn *c) {
    for (const struct recorded *q = r->first; q; q = q->next) {
        printf("  %s\n   ", q->sql);
        for (const struct bind *b = q->binds; b->name; b++) {
            if (b->type == BIND_INT) printf(" %s=%" PRId64, b->name, b->i);
            else if (b->s.p) printf(" %s='%.60s'", b->name, b->s.p);
            else printf(" %s=NULL", b->name);
        }
        printf("\n");
        print_plan(q, r->arena, c);
    }
}
