/* Keeps a reader's snapshot open after the read.
 *
 * To begin a read, SQLite compares the header of the log, takes a lock in shared memory (an fcntl, under a
 * mutex that all connections of the process share) and checks whether its cache is still valid. At the end
 * of the read it releases the lock. With two busy loops more than half of all futex calls came from that
 * mutex. If nothing was committed, the next read would get the same snapshot. So a reader leaves its
 * snapshot open, and the next read uses it again:
 *
 *     read_begin                       read_end
 *     closed --BEGIN--> in use  -- nothing was committed --> kept --- the same version, and young --> in use
 *                       in use  -- COMMIT --> closed          kept --- otherwise: COMMIT, BEGIN -----> in use
 *
 * Each COMMIT raises the store's `version` before any done() is called. A reader reads the version before
 * its BEGIN, and its first statement takes the snapshot. So a snapshot is never older than the version it
 * is kept under, and a caller whose write was answered finds it.
 *
 * A kept snapshot must not hold the log back: an event loop may be idle for hours, and frames behind its
 * snapshot could not be moved into the store. So before each checkpoint the writer raises the version and
 * ends the snapshots of idle readers. A reader's thread holds its `turn` from begin to end of a read,
 * otherwise the thread that ends the snapshot holds it. A reader in use ends its own snapshot after the
 * read. Hence the rule of db_config.keep_snapshots: read only between db_read_begin and db_read_end.
 *
 * A serving process is the only one that writes. `version` does not show writes by the sqlite3 shell. They
 * are seen after KEPT_MS at the latest. */
#include "db/db_internal.h"

enum { KEPT_MS = 100 };

static bool keeps(const struct conn *c) {
    return c->role == CONN_READER && c->store && c->store->keep_snapshots;
}

bool snapshot_held(const struct conn *c) { return c->kept.held || !keeps(c); }

static int64_t version_now(const struct conn *c) { return atomic_load(&c->store->sqlite->version); }

static void take_turn(struct conn *c) {
    pthread_mutex_lock(&c->kept.turn);
    c->kept.held = true;
}

static void give_turn(struct conn *c) {
    c->kept.held = false;
    pthread_mutex_unlock(&c->kept.turn);
}

/* Ends the snapshot. The caller holds the turn. A thread other than the connection's own does not touch
 * its statement cache. */
static void snapshot_let_go(struct conn *c) {
    int rc = c->kept.held ? db_exec_text(c, "COMMIT", NULL) : conn_pragma(c, "COMMIT");
    bool failed = c->kept.held ? rc < 0 : rc != 0;
    if (failed) conn_pragma(c, "ROLLBACK");
    c->kept.open = false;
}

int snapshot_begin(struct conn *c, int64_t now) {
    if (!keeps(c)) return conn_begin(c, false);
    assert(!c->transaction);
    take_turn(c);
    int64_t version = version_now(c);
    if (c->kept.open && (c->kept.version != version || now - c->kept.since >= KEPT_MS)) snapshot_let_go(c);
    if (c->kept.open) {
        c->transaction = true;
        return 0;
    }
    int rc = conn_begin(c, false);
    c->kept.open = rc == 0;
    c->kept.version = version;
    c->kept.since = now;
    c->kept.number = atomic_fetch_add(&c->store->sqlite->snapshots, 1) + 1;
    if (rc < 0) give_turn(c);
    return rc;
}

int64_t snapshot_number(const struct conn *c) {
    return keeps(c) && c->transaction && c->kept.open ? c->kept.number : 0;
}

int64_t snapshot_newest(const struct db *db) { return atomic_load(&db->sqlite->snapshots); }

void snapshot_end(struct conn *c) {
    if (!c->transaction) return;
    if (!keeps(c)) {
        conn_commit(c);
        return;
    }
    statements_end(c);
    c->transaction = false;
    if (c->kept.version != version_now(c) || sqlite3_get_autocommit(c->handle)) snapshot_let_go(c);
    give_turn(c);
}

void reader_close(struct conn *c) {
    conn_leave(c); /* so no other thread takes its turn from now on */
    statements_end(c);
    if (c->kept.open) snapshot_let_go(c);
    conn_close(c);
}

void snapshots_outdated(struct db *db) { atomic_fetch_add(&db->sqlite->version, 1); }

/* Calls it with the turn of each reader that is not in use. */
static void each_idle_reader(struct db *db, void (*call)(struct conn *c)) {
    pthread_mutex_lock(&db->lock);
    for (struct ring *r = db->conns.next; r != &db->conns; r = r->next) {
        struct conn *c = RING_OF(r, struct conn, in_store);
        if (!keeps(c) || pthread_mutex_trylock(&c->kept.turn) != 0) continue;
        call(c);
        pthread_mutex_unlock(&c->kept.turn);
    }
    pthread_mutex_unlock(&db->lock);
}

static void let_go_if_open(struct conn *c) {
    if (c->kept.open) snapshot_let_go(c);
}

static void release_pages(struct conn *c) { sqlite3_db_release_memory(c->handle); }

void snapshots_let_go(struct db *db) {
    snapshots_outdated(db);
    each_idle_reader(db, let_go_if_open);
}

void readers_rest(struct db *db) { each_idle_reader(db, release_pages); }
