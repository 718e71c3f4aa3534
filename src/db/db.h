/* The store: connections, statements, group commit. Knows SQL and nothing of what it means.
 *
 * One dialect for both engines: RETURNING, ON CONFLICT, CTEs, window functions, row values, NULLS LAST, times as
 * BIGINT milliseconds, booleans 0/1, JSON as text, named parameters (:name), CAST(:x AS BIGINT) where a type is not
 * evident. What differs is written as a token that the engine replaces when it prepares a text:
 *
 *     @LIST(:ids)    the integers of a JSON array, as a row source for IN:  id IN @LIST(:ids)
 *     @TEXTS(:names) the same for texts
 *     @INSTR@(a, b)  where text b begins in text a, byte for byte; 0: nowhere
 *     @UNSEEN(:place) a condition on a table with @XID@: its rows that a reader at this place has not seen
 *     @SEEN(:place)  the opposite: its rows that were committed at this place
 *     @PLACE(table)  the reader's present place in a table with @XID@, in this snapshot; CAST it to TEXT
 *     @STORE@        names the store whose places these are
 *     @JSON_ROWS(x)  aggregate: the values of a column as a JSON array, as text
 *     @SHARD@        a small number that writes side by side seldom share: 0 on SQLite
 *     @ID@ @BLOB@ @XID@ in schema files only: an identity column; the type of bytes; the outbox's transaction
 *     @LOCK@         at the end of a SELECT in a write: lock these rows (empty on SQLite: one writer)
 *     @HOLD@         at the end of a SELECT in a write: nobody changes or locks these rows before it ends; others may hold them, too
 *     @SKIP@         as @LOCK@, and pass over rows that another write has locked
 *     @BY_VALUES@    at the end of a SELECT of a range that may be one row or all: PostgreSQL plans it at each run. A plan for any values,
 *                    which it turns to after five runs that found much, reads whole tables for a few rows, as long as the connection lives
 *
 * Statements are cached by their text in each connection, so a text must come from a bounded set: values are always
 * bound. */
#ifndef DB_DB_H
#define DB_DB_H

#include "base/arena.h"
#include "base/str.h"

struct db;   /* an open store: one writer, readers by thread */
struct conn; /* one connection; belongs to one thread at a time */
struct stmt; /* a cached statement under way; ends with stmt_end */

/* ---- texts ------------------------------------------------------------------------------------------ */

/* A named query. QUERY puts a pointer to each into one linker section, so that a check can PREPARE all on both
 * engines. */
