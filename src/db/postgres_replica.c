/* A streaming replica that serves reads of callers who can't notice the difference.
 *
 * The reads that it takes. A session must find its own writes when it reads next, through any process.
 * Sessions keep the time of their last write (core/login/session.h), and a read asks for a replica with
 * that time. The replica serves the read only if it is certain that it (1) has all that was committed
 * until then and (2) lags at most REPLICA_LAG_MS. Otherwise, and in doubt, the primary serves it. The
 * caller's identity is always read from the primary, so a changed password or an ended session counts at
 * once, however far the replica lags.
 *
 * How the lag is measured. Each second a watcher notes the time and then the position of the primary's
 * log. A replica that has replayed the log to this position has all that was committed before that time.
 * The watcher keeps the positions of the last seconds. The latest one that the replica has reached gives
 * its moment. If the watcher, the primary or the replica hangs, the moment grows old by itself, and the
 * replica is no longer used. The mark of a session becomes an age, and ages are compared. So a clock that
 * jumps back makes a session read from the primary, until the clock has passed the mark. REPLICA_SLACK_MS
 * allows for differences of clocks and for the duration of a COMMIT.
 *
 * Failovers. A new primary begins a timeline, and positions on two timelines can't be compared: a replica may
 * have received more of the old one than the new primary. So a replica counts only if its timeline is that of
 * the primary. A user with pg_read_all_stats learns at once that the replica follows. Another one learns it
 * from the replica's next restart point, within checkpoint_timeout.
 *
 * Failures. If a replica refuses, disconnects or cancels a statement (recovery has priority), the read
 * runs again on the primary. If it does not answer at all, the watcher shuts down its connections once its
 * moment is too old, and the waiting reads run on the primary. A server that is not a replica of this
 * database (promoted, another cluster) is never used. The URL names one server, because the position of
 * one replica says nothing about another. */
#include "db/postgres.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/log.h"

enum { BEAT_MS = 1000 };

/* For PostgreSQL only. Columns: cluster and database; position in the log, or -1: not a replica; timeline. */
static const char position_of_primary[] =
    "SELECT system_identifier || '/' || current_database(), "
    "CAST(pg_current_wal_lsn() - pg_lsn '0/0' AS BIGINT), "
    "CAST(CAST('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS BIT(32)) AS INTEGER) "
    "FROM pg_control_system()";
static const char position_of_replica[] =
    "SELECT system_identifier || '/' || current_database(), CASE WHEN pg_is_in_recovery() "
    "THEN CAST(COALESCE(pg_last_wal_replay_lsn() - pg_lsn '0/0', -1) AS BIGINT) ELSE -1 END, "
    "GREATEST((SELECT timeline_id FROM pg_control_checkpoint()), "
    "(SELECT min_recovery_end_timeline FROM pg_control_recovery()), "
    "(SELECT received_tli FROM pg_stat_wal_receiver)) FROM pg_control_system()";

/* ---- the watcher ----------------------------------------------------------------------------- */

struct position {
    char of[160];
    int64_t at, timeline;
};

static int replica_ask(struct conn *c, const char *sql, struct position *out) {
    if (c == NULL || pg_ready(c) < 0) return -ERR_SERVICE_UNAVAILABLE;
    PGresult *r = pg_exec(c, sql, BEAT_MS);
    if (PQresultStatus(r) != PGRES_TUPLES_OK || PQntuples(r) != 1) return pg_error(c, r, sql);
    snprintf(out->of, sizeof out->of, "%s", PQgetvalue(r, 0, 0));
    out->at = strtoll(PQgetvalue(r, 0, 1), NULL, 10);
    out->timeline = strtoll(PQgetvalue(r, 0, 2), NULL, 10);
    PQclear(r);
    return 0;
}

/* Returns the connection, opened at first use, or NULL. A broken one reconnects when it is used. */
static struct conn *connected(struct db *db, struct pg_server *server, struct conn **c) {
    char text[400];
    if (*c == NULL && pg_open(db, server, CONN_READER, c, (struct why){text, sizeof text}) < 0) return NULL;
    return *c;
}

/* Returns the latest beat that the replica has replayed, or NULL. */
static const struct pg_beat *reached(const struct pg_replica *r, int64_t position) {
    const struct pg_beat *found = NULL;
    for (size_t i = 0; i < PG_BEATS; i++) {
        const struct pg_beat *b = &r->beats[i];
        if (b->at && b->position <= position && (found == NULL || b->at > found->at)) found = b;
    }
    return found;
}

