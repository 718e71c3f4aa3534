/* Declarations shared by the files of the SQLite engine. Only these, the tests of db/ and bench/ include it. */
#ifndef DB_DB_INTERNAL_H
#define DB_DB_INTERNAL_H

#include <sqlite3.h>

#include "db/engine.h"

/* ---- connections (sqlite.c) ------------------------------------------------------------------ */

struct conn_options {
    const struct engine *engine;
    struct db *store; /* NULL for a backup or a check: not counted, not closed with a store */
    const char *path;
    enum conn_role role;
    int mmap_mb;  /* 0: no map */
    int cache_kb; /* 0: the default */
};

int conn_open(const struct conn_options *o, struct conn **out, struct why why);
void sqlite_configure(
    void); /* sets the memory of SQLite (sqlite_blocks.c). Call it before SQLite is in use */
/* Opens a temporary file in memory, in a room of at least 32 bytes. */
void memory_file_open(sqlite3_file *f);
const char *log_vfs(void); /* for the writer: the name of the VFS of sqlite_log.c; NULL: that of SQLite */
void conn_close(struct conn *c);
/* Convert an SQLite code to an error. Defects and faults are logged. The first is for statements that ran,
 * the second for those that could not be prepared. */
int conn_error(struct conn *c, int code, const char *sql);
int conn_prepare_error(struct conn *c, int code, const char *sql);
/* reports damage for a code that did not pass through the two above */
void note_damage(struct conn *c, int code);
int conn_begin(struct conn *c, bool write);
int conn_commit(struct conn *c); /* on error the transaction is rolled back */
void conn_rollback(struct conn *c);
/* true: SQLite rolled back the open transaction by itself */
bool conn_lost(const struct conn *c);
/* runs a constant statement without the cache; returns SQLite's code */
int conn_pragma(struct conn *c, const char *text);

/* ---- the store (sqlite_store.c) -------------------------------------------------------------- */

struct writer;

/* A set of tables, see sqlite_marks.c. */
struct mark {
    _Atomic int64_t number; /* of COMMITs that changed a row of the set */
    _Atomic int64_t since;  /* readers of snapshots up to this number may be older than the last of them */
};

struct sqlite_store {
    const char *path;
    const char *remains, *content; /* see db_config */
    struct conn_options reading, writing;
    int lock_fd;
    /* idle reader that keeps the index of the log in memory while the writer is closed; see writer.c */
    struct conn *keeper;
    struct writer *writer;
    _Atomic int64_t version;   /* raised by each COMMIT; see sqlite_snapshot.c */
    _Atomic int64_t snapshots; /* begun so far by readers that keep them */
    _Atomic int64_t tracked;   /* raised by each COMMIT of a change to a tracked table, after `version` */
    struct mark marks[DB_MARKS];
};

#define STORE_FILE "desk.db"
#define STORE_PAGE 2048 /* bytes of a page of a new or compacted store; see sqlite_set_up */
#define STORE_MARK "PRAGMA application_id=1684370283" /* "desk"; see recover() in writer.c */
#define WRITER_WAIT_MS 5000 /* how long the writer waits for a user of the sqlite3 shell */

int sqlite_open(struct db *db, const struct db_config *cfg, const struct schema_file *files, struct why why);
int sqlite_close(struct db *db);
/* Waits a few seconds for a process that has the store and is ending. A desk that runs is not waited for. */
void store_settle(struct arena *a, const char *dir);
int sqlite_compact(struct db *db, struct why why);
void sqlite_submit(struct db *db, struct db_task *t);
bool sqlite_writes_here(const struct db *db);
void sqlite_rest(struct db *db);
void sqlite_stats(struct db *db, struct db_stats *out);
int db_check_with(const char *dir, const struct schema_file *files,
                  void (*report)(void *arg, const char *line), void *arg, struct why why);

/* ---- snapshots (sqlite_snapshot.c) ----------------------------------------------------------- */

int snapshot_begin(struct conn *c, int64_t now);
void snapshot_end(struct conn *c);
int64_t snapshot_number(const struct conn *c); /* see db_snapshot */
int64_t snapshot_newest(const struct db *db);  /* see db_newest_snapshot */
/* true: this thread holds the turn, or snapshots are not kept here */
bool snapshot_held(const struct conn *c);
void reader_close(struct conn *c);               /* conn_close for a reader that may keep a snapshot */
void snapshots_outdated(struct db *db);          /* call it after a COMMIT, before any done() */
int64_t sqlite_generation(const struct db *db);  /* see db_generation; never 0 */
int64_t mark_now(const struct conn *c, int set); /* see db_mark */
/* Call the first before the COMMIT of a connection that writes, and the second after it and
 * snapshots_outdated, before any done(). */
void marks_close(struct conn *c);
void marks_renew(struct conn *c);
/* call it before a checkpoint: ends the snapshots of idle readers, which hold the log back */
void snapshots_let_go(struct db *db);
void readers_rest(struct db *db); /* see db_rest */

/* ---- the writer (writer.c) ------------------------------------------------------------------- */

struct writer *writer_start(struct db *store, struct conn *c); /* NULL: no thread could be started */
/* runs queued tasks; returns the connection; NULL: it was lost */
struct conn *writer_stop(struct writer *w);
void writer_submit(struct writer *w, struct db_task *t);
void writer_rest(struct writer *w); /* see db_rest */
bool writer_writable(const struct writer *w);
bool writer_is_me(const struct writer *w); /* true: the calling thread is the writer */

extern const struct mover sqlite_mover; /* sqlite_move.c */

/* ---- the schema (migrate.c) ------------------------------------------------------------------ */

/* the version; error: not a store of deskd */
int schema_version(struct conn *c, const struct schema_file *files, struct why why);
/* error: the store does not have the newest schema */
int schema_current(struct conn *c, const struct schema_file *files, struct why why);
int schema_migrate(struct conn *c, const struct schema_file *files, struct why why);

#endif
