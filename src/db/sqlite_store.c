/* A store of SQLite: its folder, its lock, its writer, and the sizes of its files. */
#include "db/db_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/disk.h"
#include "base/error.h"
#include "base/log.h"

/* ---- the folder and its lock ----------------------------------------------------------------- */

/* The lock belongs to the open file, so it ends with the process. The lock file stays, because removing it
 * would let two processes lock two files of the same name. A killed process holds its lock while the
 * kernel frees its memory, which may take a second. So everyone who needs the lock waits for it. */
#define LOCK_WAIT_MS 5000
#define LOCK_LOOK_MS 10
#define PROCESS_EXITING 4 /* PF_EXITING of the kernel */

static int lock_file(struct arena *a, const char *dir, struct why why) {
    struct str path = str_fmt(a, "%s/lock", dir);
    int fd = open(path.p, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return fd < 0 ? db_refuse(why, "%s can't be opened: %s", path.p, strerror(errno)) : fd;
}

static int lock_holder(int fd) {
    char pid[32] = "";
    return pread(fd, pid, sizeof pid - 1, 0) > 0 ? atoi(pid) : 0;
}

/* Waits up to LOCK_WAIT_MS for the lock, as long as its holder is worth waiting for, and says so. Returns
 * true if it has the lock; otherwise errno is the reason. */
static bool lock_wait(int fd, int how, bool (*worth)(int pid), const char *dir) {
    int64_t end = clock_monotonic() + LOCK_WAIT_MS;
    bool told = false;
    while (flock(fd, how | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return false;
        int pid = lock_holder(fd);
        if (clock_monotonic() >= end || !worth(pid)) return errno = EWOULDBLOCK, false;
        if (!told)
            log_warn("store: %s is in use by another deskd (pid %d): waiting up to %d s for it", dir, pid,
                     LOCK_WAIT_MS / 1000);
        told = true;
        nanosleep(&(struct timespec){.tv_nsec = LOCK_LOOK_MS * 1000000L}, NULL);
    }
    return true;
}

static bool any_holder(int pid) { return (void)pid, true; }
static bool no_holder(int pid) { return (void)pid, false; }

/* Returns true if the process has ended, or is being torn down by the kernel: /proc/PID/stat, proc(5). */
static bool holder_ends(int pid) {
    char path[64], line[512] = "", state = 0;
    unsigned flags = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "re");
    if (f == NULL) return kill(pid, 0) != 0 && errno == ESRCH; /* some mounts of /proc hide processes */
    const char *name_end = fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
    fclose(f);
    if (name_end && sscanf(name_end + 1, " %c %*d %*d %*d %*d %*d %u", &state, &flags) != 2) return false;
    return name_end == NULL || in_set(state, "ZX") || (flags & PROCESS_EXITING);
}

void store_settle(struct arena *a, const char *dir) {
    int fd = open(str_fmt(a, "%s/lock", dir).p, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    lock_wait(fd, LOCK_SH, holder_ends, dir);
    close(fd);
}

static int take_lock(struct db *db, bool at_once, struct why why) {
    int fd = db->sqlite->lock_fd = lock_file(db->memory, db->dir, why);
    if (fd < 0) return fd;
    char pid[32] = "";
    if (lock_wait(fd, LOCK_EX, at_once ? no_holder : any_holder, db->dir)) {
        int n = snprintf(pid, sizeof pid, "%d\n", (int)getpid());
        bool kept = ftruncate(fd, 0) == 0 && pwrite(fd, pid, (size_t)n, 0) == n;
        /* a full disk */
        if (!kept)
            log_warn("store: the process id can't be written to %s/lock: %s", db->dir, strerror(errno));
        return 0;
    }
    if (errno != EWOULDBLOCK) return db_refuse(why, "%s/lock can't be locked: %s", db->dir, strerror(errno));
    return db_refuse(why,
                     "the store %s is in use by another deskd (pid %d): stop that one, or name another "
                     "folder",
                     db->dir, lock_holder(fd));
}

/* Refuses to make a new desk, with a new owner, in place of a desk whose store was lost. */
static int refuse_lost(struct why why, const char *path, const char *what, const char *remains) {
    return db_refuse(why,
                     "%s %s, but there is %s: a desk was here. Restore its backup to a new folder, or name "
                     "a new folder for a new desk",
                     path, what, remains);
}

/* Makes sure that the file exists (empty if new) before SQLite opens it, so that it and its log get mode
 * 0600. */
static int make_file(struct db *db, bool create, struct why why) {
    struct stat st;
    struct sqlite_store *s = db->sqlite;
    if (stat(s->path, &st) == 0)
        return st.st_size || !s->remains ? 0 : refuse_lost(why, s->path, "is empty", s->remains);
    if (create && s->content) return refuse_lost(why, s->path, "is missing", s->content);
    if (!create)
        return db_refuse(why, "there is no store in %s: deskd init --data %s makes one", db->dir, db->dir);
    int fd = open(db->sqlite->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return db_refuse(why, "%s can't be made: %s", s->path, strerror(errno));
    close(fd);
    s->remains = NULL; /* the file is empty because it is new */
    if (sync_path(db->dir) != 0) return db_refuse(why, "%s can't be synced: %s", db->dir, strerror(errno));
    return 0;
}

static int take_folder(struct db *db, const struct db_config *cfg, struct why why) {
    if (cfg->create && mkdir(db->dir, 0700) != 0 && errno != EEXIST)
        return db_refuse(why, "the folder %s can't be made: %s", db->dir, strerror(errno));
    int rc = cfg->create ? 0 : make_file(db, false, why); /* create no lock file if there is no store */
    if (rc == 0 && (!cfg->read_only || cfg->alone)) rc = take_lock(db, cfg->at_once, why);
    return rc < 0 || !cfg->create ? rc : make_file(db, true, why);
}

/* ---- opening and closing --------------------------------------------------------------------- */

static int open_writer(struct db *db, const struct schema_file *files, struct why why) {
    struct conn *c;
    int rc = conn_open(&db->sqlite->writing, &c, why);
    if (rc < 0) return rc;
    if (db->sqlite->remains && (rc = schema_version(c, files, why)) == 0)
        rc = refuse_lost(why, db->sqlite->path, "holds no tables", db->sqlite->remains);
    if (rc >= 0) rc = schema_migrate(c, files, why);
    /* references are checked at the end of the move */
    if (db->filling) sqlite3_db_config(c->handle, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
    if (rc == 0 && conn_pragma(c, STORE_MARK) != 0)
        rc = db_refuse(why, "%s can't be written: %s", db->sqlite->path, sqlite3_errmsg(c->handle));
    if (rc == 0 && (db->sqlite->writer = writer_start(db, c)) == NULL)
        rc = db_refuse(why, "no thread can be started");
    if (rc < 0) conn_close(c);
    return rc;
}

static int open_readers(struct db *db, const struct schema_file *files, struct why why) {
    int rc = conn_open(&db->sqlite->reading, &db->sqlite->keeper, why);
    if (rc == 0 && (rc = db_read_begin(db->sqlite->keeper, 0)) < 0)
        db_refuse(why, "%s can't be read", db->sqlite->path);
    if (rc < 0) return rc;
    rc = schema_current(db->sqlite->keeper, files, why); /* also maps the index of the log */
    db_read_end(db->sqlite->keeper);
    return rc;
}

int sqlite_open(struct db *db, const struct db_config *cfg, const struct schema_file *files, struct why why) {
    struct sqlite_store *s = db->sqlite = ARENA_NEW(db->memory, struct sqlite_store);
    s->lock_fd = -1;
    s->path = str_fmt(db->memory, "%s/%s", cfg->dir, STORE_FILE).p;
    s->remains = cfg->create && cfg->remains ? str_dup(db->memory, str_of(cfg->remains)).p : NULL;
    s->content = cfg->create && cfg->content ? str_dup(db->memory, str_of(cfg->content)).p : NULL;
    s->reading = (struct conn_options){db->engine, db, s->path, CONN_READER, cfg->mmap_mb, cfg->cache_kb};
    s->writing = s->reading;
    s->writing.role = cfg->bulk ? CONN_BULK : CONN_WRITER;
    int rc = take_folder(db, cfg, why);
    if (rc == 0 && !cfg->read_only) rc = open_writer(db, files, why);
    if (rc == 0 && !cfg->bulk) rc = open_readers(db, files, why);
    return rc;
}

/* A bulk store was never synced, so its data may be in the page cache only. */
static int make_durable(const struct db *db) {
    if (sync_path(db->sqlite->path) == 0 && sync_path(db->dir) == 0) return 0;
    log_error("store: %s may not be durable: %s", db->sqlite->path, strerror(errno));
    return -ERR_SERVICE_UNAVAILABLE;
}

#define FOLD_WAIT_MS 250

/* Closes the last connection: the log is moved into the store and removed, so that one file is left. Not if
 * another program reads the log: a backup, or Litestream, which never stops reading. */
static int sqlite_fold_log(struct conn *writer) {
    sqlite3_busy_timeout(writer->handle, FOLD_WAIT_MS);
    int rc = sqlite3_wal_checkpoint_v2(writer->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    if (rc) log_warn("store: the log stays for the next start: %s", sqlite3_errstr(rc));
    sqlite3_db_config(writer->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    conn_close(writer);
    return rc ? -ERR_SERVICE_UNAVAILABLE : 0;
}

/* Runs queued writes, and closes all connections but that of the writer. Returns this one; NULL: it is lost,
 * or there is no writer. */
static struct conn *close_to_writer(struct db *db) {
    struct conn *writer = db->sqlite->writer ? writer_stop(db->sqlite->writer) : NULL;
    for (struct ring *r = db->conns.next, *next = r->next; r != &db->conns; r = next, next = r->next)
        if (RING_OF(r, struct conn, in_store) != writer) reader_close(RING_OF(r, struct conn, in_store));
    return writer;
}

int sqlite_close(struct db *db) {
    struct sqlite_store *s = db->sqlite;
    struct conn *writer = close_to_writer(db);
    /* the connection was lost, or there was none */
    int rc = writer ? sqlite_fold_log(writer) : s->writer ? -ERR_SERVICE_UNAVAILABLE : 0;
    if (db->bulk && s->writer && make_durable(db) < 0) rc = -ERR_SERVICE_UNAVAILABLE;
    if (s->lock_fd >= 0) close(s->lock_fd);
    return rc;
}

/* ---- compaction ------------------------------------------------------------------------------ */

/* FTS5 keeps deleted words in its segments until it merges them, so each full-text index is built again. */
static int sqlite_words_again(struct conn *c) {
    static const char find[] = "SELECT name FROM sqlite_master "
                               "WHERE sql LIKE 'CREATE VIRTUAL TABLE % USING fts5(%'";
    char **rows = NULL;
    int count = 0, rc = sqlite3_get_table(c->handle, find, &rows, &count, NULL, NULL);
    for (int i = 1; rc == 0 && i <= count; i++) {
        char *text = sqlite3_mprintf("INSERT INTO %w (%w) VALUES ('rebuild'); INSERT INTO %w (%w) "
                                     "VALUES ('optimize')",
                                     rows[i], rows[i], rows[i], rows[i]);
        rc = text ? conn_pragma(c, text) : SQLITE_NOMEM;
        sqlite3_free(text);
    }
    sqlite3_free_table(rows);
    return rc;
}

/* VACUUM writes each page anew, with the size of STORE_PAGE: only without the log does SQLite change the size,
 * and only for the single connection of a store. A rollback journal keeps the old pages until the new ones
 * are on the disk. A large store does not fit into the memory, so the copy is a temporary file, which SQLite
 * unlinks when it has opened it. */
int sqlite_compact(struct db *db, struct why why) {
    static const char *const steps[] = {"PRAGMA temp_store=FILE", "PRAGMA journal_mode=DELETE", "VACUUM",
                                        "PRAGMA journal_mode=WAL"};
    struct conn *c = close_to_writer(db);
    db->sqlite->writer = NULL;
    if (c == NULL) return db_refuse(why, "%s can't be written", db->sqlite->path);
    int rc = sqlite_words_again(c);
    for (size_t i = 0; rc == 0 && i < sizeof steps / sizeof *steps; i++) rc = conn_pragma(c, steps[i]);
    if (rc) db_refuse(why, "%s can't be rewritten: %s", db->sqlite->path, sqlite3_errmsg(c->handle));
    int folded = sqlite_fold_log(c);
    return rc ? -ERR_SERVICE_UNAVAILABLE : folded;
}

/* ---- writes ---------------------------------------------------------------------------------- */

void sqlite_submit(struct db *db, struct db_task *t) {
    if (db->sqlite->writer) writer_submit(db->sqlite->writer, t);
    else
        t->done(t, UNAVAILABLE("refused writes",
                               "store: a write was refused because the store is open for reading "
                               "only"));
}

bool sqlite_writes_here(const struct db *db) {
    return db->sqlite->writer && writer_is_me(db->sqlite->writer);
}

void sqlite_rest(struct db *db) {
    readers_rest(db);
    if (db->sqlite->writer) writer_rest(db->sqlite->writer);
}

int64_t sqlite_generation(const struct db *db) { return atomic_load(&db->sqlite->tracked) + 1; }

/* ---- statistics ------------------------------------------------------------------------------ */

static int64_t file_size(const char *path, const char *suffix) {
    char name[4096];
    struct stat st;
    int n = snprintf(name, sizeof name, "%s%s", path, suffix);
    return n > 0 && (size_t)n < sizeof name && stat(name, &st) == 0 ? (int64_t)st.st_size : 0;
}

void sqlite_stats(struct db *db, struct db_stats *out) {
    out->writable = db->sqlite->writer && writer_writable(db->sqlite->writer);
    out->wal_bytes = file_size(db->sqlite->path, "-wal");
    out->store_bytes = file_size(db->sqlite->path, "");
}
