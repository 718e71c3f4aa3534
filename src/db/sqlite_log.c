/* The writer's access to files: writes the frames of a COMMIT to the log with one call of the system.
 *
 * SQLite writes each frame of its log with two calls: 24 bytes of header, then a page. The frames
 * of a COMMIT follow each other. This layer between SQLite and its own access to files (a VFS) keeps in
 * memory what is written to the log, and passes it on as one piece:
 *
 *     SQLite:  header | page | header | page | ... | sync
 *     file:                                     write, sync
 *
 * Nothing of SQLite's order changes. What was kept reaches the file before the sync that follows it, before a
 * read of these bytes, and before any other call for this file. SQLite publishes frames to other connections
 * only after the sync, because the writer has synchronous=FULL. So this is for the writer alone: another
 * connection reads the file by itself and never meets a frame that is only kept. If the write fails, the call
 * that caused it fails, and SQLite rolls back the transaction as it would for its own write.
 *
 * Temporary files are in memory (db/sqlite_memory.c), except the copy that VACUUM makes. All other files, and
 * locks, are those of SQLite's VFS. */
#include "db/db_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Bytes; a longer COMMIT is written in several pieces. SQLite's VFS writes less than 128 KiB at a time. */
#define KEPT_MOST (127 * 1024)
#define VFS_NAME "deskd-log"

struct log_file {
    sqlite3_file base;  /* SQLite's view: must be the first */
    sqlite3_file *file; /* the real file, behind this struct */
    char *kept;
    sqlite3_int64 at; /* place in the file of the kept bytes */
    int n;
};

static sqlite3_vfs *system_vfs;

static struct log_file *log_of(sqlite3_file *f) { return (struct log_file *)(void *)f; }

static int pass_on(struct log_file *l) {
    int n = l->n;
    l->n = 0; /* after a failure the transaction is rolled back */
    return n ? l->file->pMethods->xWrite(l->file, l->kept, n, l->at) : SQLITE_OK;
}

static int log_write(sqlite3_file *f, const void *bytes, int n, sqlite3_int64 at) {
    struct log_file *l = log_of(f);
    if (l->n && (at != l->at + l->n || l->n + n > KEPT_MOST)) {
        int rc = pass_on(l);
        if (rc) return rc;
    }
    if (n > KEPT_MOST) return l->file->pMethods->xWrite(l->file, bytes, n, at);
    if (l->n == 0) l->at = at;
    memcpy(l->kept + l->n, bytes, (size_t)n);
    l->n += n;
    return SQLITE_OK;
}

static int log_read(sqlite3_file *f, void *out, int n, sqlite3_int64 at) {
    struct log_file *l = log_of(f);
    bool meets = l->n && at < l->at + l->n && at + n > l->at;
    int rc = meets ? pass_on(l) : SQLITE_OK;
    return rc ? rc : l->file->pMethods->xRead(l->file, out, n, at);
}

static int log_sync(sqlite3_file *f, int flags) {
    struct log_file *l = log_of(f);
    int rc = pass_on(l);
    return rc ? rc : l->file->pMethods->xSync(l->file, flags);
}

static int log_truncate(sqlite3_file *f, sqlite3_int64 size) {
    struct log_file *l = log_of(f);
    int rc = pass_on(l);
    return rc ? rc : l->file->pMethods->xTruncate(l->file, size);
}

static int log_size(sqlite3_file *f, sqlite3_int64 *size) {
    struct log_file *l = log_of(f);
    int rc = pass_on(l);
    return rc ? rc : l->file->pMethods->xFileSize(l->file, size);
}

static int log_control(sqlite3_file *f, int what, void *arg) {
    struct log_file *l = log_of(f);
    int rc = pass_on(l);
    return rc ? rc : l->file->pMethods->xFileControl(l->file, what, arg);
}

static int log_close(sqlite3_file *f) {
    struct log_file *l = log_of(f);
    pass_on(l);
    free(l->kept);
    return l->file->pMethods->xClose(l->file);
}

static int log_lock(sqlite3_file *f, int level) {
    return log_of(f)->file->pMethods->xLock(log_of(f)->file, level);
}
static int log_unlock(sqlite3_file *f, int level) {
    return log_of(f)->file->pMethods->xUnlock(log_of(f)->file, level);
}
static int log_reserved(sqlite3_file *f, int *out) {
    return log_of(f)->file->pMethods->xCheckReservedLock(log_of(f)->file, out);
}
static int log_sector(sqlite3_file *f) { return log_of(f)->file->pMethods->xSectorSize(log_of(f)->file); }
static int log_device(sqlite3_file *f) {
    return log_of(f)->file->pMethods->xDeviceCharacteristics(log_of(f)->file);
}

static const sqlite3_io_methods log_methods = {
    .iVersion = 1, /* without maps and shared memory, which the log does not use */
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_size,
    .xLock = log_lock,
    .xUnlock = log_unlock,
    .xCheckReservedLock = log_reserved,
    .xFileControl = log_control,
    .xSectorSize = log_sector,
    .xDeviceCharacteristics = log_device,
};

static int open_log(const char *name, struct log_file *l, int flags, int *out_flags) {
    l->file = (sqlite3_file *)(void *)(l + 1);
    l->kept = malloc(KEPT_MOST);
    if (l->kept == NULL) return SQLITE_NOMEM;
    l->file->pMethods = NULL;
    int rc = system_vfs->xOpen(system_vfs, name, l->file, flags, out_flags);
    if (rc) {
        /* SQLite closes a file whose opening failed if it has methods */
        if (l->file->pMethods) l->file->pMethods->xClose(l->file);
        free(l->kept);
        return rc;
    }
    l->base.pMethods = &log_methods;
    return SQLITE_OK;
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out_flags) {
    (void)vfs;
    if (name == NULL && !(flags & SQLITE_OPEN_TEMP_DB)) { /* a temporary file, but not the copy of VACUUM */
        memory_file_open(f);
        if (out_flags) *out_flags = flags;
        return SQLITE_OK;
    }
    if (!(flags & SQLITE_OPEN_WAL)) return system_vfs->xOpen(system_vfs, name, f, flags, out_flags);
    memset(f, 0, sizeof(struct log_file));
    return open_log(name, log_of(f), flags, out_flags);
}

static void register_vfs(void) {
    static sqlite3_vfs vfs;
    system_vfs = sqlite3_vfs_find(NULL);
    if (system_vfs == NULL) return;
    vfs = *system_vfs; /* all its functions but one */
    vfs.zName = VFS_NAME;
    vfs.pNext = NULL;
    vfs.szOsFile += (int)sizeof(struct log_file);
    vfs.xOpen = vfs_open;
    sqlite3_vfs_register(&vfs, 0);
}

const char *log_vfs(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_vfs);
    return system_vfs ? VFS_NAME : NULL;
}
