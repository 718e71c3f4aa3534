/* The writer thread.
 *
 * SQLite allows one writing transaction at a time. A COMMIT that survives a power cut costs an fdatasync:
 * 0.1 to several milliseconds, whatever its size. Threads that write by themselves would wait for each
 * other's disk writes. Here every write is a task, and one thread runs all tasks. While the disk works on
 * a COMMIT, new tasks gather, and the next COMMIT holds them all. The busier the desk, the larger the
 * batch. No write is delayed to fill a batch.
 *
 *     queue --> BEGIN IMMEDIATE --> task, task, ... until none waits --> COMMIT --> done, done, ... --> checkpoint
 *       ^                             |
 *       `---- all tasks of the batch -'   ROLLBACK, after a task failed that had changed rows
 *
 * A batch ends (1) when no task waits, (2) at LIMIT_BATCH tasks, (3) after BATCH_MS, because its first
 * task waits for its last, or (4) before a task that must begin a batch. No done() is called before the
 * COMMIT of its task is on the disk, because a reply is a promise.
 *
 * Tasks have no savepoints while none fails, because a savepoint costs a small write two statements and
 * about 3 % of its instructions. So a task that fails after it has changed rows takes the others of
 * its batch with it: the transaction is rolled back, all its tasks return to the head of the queue, and
 * they run again. Therefore run() may be called twice, and what it leaves outside of the transaction must
 * be the same after one call and after two. For CAUTIOUS_BATCHES batches from then on, each task but the
 * first runs in a savepoint. A further failure of this kind costs only its own task then, and begins that
 * count again. A refused request (404, 400) has usually changed no row yet: SQLite's count of changes is
 * the same before and after. Such a task needs no rollback, and no savepoint.
 *
 * The first task never has a savepoint. SQLite keeps each page that a savepoint may have to restore in a
 * list, and walks that list at the end of each statement. So a task with many thousand statements costs
 * the square of its size in a savepoint, and nothing without one: a bulk write of 600 conversations on
 * which 50 triggers fired took 46 s. Such tasks begin a batch (begins_batch).
 *
 * Failures, from small to large:
 *
 * A task that has changed no row fails: the batch continues.
 *
 * The first task fails after a change: ROLLBACK, and the batch has ended.
 *
 * Another task fails after a change: ROLLBACK, and the batch runs again, in savepoints. In a savepoint:
 * ROLLBACK TO it, and the batch continues. Either way the task reports its own error, after the COMMIT
 * like all others, because it may have failed on a row that another task had just written. A foreign key
 * that it left open is its failure, too, because a deferred one would fail the COMMIT of all.
 *
 * SQLite rolls back the transaction during a task (full disk, I/O error, no memory): conn_lost() detects
 * it. db_start refuses every further statement, because each would commit by itself. This task and those
 * before it fail with -ERR_SERVICE_UNAVAILABLE. Tasks that have not begun go into the next batch.
 *
 * The COMMIT fails: all tasks fail with -ERR_SERVICE_UNAVAILABLE and nothing is kept.
 *
 * The last two end in recover(). When an fdatasync fails, Linux reports it once and then marks the pages
 * clean. Another fdatasync on the same descriptor would succeed and prove nothing, so the connection is
 * closed and opened again. But the log now holds complete frames of the refused batch behind its end. The
 * next recovery of the log (at the first opening after a crash) would take them for committed, and writes
 * that were answered with an error would appear. Two measures prevent that: (1) The store's keeper, an
 * idle reader, keeps the index of the log in memory, and no connection checkpoints at its close, so
 * reopening never recovers. (2) recover() commits a mark at once, which overwrites the first of those
 * frames and so breaks the checksums of the rest. The store is `writable` again only when the mark is on
 * the disk. Until then each batch, and the idle writer once a second, tries it, so a desk whose disk was
 * full recovers by itself. (If the machine stops before, the last refused batch may come back. No order of
 * writes can exclude that.)
 *
 * The writer checkpoints after it has answered, so queued tasks wait for it, but no COMMIT does. PASSIVE
 * moves the frames that no reader's snapshot needs. A log can start over only when no reader uses it,
 * which rarely happens under steady reading. So past RESTART_PAGES the writer waits for the readers of old
 * snapshots (a RESTART checkpoint). New readers read the store file meanwhile, so the wait ends with the
 * longest running query. The log is bounded by what is written until a wait is that long. */
#include "db/db_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

