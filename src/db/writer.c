/* The one writer.
 *
 * SQLite admits one writing transaction at a time, and a COMMIT that survives a power cut costs an fdatasync: a tenth
 * of a millisecond to several, whatever it holds. Threads that write by themselves therefore wait for each other's
 * disk. Here every write is a task that one thread runs: while the disk works on a COMMIT new tasks gather, and the
 * next COMMIT carries them all. The busier the desk, the larger the batch: nothing is ever delayed on purpose to fill
 * one.
 *
 *     queue --> BEGIN IMMEDIATE --> task, task, ... until none waits --> COMMIT --> done, done, ... --> checkpoint
 *                                   (SAVEPOINT run RELEASE)
 *
 * A batch ends when nobody waits, at LIMIT_BATCH tasks, or after BATCH_MS: the first task of a batch waits for the
 * last. No done() is called before the COMMIT that holds its task is on the disk: a reply is a promise.
 *
 * Failures, from small to large:
 *
 * - A task fails: ROLLBACK TO its savepoint. Its neighbours don't notice, and it reports its own error, after the
 * COMMIT like everybody, because it may have failed for what a neighbour had just written. A foreign key that a task
 * left open counts as its failure too: a deferred one would otherwise fail the COMMIT of all.
 * - SQLite rolls the whole transaction back under a task (disk full, I/O error, out of memory). conn_lost() shows it,
 * and db_start then refuses every further statement, since each would commit by itself. The tasks that had run fail
 * with -ERR_SERVICE_UNAVAILABLE, those not yet begun go into the next batch.
 * - The COMMIT fails: all fail with -ERR_SERVICE_UNAVAILABLE and nothing of them is kept.
 *
 * The last two end in recover(). When an fdatasync fails, Linux reports it once, forgets it and calls the pages clean,
 * so trying again on the same descriptor would succeed and prove nothing: the connection is closed and opened anew. By
 * then the log may hold the complete frames of the refused batch behind its end, and a recovery of the log (the first
 * opening after a crash) would accept them: a write that was answered with an error would be there after all. Two
 * things prevent it. The store's keeper, an idle reader, keeps the log's index in memory, and connections never
 * checkpoint by closing, so that reopening alone never recovers. And recover() at once commits a mark, which overwrites
 * the first frame and so breaks the chain of checksums of the others. The store is `writable` again when the mark is on
 * the disk. Until then each batch, and once a second the idle writer, tries it: a disk that was full serves again
 * without a restart.
 *
 * Who pays for checkpoints: the writer, after it answered, so a batch that waits in the queue and never one whose
 * COMMIT is under way. PASSIVE moves what no reader's snapshot holds back. A log can only start over when no reader is
 * left in it, which under steady reading happens by luck; past RESTART_PAGES the writer waits (briefly, in a RESTART
 * checkpoint) until the readers of old snapshots are gone. New readers use the store file meanwhile, so it waits for
 * the longest query under way at most, and the log is bounded by what is written during that query. */
#include "db/db_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

enum {
    BATCH_MS = 20,             /* the age at which a batch takes no more tasks */
    IDLE_S = 1,                /* how long the writer rests before it sees to what is left over */
    CHECKPOINT_PAGES = 2000,   /* of growth (8 MiB) between two checkpoints */
    RESTART_PAGES = 16 * 1024, /* a log of 64 MiB, at which the writer waits for readers */
    RESTART_WAIT_MS = 50,
};

struct writer {
    struct db *store;
    pthread_t thread;
    _Atomic bool writable;

    pthread_mutex_t lock; /* of these three */
    pthread_cond_t wake;
    struct db_task *first, **last;
    bool stopping;

    /* The writer thread's own. */
    int fault;             /* SQLite's code, while not writable */
    struct conn *conn;     /* NULL when it can't be opened */
    struct db_task *taken; /* from the queue, not yet begun */
    struct db_task *batch[LIMIT_BATCH];
    int result[LIMIT_BATCH];
    int log_pages;       /* when last looked at */
    int next_checkpoint; /* at this many pages */
    bool log_left;       /* frames that no checkpoint has moved yet */
};

/* ---- the queue ----------------------------------------------------------------------------------------- */

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
        t->done(t, -ERR_SERVICE_UNAVAILABLE);
    else if (first)
        pthread_cond_signal(&w->wake);
}

