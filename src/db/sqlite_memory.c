/* Temporary files of the writer, in memory.
 *
 * SQLite keeps the former pages of a statement until the statement is done, so that it can undo it. With
 * temp_store=MEMORY it keeps them in pieces of 1 KiB, five allocations for each page: a sixteenth of the
 * instructions of a write. Without it, they are one block of 64 KiB, and the rest of a long statement is a
 * temporary file. Here this file is a block of memory, too. So a write needs no other folder than that of
 * the data, and leaves no contents in it. */
#include "db/db_internal.h"

#include <stdlib.h>
#include <string.h>

struct memory_file {
    sqlite3_file base; /* SQLite's view: must be the first */
    char *bytes;
    size_t size, room;
};

static struct memory_file *memory_of(sqlite3_file *f) { return (struct memory_file *)(void *)f; }

static int memory_close(sqlite3_file *f) {
    free(memory_of(f)->bytes);
    memory_of(f)->bytes = NULL;
    return SQLITE_OK;
}

static int memory_read(sqlite3_file *f, void *out, int n, sqlite3_int64 at) {
    const struct memory_file *m = memory_of(f);
    size_t from = (size_t)at, most = (size_t)n, left = from < m->size ? m->size - from : 0,
           have = left < most ? left : most;
    if (have) memcpy(out, m->bytes + from, have);
    if (have == most) return SQLITE_OK;
    memset((char *)out + have, 0, most - have); /* as SQLite asks for */
    return SQLITE_IOERR_SHORT_READ;
}

static bool memory_grow(struct memory_file *m, size_t size) {
    size_t room = m->room ? m->room : 64 * 1024;
    while (room < size) room *= 2;
    char *bytes = room == m->room ? m->bytes : realloc(m->bytes, room);
    if (bytes == NULL) return false;
    if (room > m->room) memset(bytes + m->room, 0, room - m->room); /* a write may leave a gap */
    m->bytes = bytes;
    m->room = room;
    return true;
}

static int memory_write(sqlite3_file *f, const void *bytes, int n, sqlite3_int64 at) {
    struct memory_file *m = memory_of(f);
    size_t end = (size_t)at + (size_t)n;
    if (!memory_grow(m, end)) return SQLITE_IOERR_NOMEM;
    memcpy(m->bytes + at, bytes, (size_t)n);
    if (m->size < end) m->size = end;
    return SQLITE_OK;
}

static int memory_truncate(sqlite3_file *f, sqlite3_int64 size) {
    struct memory_file *m = memory_of(f);
    if ((size_t)size >= m->size) return SQLITE_OK;
    memset(m->bytes + size, 0, m->size - (size_t)size);
    m->size = (size_t)size;
    return SQLITE_OK;
}

static int memory_size(sqlite3_file *f, sqlite3_int64 *size) {
    *size = (sqlite3_int64)memory_of(f)->size;
    return SQLITE_OK;
}

static int memory_sync(sqlite3_file *f, int flags) { return (void)f, (void)flags, SQLITE_OK; }
static int memory_lock(sqlite3_file *f, int level) { return (void)f, (void)level, SQLITE_OK; }
static int memory_reserved(sqlite3_file *f, int *out) { return (void)f, *out = 0, SQLITE_OK; }
static int memory_control(sqlite3_file *f, int what, void *arg) {
    return (void)f, (void)what, (void)arg, SQLITE_NOTFOUND;
}
static int memory_sector(sqlite3_file *f) { return (void)f, 0; }
static int memory_device(sqlite3_file *f) { return (void)f, 0; }

static const sqlite3_io_methods memory_methods = {
    .iVersion = 1,
    .xClose = memory_close,
    .xRead = memory_read,
    .xWrite = memory_write,
    .xTruncate = memory_truncate,
    .xSync = memory_sync,
    .xFileSize = memory_size,
    .xLock = memory_lock,
    .xUnlock = memory_lock,
    .xCheckReservedLock = memory_reserved,
    .xFileControl = memory_control,
    .xSectorSize = memory_sector,
    .xDeviceCharacteristics = memory_device,
};

void memory_file_open(sqlite3_file *f) {
    _Static_assert(sizeof(struct memory_file) <= 32, "the room of a file");
    memset(f, 0, sizeof(struct memory_file));
    f->pMethods = &memory_methods;
}
