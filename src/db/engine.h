/* The seam between db.h and its engines: what a connection, a statement and a store are to all of db/, and the table
 * of what an engine does. db_open chooses the table; nobody outside of db/ (but its tests) includes this.
 *
 * Shared: the cache of statements, binding by name, the short forms of db.h (statement.c), readers by thread
 * (store.c), the dialect. An engine's own: how a text is prepared and stepped, what an error means, transactions, who
 * writes. */
#ifndef DB_ENGINE_H
#define DB_ENGINE_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/limits.h"
#include "db/db.h"

/* ---- rings: lists that a thing can leave without knowing which one it is in --------------------------- */

struct ring {
    struct ring *prev, *next;
};
static inline void ring_init(struct ring *head) { head->prev = head->next = head; }
static inline bool ring_empty(const struct ring *head) { return head->next == head; }
static inline void ring_add(struct ring *head, struct ring *r) /* becomes the first */
{
    r->prev = head;
    r->next = head->next;
    head->next->prev = r;
    head->next = r;
}
static inline void ring_remove(struct ring *r) {
    r->prev->next = r->next;
    r->next->prev = r->prev;
    ring_init(r);
}
#define RING_OF(r, type, member) ((type *)(void *)((char *)(r)-offsetof(type, member)))

/* ---- the one line that says why an open was refused ------------------------------------------------------ */

struct why {
    char *p;
    size_t n;
};
int db_refuse(struct why why, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* -ERR_SERVICE_UNAVAILABLE */

/* ---- the table ------------------------------------------------------------------------------------------- */

struct engine {
    bool blocks; /* a statement may wait for another process: not on an event loop */

    /* A store. open takes what was asked for, migrates, starts what writes; what it opened before it failed, close
     * closes. */
    int (*open)(struct db *db, const struct db_config *cfg, const struct schema_file *files, struct why why);
    int (*close)(struct db *db); /* after the queued writes; the store's connections are closed by it; as db_close */
    void (*submit)(struct db *db, struct db_task *t);
    bool (*writes_here)(const struct db *db);           /* the calling thread is one that writes */
    void (*stats)(struct db *db, struct db_stats *out); /* what the connections' counters don't say */

    /* See db_ring; NULL: one process has the store. */
    void (*ring)(struct db *db);
    int (*hear)(struct db *db, int wait_ms);
    void (*hush)(struct db *db);

    /* A connection: of a reader to open, of any to close. */
    int (*connect)(struct db *db, struct conn **out, struct why why);
    struct conn *(*replica)(struct db *db, int64_t since); /* see db_replica; NULL: there never is one */
    void (*disconnect)(struct conn *c);
    int (*read_begin)(struct conn *c, int budget_ms);
    void (*read_end)(struct conn *c);
    bool (*lost)(const struct conn *c); /* the open transaction is gone: nothing may run outside of it */
    int (*savepoint)(struct conn *c, const char *name);
    int (*release)(struct conn *c, const char *name);
    int (*undo)(struct conn *c, const char *name);
    int (*lock_name)(struct conn *c, struct str name); /* see db_lock */
    int (*lock_row)(struct conn *c, const char *table, int64_t id);
    int (*settle_ids)(struct conn *c);

    /* A statement: its handle is the engine's. Errors are those of db.h. */
    int (*prepare)(struct conn *c, const char *sql, void **handle, int *params);
    void (*finalize)(struct conn *c, void *handle);
    const char *(*param_name)(void *handle, int i); /* from 0, with its colon; NULL: it has none */
    int (*bind)(struct stmt *s, int i, const struct bind *b);
    int (*step)(struct stmt *s);    /* 1, 0, or error */
    int (*reset)(struct stmt *s);   /* unbinds; error: one that shows only now (foreign keys of a RETURNING) */
    int (*changed)(struct stmt *s); /* rows, after the last step; 0 of a text that only reads */
    int64_t (*col_int)(void *handle, int i);
    bool (*col_int_given)(void *handle, int i, int64_t *out);
    struct str (*col_text)(void *handle, int i);
    bool (*col_null)(void *handle, int i);
    int (*col_count)(void *handle);

    const struct mover *mover;
};
extern const struct engine sqlite_engine, postgres_engine;

/* ---- connections ----------------------------------------------------------------------------------------- */

#define STATEMENTS_MAX 512 /* cached in a connection: more than the program has, so only a leak of texts evicts */
#define STATEMENT_BUCKETS 1024

/* Counters have one writing thread each and any number of reading ones, so that nobody waits for a number. */
struct counters {
    _Atomic int64_t commits, tasks, statements, prepares;
};
static inline void count(_Atomic int64_t *counter) {
    int64_t now = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, now + 1, memory_order_relaxed);
}