enum {
    BATCH_MS = 20,             /* the age at which a batch takes no more tasks */
    CAUTIOUS_BATCHES = 16,     /* batches with savepoints after one that was rolled back */
    IDLE_S = 1,                /* seconds that the writer is idle before it recovers or checkpoints */
    CHECKPOINT_PAGES = 4000,   /* growth of the log (8 MiB) between two checkpoints */
    RESTART_PAGES = 32 * 1024, /* a log of 64 MiB: the writer waits for readers */
    RESTART_WAIT_MS = 50,      /* see patience_ms() */
    RESTART_WAIT_MAX_MS = 2000,
    COMPLAINT_MS = 10000, /* between two lines about the same failure */
};

struct writer {
    struct db *store;
    pthread_t thread;
    _Atomic bool writable;

    pthread_mutex_t lock; /* guards wake, the queue and stopping */
    pthread_cond_t wake;
    struct db_task *first, **last;
    bool stopping, rests; /* rests: see writer_rest */

    /* Used by the writer thread only: */
    int fault; /* SQLite's code of the last failed batch */
    int64_t next_complaint;
    bool complaining;
    struct conn *conn;     /* NULL: it can't be opened */
    struct db_task *taken; /* taken from the queue, not yet begun */
    struct db_task *batch[LIMIT_BATCH];
    int result[LIMIT_BATCH];
    int cautious;        /* number of further batches whose tasks run in savepoints */
    int log_pages;       /* size of the log at the last look */
    int next_checkpoint; /* log size of the next checkpoint */
    bool log_left;       /* frames are left that no checkpoint has moved yet */
};

/* ---- the queue ------------------------------------------------------------------------------- */

void writer_submit(struct writer *w, struct db_task *t) {
    t->next = NULL;
    pthread_mutex_lock(&w->lock);
    bool refused = w->stopping, first = w->first == NULL;
    if (!refused) {
        *w->last = t;
        w->last = &t->next;
    }
    pthread_mutex_unlock(&w->lock);
    if (refused)
        t->done(t,
                UNAVAILABLE("refused writes", "store: a write was refused because the writer has stopped"));
    else if (first) pthread_cond_signal(&w->wake);
}

/* Waits for tasks. Returns true if there are tasks, false if it is time to recover, to checkpoint, to rest
 * or to stop. */
static bool wait_for_tasks(struct writer *w) {
    if (w->taken) return true;
    bool chores = !atomic_load(&w->writable) || w->log_left;
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += IDLE_S;
    int rc = 0;
    pthread_mutex_lock(&w->lock);
    while (!w->first && !w->stopping && !w->rests && rc != ETIMEDOUT)
        rc =
            chores ? pthread_cond_timedwait(&w->wake, &w->lock, &end) : pthread_cond_wait(&w->wake, &w->lock);
    bool tasks = w->first != NULL;
    pthread_mutex_unlock(&w->lock);
    return tasks;
}

/* Only the writer's thread may touch its connection, so it is woken. */
void writer_rest(struct writer *w) {
    pthread_mutex_lock(&w->lock);
    w->rests = true;
    pthread_mutex_unlock(&w->lock);
    pthread_cond_signal(&w->wake);
}

static bool rests(struct writer *w) {
    pthread_mutex_lock(&w->lock);
    bool told = w->rests;
    w->rests = false;
    pthread_mutex_unlock(&w->lock);
    if (told && w->conn) sqlite3_db_release_memory(w->conn->handle);
    return told;
}

static struct db_task *next_task(struct writer *w) {
    if (!w->taken) {
        pthread_mutex_lock(&w->lock);
        w->taken = w->first;
        w->first = NULL;
        w->last = &w->first;
        pthread_mutex_unlock(&w->lock);
    }
    struct db_task *t = w->taken;
    if (t) w->taken = t->next;
    return t;
}

/* ---- a batch --------------------------------------------------------------------------------- */

static bool foreign_keys_open(struct conn *c) {
    int open = 0, highest;
    sqlite3_db_status(c->handle, SQLITE_DBSTATUS_DEFERRED_FKS, &open, &highest, 0);
    return open != 0;
}

static int run_statements(struct conn *c, struct db_task *t) {
    c->late_error = 0;
    int rc = t->run(t, c);
    statements_end(c);
    if (rc >= 0 && c->late_error) rc = c->late_error;
    if (rc >= 0 && foreign_keys_open(c)) rc = -ERR_FIELD_INVALID;
    return rc;
}

/* If the task fails after it has changed a row, the transaction has ended. */
static int run_in_batch(struct conn *c, struct db_task *t) {
    int64_t before = sqlite3_total_changes64(c->handle);
    int rc = run_statements(c, t);
    bool changed = sqlite3_total_changes64(c->handle) != before;
    if (rc < 0 && changed && !conn_lost(c)) conn_rollback(c);
    return rc;
}

