/* The store: connections, statements, group commit. It runs SQL and does not depend on what the tables
 * mean.
 *
 * Both engines take one dialect: RETURNING, ON CONFLICT, CTEs, window functions, row values, NULLS LAST,
 * times as BIGINT milliseconds, booleans 0/1, JSON as text, named parameters (:name), CAST(:x AS BIGINT)
 * where a type is not evident. If the engines differ, a statement has a token, which the engine
 * replaces when it prepares the statement:
 *
 *     @LIST(:ids)    the integers of a JSON array, as a row source for IN:  id IN @LIST(:ids)
 *     @EACH_ID(:ids) the same as a row source for a join. Give it a name; its column is `value`
 *     @TEXTS(:names) as @LIST, for texts
 *     @ROWS(:rows)   a row source: the arrays in a JSON array. Its column is `value`; value ->> 0 is the first cell of a row, as text
 *     @EACH_TEXT(t.list) a row source: the texts in a JSON array that a row of an earlier table has. Give it a name; its column is `value`
 *     @INSTR@(a, b)  position of text b in text a, compared by bytes; 0: not found
 *     @CLOSED_UP(a)  text a without "(0)" and what people write between the digits of a telephone number: blanks, hyphens, dashes, full stops,
 *                    slashes, parentheses. No parenthesis in a
 *     @FOUND(:words) a row source: the ids of search_texts with these words. :words is  "a" OR "b"  or  "a" *  for a prefix. A word has no
 *                    blank, quote or colon
 *     @NEXT_WORD(:text) the first word of the search index that is not before the text, or NULL. PostgreSQL can't list them: '*' there
 *     @UNSEEN(:place) a condition on a table with @XID@: its rows that a reader at this place has not seen
 *     @SEEN(:place)  the opposite: its rows that were committed at this place
 *     @PLACE(table)  the reader's present place in a table with @XID@, in this snapshot; CAST it to TEXT
 *     @AFTER(table)  the place after this write, if no other write is under way; CAST it to TEXT
 *     @STORE@        identifies the store that these places belong to
 *     @JSON_ROWS(x)  aggregate: the values of a column as a JSON array, as text
 *     @FREE_SHARD(t WHERE ...) in a write, of a table with a column `shard`: the shard of such a row that no other write has
 *                    locked, and locks it. Without one, a small number that concurrent writes seldom share. 0 on SQLite
 *     @ID@ @BLOB@ @XID@ in schema files only: an identity column; the type of bytes; the id of the transaction
 *     @SQLITE{ ... }@ @POSTGRES{ ... }@ in schema files only: a part for one engine. No literal in it contains }@
 *     @RETURN_ID@    at the end of an INSERT of one row for db_insert: its id (empty on SQLite, whose connection has it; a
 *                    RETURNING costs a table in memory)
 *     @NEXT_POST_ID@ in a write: the id of the message, note or activity that the write inserts next. Each INSERT of one names
 *                    it (docs/ARCHITECTURE.md, "Ids of posts")
 *     @NEXT_CASE_ID@ @NEXT_JOB_ID@ @NEXT_MAIL_ID@ the same for a row of cases, jobs and outgoing_mails
 *     @NEXT_JOB_IDS@ the same in a SELECT that inserts a job for each of its rows
 *     @LOCK@         at the end of a SELECT in a write: lock these rows (empty on SQLite: one writer)
 *     @HOLD@         at the end of a SELECT in a write: lock these rows in share mode: no other write changes them
 *     @SKIP@         like @LOCK@, but skip rows that another write has locked
 *     @BY_VALUES@    at the end of a SELECT of a range that may be one row or all: PostgreSQL plans it at each run.
 *                    Otherwise it takes a generic plan after five runs, which reads whole tables for a few rows,
 *                    as long as the connection lives
 *
 * Statements are cached by their text in each connection, so their texts must come from a bounded set.
 * Always bind values. */
#ifndef DB_DB_H
#define DB_DB_H

#include "base/arena.h"
#include "base/str.h"