enum conn_role {
    CONN_READER, /* reads alone; of SQLite with a small cache and short waits */
    CONN_WRITER, /* one of a thread that writes */
    CONN_BULK,   /* the writer of a store that is being filled: nothing synced */
};

/* SQLite: a reader's snapshot, see sqlite_snapshot.c. */
struct kept {
    bool held;            /* its own thread has the turn; nobody else looks at this */
    pthread_mutex_t turn; /* held by its thread while it reads; guards all below */
    bool open;
    int64_t version; /* of the store, when it was taken */
    int64_t since;   /* clock_monotonic() */
};

struct conn {
    const struct engine *engine;
    struct sqlite3 *handle; /* of SQLite */
    struct pg *pg;          /* of PostgreSQL */
    enum conn_role role;
    struct db *store;
    struct ring in_store;
    struct counters counters;
    bool transaction; /* between begin and its end; the engine may have ended it by itself */
    bool budget_spent;
    int64_t deadline; /* SQLite: clock_monotonic() after which statements are interrupted; 0: none */
    int fault;        /* the code of the last failure that is not the statement's own */
    int late_error;   /* an error that showed only when a statement was reset (foreign keys of a RETURNING) */
    struct kept kept;
    _Atomic int wal_pages;     /* SQLite: pages in the log after the last commit of this connection */
    struct ring running, idle; /* statements; idle ones have the most recently used first */
    int cached;
    struct stmt *buckets[STATEMENT_BUCKETS];
};

struct conn *conn_new(const struct engine *e, struct db *store, enum conn_role role); /* NULL: no memory */
void conn_join(struct conn *c);      /* counted and closed with its store from now on; of no store: nothing */
void conn_free(struct conn *c);      /* ends its statements first: before its engine's part goes */
void statements_end(struct conn *c); /* those under way that nobody will end any more: a bug, logged and repaired */
void statements_free(struct conn *c);

/* ---- statements (statement.c) ---------------------------------------------------------------------------- */

struct param {
    const char *name; /* of the handle, with its colon; lives as long as the statement */
    unsigned round;   /* the start that bound it last */
};

struct stmt {
    struct ring link;
    struct stmt *chain; /* next of its bucket */
    struct conn *conn;
    const struct engine *engine; /* its connection's: a column read is one jump */
    void *handle;
    const char *sql; /* as it was given, before the dialect */
    uint64_t hash;
    bool cached;
    int state; /* 1: stmt_step may find a row; else what it answers from now on */
    unsigned round;
    int param_count;
    struct param params[];
};

/* ---- the store (store.c) --------------------------------------------------------------------------------- */

struct db {
    const struct engine *engine;
    struct arena *memory;
    const char *dir;
    bool read_only, bulk, filling, keep_snapshots;
    struct sqlite_store *sqlite; /* one of the two */
    struct pg_store *postgres;
    pthread_key_t reader_key;
    bool has_reader_key;
    pthread_mutex_t lock; /* of all below */
    struct ring conns;
    struct counters closed; /* what connections counted that are gone */
    _Atomic int damage;     /* enum damage of store.c */
};

void store_damaged(struct db *db, const char *reason); /* a statement found damage; db may be NULL */

int db_open_with(const struct db_config *cfg, const struct schema_file *files, struct db **out, struct why why);

int postgres_check(const struct db_config *cfg, const struct schema_file *files, void (*report)(void *arg, const char *line), void *arg,
                   struct why why);

/* ---- the schema (migrate.c) ------------------------------------------------------------------------------ */

extern const char schema_table[];
int schema_newest(const struct schema_file *files);
/* The version that the store's table tells, or error when this deskd can't use it. */
int schema_recorded(struct conn *c, const struct schema_file *files, struct why why);
int schema_record(struct conn *c, int version, const char *name);
/* Begins a move: from its commit on the store is refused by all who are not filling it, until the rows of the table
 * schema_version are the source's. */
int schema_mark_moving(struct conn *c);

/* ---- texts (dialect.c) ----------------------------------------------------------------------------------- */

/* :name becomes $n, the same name the same n, in the order of first use; names (at most max) gets the names with
 * their colons. Casts (::), literals, quoted names and comments are left alone. Returns how many names there are. */
size_t dialect_number(struct arena *a, const char *sql, struct str *names, size_t max, struct str *out);
#define DIALECT_BY_VALUES "/* by values */" /* what @BY_VALUES@ leaves in a text */

#endif
