/* Processes that share a database wake each other by LISTEN and NOTIFY, sent by one thread through its reading
 * connection.
 *
 * A NOTIFY in the transaction of each write cost two thirds of the throughput, because its COMMIT takes a lock that all
 * COMMITs with a NOTIFY share. So a write only sets a mark after its COMMIT. The listener sends one NOTIFY for all
 * marks, at most one in GAP_MS. Its COMMIT need not be durable. A message has no content: it means "look at the store".
 * A message may be lost (a broken connection, a pooler without LISTEN), so the caller looks each time db_hear returns,
 * whatever the result. */
#include "db/postgres.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/error.h"

enum { GAP_MS = 5 };

void pg_ring(struct db *db) {
    struct pg_bell *b = &db->postgres->bell;
    if (!atomic_exchange(&b->rung, true)) eventfd_write(b->fd, 1);
}

void pg_hush(struct db *db) {
    struct pg_bell *b = &db->postgres->bell;
    atomic_store(&b->hushed, true);
    eventfd_write(b->fd, 1);
}

/* Returns true if the connection is open and has run LISTEN. */
static bool listening(struct conn *c, struct pg_bell *b) {
    if (c == NULL || pg_ready(c) < 0) return false;
    if (b->generation == c->pg->generation) return true;
    if (pg_run(c, "SET synchronous_commit = off; LISTEN deskd") < 0) return false;
    b->generation = c->pg->generation;
    return true;
}

static void bell_notify(struct conn *c, struct pg_bell *b) {
    atomic_store(&b->rung, false); /* before the NOTIFY: a later mark causes the next NOTIFY */
    b->quiet_until = clock_monotonic() + GAP_MS;
    if (listening(c, b)) pg_run(c, "NOTIFY deskd");
}

/* Returns true if another process has sent a NOTIFY. */
static bool told(struct conn *c, struct pg_bell *b) {
    bool others = false;
    if (!PQconsumeInput(c->pg->handle)) return false;
    for (PGnotify *n; (n = PQnotifies(c->pg->handle)) != NULL; PQfreemem(n))
        if (n->be_pid != PQbackendPID(c->pg->handle)) {
            others = true;
            count(&b->heard);
        }
    return others;
}

static void bell_rest(struct conn *c, struct pg_bell *b, int64_t ms) {
    int64_t quiet = b->quiet_until - clock_monotonic();
    bool deaf = quiet > 0 && atomic_load(&b->rung);
    struct pollfd fds[] = {
        {.fd = deaf ? -1 : b->fd, .events = POLLIN},
        {.fd = c ? PQsocket(c->pg->handle) : -1, .events = POLLIN},
    };
    eventfd_t marks;
    poll(fds, 2, (int)(deaf && quiet < ms ? quiet : ms));
    if (fds[0].revents) eventfd_read(b->fd, &marks);
}

int pg_hear(struct db *db, int wait_ms) {
    struct pg_bell *b = &db->postgres->bell;
    struct conn *c = db_reader(db);
    int64_t now, until = clock_monotonic() + wait_ms;
    while (!atomic_load(&b->hushed)) {
        bool connected = listening(c, b);
        now = clock_monotonic();
        if (atomic_load(&b->rung) && now >= b->quiet_until) bell_notify(c, b);
        if (connected && told(c, b)) return 1;
        if (now >= until) return 0;
        bell_rest(connected ? c : NULL, b, until - now);
    }
    return -1;
}
