/* The interface between db.h and its engines: connections, statements and stores as all of db/ uses them,
 * and the table of functions that an engine provides. db_open chooses the table. Only db/ and its tests
 * include this.
 *
 * Shared by both engines: the statement cache, binding by name, the short forms of db.h (statement.c), one
 * reader for each thread (store.c), the dialect. Provided by an engine: preparing and stepping statements,
 * the meaning of errors, transactions, writer threads. */
#ifndef DB_ENGINE_H
#define DB_ENGINE_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/limits.h"
#include "db/db.h"
#include "db/why.h"

/* ---- rings: lists whose elements can be removed without the list head ------------------------ */

struct ring {
    struct ring *prev, *next;
};
static inline void ring_init(struct ring *head) { head->prev = head->next = head; }
static inline bool ring_empty(const struct ring *head) { return head->next == head; }
static inline void ring_add(struct ring *head, struct ring *r) /* at the front */
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

/* ---- the table ------------------------------------------------------------------------------- */

struct engine {
    bool blocks; /* a statement may wait for another process: never run it on an event loop */

    /* A store. open takes locks, migrates and starts writers. If it fails, close releases what it opened. */
    int (*open)(struct db *db, const struct db_config *cfg, const struct schema_file *files, struct why why);
    /* runs queued writes first, closes the store's connections; returns as db_close */
    int (*close)(struct db *db);
    void (*submit)(struct db *db, struct db_task *t);
    bool (*writes_here)(const struct db *db);       /* true: the calling thread is a writer */
    int64_t (*generation)(const struct db *db);     /* see db_generation; NULL: always 0 */
    int64_t (*snapshot)(const struct conn *c);      /* see db_snapshot; NULL: always 0 */
    int64_t (*newest)(const struct db *db);         /* see db_newest_snapshot; NULL: always 0 */
    int64_t (*mark)(const struct conn *c, int set); /* see db_mark; NULL: always 0 */
    /* fills in the numbers that connections don't count */
    void (*stats)(struct db *db, struct db_stats *out);

    int (*compact)(struct db *db, struct why why); /* see db_compact */

    /* See db_notify. NULL: only one process uses the store. */
    void (*notify)(struct db *db);
    int (*listen)(struct db *db, int wait_ms);
    void (*listen_end)(struct db *db);

    /* Connections. connect opens a reader, disconnect closes any connection. */
    int (*connect)(struct db *db, struct conn **out, struct why why);
    /* see db_replica; NULL: the engine has no replicas */
    struct conn *(*replica)(struct db *db, int64_t since);
    void (*disconnect)(struct conn *c);
    void (*rest)(struct db *db); /* see db_rest; NULL: connections have no caches */
    int (*read_begin)(struct conn *c, int budget_ms);
    void (*read_end)(struct conn *c);
    void (*expect)(struct conn *c, uint64_t key, int64_t given); /* see db_expect; NULL: no use */
    /* true: the open transaction is gone; no statement may run outside of it */
    bool (*lost)(const struct conn *c);
    int (*savepoint)(struct conn *c, const char *name);
    int (*release)(struct conn *c, const char *name);
    int (*undo)(struct conn *c, const char *name);
    int (*lock_name)(struct conn *c, struct str name, bool shared); /* see db_lock, db_share */
    int (*lock_row)(struct conn *c, const char *table, int64_t id);
    int (*settle_ids)(struct conn *c); /* see db_settle_ids; NULL: nothing to do */
    int (*next_id)(struct conn *c, const char *table, int64_t id); /* see db_next_id */
    int (*analyze)(struct conn *c);                                /* see db_analyze; NULL: nothing to do */

