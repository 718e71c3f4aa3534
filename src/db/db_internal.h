/* What the files of db/ share. Nobody else includes this, but the tests of db/. */
#ifndef DB_DB_INTERNAL_H
#define DB_DB_INTERNAL_H

#include <assert.h>
#include <pthread.h>
#include <sqlite3.h>
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
int refuse(struct why why, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* -ERR_SERVICE_UNAVAILABLE */

/* ---- connections (sqlite.c) ------------------------------------------------------------------------------ */

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
    CONN_READER, /* query_only, small cache, short waits */
    CONN_WRITER, /* the one of writer.c */
    CONN_BULK,   /* the writer of a store that is being filled: exclusive, nothing synced */
};

struct conn_options {
    struct db *store; /* NULL for a backup or a check: not counted, not closed with a store */
    const char *path;
    enum conn_role role;
    int mmap_mb, cache_kb; /* 0: defaults */
};

struct conn {
    sqlite3 *handle;
    enum conn_role role;
    struct db *store;
    struct ring in_store;
    struct counters counters;
    bool transaction; /* between conn_begin and its end; SQLite may have ended it by itself */
    bool budget_spent;
    int64_t deadline;          /* clock_monotonic() after which statements are interrupted; 0: none */
    int fault;                 /* the code of the last failure that is not the statement's own */
    int late_error;            /* an error that showed only when a statement was reset (foreign keys of a RETURNING) */
    _Atomic int wal_pages;     /* pages in the log after the last commit of this connection */
    struct ring running, idle; /* statements; idle ones have the most recently used first */
    int cached;
    struct stmt *buckets[STATEMENT_BUCKETS];
};

int conn_open(const struct conn_options *o, struct conn **out, struct why why);
void conn_close(struct conn *c);
/* What an SQLite code means to us; logged where it is a bug or a fault: of a text that ran, and of one that did not
 * prepare. */
int conn_error(struct conn *c, int code, const char *sql);
int conn_prepare_error(struct conn *c, int code, const char *sql);
int conn_begin(struct conn *c, bool write);
int conn_commit(struct conn *c); /* on error the transaction is rolled back */
void conn_rollback(struct conn *c);
bool conn_lost(const struct conn *c);              /* SQLite rolled the open transaction back by itself */
int conn_pragma(struct conn *c, const char *text); /* runs a constant text without the cache; SQLite's code */

/* Statements under way that nobody will end any more: a bug of the caller, logged and repaired. */
void statements_end(struct conn *c);
void statements_free(struct conn *c);

/* ---- the store (store.c) --------------------------------------------------------------------------------- */

struct writer;

struct db {
    struct arena *memory;
    const char *dir, *path;
    struct conn_options reading, writing;
    int lock_fd;
    bool read_only, bulk;
    struct conn *keeper; /* idle reader that keeps the log's index alive while the writer is closed; see writer.c */
    struct writer *writer;
    pthread_key_t reader_key;
    bool has_reader_key;
    pthread_mutex_t lock; /* of all below */
    struct ring conns;
    struct counters closed; /* what connections counted that are gone */
};

#define STORE_FILE "desk.db"
#define STORE_MARK "PRAGMA application_id=1684370283" /* "desk"; see recover() in writer.c */
#define WRITER_WAIT_MS 5000 /* how long the writer waits for somebody who uses the sqlite3 shell on the store */

int sync_path(const char *path); /* a file or a folder; 0, or -1 with errno */
int db_open_with(const struct db_config *cfg, const struct schema_file *files, struct db **out, struct why why);
int db_check_with(const char *dir, const struct schema_file *files, void (*report)(void *arg, const char *line),
                  void *arg, struct why why);

/* ---- the writer (writer.c) ------------------------------------------------------------------------------- */

struct writer *writer_start(struct db *store, struct conn *c); /* NULL when no thread could be started */
struct conn *writer_stop(struct writer *w); /* after the queued tasks; its connection, NULL when it lost it */
void writer_submit(struct writer *w, struct db_task *t);
bool writer_writable(const struct writer *w);
bool writer_is_me(const struct writer *w); /* the calling thread is the writer's */

/* ---- the schema (migrate.c) ------------------------------------------------------------------------------ */

extern const char schema_table[];
int schema_version(struct conn *c, const struct schema_file *files, struct why why); /* or error when it is not ours */
int schema_newest(const struct schema_file *files);
int schema_migrate(struct conn *c, const struct schema_file *files, struct why why);

/* ---- texts (dialect.c) ----------------------------------------------------------------------------------- */

/* :name becomes $n, the same name the same n, in the order of first use; names (at most max) gets the names with
 * their colons. Casts (::), literals, quoted names and comments are left alone. Returns how many names there are. */
size_t dialect_number(struct arena *a, const char *sql, struct str *names, size_t max, struct str *out);

#endif