static void set_moment(struct pg_replica *r, const struct pg_beat *b) {
    pthread_mutex_lock(&r->lock);
    r->moment = *b;
    pthread_mutex_unlock(&r->lock);
}

static void beat(struct db *db, struct pg_replica *r) {
    struct position primary, replica;
    struct pg_beat now = {.at = clock_monotonic()};
    if (replica_ask(connected(db, &db->postgres->primary, &r->primary), position_of_primary, &primary) < 0)
        return;
    now.position = primary.at;
    if (primary.timeline != r->timeline) {
        memset(r->beats, 0, sizeof r->beats);
        set_moment(r, &(struct pg_beat){0});
    }
    r->timeline = primary.timeline;
    r->beats[r->next++ % PG_BEATS] = now;
    if (replica_ask(connected(db, &r->server, &r->own), position_of_replica, &replica) < 0) return;
    bool ours = replica.at >= 0 && strcmp(primary.of, replica.of) == 0;
    if (!ours && !r->strange)
        log_warn("store: the server of --replica-url is not a replica of the "
                 "database: it is not used");
    r->strange = !ours;
    bool follows = ours && replica.timeline == primary.timeline;
    const struct pg_beat *b = follows ? reached(r, replica.at) : NULL;
    if (b) set_moment(r, b);
}

static bool usable(struct pg_replica *r, int64_t since) {
    pthread_mutex_lock(&r->lock);
    struct pg_beat moment = r->moment;
    pthread_mutex_unlock(&r->lock);
    int64_t age = clock_monotonic() - moment.at;
    return moment.at && age <= REPLICA_LAG_MS && age <= clock_now(r->clock) - since;
}

static void tell_changes(struct pg_replica *r, bool now) {
    if (now != r->told)
        log_info(now ? "store: reads go to the replica"
                     : "store: the replica is not used: it is unreachable or lags");
    r->told = now;
}

static void *replica_watch_main(void *arg) {
    struct db *db = arg;
    struct pg_replica *r = &db->postgres->replica;
    pthread_mutex_lock(&r->lock);
    while (!r->stopping) {
        pthread_mutex_unlock(&r->lock);
        beat(db, r);
        bool now = usable(r, 0);
        if (r->told && !now) pg_watch_cut(db, &r->server);
        tell_changes(r, now);
        int64_t until = clock_monotonic() + BEAT_MS;
        struct timespec t = {until / 1000, until % 1000 * 1000000};
        pthread_mutex_lock(&r->lock);
        if (!r->stopping) pthread_cond_timedwait(&r->stop, &r->lock, &t);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* ---- opening and closing --------------------------------------------------------------------- */

static void replica_reader_gone(void *arg) { pg_close(arg); }

int pg_replica_open(struct db *db, const struct db_config *cfg, struct why why) {
    struct pg_replica *r = &db->postgres->replica;
    pthread_condattr_t monotonic;
    r->clock = cfg->clock;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->stop, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_key_create(&r->key, replica_reader_gone) != 0)
        return db_refuse(why, "too many stores are open");
    r->opened = true;
    r->watched = pthread_create(&r->watcher, NULL, replica_watch_main, db) == 0;
    return r->watched ? 0 : db_refuse(why, "no thread can be started");
}

void pg_replica_close(struct db *db) {
    struct pg_replica *r = &db->postgres->replica;
    if (r->watched) {
        pthread_mutex_lock(&r->lock);
        r->stopping = true;
        pthread_cond_signal(&r->stop);
        pthread_mutex_unlock(&r->lock);
        pthread_join(r->watcher, NULL);
    }
    if (r->opened) pthread_key_delete(r->key);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct conn *pg_replica(struct db *db, int64_t since) {
    struct pg_replica *r = &db->postgres->replica;
    char text[400];
    struct conn *c;
    if (!r->opened || !usable(r, since)) return NULL;
    if ((c = pthread_getspecific(r->key)) == NULL) {
        if (pg_open(db, &r->server, CONN_READER, &c, (struct why){text, sizeof text}) < 0) return NULL;
        if (pthread_setspecific(r->key, c) != 0) return pg_close(c), NULL;
    }
    atomic_fetch_add(&r->reads, 1);
    return c;
}

bool pg_replica_usable(struct db *db) {
    return db->postgres->replica.opened && usable(&db->postgres->replica, 0);
}
