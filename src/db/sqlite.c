/* Connections of SQLite: settings for each role, transactions, the budget, the meaning of error codes. */
#include "db/db_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

enum {
    /* five such connections must fit into 50 MiB of heap; the page cache of the system has the rest */
    DEFAULT_READER_KB = 2 * 1024,
    WRITER_CACHE_FACTOR = 2, /* the writer keeps the dirty pages of a whole batch */
    BULK_CACHE_KB = 256 * 1024,
    WAL_SIZE_LIMIT = 64 * 1024 * 1024, /* size to which a log shrinks that grew during a long read */
    READER_WAIT_MS = 250,              /* a reader waits only while the log of a crashed store is recovered */
    BUDGET_STEPS = 1000,               /* virtual machine steps between two checks of the time: about 20 us */
};

/* ---- errors ---------------------------------------------------------------------------------- */

static int sqlite_error_of(const struct conn *c, int code) {
    switch (code) { /* extended codes first */
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID: return ERR_FIELD_DUPLICATE;
    case SQLITE_CONSTRAINT_FOREIGNKEY: return ERR_FIELD_INVALID;
    default: break;
    }
    switch (code & 0xff) {
    case SQLITE_READONLY: /* the file system was remounted read-only after an error; or a read writes */
        return c->role == CONN_READER ? ERR_INTERNAL_ERROR : ERR_SERVICE_UNAVAILABLE;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
    case SQLITE_NOMEM:
    case SQLITE_INTERRUPT:
    case SQLITE_ABORT: /* the transaction was rolled back during a statement */
        return ERR_SERVICE_UNAVAILABLE;
    default: return ERR_INTERNAL_ERROR;
    }
}

void note_damage(struct conn *c, int code) {
    int primary = code & 0xff;
    if (primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB) store_damaged(c->store, sqlite3_errstr(code));
}

/* Does not log an interrupted statement: its budget is spent, and the caller may run it again with a
 * larger one. */
static void note_fault(struct conn *c, int code, const char *text) {
    note_damage(c, code);
    if ((code & 0xff) != SQLITE_INTERRUPT)
        log_often(LOG_ERROR, "failed statements", "store: %s (%d)", text, code);
    c->fault = code;
}

/* SQLite's message may quote a bound value (a search that does not parse). So the message of a statement
 * that ran is used only for constraint errors, which name columns. */
int conn_error(struct conn *c, int code, const char *sql) {
    int err = sqlite_error_of(c, code);
    const char *text = (code & 0xff) == SQLITE_CONSTRAINT ? sqlite3_errmsg(c->handle) : sqlite3_errstr(code);
    if (err == ERR_INTERNAL_ERROR) log_error("store: %s (%d) in: %s", text, code, sql);
    if (err == ERR_SERVICE_UNAVAILABLE) note_fault(c, code, text);
    if (err == ERR_FIELD_INVALID || err == ERR_FIELD_DUPLICATE)
        snprintf(c->refused, sizeof c->refused, "%s in: %s", text, sql);
    return -err;
}

int conn_prepare_error(struct conn *c, int code, const char *sql) {
    int err = sqlite_error_of(c, code);
    if (err == ERR_INTERNAL_ERROR) log_error("store: %s in: %s", sqlite3_errmsg(c->handle), sql);
    if (err == ERR_SERVICE_UNAVAILABLE) note_fault(c, code, sqlite3_errstr(code));
    return -err;
}

static int budget_look(void *arg) {
    struct conn *c = arg;
    if (c->deadline == 0 || clock_monotonic() < c->deadline) return 0;
    c->budget_spent = true;
    return 1;
}

/* ---- opening --------------------------------------------------------------------------------- */

int conn_pragma(struct conn *c, const char *text) { return sqlite3_exec(c->handle, text, NULL, NULL, NULL); }

static int pragma_int(struct conn *c, const char *name, long long value) {
    char text[96];
    snprintf(text, sizeof text, "PRAGMA %s=%lld", name, value);
    return conn_pragma(c, text);
}

/* For @NEXT_WORD: the words of the search index. It has no rows of its own. A change of temp_store drops
 * it. */
#define SEARCH_VOCABULARY \
    "CREATE VIRTUAL TABLE temp.search_vocabulary USING fts5vocab('main', 'search_words', 'instance');"

/* Temporary files of the writer are in memory without temp_store=MEMORY, which costs each write more
 * (db/sqlite_memory.c). */
static int set_up_writer(struct conn *c) {
    /* The writer checkpoints after it has answered, never inside a COMMIT that callers wait for. */
    int rc = conn_pragma(c, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA "
                            "wal_autocheckpoint=0; PRAGMA secure_delete=FAST;" SEARCH_VOCABULARY);
    return rc ? rc : pragma_int(c, "journal_size_limit", WAL_SIZE_LIMIT);
}

/* Exclusive locking keeps the log's index in the memory of this process. No temp_store=MEMORY, because
 * sorting three million rows for an index must spill. A killed process leaves a sound store. A lost
 * machine may not, until db_close makes the store durable. */
static int set_up_bulk(struct conn *c) {
    return conn_pragma(c, "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA "
                          "synchronous=OFF;PRAGMA wal_autocheckpoint=16384; PRAGMA secure_delete=OFF");
}

static int set_up_reader(struct conn *c) {
    return conn_pragma(c, "PRAGMA temp_store=MEMORY; PRAGMA wal_autocheckpoint=0;" SEARCH_VOCABULARY
                          "PRAGMA query_only=ON");
}