struct query {
    const char *name, *sql;
};
#define QUERY(ident, text)                            \
    static const struct query ident = {#ident, text}; \
    static const struct query *const ident##_listed __attribute__((section("queries"), used)) = &ident
size_t query_count(void);
const struct query *query_at(size_t i);

enum bind_type { BIND_END, BIND_NULL, BIND_INT, BIND_TEXT, BIND_BLOB };
struct bind {
    const char *name; /* with its colon; a name the text lacks is ignored */
    enum bind_type type;
    int64_t i;
    struct str s;
};
#define B_INT(n, v) \
    { .name = ":" n, .type = BIND_INT, .i = (v) }
#define B_TEXT(n, v) \
    { .name = ":" n, .type = BIND_TEXT, .s = (v) } /* v.p NULL binds NULL */
#define B_BLOB(n, v) \
    { .name = ":" n, .type = BIND_BLOB, .s = (v) }
#define B_NULL(n) \
    { .name = ":" n, .type = BIND_NULL }
#define B_ID(n, v) \
    { .name = ":" n, .type = (v) ? BIND_INT : BIND_NULL, .i = (v) } /* 0 binds NULL */
#define BINDS(...) ((const struct bind[]){__VA_ARGS__, {0}})        /* NULL where there are none */

/* ---- statements ------------------------------------------------------------------------------------- Errors:
 * -ERR_FIELD_DUPLICATE (unique violation), -ERR_FIELD_INVALID (foreign key), -ERR_SERVICE_UNAVAILABLE (full disk, I/O,
 * lost connection, budget spent), -ERR_INTERNAL_ERROR (a bug; logged here with the query's text, never its values).
 *
 * Every parameter of a text must be bound, if only to NULL: one that is not is a bug. Bound bytes stay in place until
 * stmt_end. A reference may be checked only when a statement ends: one that RETURNS rows and fails so, fails its task. */

int db_start(struct conn *c, const char *sql, const struct bind *binds, struct stmt **out); /* 0 or error; then step */
int stmt_step(struct stmt *s);                                                              /* 1: a row; 0: no more; or error */
void stmt_end(struct stmt *s);                                                              /* after any start that returned 0 */
int64_t col_int(struct stmt *s, int i);                                                     /* 0 for NULL */
bool col_int_given(struct stmt *s, int i, int64_t *out);                                    /* false for NULL */
struct str col_text(struct stmt *s, int i);                                                 /* p NULL for NULL; valid until the next step */
bool col_null(struct stmt *s, int i);
int col_count(struct stmt *s);

int db_exec(struct conn *c, const struct query *q, const struct bind *binds); /* rows changed, or error */
int db_exec_text(struct conn *c, const char *sql, const struct bind *binds);
int db_insert(struct conn *c, const struct query *q, const struct bind *binds, int64_t *id); /* text ends in RETURNING id */
int db_int(struct conn *c, const struct query *q, const struct bind *binds, int64_t *out);   /* 1 found, 0 none or NULL, error */
int db_text(struct conn *c, const struct query *q, const struct bind *binds, struct arena *a, struct str *out);
int db_ids(struct conn *c, const struct query *q, const struct bind *binds, struct arena *a,
           int64_t **out); /* of all rows: how many, or error */
/* The one row of a query: 1 and *row positioned on it (stmt_end it), 0 none (nothing to end), or error. */
int db_row(struct conn *c, const struct query *q, const struct bind *binds, struct stmt **row);
#define DB_ROWS(rc, c, q, binds, s)                                                                           \
    for (struct stmt *s = NULL; s == NULL && ((rc) = db_start((c), (q)->sql, (binds), &s)) == 0; stmt_end(s)) \
        while (((rc) = stmt_step(s)) == 1)

int db_savepoint(struct conn *c, const char *name);
int db_release(struct conn *c, const char *name);
int db_undo(struct conn *c, const char *name); /* ROLLBACK TO and RELEASE */

/* Writes run side by side on PostgreSQL; where the rows that a write reads don't exist yet or are not its own to lock,
 * it locks out its like. Until the transaction ends; on SQLite, where one write runs at a time, these cost nothing. */
int db_lock(struct conn *c, struct str name);
int db_lock_row(struct conn *c, const char *table, int64_t id);
/* After rows were inserted with ids of the caller's choice: the next ids the store gives are above them. */
int db_settle_ids(struct conn *c);

/* ---- a store ---------------------------------------------------------------------------------------- */

struct db_config {
    const char *dir;           /* SQLite: DIR/desk.db */
    const char *url;           /* PostgreSQL: postgres://..., in libpq's words; then dir is not used */
    const char *replica;       /* PostgreSQL: a streaming replica of it that answers reads, in the same words; NULL: none */
    const struct clock *clock; /* of the moments that db_replica is asked for */
    int writers;               /* PostgreSQL: threads that write, a connection each; 0: default */
    int statement_ms;          /* PostgreSQL: the longest statement, of a read at most its budget; 0: default */
    bool create;               /* make an empty store where there is none */
    const char *remains; /* SQLite, create: what shows that a desk was here. An empty store file beside it is a lost store, no new one */
    const char *content; /* the same, where not even an empty store file is made beside it */
    bool bulk;           /* demo: no durability until db_close, and no readers: read in the tasks */
    bool read_only;      /* check, backup: take no lock, never write */
    bool alone;          /* with read_only: refuse while another deskd uses the store; SQLite: lock it */
    bool filling;        /* with bulk: the target of db_move, which alone opens one that a move left unfinished */
    bool keep_snapshots; /* SQLite: readers leave theirs open for the next read (sqlite_snapshot.c); all reading is between begin and end */
    int mmap_mb, cache_kb; /* 0: defaults */
};

/* Opens, takes the store's lock, migrates forward. On error writes one line that says what to do. */
int db_open(const struct db_config *cfg, struct db **out, char *err, size_t err_size);
int db_close(struct db *db);       /* waits for queued writes, checkpoints, releases the lock; error: a bulk store may not be durable */
bool db_url_valid(struct str url); /* has the form of a PostgreSQL URL */

/* Whether statements wait for another process: then they have no business on an event loop. */
bool db_blocks(const struct db *db);

/* Processes that share a store wake each other. db_ring says that something was committed which the others should look
 * at: it costs the caller nothing, and what comes close together is one message. db_hear waits until another process
 * rang (1) or the time has passed (0); one thread does nothing else, and sends what was rung meanwhile. It may miss: look
 * at the store when the time has passed, too. Negative: db_hush was called. Of a store of one process these do nothing. */
bool db_shared(const struct db *db); /* whether other processes may write to the store */
void db_ring(struct db *db);
int db_hear(struct db *db, int wait_ms);
void db_hush(struct db *db);

/* This thread's read-only connection; opened at first use, closed with the thread. NULL when the store can't be read. */
struct conn *db_reader(struct db *db);
int db_read_begin(struct conn *c, int budget_ms); /* one snapshot; statements past the budget fail with -ERR_SERVICE_UNAVAILABLE */
void db_read_end(struct conn *c);
/* This thread's connection to a replica that has everything that was committed until `since`, REPLICA_SLACK_MS later than
 * somebody's mark says, and does not lag; NULL: read from the store itself. What fails there has not failed here. */
struct conn *db_replica(struct db *db, int64_t since);
bool db_budget_spent(const struct conn *c); /* whether the last failure was the budget's */

/* One write: run() in a savepoint of a transaction shared with other writes; a negative result undoes this task alone.
 * done() after the COMMIT, with run's result, or -ERR_SERVICE_UNAVAILABLE when the COMMIT failed and nothing was kept.
 * run() may be called again after its effects were undone (PostgreSQL retries; a failed batch never reports success). */
struct db_task {
    int (*run)(struct db_task *t, struct conn *c);
    void (*done)(struct db_task *t, int rc);
    struct db_task *next;
};
void db_submit(struct db *db, struct db_task *t);
int db_write(struct db *db, int (*run)(struct conn *c, void *arg), void *arg); /* submits and waits; not from the writer */

struct db_stats {
    int64_t commits, tasks, statements, prepares, wal_bytes, store_bytes;
    int64_t rung; /* by other processes */
    int64_t replica_reads;
    bool replica_usable;
    bool writable; /* false after a failed commit until one succeeds */
    bool sound;    /* false after a statement found damage, until db_found_sound; restarts do not change it */
};
void db_stats(struct db *db, struct db_stats *out);

/* A check of the store whose data folder this is found nothing: damage that was reported is over, in the running process, too. */
void db_found_sound(const char *dir);

/* Copies the store while it is in use (online) to a file that must not exist yet, reads the copy back from the disk and compares:
 * every page (integrity), and the number of rows of each table. A copy that does not pass is removed. progress may be NULL. */
int db_backup(const char *dir, const char *to, void (*progress)(int done, int total), char *err, size_t err_size);

/* Copies every row of every table, then reads both sides back and compares them, all in one transaction of the target.
 * Until it commits nobody but another move opens the target: one that fails or is killed leaves it without rows. */
struct db_moved { /* of one table: the source, the target */
    const char *table;
    int64_t rows[2];
    char sum[2][33]; /* over all rows in the order of the primary key, the same of either engine */
};
struct db_move {
    struct db *from;               /* read_only, alone, of the newest schema */
    struct db *to;                 /* bulk, filling */
    int (*vacant)(struct conn *c); /* whether the target holds no desk: 1, 0, or error */
    void (*progress)(const char *what, int64_t done, int64_t total);
    void (*report)(const struct db_moved *table);
};
int db_move(const struct db_move *m, char *err, size_t err_size);

/* Integrity, foreign keys. One line a finding to report(); returns the number of findings, or error. */
int db_check(const struct db_config *cfg, void (*report)(void *arg, const char *line), void *arg, char *err, size_t err_size);

/* Schema files embedded by the build, in order. */
struct schema_file {
    const char *name, *sql;
};
extern const struct schema_file schema_files[]; /* ends with name NULL */
/* The text that an engine prepares: tokens replaced. For checks that PREPARE every query without running it. */
struct str db_dialect(struct arena *a, bool postgres, const char *sql);

#endif