static int run_in_savepoint(struct writer *w, struct db_task *t) {
    struct conn *c = w->conn;
    int64_t before = sqlite3_total_changes64(c->handle);
    int rc = db_savepoint(c, "task");
    if (rc < 0) return rc;
    rc = run_statements(c, t);
    if (rc < 0 && sqlite3_total_changes64(c->handle) != before) w->cautious = CAUTIOUS_BATCHES;
    int end = rc < 0 ? db_undo(c, "task") : db_release(c, "task");
    return end < 0 ? end : rc;
}

/* Opens a new connection and commits a mark to prove that it can write; see "Failures" above. */
static void recover(struct writer *w) {
    char text[256];
    struct why why = {text, sizeof text};
    conn_close(w->conn);
    if (conn_open(&w->store->sqlite->writing, &w->conn, why) < 0) return;
    int rc = conn_begin(w->conn, true);
    if (rc < 0) return;
    conn_pragma(w->conn, STORE_MARK);
    if (conn_commit(w->conn) < 0) return;
    atomic_store(&w->writable, true);
    if (w->complaining) log_info("store: writes succeed again");
    w->complaining = false;
}

/* On a full disk the mark often still fits and the next batch does not. Without a pause that would log a
 * line for each batch. */
static void not_writable(struct writer *w, const char *what) {
    int64_t now = clock_monotonic();
    w->fault = w->conn->fault;
    atomic_store(&w->writable, false);
    if (now < w->next_complaint) return;
    log_error("store: %s failed, writes are refused: %s", what, sqlite3_errstr(w->fault));
    w->next_complaint = now + COMPLAINT_MS;
    w->complaining = true;
}

/* The next task of a batch that has begun; NULL: it ends here. */
static struct db_task *further_task(struct writer *w) {
    struct db_task *t = next_task(w);
    if (t == NULL || !t->begins_batch) return t;
    w->taken = t;
    return NULL;
}

static void queue_again(struct writer *w, int n) {
    while (n--) {
        w->batch[n]->next = w->taken;
        w->taken = w->batch[n];
    }
}

static bool batch_goes_on(const struct writer *w, int n, int64_t end) {
    return w->conn->transaction && !conn_lost(w->conn) && n < LIMIT_BATCH && clock_monotonic() < end;
}

/* Runs tasks into w->batch until the batch ends or the transaction is lost. Returns their number; 0: they
 * are in the queue again. */
static int run_tasks(struct writer *w) {
    int n = 0;
    bool savepoints = w->cautious > 0;
    int64_t end = clock_monotonic() + BATCH_MS;
    if (savepoints) w->cautious--;
    for (struct db_task *t = next_task(w); t; t = batch_goes_on(w, n, end) ? further_task(w) : NULL) {
        w->batch[n] = t;
        w->result[n] = savepoints && n ? run_in_savepoint(w, t) : run_in_batch(w->conn, t);
        n++;
    }
    if (w->conn->transaction || n < 2) return n;
    w->cautious = CAUTIOUS_BATCHES;
    queue_again(w, n);
    return 0;
}

static int refuse_writes(const struct writer *w) {
    return UNAVAILABLE("batches of refused writes",
                       "store: writes are refused until one succeeds again; the last one "
                       "failed: %s",
                       sqlite3_errstr(w->fault));
}

static int take_refused(struct writer *w) {
    int n = 0;
    while (n < LIMIT_BATCH && (w->batch[n] = next_task(w)) != NULL) n++;
    return n;
}

/* After snapshots_outdated, because a reader of the new number needs a new snapshot. */
static void note_changes(struct writer *w) {
    if (w->conn == NULL) return;
    marks_renew(w->conn);
    if (!w->conn->tracked) return;
    atomic_fetch_add(&w->store->sqlite->tracked, 1);
    w->conn->tracked = false;
}

