/* A store of either engine: one reader for each thread, synchronous writes,
 * statistics. */
#include "db/refusal.h"
#include "db/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"

int db_refuse(struct why why, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    vsnprintf(why.p, why.n, fmt, args);
    va_end(args);
    return -ERR_SERVICE_UNAVAILABLE;
}

/* ---- connections ----------------------------------------------------------------------------- */

struct conn *conn_new(const struct engine *e, struct db *store, enum conn_role role) {
    struct conn *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->engine = e;
    c->store = store;
    c->role = role;
    pthread_mutex_init(&c->kept.turn, NULL);
    ring_init(&c->in_store);
    ring_init(&c->running);
    ring_init(&c->idle);
    return c;
}

void conn_join(struct conn *c) {
    if (!c->store) return;
    pthread_mutex_lock(&c->store->lock);
    ring_add(&c->store->conns, &c->in_store);
    pthread_mutex_unlock(&c->store->lock);
}

static void add_counters(struct counters *sum, const struct counters *c) {
    sum->commits += c->commits;
    sum->tasks += c->tasks;
    sum->statements += c->statements;
    sum->prepares += c->prepares;
}

void conn_leave(struct conn *c) {
    if (c->store == NULL || c->left) return;
    pthread_mutex_lock(&c->store->lock);
    ring_remove(&c->in_store);
    add_counters(&c->store->closed, &c->counters);
    c->left = true;
    pthread_mutex_unlock(&c->store->lock);
}

void conn_free(struct conn *c) {
    conn_leave(c);
    pthread_mutex_destroy(&c->kept.turn);
    free(c);
}

/* ---- damage ---------------------------------------------------------------------------------- A restart
 * must not clear the state "damaged", because service managers restart processes by themselves. So it is a
 * file in the data folder, which `deskd check` removes if it finds nothing wrong. If the disk refuses that
 * file, the process keeps the state in memory. */

enum damage { NO_DAMAGE, DAMAGE_RECORDED, DAMAGE_REMEMBERED };
#define DAMAGE_FILE "damaged"

static int damage_path(const char *dir, char *out, size_t n) {
    int length = dir ? snprintf(out, n, "%s/" DAMAGE_FILE, dir) : -1;
    return length > 0 && (size_t)length < n ? 0 : -1;
}

static void damage_find(struct db *db) {
    char path[4096];
    if (db->read_only || damage_path(db->dir, path, sizeof path) < 0 || access(path, F_OK) != 0) return;
    log_error("store: damage was reported earlier (%s): /readyz answers 503 until deskd check finds nothing "
              "wrong",
              path);
    atomic_store(&db->damage, DAMAGE_RECORDED);
}

void store_damaged(struct db *db, const char *reason) {
    char path[4096];
    int none = NO_DAMAGE;
    if (db == NULL || !atomic_compare_exchange_strong(&db->damage, &none, DAMAGE_REMEMBERED)) return;
    log_error("store: it is damaged (%s): run deskd check, and restore a backup", reason);
    int fd = db->read_only || damage_path(db->dir, path, sizeof path) < 0
                 ? -1
                 : open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return;
    bool recorded = dprintf(fd, "%s\n", reason) > 0 && fsync(fd) == 0;
    close(fd);
    if (recorded) atomic_store(&db->damage, DAMAGE_RECORDED);
}

static bool is_sound(struct db *db) {
    char path[4096];
    int recorded = DAMAGE_RECORDED;
    if (atomic_load(&db->damage) != DAMAGE_RECORDED) return atomic_load(&db->damage) == NO_DAMAGE;
    if (damage_path(db->dir, path, sizeof path) < 0 || access(path, F_OK) == 0 || errno != ENOENT)
        return false;
    if (atomic_compare_exchange_strong(&db->damage, &recorded, NO_DAMAGE))
        log_info("store: deskd check found no damage");
    return true;
}

void db_found_sound(const char *dir) {
    char path[4096];
    if (damage_path(dir, path, sizeof path) == 0 && unlink(path) != 0 && errno != ENOENT)
        log_warn("%s can't be removed: %s", path, strerror(errno));
}

