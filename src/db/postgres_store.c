/* A store in PostgreSQL: its writers, and how they run a task. See the essay in postgres.c. */
#include "db/postgres.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/random.h"

enum {
    ATTEMPTS = 10,
    STATEMENT_MS = 30000, /* the default limit of a statement, so that no thread is blocked for ever */
    /* upper bound of the random pause before the second attempt; doubled for each further one */
    PAUSE_MS = 2,
};

static _Thread_local const struct db *writing_for;

/* ---- a task ---------------------------------------------------------------------------------- */

/* Ends a transaction. Returns 0, or an error: nothing of it was kept, or this is unknown. */
static int commit(struct conn *c) {
    if (pg_unbegun(c)) return 0;
    bool alone = c->pg->waiting_count == 0;
    if (alone && PQtransactionStatus(c->pg->handle) == PQTRANS_INERROR) {
        log_error("store: a write continued after a failed statement");
        return -ERR_INTERNAL_ERROR;
    }
    c->pg->unconfirmed = false;
    int rc = alone ? pg_run(c, "COMMIT") : pg_run_last(c, "COMMIT");
    if (rc == 0 && c->pg->unconfirmed)
        rc = UNAVAILABLE("unconfirmed writes",
                         "store: the wait of a COMMIT for a synchronous standby was cancelled");
    if (rc == 0) count(&c->counters.commits);
    return rc;
}

/* Records in the transaction that it changed tracked tables. Returns the task's result, or an error. */
static int pg_record_change(struct conn *c, int result) {
    const struct pg_store *s = c->store->postgres;
    if (s->on_change == NULL || s->clock == NULL || c->pg->collided) return result;
    int rc = db_later(c, s->on_change, BINDS(B_INT("now", clock_now(s->clock))));
    return rc < 0 ? rc : result;
}

static int attempt(struct conn *c, struct db_task *t, bool bulk) {
    int rc = pg_begin(c, "BEGIN", bulk ? 0 : c->store->postgres->statement_ms);
    if (rc < 0) return rc;
    c->tracked = false;
    pg_ahead_begin(c);
    rc = t->run(t, c);
    if (rc >= 0 && c->tracked) rc = pg_record_change(c, rc);
    statements_end(c);
    pg_ahead_end(c, rc >= 0);
    bool ends = rc >= 0 && !c->pg->collided && !c->pg->late;
    int end = ends ? commit(c) : 0;
    if ((!ends || end < 0) && !pg_unbegun(c)) {
        pg_collect(c); /* a statement that failed changes nothing: the transaction is rolled back */
        pg_run(c, "ROLLBACK");
    }
    c->transaction = false;
    return end < 0 ? end : rc;
}

static void pause_before(int attempt_number) {
    uint64_t chance;
    random_bytes(&chance, sizeof chance);
    int64_t most = (int64_t)PAUSE_MS << (attempt_number < 6 ? attempt_number : 6);
    struct timespec t = {0, (int64_t)(chance % (uint64_t)most) * 1000000};
    nanosleep(&t, NULL);
}

static void pg_carry_out(struct conn *c, struct db_task *t, bool bulk) {
    int rc;
    bool again, raced = false;
    c->pg->at_once = false;
    for (int i = 1;; i++) {
        rc = attempt(c, t, bulk);
        again = c->pg->collided || c->pg->late || (rc < 0 && c->pg->raced && !raced);
        c->pg->at_once = c->pg->at_once || c->pg->late;
        raced = raced || c->pg->raced;
        if (!again || i == ATTEMPTS) break;
        pause_before(i);
    }
    if (c->pg->collided)
        rc = UNAVAILABLE("writes given up",
                         "store: a write was given up after %d deadlocks or serialisation "
                         "failures",
                         ATTEMPTS);
    if (rc < 0 && c->budget_spent)
        log_often(LOG_WARN, "writes that took too long",
                  "store: a write took longer than --statement-timeout");
    count(&c->counters.tasks);
    t->done(t, rc);
}

/* ---- the writers ----------------------------------------------------------------------------- */

static struct db_task *pg_take_task(struct pg_store *s) {
    pthread_mutex_lock(&s->lock);
    while (!s->first && !s->stopping) pthread_cond_wait(&s->wake, &s->lock);
    struct db_task *t = s->first;
    if (t) s->first = t->next;
    if (!s->first) s->last = &s->first;
    pthread_mutex_unlock(&s->lock);
    return t;
}

static void *pg_writer_main(void *arg) {
    struct conn *c = arg;
    struct db *db = c->store;
    writing_for = db;
    for (struct db_task *t; (t = pg_take_task(db->postgres)) != NULL;) pg_carry_out(c, t, db->bulk);
    return NULL;
}

void pg_submit(struct db *db, struct db_task *t) {
    struct pg_store *s = db->postgres;
    t->next = NULL;
    pthread_mutex_lock(&s->lock);
    bool refused = s->stopping || s->writer_count == 0;
    if (!refused) {
        *s->last = t;
        s->last = &t->next;
    }
    pthread_mutex_unlock(&s->lock);
    if (refused)
        t->done(t, UNAVAILABLE("refused writes", "store: a write was refused because there is no writer"));
    else pthread_cond_signal(&s->wake); /* after the unlock, or the writer would wait for the lock */
}

bool pg_writes_here(const struct db *db) { return writing_for == db; }