    /* Statements. The handle is the engine's. Errors are those of db.h. */
    int (*prepare)(struct conn *c, const char *sql, void **handle, int *params);
    void (*finalize)(struct conn *c, void *handle);
    /* i counts from 0; with its colon; NULL: the parameter has no name */
    const char *(*param_name)(void *handle, int i);
    int (*bind)(struct stmt *s, int i, const struct bind *b);
    int (*step)(struct stmt *s);  /* 1: a row; 0: no more; or error */
    int (*later)(struct stmt *s); /* see db_later; NULL: a statement never waits */
    int (*reset)(struct stmt *s); /* unbinds; error: one found only now (foreign keys of a RETURNING) */
    /* number of changed rows, after the last step; 0 for a statement that only reads */
    int (*changed)(struct stmt *s);
    int64_t (*inserted)(struct conn *c); /* id of the last inserted row; NULL: statements return it */
    int64_t (*col_int)(void *handle, int i);
    bool (*col_int_given)(void *handle, int i, int64_t *out);
    struct str (*col_text)(void *handle, int i);
    bool (*col_null)(void *handle, int i);
    int (*col_count)(void *handle);

    const struct mover *mover;
};
extern const struct engine sqlite_engine, postgres_engine;

/* ---- connections ----------------------------------------------------------------------------- */

#define STATEMENTS_MAX \
    512 /* cached in a connection: more than the program has, so only an unbounded set of texts causes evictions */
#define STATEMENT_BUCKETS 1024
#define STATEMENTS_STARTED 256

/* Each counter has one writing thread and any number of readers, so no thread waits for a number. */
struct counters {
    _Atomic int64_t commits, tasks, statements, prepares;
};
static inline void count(_Atomic int64_t *counter) {
    int64_t now = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, now + 1, memory_order_relaxed);
}

enum conn_role {
    CONN_READER, /* only reads; SQLite: with a small cache and short waits */
    CONN_WRITER, /* used by a thread that writes */
    CONN_BULK,   /* the writer of a store that is being filled: nothing is synced */
};

/* SQLite: the kept snapshot of a reader, see sqlite_snapshot.c. */
struct kept {
    bool held;            /* its own thread holds the turn; only this thread reads and writes it */
    pthread_mutex_t turn; /* its thread holds it from begin to end of a read; guards all below */
    bool open;
    int64_t version; /* version of the store when the snapshot was taken */
    int64_t since;   /* clock_monotonic() */
    int64_t number;  /* of the snapshot: no other one of the process has it */
};

#define TABLE_NAME 48 /* bytes of a table's name that are kept, for a message */

struct conn {
    const struct engine *engine;
    struct sqlite3 *handle; /* SQLite */
    struct pg *pg;          /* PostgreSQL */
    enum conn_role role;
    struct db *store;
    struct ring in_store;
    bool left; /* conn_leave was called */
    struct counters counters;
    bool transaction; /* from begin to commit or rollback; the engine may have ended it by itself */
    bool budget_spent;
    char refused[256]; /* db_refusal; empty: the last statement was refused by no constraint */
    int64_t deadline;  /* SQLite: clock_monotonic() after which statements are interrupted; 0: none */
    int fault;         /* code of the last failure that was not caused by the statement itself */
    int late_error;    /* an error found when a statement was reset (foreign keys of a RETURNING) */
    struct kept kept;
    /* the transaction ran a statement that changes a tracked table; of a connection that writes */
    bool tracked;
    unsigned changed; /* the same: bits of the sets of tables of db_mark */
    char untracked
        [TABLE_NAME]; /* SQLite: a table of this read that is not tracked (db_untracked); empty: none */
    char preparing[TABLE_NAME]; /* the same, of the statement that is being prepared */
    _Atomic int wal_pages;      /* SQLite: pages in the log after the last commit of this connection */
    struct ring running, idle;  /* statements; in `idle` the most recently used come first */
    int cached;
    struct stmt *buckets[STATEMENT_BUCKETS];
    struct stmt *started[STATEMENTS_STARTED]; /* by the address of the text; NULL: none */
};