struct db;   /* an open store: one writer, one reader for each thread */
struct conn; /* a connection; one thread uses it at a time */
struct stmt; /* a cached statement in use, until stmt_end */

/* ---- queries --------------------------------------------------------------------------------- */

/* A named query. QUERY puts a pointer to each into one linker section, so that a check can PREPARE all of
 * them on both engines. */
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
    const char *name; /* with its colon; ignored if the query has no such parameter */
    enum bind_type type;
    bool literal; /* name is a string literal: its address alone says which name it is */
    int64_t i;
    struct str s;
};
#define B_INT(n, v) \
    { .name = ":" n, .literal = true, .type = BIND_INT, .i = (v) }
#define B_TEXT(n, v) \
    { .name = ":" n, .literal = true, .type = BIND_TEXT, .s = (v) } /* v.p NULL binds NULL */
#define B_BLOB(n, v) \
    { .name = ":" n, .literal = true, .type = BIND_BLOB, .s = (v) }
#define B_NULL(n) \
    { .name = ":" n, .literal = true, .type = BIND_NULL }
#define B_ID(n, v) \
    { .name = ":" n, .literal = true, .type = (v) ? BIND_INT : BIND_NULL, .i = (v) } /* 0 binds NULL */
#define BINDS(...) ((const struct bind[]){__VA_ARGS__, {0}})                         /* NULL: no binds */

/* ---- statements ------------------------------------------------------------------------------ Errors:
 * -ERR_FIELD_DUPLICATE (unique violation), -ERR_FIELD_INVALID (foreign key), -ERR_SERVICE_UNAVAILABLE
 * (full disk, I/O, lost connection, budget spent), -ERR_INTERNAL_ERROR (a defect; logged here with the
 * text of the query, never its values).
 *
 * Bind every parameter, if only to NULL. An unbound one is -ERR_INTERNAL_ERROR. Bound bytes must stay in
 * place until stmt_end. A foreign key may be checked when a statement ends, so a statement that RETURNS
 * rows may fail after its rows. Its task then fails. */

/* 0 or error; then step */
int db_start(struct conn *c, const char *sql, const struct bind *binds, struct stmt **out);
/* 1: a row; 0: no more rows; or error */
int stmt_step(struct stmt *s);
void stmt_end(struct stmt *s);                           /* call it after each db_start that returned 0 */
int64_t col_int(struct stmt *s, int i);                  /* 0 for NULL */
bool col_int_given(struct stmt *s, int i, int64_t *out); /* false for NULL */
struct str col_text(struct stmt *s, int i);              /* p NULL for NULL; valid until the next step */
bool col_null(struct stmt *s, int i);
int col_count(struct stmt *s);

/* number of changed rows, or error */
int db_exec(struct conn *c, const struct query *q, const struct bind *binds);
int db_exec_text(struct conn *c, const char *sql, const struct bind *binds);
/* Runs a statement of a write whose result nobody reads, and which returns no row. Returns 0 or an error. On
 * PostgreSQL it may return before the statement has run: it runs before the next one, and its error is then
 * that of a later statement of the task, or of the COMMIT (src/db/postgres_pipeline.c). */
int db_later(struct conn *c, const struct query *q, const struct bind *binds);
int db_later_text(struct conn *c, const char *sql, const struct bind *binds);
/* the query inserts one row, and ends in RETURNING id or @RETURN_ID@ */
int db_insert(struct conn *c, const struct query *q, const struct bind *binds, int64_t *id);
/* 1: found; 0: no row, or NULL; or error */
int db_int(struct conn *c, const struct query *q, const struct bind *binds, int64_t *out);
int db_text(struct conn *c, const struct query *q, const struct bind *binds, struct arena *a,
            struct str *out);
int db_ids(struct conn *c, const struct query *q, const struct bind *binds, struct arena *a,
           int64_t **out); /* ids of all rows; returns their number, or error */
/* Reads the one row of a query. Returns 1 with *row on it (end it with stmt_end), 0 if there is none
 * (nothing to end), or error. */