/* ---- opening and closing --------------------------------------------------------------------- */

static void thread_reader_gone(void *arg) {
    struct conn *c = arg;
    c->engine->disconnect(c);
}

static struct db *db_new(const struct engine *engine, const struct db_config *cfg) {
    struct arena *a = arena_new();
    struct db *db = ARENA_NEW(a, struct db);
    db->engine = engine;
    db->memory = a;
    db->read_only = cfg->read_only;
    db->bulk = cfg->bulk;
    db->filling = cfg->filling;
    db->keep_snapshots = cfg->keep_snapshots;
    db->tracked = cfg->tracked;
    db->marked = cfg->marked;
    db->dir = cfg->dir ? str_dup(a, str_of(cfg->dir)).p : NULL;
    pthread_mutex_init(&db->lock, NULL);
    ring_init(&db->conns);
    return db;
}

int db_open_on(const struct engine *engine, const struct db_config *cfg, const struct schema_file *files,
               struct db **out, struct why why) {
    struct db *db = db_new(engine, cfg);
    *out = NULL;
    int rc = db->engine->open(db, cfg, files, why);
    if (rc == 0 && pthread_key_create(&db->reader_key, thread_reader_gone) != 0)
        rc = db_refuse(why, "too many stores are open");
    else db->has_reader_key = rc == 0;
    if (rc == 0) damage_find(db);
    if (rc == 0) *out = db;
    else db_close(db);
    return rc;
}

int db_close(struct db *db) {
    if (!db) return 0;
    if (db->has_reader_key) pthread_key_delete(db->reader_key);
    int rc = db->engine->close(db);
    pthread_mutex_destroy(&db->lock);
    arena_free(db->memory);
    return rc;
}

int db_compact(struct db *db, char *err, size_t err_size) {
    return db->engine->compact(db, (struct why){err, err_size});
}

bool db_blocks(const struct db *db) { return db->engine->blocks; }

int64_t db_snapshot(const struct conn *c) { return c->engine->snapshot ? c->engine->snapshot(c) : 0; }
int64_t db_newest_snapshot(const struct db *db) { return db->engine->newest ? db->engine->newest(db) : 0; }
int64_t db_mark(const struct conn *c, int set) { return c->engine->mark ? c->engine->mark(c, set) : 0; }
int64_t db_generation(const struct db *db) { return db->engine->generation ? db->engine->generation(db) : 0; }

/* ---- readers --------------------------------------------------------------------------------- */

struct conn *db_reader(struct db *db) {
    assert(!db->bulk);
    struct conn *c = pthread_getspecific(db->reader_key);
    if (c) return c;
    char text[256];
    if (db->engine->connect(db, &c, (struct why){text, sizeof text}) < 0) {
        log_often(LOG_ERROR, "connections that failed", "store: %s", text);
        return NULL;
    }
    if (pthread_setspecific(db->reader_key, c) == 0) return c;
    c->engine->disconnect(c);
    return NULL;
}

void db_reader_end(struct db *db) {
    struct conn *c = pthread_getspecific(db->reader_key);
    if (c && pthread_setspecific(db->reader_key, NULL) == 0) c->engine->disconnect(c);
}

void db_rest(struct db *db) {
    if (db->engine->rest) db->engine->rest(db);
}

struct conn *db_replica(struct db *db, int64_t since) {
    return db->engine->replica ? db->engine->replica(db, since) : NULL;
}

/* ---- other processes ------------------------------------------------------------------------- */

bool db_shared(const struct db *db) { return db->engine->listen != NULL; }

void db_notify(struct db *db) {
    if (db->engine->notify) db->engine->notify(db);
}

int db_listen(struct db *db, int wait_ms) {
    return db->engine->listen ? db->engine->listen(db, wait_ms) : -1;
}

void db_listen_end(struct db *db) {
    if (db->engine->listen_end) db->engine->listen_end(db);
}

/* ---- writes ---------------------------------------------------------------------------------- */

void db_submit(struct db *db, struct db_task *t) { db->engine->submit(db, t); }

struct waiting {
    struct db_task task;
    int (*run)(struct conn *c, void *arg);
    void *arg;
    int rc;
    sem_t done;
};