static int cache_kb(const struct conn_options *o) {
    int reader = o->cache_kb ? o->cache_kb : DEFAULT_READER_KB;
    switch (o->role) {
    case CONN_READER: return reader;
    case CONN_WRITER: return WRITER_CACHE_FACTOR * reader;
    case CONN_BULK: return o->cache_kb ? o->cache_kb : BULK_CACHE_KB;
    }
    return reader;
}

static int sqlite_set_up(struct conn *c, const struct conn_options *o) {
    sqlite3_extended_result_codes(c->handle, 1);
    sqlite3_busy_timeout(c->handle, o->role == CONN_READER ? READER_WAIT_MS : WRITER_WAIT_MS);
    /* The triggers of search_texts write the full-text index, which SQLite 3.40 allows only to a trusted
     * schema. */
    sqlite3_db_config(c->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, o->role != CONN_READER, NULL);
    sqlite3_db_config(c->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(c->handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
    sqlite3_db_config(c->handle, SQLITE_DBCONFIG_DQS_DML, 0, NULL); /* "x" is a name, as in PostgreSQL */
    sqlite3_db_config(c->handle, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    /* plans never depend on bound values */
    sqlite3_db_config(c->handle, SQLITE_DBCONFIG_ENABLE_QPSG, 1, NULL);
    sqlite3_db_config(c->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL); /* see "failures" in writer.c */
    sqlite3_progress_handler(c->handle, BUDGET_STEPS, budget_look, c);

    /* Without a map by default: SQLite unmaps the file at the first read after each commit of another
     * connection and maps it again, so that every read next to writes pays for new page tables. Reads
     * without writes cost the same with a map (docs/BENCHMARKS.md). */
    int rc = pragma_int(c, "mmap_size", o->mmap_mb * 1024LL * 1024);
    if (rc == 0) rc = pragma_int(c, "cache_size", -cache_kb(o));
    /* A COMMIT writes whole pages to the log, with a checksum of each, and a row changes some bytes of a
     * page. So a page of 2 KiB makes writes cheaper than SQLite's 4 KiB, and reads not dearer
     * (docs/BENCHMARKS.md). A store that exists keeps its pages until it is compacted. */
    if (rc == 0 && o->role != CONN_READER) rc = pragma_int(c, "page_size", STORE_PAGE);
    if (rc) return rc;
    switch (o->role) {
    case CONN_READER: return set_up_reader(c);
    case CONN_WRITER: return set_up_writer(c);
    case CONN_BULK: return set_up_bulk(c);
    }
    return SQLITE_MISUSE;
}

static int log_grew(void *arg, sqlite3 *handle, const char *schema, int pages) {
    struct conn *c = arg;
    (void)handle, (void)schema;
    atomic_store_explicit(&c->wal_pages, pages, memory_order_relaxed);
    return SQLITE_OK;
}

/* Called for each column that a statement reads, while it is prepared. A function that returns rows counts
 * as a table there (json_each), and SQLite reads its catalogue (sqlite_master) to declare it. */
static int table_met(void *arg, int action, const char *table, const char *column, const char *schema,
                     const char *trigger) {
    struct conn *c = arg;
    (void)column, (void)schema, (void)trigger;
    if (action != SQLITE_READ || table == NULL || strncmp(table, "json_", 5) == 0 ||
        strncmp(table, "sqlite_", 7) == 0)
        return SQLITE_OK;
    if (!table_is_tracked(c->store->tracked, str_of(table)))
        snprintf(c->preparing, sizeof c->preparing, "%s", table);
    return SQLITE_OK;
}

int conn_open(const struct conn_options *o, struct conn **out, struct why why) {
    *out = NULL;
    sqlite_configure();
    struct conn *c = conn_new(o->engine, o->store, o->role);
    if (!c) return db_refuse(why, "out of memory");
    int flags = o->role == CONN_READER ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    const char *vfs = o->role == CONN_WRITER ? log_vfs() : NULL;
    int rc = sqlite3_open_v2(o->path, &c->handle, flags | SQLITE_OPEN_NOMUTEX, vfs);
    if (rc == 0) rc = sqlite_set_up(c, o);
    if (rc) {
        rc = db_refuse(why, "%s can't be opened: %s", o->path,
                       c->handle ? sqlite3_errmsg(c->handle) : sqlite3_errstr(rc));
        conn_close(c);
        return rc;
    }
    if (o->role == CONN_WRITER) sqlite3_wal_hook(c->handle, log_grew, c);
    if (o->role == CONN_READER && o->store && o->store->tracked)
        sqlite3_set_authorizer(c->handle, table_met, c);
    conn_join(c);
    *out = c;
    return 0;
}

/* It leaves the store first: db_rest and the writer use connections that they find in the store. */
void conn_close(struct conn *c) {
    if (!c) return;
    conn_leave(c);
    statements_end(c);
    statements_free(c);
    sqlite3_close(c->handle);
    conn_free(c);
}

/* ---- transactions ---------------------------------------------------------------------------- */

int conn_begin(struct conn *c, bool write) {
    assert(!c->transaction);
    int rc = db_exec_text(c, write ? "BEGIN IMMEDIATE" : "BEGIN", NULL);
    c->transaction = rc >= 0;
    return rc < 0 ? rc : 0;
}

bool conn_lost(const struct conn *c) { return c->transaction && sqlite3_get_autocommit(c->handle); }

int conn_commit(struct conn *c) {
    assert(c->transaction);
    statements_end(c);
    int rc = db_exec_text(c, "COMMIT", NULL);
    if (rc < 0) conn_rollback(c);
    c->transaction = false;
    return rc < 0 ? rc : 0;
}

void conn_rollback(struct conn *c) {
    statements_end(c);
    if (c->transaction && !sqlite3_get_autocommit(c->handle)) conn_pragma(c, "ROLLBACK");
    c->transaction = false;
}