int db_row(struct conn *c, const struct query *q, const struct bind *binds, struct stmt **row);
#define DB_ROWS(rc, c, q, binds, s)                                                              \
    for (struct stmt *s = NULL; s == NULL && ((rc) = db_start((c), (q)->sql, (binds), &s)) == 0; \
         stmt_end(s))                                                                            \
        while (((rc) = stmt_step(s)) == 1)

int db_savepoint(struct conn *c, const char *name);
int db_release(struct conn *c, const char *name);
int db_undo(struct conn *c, const char *name); /* ROLLBACK TO and RELEASE */

/* Lock a name or a row until the transaction ends. PostgreSQL runs writes concurrently, so a write locks a
 * name if the rows that its rule depends on don't exist yet or can't be locked. On SQLite one write runs
 * at a time, and these do nothing. */
int db_lock(struct conn *c, struct str name);
int db_share(struct conn *c, struct str name); /* others may share the lock, too, but not db_lock it */
int db_lock_row(struct conn *c, const char *table, int64_t id);
bool db_writes(const struct conn *c); /* true: the connection of a write, which may lock */
/* Call it after inserting rows with ids of the caller's choice: the ids that the store assigns next are above them. */
int db_settle_ids(struct conn *c);
/* The next row of the table gets this id, for a row that keeps the id of another desk. The table assigns ids,
 * and has none as high. Returns 1, 0 if it has, or error. */
int db_next_id(struct conn *c, const char *table, int64_t id);
/* Samples the values of all tables, after many rows were inserted. Without samples PostgreSQL plans badly
 * until its next autovacuum. SQLite plans without them. */
int db_analyze(struct conn *c);

/* ---- a store --------------------------------------------------------------------------------- */

/* A table whose changes are tracked, for what is kept in memory of its rows. Statements are examined by
 * their text: INSERT INTO, UPDATE and DELETE FROM are in capitals, and a foreign key that changes rows of
 * a tracked table belongs to a tracked one. */
struct db_tracked_table {
    const char *table; /* NULL ends a list */
    const char *
        column; /* only a DELETE, or an UPDATE that names this column, is a change; NULL: every write is; "": none is */
    const char *except; /* an UPDATE that names this column is no change; NULL: none */
};

struct db_config {
    const char *dir;           /* SQLite: DIR/desk.db */
    const char *url;           /* PostgreSQL: a libpq URL, postgres://...; dir is not used then */
    const char *replica;       /* PostgreSQL: the URL of a streaming replica that serves reads; NULL: none */
    const struct clock *clock; /* the clock of the moments that db_replica takes, and of on_change */
    int writers;               /* PostgreSQL: number of writer threads, a connection each; 0: default */
    /* PostgreSQL: statement timeout in milliseconds; reads use at most their budget; 0: default */
    int statement_ms;
    bool create; /* make an empty store if there is none */
    /* SQLite, create: a file that proves a desk was here: an empty store file beside it is refused as lost */
    const char *remains;
    const char *content; /* the same, and a missing store file is refused, too */
    bool bulk;           /* demo: no durability until db_close, and no readers: read in the tasks */
    bool read_only;      /* check, backup: takes no lock, never writes */
    bool alone;          /* with read_only: refuse if another deskd uses the store; SQLite: lock it */
    bool at_once;        /* SQLite: do not wait for another process that uses the store */
    /* with bulk: the target of db_move; only this opens a store that an interrupted move left */
    bool filling;
    /* SQLite: readers keep snapshots for the next read (sqlite_snapshot.c); read only between begin and
     * end */
    bool keep_snapshots;
    int mmap_mb;                            /* 0: no map */
    int cache_kb;                           /* 0: the default */
    const struct db_tracked_table *tracked; /* see db_generation; NULL: none. Constant */
    /* sets of tables for db_mark, DB_MARKS at most; a NULL ends the list; NULL: none. Constant */
    const struct db_tracked_table *const *marked;
    /* run in each write that changed a tracked table, if other processes use the store; binds :now of
     * `clock` */
    const struct query *on_change;
};

