/* A store: its folder, its lock, its writer and the readers of its threads. */
#include "db/db_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"

/* ---- the folder and its lock --------------------------------------------------------------------------- */

/* The lock is of the open file, so it ends with the process however that ends. The file stays: removing it would let
 * two processes hold locks of two files of the same name. */
static int take_lock(struct db *db, struct why why) {
    struct str path = str_fmt(db->memory, "%s/lock", db->dir);
    db->lock_fd = open(path.p, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (db->lock_fd < 0) return refuse(why, "%s can't be opened: %s", path.p, strerror(errno));
    char pid[32] = "";
    if (flock(db->lock_fd, LOCK_EX | LOCK_NB) == 0) {
        int n = snprintf(pid, sizeof pid, "%d\n", (int)getpid());
        bool kept = ftruncate(db->lock_fd, 0) == 0 && pwrite(db->lock_fd, pid, (size_t)n, 0) == n;
        if (!kept) log_warn("store: %s does not hold the process id: %s", path.p, strerror(errno)); /* a full disk */
        return 0;
    }
    if (errno != EWOULDBLOCK) return refuse(why, "%s can't be locked: %s", path.p, strerror(errno));
    ssize_t n = pread(db->lock_fd, pid, sizeof pid - 1, 0);
    return refuse(why, "the store %s is in use by another deskd (pid %d): stop that one, or name another folder",
                  db->dir, n > 0 ? atoi(pid) : 0);
}

int sync_path(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    int rc = fsync(fd);
    close(fd);
    return rc;
}

/* The file exists, empty if it is new, before SQLite opens it, so that it and its log have our mode. */
static int make_file(struct db *db, bool create, struct why why) {
    struct stat st;
    if (stat(db->path, &st) == 0) return 0;
    if (!create) return refuse(why, "there is no store in %s: deskd init --data %s makes one", db->dir, db->dir);
    int fd = open(db->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return refuse(why, "%s can't be made: %s", db->path, strerror(errno));
    close(fd);
    if (sync_path(db->dir) != 0) return refuse(why, "%s can't be synced: %s", db->dir, strerror(errno));
    return 0;
}

static int take_folder(struct db *db, const struct db_config *cfg, struct why why) {
    if (cfg->create && mkdir(db->dir, 0700) != 0 && errno != EEXIST)
        return refuse(why, "the folder %s can't be made: %s", db->dir, strerror(errno));
    if (cfg->read_only) return make_file(db, false, why);
    struct stat st;
    if (!cfg->create && stat(db->path, &st) != 0) return make_file(db, false, why);
    int rc = take_lock(db, why);
    return rc < 0 ? rc : make_file(db, cfg->create, why);
}

/* ---- opening and closing ------------------------------------------------------------------------------- */

static void reader_gone(void *conn) { conn_close(conn); }

static int open_writer(struct db *db, const struct schema_file *files, struct why why) {
    struct conn *c;
    int rc = conn_open(&db->writing, &c, why);
    if (rc < 0) return rc;
    rc = schema_migrate(c, files, why);
    if (rc == 0 && conn_pragma(c, STORE_MARK) != 0)
        rc = refuse(why, "%s can't be written: %s", db->path, sqlite3_errmsg(c->handle));
    if (rc == 0 && (db->writer = writer_start(db, c)) == NULL) rc = refuse(why, "no thread can be started");
    if (rc < 0) conn_close(c);
    return rc;
}

static int open_readers(struct db *db, const struct schema_file *files, struct why why) {
    if (pthread_key_create(&db->reader_key, reader_gone) != 0) return refuse(why, "too many stores are open");
    db->has_reader_key = true;
    int rc = conn_open(&db->reading, &db->keeper, why);
    if (rc == 0) rc = schema_version(db->keeper, files, why); /* also maps the log's index */
    if (rc >= 0 && rc < schema_newest(files))
        rc = refuse(why, "the store has schema %d, this deskd needs %d: deskd serve brings it up to date", rc,
                    schema_newest(files));
    return rc < 0 ? rc : 0;
}

static struct db *db_new(const struct db_config *cfg) {
    struct arena *a = arena_new();
    struct db *db = ARENA_NEW(a, struct db);
    db->memory = a;
    db->lock_fd = -1;
    db->read_only = cfg->read_only;
    db->bulk = cfg->bulk;
    db->dir = str_dup(a, str_of(cfg->dir)).p;
    db->path = str_fmt(a, "%s/%s", cfg->dir, STORE_FILE).p;
    db->reading = (struct conn_options){db, db->path, CONN_READER, cfg->mmap_mb, cfg->cache_kb};
    db->writing = db->reading;
    db->writing.role = cfg->bulk ? CONN_BULK : CONN_WRITER;
    pthread_mutex_init(&db->lock, NULL);
    ring_init(&db->conns);
    return db;
}

int db_open_with(const struct db_config *cfg, const struct schema_file *files, struct db **out, struct why why) {
    *out = NULL;
    if (cfg->url) return refuse(why, "this deskd is built without PostgreSQL");
    struct db *db = db_new(cfg);
    int rc = take_folder(db, cfg, why);
    if (rc == 0 && !cfg->read_only) rc = open_writer(db, files, why);
    if (rc == 0 && !cfg->bulk) rc = open_readers(db, files, why);
    if (rc == 0)
        *out = db;
    else
        db_close(db);
    return rc;
}

int db_open(const struct db_config *cfg, struct db **out, char *err, size_t err_size) {
    return db_open_with(cfg, schema_files, out, (struct why){err, err_size});
}

/* A bulk store was never synced: what is not on the disk lies in the page cache. */
static void make_durable(const struct db *db) {
    if (sync_path(db->path) != 0 || sync_path(db->dir) != 0)
        log_error("store: %s may not be durable: %s", db->path, strerror(errno));
}

/* As the last connection: the log is moved into the store and removed, so that one file is left. */
static void settle(struct conn *writer) {
    int rc = sqlite3_wal_checkpoint_v2(writer->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    if (rc) log_warn("store: the log stays for the next start: %s", sqlite3_errstr(rc));
    sqlite3_db_config(writer->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    conn_close(writer);
}

void db_close(struct db *db) {
    if (!db) return;
    struct conn *writer = db->writer ? writer_stop(db->writer) : NULL;
    if (db->has_reader_key) pthread_key_delete(db->reader_key);
    for (struct ring *r = db->conns.next, *next = r->next; r != &db->conns; r = next, next = r->next)
        if (RING_OF(r, struct conn, in_store) != writer) conn_close(RING_OF(r, struct conn, in_store));
    if (writer) settle(writer);
    if (db->bulk) make_durable(db);
    if (db->lock_fd >= 0) close(db->lock_fd);
    pthread_mutex_destroy(&db->lock);
    arena_free(db->memory);
}

/* ---- readers ------------------------------------------------------------------------------------------- */

struct conn *db_reader(struct db *db) {
    assert(!db->bulk);
    struct conn *c = pthread_getspecific(db->reader_key);
    if (c) return c;
    char text[256];
    if (conn_open(&db->reading, &c, (struct why){text, sizeof text}) < 0) {
        log_error("store: %s", text);
        return NULL;
    }
    if (pthread_setspecific(db->reader_key, c) == 0) return c;
    conn_close(c);
    return NULL;
}

/* ---- writes -------------------------------------------------------------------------------------------- */

void db_submit(struct db *db, struct db_task *t) {
    if (db->writer)
        writer_submit(db->writer, t);
    else
        t->done(t, -ERR_SERVICE_UNAVAILABLE);
}

struct waiting {
    struct db_task task;
    int (*run)(struct conn *c, void *arg);
    void *arg;
    int rc;
    sem_t done;
};

static struct waiting *waiting_of(struct db_task *t) { return (struct waiting *)(void *)t; } /* its first member */

static int waiting_run(struct db_task *t, struct conn *c) {
    struct waiting *w = waiting_of(t);
    return w->run(c, w->arg);
}

static void waiting_done(struct db_task *t, int rc) {
    struct waiting *w = waiting_of(t);
    w->rc = rc;
    sem_post(&w->done);
}

int db_write(struct db *db, int (*run)(struct conn *c, void *arg), void *arg) {
    assert(!db->writer || !writer_is_me(db->writer));
    struct waiting w = {
        .task = {waiting_run, waiting_done, NULL},
          .run = run, .arg = arg
    };
    sem_init(&w.done, 0, 0);
    db_submit(db, &w.task);
    while (sem_wait(&w.done) != 0) assert(errno == EINTR);
    sem_destroy(&w.done);
    return w.rc;
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

static void add_counters(struct db_stats *out, const struct counters *c) {
    out->commits += c->commits;
    out->tasks += c->tasks;
    out->statements += c->statements;
    out->prepares += c->prepares;
}

static int64_t file_size(const char *path, const char *suffix) {
    char name[4096];
    struct stat st;
    int n = snprintf(name, sizeof name, "%s%s", path, suffix);
    return n > 0 && (size_t)n < sizeof name && stat(name, &st) == 0 ? (int64_t)st.st_size : 0;
}

void db_stats(struct db *db, struct db_stats *out) {
    *out = (struct db_stats){.writable = db->writer && writer_writable(db->writer)};
    pthread_mutex_lock(&db->lock);
    add_counters(out, &db->closed);
    for (struct ring *r = db->conns.next; r != &db->conns; r = r->next)
        add_counters(out, &RING_OF(r, struct conn, in_store)->counters);
    pthread_mutex_unlock(&db->lock);
    out->wal_bytes = file_size(db->path, "-wal");
    out->store_bytes = file_size(db->path, "");
}