/* task is its first member */
static struct waiting *waiting_of(struct db_task *t) { return (struct waiting *)(void *)t; }

static int waiting_run(struct db_task *t, struct conn *c) {
    struct waiting *w = waiting_of(t);
    return w->run(c, w->arg);
}

static void waiting_done(struct db_task *t, int rc) {
    struct waiting *w = waiting_of(t);
    w->rc = rc;
    sem_post(&w->done);
}

static int write_and_wait(struct db *db, int (*run)(struct conn *c, void *arg), void *arg, bool first) {
    assert(!db->engine->writes_here(db));
    struct waiting w = {
        .task = {.run = waiting_run, .done = waiting_done, .begins_batch = first}, .run = run, .arg = arg};
    sem_init(&w.done, 0, 0);
    db_submit(db, &w.task);
    while (sem_wait(&w.done) != 0) assert(errno == EINTR);
    sem_destroy(&w.done);
    return w.rc;
}

int db_write(struct db *db, int (*run)(struct conn *c, void *arg), void *arg) {
    return write_and_wait(db, run, arg, false);
}

int db_write_first(struct db *db, int (*run)(struct conn *c, void *arg), void *arg) {
    return write_and_wait(db, run, arg, true);
}

/* ---- transactions ---------------------------------------------------------------------------- */

int db_read_begin(struct conn *c, int budget_ms) {
    c->budget_spent = false;
    c->untracked[0] = 0;
    return c->engine->read_begin(c, budget_ms);
}

void db_expect(struct conn *c, uint64_t key, int64_t given) {
    if (c->engine->expect) c->engine->expect(c, key, given);
}

void db_read_end(struct conn *c) { c->engine->read_end(c); }
const char *db_untracked(const struct conn *c) { return c->untracked[0] ? c->untracked : NULL; }
const char *db_refusal(const struct conn *c) { return c->refused; }

bool db_budget_spent(const struct conn *c) { return c->budget_spent; }
int db_savepoint(struct conn *c, const char *name) { return c->engine->savepoint(c, name); }
int db_release(struct conn *c, const char *name) { return c->engine->release(c, name); }
int db_undo(struct conn *c, const char *name) { return c->engine->undo(c, name); }
int db_lock(struct conn *c, struct str name) { return c->engine->lock_name(c, name, false); }
int db_share(struct conn *c, struct str name) { return c->engine->lock_name(c, name, true); }
int db_lock_row(struct conn *c, const char *table, int64_t id) { return c->engine->lock_row(c, table, id); }
bool db_writes(const struct conn *c) { return c->role != CONN_READER; }
int db_settle_ids(struct conn *c) { return c->engine->settle_ids ? c->engine->settle_ids(c) : 0; }

int db_next_id(struct conn *c, const char *table, int64_t id) {
    char sql[200];
    struct stmt *s;
    snprintf(sql, sizeof sql, "SELECT COALESCE(MAX(id), 0) FROM %s", table);
    int rc = db_start(c, sql, NULL, &s);
    if (rc < 0) return rc;
    rc = stmt_step(s);
    int64_t highest = rc == 1 ? col_int(s, 0) : 0;
    stmt_end(s);
    if (rc < 0 || id <= highest) return rc < 0 ? rc : 0;
    rc = c->engine->next_id(c, table, id);
    return rc < 0 ? rc : 1;
}

int db_analyze(struct conn *c) { return c->engine->analyze ? c->engine->analyze(c) : 0; }

/* ---- statistics ------------------------------------------------------------------------------ */

void db_stats(struct db *db, struct db_stats *out) {
    struct counters sum = {0};
    pthread_mutex_lock(&db->lock);
    add_counters(&sum, &db->closed);
    for (struct ring *r = db->conns.next; r != &db->conns; r = r->next)
        add_counters(&sum, &RING_OF(r, struct conn, in_store)->counters);
    pthread_mutex_unlock(&db->lock);
    *out = (struct db_stats){
        .commits = sum.commits, .tasks = sum.tasks, .statements = sum.statements, .prepares = sum.prepares};
    db->engine->stats(db, out);
    out->sound = is_sound(db);
}