void pg_stats(struct db *db, struct db_stats *out) {
    out->notified = atomic_load(&db->postgres->notifier.received);
    out->writable = db->postgres->writer_count > 0 && atomic_load(&db->postgres->primary.back_off) == 0;
    out->replica_reads = atomic_load(&db->postgres->replica.reads);
    out->replica_usable = pg_replica_usable(db);
}

/* ---- opening and closing --------------------------------------------------------------------- */

/* The connection of the first writer migrates before its thread starts. */
static int start_writers(struct db *db, const struct db_config *cfg, const struct schema_file *files,
                         struct why why) {
    struct pg_store *s = db->postgres;
    int wanted = cfg->bulk ? 1 : cfg->writers > 0 ? cfg->writers : PG_WRITERS, rc = 0;
    for (int i = 0; rc == 0 && i < wanted && i < PG_WRITERS_MAX; i++) {
        struct conn *c;
        rc = pg_open(db, &s->primary, cfg->bulk ? CONN_BULK : CONN_WRITER, &c, why);
        if (rc == 0 && db->filling) rc = pg_claim(c, why);
        if (rc == 0 && i == 0) rc = pg_migrate(c, files, why);
        if (rc < 0) break;
        if (pthread_create(&s->writers[i], NULL, pg_writer_main, c) != 0)
            return db_refuse(why, "no thread can be started");
        s->writer_count++;
    }
    return rc;
}

static int pg_check_schema(struct db *db, bool alone, const struct schema_file *files, struct why why) {
    struct conn *c;
    int rc = pg_open(db, &db->postgres->primary, CONN_READER, &c, why), newest = schema_newest(files);
    if (rc == 0 && alone) rc = pg_alone(c, why);
    if (rc == 0) rc = pg_schema_version(c, files, why);
    if (rc >= 0 && rc < newest)
        rc = db_refuse(why,
                       rc ? "the database has schema %d, this deskd needs %d: start deskd serve to update it"
                          : "there is no desk in the database (schema %d of %d): deskd init makes one",
                       rc, newest);
    return rc < 0 ? rc : 0;
}

bool db_url_valid(struct str url) {
    return str_starts(url, S("postgres://")) || str_starts(url, S("postgresql://"));
}

/* Checks a URL. libpq's message quotes the URL with its password, so the quote is cut off. A password with
 * '@' or '/' would be read as a part of the host or port, which libpq quotes later, so such a URL is
 * refused here. */
static int read_url(const char *url, struct why why) {
    char *reason = NULL;
    bool misplaced = false;
    PQconninfoOption *words = PQconninfoParse(url, &reason);
    for (const PQconninfoOption *o = words; o && o->keyword; o++) {
        if (!o->val) continue;
        if (strcmp(o->keyword, "host") == 0 && *o->val != '/') misplaced = misplaced || strchr(o->val, '@');
        if (strcmp(o->keyword, "port") == 0) misplaced = misplaced || o->val[strspn(o->val, "0123456789,")];
    }
    int rc = 0;
    if (!words) {
        char *quoted = reason ? strstr(reason, ": \"") : NULL;
        if (quoted) *quoted = 0;
        rc = db_refuse(why, "the URL of the database is not valid: %s", reason ? reason : "out of memory");
    } else if (misplaced) {
        rc = db_refuse(why, "the URL of the database has a password with '@', '/' or ':' in it: write %%40, "
                            "%%2F, %%3A");
    }
    PQfreemem(reason);
    PQconninfoFree(words);
    return rc;
}

int pg_store_open(struct db *db, const struct db_config *cfg, const struct schema_file *files,
                  struct why why) {
    struct pg_store *s = db->postgres = ARENA_NEW(db->memory, struct pg_store);
    s->last = &s->first;
    s->statement_ms = cfg->statement_ms ? cfg->statement_ms : STATEMENT_MS;
    s->on_change = cfg->on_change;
    s->clock = cfg->clock;
    s->primary = (struct pg_server){"database", str_dup(db->memory, str_of(cfg->url)).p, "5", 0, 0, false};
    s->notifier.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->hints_lock, NULL);
    pthread_cond_init(&s->wake, NULL);
    int rc = s->notifier.fd < 0 ? db_refuse(why, "too many files are open") : read_url(s->primary.url, why);
    if (rc == 0 && cfg->replica) rc = read_url(cfg->replica, why);
    if (rc == 0 && pg_watch_start(db) < 0) rc = db_refuse(why, "no thread can be started");
    if (rc == 0)
        rc =
            cfg->read_only ? pg_check_schema(db, cfg->alone, files, why) : start_writers(db, cfg, files, why);
    s->opened = rc == 0;
    if (rc < 0 || cfg->replica == NULL) return rc;
    s->replica.server =
        (struct pg_server){"replica", str_dup(db->memory, str_of(cfg->replica)).p, "2", 0, 0, false};
    return pg_replica_open(db, cfg, why);
}

int pg_store_close(struct db *db) {
    struct pg_store *s = db->postgres;
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_cond_broadcast(&s->wake);
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < s->writer_count; i++) pthread_join(s->writers[i], NULL);
    pg_replica_close(db);
    pg_watch_stop(db);
    for (struct ring *r = db->conns.next, *next = r->next; r != &db->conns; r = next, next = r->next)
        pg_close(RING_OF(r, struct conn, in_store));
    close(s->notifier.fd);
    pg_hints_free(s);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->lock);
    return 0;
}