/* Rests until there are tasks (true), or until it is time for chores or for the end (false). */
static bool wait_for_tasks(struct writer *w) {
    if (w->taken) return true;
    bool chores = !atomic_load(&w->writable) || w->log_left;
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += IDLE_S;
    int rc = 0;
    pthread_mutex_lock(&w->lock);
    while (!w->first && !w->stopping && rc != ETIMEDOUT)
        rc = chores ? pthread_cond_timedwait(&w->wake, &w->lock, &end) : pthread_cond_wait(&w->wake, &w->lock);
    bool tasks = w->first != NULL;
    pthread_mutex_unlock(&w->lock);
    return tasks;
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

/* ---- a batch ------------------------------------------------------------------------------------------- */

static bool foreign_keys_open(struct conn *c) {
    int open = 0, highest;
    sqlite3_db_status(c->handle, SQLITE_DBSTATUS_DEFERRED_FKS, &open, &highest, 0);
    return open != 0;
}

static int run_task(struct conn *c, struct db_task *t) {
    int rc = db_savepoint(c, "task");
    if (rc < 0) return rc;
    c->late_error = 0;
    rc = t->run(t, c);
    statements_end(c);
    if (rc >= 0 && c->late_error) rc = c->late_error;
    if (rc >= 0 && foreign_keys_open(c)) rc = -ERR_FIELD_INVALID;
    int end = rc < 0 ? db_undo(c, "task") : db_release(c, "task");
    count(&c->counters.tasks);
    return end < 0 ? end : rc;
}

/* A new connection that has proved that it can write; see "failures" above. */
static void recover(struct writer *w) {
    char text[256];
    struct why why = {text, sizeof text};
    conn_close(w->conn);
    if (conn_open(&w->store->writing, &w->conn, why) < 0) return;
    w->conn->fault = w->fault; /* which is known and need not be logged at every try */
    int rc = conn_begin(w->conn, true);
    if (rc < 0) return;
    conn_pragma(w->conn, STORE_MARK);
    if (conn_commit(w->conn) < 0) return;
    w->conn->fault = 0;
    log_info("store: it can be written again");
    atomic_store(&w->writable, true);
}

static void not_writable(struct writer *w, const char *what) {
    w->fault = w->conn->fault;
    if (atomic_exchange(&w->writable, false)) log_error("store: %s failed: %s", what, sqlite3_errstr(w->fault));
}

/* Runs tasks into w->batch until the batch ends, or to the one under which the transaction was lost. */
static int run_tasks(struct writer *w) {
    int n = 0;
    int64_t end = clock_monotonic() + BATCH_MS;
    while (n < LIMIT_BATCH && (n == 0 || clock_monotonic() < end) && !conn_lost(w->conn)) {
        struct db_task *t = next_task(w);
        if (!t) break;
        w->batch[n] = t;
        w->result[n++] = run_task(w->conn, t);
    }
    return n;
}

static int take_refused(struct writer *w) {
    int n = 0;
    while (n < LIMIT_BATCH && (w->batch[n] = next_task(w)) != NULL) n++;
    return n;
}

static void run_batch(struct writer *w) {
    if (!atomic_load(&w->writable)) recover(w);
    int rc = atomic_load(&w->writable) ? conn_begin(w->conn, true) : -ERR_SERVICE_UNAVAILABLE;
    int n = rc == 0 ? run_tasks(w) : take_refused(w);
    if (rc == 0) rc = conn_commit(w->conn);
    if (rc == 0)
        count(&w->conn->counters.commits);
    else if (atomic_load(&w->writable))
        not_writable(w, "a COMMIT");
    for (int i = 0; i < n; i++) w->batch[i]->done(w->batch[i], rc < 0 ? -ERR_SERVICE_UNAVAILABLE : w->result[i]);
}

/* ---- checkpoints --------------------------------------------------------------------------------------- */

static void checkpoint(struct writer *w, bool idle) {
    if (!atomic_load(&w->writable) || w->store->bulk) return;
    int pages = atomic_load(&w->conn->wal_pages);
    if (pages < w->log_pages) w->next_checkpoint = CHECKPOINT_PAGES; /* the log has started over */
    w->log_left = w->log_left || pages != w->log_pages;
    w->log_pages = pages;
    if (!w->log_left || (pages < w->next_checkpoint && !idle)) return;

    bool restart = pages >= RESTART_PAGES;
    int in_log = 0, moved = 0;
    sqlite3_busy_timeout(w->conn->handle, RESTART_WAIT_MS);
    int rc = sqlite3_wal_checkpoint_v2(
        w->conn->handle, NULL, restart ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE, &in_log, &moved);
    sqlite3_busy_timeout(w->conn->handle, WRITER_WAIT_MS);
    if (rc && rc != SQLITE_BUSY) {
        w->conn->fault = rc;
        not_writable(w, "a checkpoint");
    }
    w->log_left = rc != 0 || moved < in_log;
    w->next_checkpoint = pages + CHECKPOINT_PAGES;
}

/* ---- its life ------------------------------------------------------------------------------------------ */

static bool ended(struct writer *w) {
    pthread_mutex_lock(&w->lock);
    bool end = w->stopping && !w->first;
    pthread_mutex_unlock(&w->lock);
    return end && !w->taken;
}

static void *writer_main(void *arg) {
    struct writer *w = arg;
    while (!ended(w)) {
        bool tasks = wait_for_tasks(w);
        if (tasks)
            run_batch(w);
        else if (!atomic_load(&w->writable))
            recover(w);
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
    return pthread_create(&w->thread, NULL, writer_main, w) == 0 ? w : NULL;
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
