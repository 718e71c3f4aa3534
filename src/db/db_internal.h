/* What the files of the SQLite engine share. Nobody else includes this, but the tests of db/. */
#ifndef DB_DB_INTERNAL_H
#define DB_DB_INTERNAL_H

#include <sqlite3.h>

#include "db/engine.h"

/* ---- connections (sqlite.c) ------------------------------------------------------------------------------ */

struct conn_options {
    struct db *store; /* NULL for a backup or a check: not counted, not closed with a store */
    const char *path;
    enum conn_role role;
    int mmap_mb, cache_kb; /* 0: defaults */
};

int conn_open(const struct conn_options *o, struct conn **out, struct why why);
void conn_close(struct conn *c);
/* What an SQLite code means to us; logged where it is a bug or a fault: of a text that ran, and of one that did not
 * prepare. */
int conn_error(struct conn *c, int code, const char *sql);
int conn_prepare_error(struct conn *c, int code, const char *sql);
void note_damage(struct conn *c, int code); /* of a code that came past the two above */
int conn_begin(struct conn *c, bool write);
int conn_commit(struct conn *c); /* on error the transaction is rolled back */
void conn_rollback(struct conn *c);
bool conn_lost(const struct conn *c);              /* SQLite rolled the open transaction back by itself */
int conn_pragma(struct conn *c, const char *text); /* runs a constant text without the cache; SQLite's code */

/* ---- the store (sqlite_store.c) -------------------------------------------------------------------------- */

struct writer;

struct sqlite_store {
    const char *path;
    const char *remains, *content; /* see db_config */
    struct conn_options reading, writing;
    int lock_fd;
    struct conn *keeper; /* idle reader that keeps the log's index alive while the writer is closed; see writer.c */
    struct writer *writer;
    _Atomic int64_t version; /* raised by each COMMIT; see sqlite_snapshot.c */
};

#define STORE_FILE "desk.db"
#define STORE_MARK "PRAGMA application_id=1684370283" /* "desk"; see recover() in writer.c */
#define WRITER_WAIT_MS 5000                           /* how long the writer waits for somebody who uses the sqlite3 shell on the store */

int sqlite_open(struct db *db, const struct db_config *cfg, const struct schema_file *files, struct why why);
int sqlite_close(struct db *db);
void sqlite_submit(struct db *db, struct db_task *t);
bool sqlite_writes_here(const struct db *db);
void sqlite_stats(struct db *db, struct db_stats *out);
int db_check_with(const char *dir, const struct schema_file *files, void (*report)(void *arg, const char *line), void *arg, struct why why);

/* ---- what is read of one state of the store (sqlite_snapshot.c) -------------------------------------------- */

int snapshot_begin(struct conn *c, int64_t now);
void snapshot_end(struct conn *c);
bool snapshot_held(const struct conn *c); /* or not kept here: the connection is this thread's alone just now */
void snapshot_drop(struct conn *c);       /* before it is closed */
void snapshots_outdated(struct db *db);   /* after a COMMIT, before anybody is told of it */
void snapshots_let_go(struct db *db);     /* before a checkpoint: nobody who rests holds the log back */

/* ---- the writer (writer.c) ------------------------------------------------------------------------------- */

struct writer *writer_start(struct db *store, struct conn *c); /* NULL when no thread could be started */
struct conn *writer_stop(struct writer *w);                    /* after the queued tasks; its connection, NULL when it lost it */
void writer_submit(struct writer *w, struct db_task *t);
bool writer_writable(const struct writer *w);
bool writer_is_me(const struct writer *w); /* the calling thread is the writer's */

extern const struct mover sqlite_mover; /* sqlite_move.c */

/* ---- the schema (migrate.c) ------------------------------------------------------------------------------ */

int schema_version(struct conn *c, const struct schema_file *files, struct why why); /* or error when it is not ours */
int schema_current(struct conn *c, const struct schema_file *files, struct why why); /* error: it is not of the newest */
int schema_migrate(struct conn *c, const struct schema_file *files, struct why why);

#endif