/* NULL: out of memory */
struct conn *conn_new(const struct engine *e, struct db *store, enum conn_role role);
/* from now on counted and closed with its store; without a store does nothing */
void conn_join(struct conn *c);
void conn_leave(struct conn *c); /* the store forgets the connection: no other thread reads it any more */
/* call it after the engine has closed its part, and after its statements are freed */
void conn_free(struct conn *c);
void statements_end(struct conn *c); /* ends statements that were not ended: a defect, which is logged */
void statements_free(struct conn *c);

/* ---- statements (statement.c) ---------------------------------------------------------------- */

struct param {
    const char *name;    /* with its colon; lives as long as the statement */
    const char *literal; /* the literal that was last found to be this name */
    unsigned round;      /* number of the last start that bound it */
};

struct stmt {
    struct ring link;
    struct stmt *chain; /* next in its bucket */
    struct conn *conn;
    const struct engine *engine; /* engine of its connection: saves one indirection for each column */
    void *handle;
    const char *sql; /* as given, before the dialect is applied */
    uint64_t hash;
    bool cached;
    bool tracked;               /* changes a tracked table */
    unsigned changes;           /* bits of the sets of tables (db_mark) that it changes */
    char untracked[TABLE_NAME]; /* reads this table, which is not tracked; empty: none */
    int state;                  /* 1: stmt_step may find a row; else the result of each further stmt_step */
    unsigned round;
    int param_count;
    struct param params[];
};

/* Returns the cached statement with a hash of its text, or NULL if there is none or it is running. */
struct stmt *statement_of_hash(struct conn *c, uint64_t hash);

/* Returns true if the text changes a table of the list (table_changes.c). list may be NULL. */
bool sql_changes_tracked(const struct db_tracked_table *list, const char *text);
bool table_is_tracked(const struct db_tracked_table *list,
                      struct str table); /* true if the list has the table */
/* Returns the bits of the sets of tables that the text changes. sets may be NULL. */
unsigned sql_changes_marked(const struct db_tracked_table *const *sets, const char *text);

/* ---- the store (store.c) --------------------------------------------------------------------- */

struct db {
    const struct engine *engine;
    struct arena *memory;
    const char *dir;
    bool read_only, bulk, filling, keep_snapshots;
    const struct db_tracked_table *tracked;
    const struct db_tracked_table *const *marked;
    struct sqlite_store *sqlite; /* one of these two is set */
    struct pg_store *postgres;
    pthread_key_t reader_key;
    bool has_reader_key;
    pthread_mutex_t lock; /* guards all below */
    struct ring conns;
    struct counters closed; /* counts of closed connections */
    _Atomic int damage;     /* enum damage of store.c */
};

/* records that a statement met damage; db may be NULL */
void store_damaged(struct db *db, const char *reason);

/* db_open on an engine, and with these schema files. */
int db_open_on(const struct engine *engine, const struct db_config *cfg, const struct schema_file *files,
               struct db **out, struct why why);
int db_open_with(const struct db_config *cfg, const struct schema_file *files, struct db **out,
                 struct why why);

int postgres_check(const struct db_config *cfg, const struct schema_file *files,
                   void (*report)(void *arg, const char *line), void *arg, struct why why);

/* ---- the schema (migrate.c) ------------------------------------------------------------------ */

extern const char schema_table[];
int schema_newest(const struct schema_file *files);
/* Returns the version in schema_version, or an error if this deskd can't use the store. */
int schema_recorded(struct conn *c, const struct schema_file *files, struct why why);
int schema_record(struct conn *c, int version, const char *name);
/* Begins a move. From its COMMIT on only a move can open the store, until the rows of schema_version are
 * those of the source. */
int schema_mark_moving(struct conn *c);

/* ---- dialect (dialect.c) --------------------------------------------------------------------- */

/* Replaces :name by $n, in the order of first use, the same name by the same n. Writes at most max names,
 * with their colons, to names. Casts (::), literals, quoted names and comments are not changed. Returns
 * the number of names. */
size_t dialect_number(struct arena *a, const char *sql, struct str *names, size_t max, struct str *out);
#define DIALECT_BY_VALUES "/* by values */" /* the replacement of @BY_VALUES@ */

#endif
