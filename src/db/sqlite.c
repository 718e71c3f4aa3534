/* Connections of SQLite: how each kind is set up, transactions, the budget, and what an error code means to us. */
#include "db/db_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

enum {
    DEFAULT_MMAP_MB = 256,
    DEFAULT_READER_KB = 2 * 1024, /* mmap serves most reads; five such connections must fit into 50 MiB of heap */
    WRITER_CACHE_FACTOR = 4,      /* the writer keeps the pages of a whole batch dirty */
    BULK_CACHE_KB = 256 * 1024,
    WAL_SIZE_LIMIT = 64 * 1024 * 1024, /* what a log that grew under a long reader shrinks back to */
    READER_WAIT_MS = 250,              /* a reader waits only while a crashed store's log is recovered */
    WRITER_WAIT_MS = 5000,             /* the writer, while somebody uses the sqlite3 shell on the store */
    BUDGET_STEPS = 1000,               /* virtual machine steps between two looks at the clock: about 20 us */
};

int refuse(struct why why, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(why.p, why.n, fmt, args);
    va_end(args);
    return -ERR_SERVICE_UNAVAILABLE;
}

/* ---- errors ------------------------------------------------------------------------------------------ */

static int error_of(int code)
{
    switch (code) { /* extended codes first */
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID: return ERR_FIELD_DUPLICATE;
    case SQLITE_CONSTRAINT_FOREIGNKEY: return ERR_FIELD_INVALID;
    default: break;
    }
    switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY: /* the file system was remounted after an error */
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
    case SQLITE_NOMEM:
    case SQLITE_INTERRUPT:
    case SQLITE_ABORT: /* the transaction was rolled back under a statement */ return ERR_SERVICE_UNAVAILABLE;
    default: return ERR_INTERNAL_ERROR;
    }
}

/* SQLite's message may quote a value (a search text that is no search text), so only those of constraints, which name
 * columns, and of texts that don't prepare are logged; of the rest the code. */
int conn_error(const struct conn *c, int code, const char *sql)
{
    int err = error_of(code), primary = code & 0xff;
    bool prepared = sqlite3_next_stmt(c->handle, NULL) && code != SQLITE_ERROR;
    if (err == ERR_INTERNAL_ERROR)
        log_error("store: %s (%d) in: %s", prepared ? sqlite3_errmsg(c->handle) : sqlite3_errstr(code), code, sql);
    else if (primary == SQLITE_IOERR || primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB)
        log_error("store: %s (%d, errno %d)", sqlite3_errstr(code), code, sqlite3_system_errno(c->handle));
    return -err;
}

static int budget_look(void *arg)
{
    struct conn *c = arg;
    if (c->deadline == 0 || clock_monotonic() < c->deadline) return 0;
    c->budget_spent = true;
    return 1;
}