/* Opens the store, takes its lock and migrates it. On error writes one line that says what to do. */
int db_open(const struct db_config *cfg, struct db **out, char *err, size_t err_size);
/* waits for queued writes, checkpoints, releases the lock; error: a bulk store may not be durable */
int db_close(struct db *db);
bool db_url_valid(struct str url); /* true: it has the form of a PostgreSQL URL */

/* Returns true if statements wait for another process. Then don't run them on an event loop. */
bool db_blocks(const struct db *db);

/* Returns a number that each COMMIT of a change to a tracked table changes, before its write is answered.
 * Rows of these tables that were read in a snapshot that was begun after this call are still exact while
 * the number is the same. 0: other processes may write, so nothing is known. */
int64_t db_generation(const struct db *db);

/* Returns a number of the snapshot of this read, which no other snapshot of the process has: another read
 * with this number finds the same rows. 0: not known. */
int64_t db_snapshot(const struct conn *c);
/* The number of the newest snapshot. One with a greater number is begun after this call, so it sees all that
 * is committed now. */
int64_t db_newest_snapshot(const struct db *db);

#define DB_MARKS 8
/* Returns a number for the rows of a set of tables (db_config.marked), counted from 0, as this read or write
 * finds them: another read or write with this number finds the same rows. 0: not known, also after this
 * write has changed one. PostgreSQL: always 0, because other processes write. */
int64_t db_mark(const struct conn *c, int set);

/* Returns the name of a table that a statement of this read names and that is not tracked, or NULL. Results
 * of its rows must not be kept. On PostgreSQL it is always NULL, because libpq does not list the tables
 * that a statement reads. */
const char *db_untracked(const struct conn *c);

/* Processes that share a store wake each other. In a store of one process these do nothing. db_notify
 * announces a commit to the other processes. It costs the caller nothing. Announcements close together
 * become one message. db_listen waits for an announcement. Returns 1 if another process has announced a
 * commit, 0 if the time has passed, or negative after db_listen_end. One thread does only this, and also
 * sends the announcements of this process. A message may be lost, so look at the store after a timeout,
 * too. */
bool db_shared(const struct db *db); /* true: other processes may write to the store */
void db_notify(struct db *db);
int db_listen(struct db *db, int wait_ms);
void db_listen_end(struct db *db);

/* Returns this thread's read-only connection, or NULL if the store can't be read. It is opened at first
 * use and closed with the thread. */
struct conn *db_reader(struct db *db);
/* Closes this thread's connection, if it has one: for a thread that seldom reads. */
void db_reader_end(struct db *db);
/* Connections that nobody uses at the moment give back their cached pages, of any thread. */
void db_rest(struct db *db);
/* opens one snapshot; statements past the budget fail with -ERR_SERVICE_UNAVAILABLE */
int db_read_begin(struct conn *c, int budget_ms);
void db_read_end(struct conn *c);
/* Call it before the first statement of a read: reads with this key often run the same statements, with the same values,
 * or with `given`. It changes no result. PostgreSQL may send them at once (src/db/postgres_hints.c). */
void db_expect(struct conn *c, uint64_t key, int64_t given);
/* Returns this thread's connection to a replica, or NULL: read from the store itself. The replica (1) has
 * all that was committed until `since`, which includes REPLICA_SLACK_MS, and (2) does not lag. If a read
 * fails on it, read from the store. */
struct conn *db_replica(struct db *db, int64_t since);
bool db_budget_spent(const struct conn *c); /* true: the last failure was caused by the spent budget */

/* One write: run() in a transaction that may be shared with other writes. A negative result undoes this
 * task alone. done() is called once, after the COMMIT, with the result of run(), or
 * -ERR_SERVICE_UNAVAILABLE if the COMMIT failed and nothing was kept. run() may be called again after its
 * effects in the store were undone, also after it has succeeded, because another write of the transaction
 * failed. So it changes nothing outside of the store that a second call does not set again. */