static void run_batch(struct writer *w) {
    if (!atomic_load(&w->writable)) recover(w);
    int rc = atomic_load(&w->writable) ? conn_begin(w->conn, true) : refuse_writes(w);
    int n = rc == 0 ? run_tasks(w) : take_refused(w);
    bool commits = rc == 0 && w->conn->transaction;
    if (commits) marks_close(w->conn);
    if (commits) rc = conn_commit(w->conn);
    snapshots_outdated(w->store);
    note_changes(w);
    if (rc == 0 && commits) count(&w->conn->counters.commits);
    if (rc < 0 && atomic_load(&w->writable)) not_writable(w, "a COMMIT");
    for (int i = 0; i < n; i++) {
        if (w->conn) count(&w->conn->counters.tasks);
        w->batch[i]->done(w->batch[i], rc < 0 ? -ERR_SERVICE_UNAVAILABLE : w->result[i]);
    }
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

/* Returns how long to wait for readers of old snapshots: 50 ms at a log of 64 MiB, growing with the square
 * of its size. So a reader of 100 ms costs a larger log, and a reader of 10 s does not stop all writes for
 * 10 s. */
static int patience_ms(int pages) {
    double excess = (double)pages / RESTART_PAGES, ms = RESTART_WAIT_MS * excess * excess;
    return ms < RESTART_WAIT_MAX_MS ? (int)ms : RESTART_WAIT_MAX_MS;
}

struct patience {
    struct db *store;
    int64_t until;
};

/* Idle readers keep their snapshots of the log. End these snapshots, or the checkpoint waits for ever. */
static int wait_for_readers(void *arg, int tried) {
    const struct patience *p = arg;
    const struct timespec moment = {0, 500000};
    (void)tried;
    if (clock_monotonic() >= p->until) return 0;
    snapshots_let_go(p->store);
    nanosleep(&moment, NULL);
    return 1;
}

static int move_log(struct writer *w, bool restart, int *in_log, int *moved) {
    sqlite3 *handle = w->conn->handle;
    if (!restart) return sqlite3_wal_checkpoint_v2(handle, NULL, SQLITE_CHECKPOINT_PASSIVE, in_log, moved);
    struct patience patience = {w->store, clock_monotonic() + patience_ms(w->log_pages)};
    sqlite3_busy_handler(handle, wait_for_readers, &patience);
    int rc = sqlite3_wal_checkpoint_v2(handle, NULL, SQLITE_CHECKPOINT_RESTART, in_log, moved);
    sqlite3_busy_timeout(handle, WRITER_WAIT_MS);
    return rc;
}

static void checkpoint(struct writer *w, bool idle) {
    if (!atomic_load(&w->writable) || w->store->bulk) return;
    int pages = atomic_load(&w->conn->wal_pages);
    if (pages < w->log_pages) w->next_checkpoint = CHECKPOINT_PAGES; /* the log has started over */
    w->log_left = w->log_left || pages != w->log_pages;
    w->log_pages = pages;
    if (!w->log_left || (pages < w->next_checkpoint && !idle)) return;

    snapshots_let_go(w->store);
    int in_log = 0, moved = 0;
    int rc = move_log(w, pages >= RESTART_PAGES && !idle, &in_log, &moved);
    if (rc && rc != SQLITE_BUSY) {
        w->conn->fault = rc;
        note_damage(w->conn, rc);
        not_writable(w, "a checkpoint");
    }
    w->log_left = rc != 0 || moved < in_log;
    w->next_checkpoint = pages + (pages / 8 > CHECKPOINT_PAGES ? pages / 8 : CHECKPOINT_PAGES);
}

/* ---- start and stop -------------------------------------------------------------------------- */

static bool ended(struct writer *w) {
    pthread_mutex_lock(&w->lock);
    bool end = w->stopping && !w->first;
    pthread_mutex_unlock(&w->lock);
    return end && !w->taken;
}

static void *sqlite_writer_main(void *arg) {
    struct writer *w = arg;
    while (!ended(w)) {
        bool tasks = wait_for_tasks(w);
        if (tasks) run_batch(w);
        else if (rests(w)) continue;
        else if (!atomic_load(&w->writable)) recover(w);
        checkpoint(w, !tasks);
    }
    if (!atomic_load(&w->writable)) recover(w);
    return NULL;
}

struct writer *writer_start(struct db *store, struct conn *c) {
    struct writer *w = ARENA_NEW(store->memory, struct writer);
    w->store = store;
    w->conn = c;
    w->writable = true;
    w->last = &w->first;
    w->next_checkpoint = CHECKPOINT_PAGES;
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return pthread_create(&w->thread, NULL, sqlite_writer_main, w) == 0 ? w : NULL;
}

struct conn *writer_stop(struct writer *w) {
    pthread_mutex_lock(&w->lock);
    w->stopping = true;
    pthread_mutex_unlock(&w->lock);
    pthread_cond_signal(&w->wake);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    return w->conn;
}

bool writer_writable(const struct writer *w) { return atomic_load(&w->writable); }
bool writer_is_me(const struct writer *w) { return pthread_equal(pthread_self(), w->thread); }