struct db_task {
    int (*run)(struct db_task *t, struct conn *c);
    void (*done)(struct db_task *t, int rc);
    bool begins_batch; /* many statements: src/db/writer.c */
    struct db_task *next;
};
void db_submit(struct db *db, struct db_task *t);
/* submits and waits; never call it on a writer thread */
int db_write(struct db *db, int (*run)(struct conn *c, void *arg), void *arg);
/* The same at the beginning of a batch, where it sees nothing that is not committed: for a write that does
 * what no rollback undoes. */
int db_write_first(struct db *db, int (*run)(struct conn *c, void *arg), void *arg);

struct db_stats {
    int64_t commits, tasks, statements, prepares, wal_bytes, store_bytes;
    int64_t notified; /* messages from other processes */
    int64_t replica_reads;
    bool replica_usable;
    bool writable; /* false after a failed COMMIT until one succeeds */
    bool sound;    /* false after a statement met damage, until db_found_sound; a restart does not reset it */
};
void db_stats(struct db *db, struct db_stats *out);

/* Rewrites the store, so that no byte of deleted rows and old values is left in its files. Nothing else
 * may use the store meanwhile, and only db_close may be called afterwards. On error writes one line. */
int db_compact(struct db *db, char *err, size_t err_size);

/* Call it after a check of the store in `dir` that found nothing. Clears reported damage, in a running
 * process, too. */
void db_found_sound(const char *dir);

/* Copies the store while it is in use to a file that must not exist, reads the copy back from the disk and
 * compares: every page (integrity check) and the number of rows of each table. Removes a copy that fails.
 * progress may be NULL. */
int db_backup(const char *dir, const char *to, void (*progress)(int done, int total), char *err,
              size_t err_size);

/* Returns 0 if the file is a copy of a store, otherwise writes one line that gives the reason. */
int db_backup_look(const char *path, char *err, size_t err_size);

/* A derived table: a full-text index, or another table whose rows follow from the rows of other tables.
 * deskd move does not copy it, because an engine keeps it in a form of its own: FTS5 in a virtual table with
 * shadow tables, PostgreSQL in an ordinary table or an index. It is rebuilt in the target.
 *
 * A virtual table that is no derived table is refused. Its shadow tables are never copied. */
struct db_derived {
    const char *table; /* on one engine or on both; NULL ends a list */
    /* Replaces the rows of the table, from those of other tables. It runs in the transaction of the move,
     * when all rows and indexes are in the target. It is called on every engine. Returns 0 or a negative
     * error. */
    int (*rebuild)(struct conn *c);
};

/* Copies every row of every table, then reads both sides back and compares them, in one transaction of the
 * target. Until it commits, only another move can open the target. A move that fails or is killed leaves
 * the target without rows. */
struct db_moved { /* one table: [0] the source, [1] the target */
    const char *table;
    int64_t rows[2];
    char sum[2][33]; /* hash of all rows in the order of the primary key; the same on both engines */
};
struct db_move {
    const struct db_derived *derived;
    struct db *from;               /* opened read_only and alone, of the newest schema */
    struct db *to;                 /* opened with bulk and filling */
    int (*vacant)(struct conn *c); /* 1: the target holds no desk; 0; or error */
    void (*progress)(const char *what, int64_t done, int64_t total);
    void (*report)(const struct db_moved *table);
};
int db_move(const struct db_move *m, char *err, size_t err_size);

/* Checks integrity and foreign keys. Calls report() with one line for each finding. Returns the number of
 * findings, or error. */
int db_check(const struct db_config *cfg, void (*report)(void *arg, const char *line), void *arg, char *err,
             size_t err_size);

/* The schema files, in order. The build embeds them. */
struct schema_file {
    const char *name, *sql;
};
extern const struct schema_file schema_files[]; /* name NULL ends it */
/* Returns the statement that an engine prepares, with tokens replaced. For checks that PREPARE every query
 * without running it. */
struct str db_dialect(struct arena *a, bool postgres, const char *sql);
/* The names of a text's parameters, each once, with its colon; names has room for max. Returns how many. */
size_t db_names(struct arena *a, const char *sql, struct str *names, size_t max);

#endif
