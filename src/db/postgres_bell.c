/* How processes that share a database wake each other: LISTEN and NOTIFY, by one thread and its reading connection.
 *
 * A NOTIFY within the transaction of each write cost two thirds of the throughput: its COMMIT takes a lock that all
 * COMMITs with a NOTIFY share. So a write only marks the bell, after its COMMIT, and the listener tells of all marks in
 * one NOTIFY of its own, at most one each GAP_MS, whose COMMIT need not be durable. A message carries nothing: it says
 * "look". One that is lost (a connection just broken, a pooler that knows no LISTEN) is made good by looking each time
 * that db_hear comes back, whatever it says. */
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

/* Connected, and listening in this connection. */
static bool listening(struct conn *c, struct pg_bell *b) {
    if (c == NULL || pg_ready(c) < 0) return false;
    if (b->generation == c->pg->generation) return true;
    if (pg_run(c, "SET synchronous_commit = off; LISTEN deskd") < 0) return false;
    b->generation = c->pg->generation;
    return true;
}

static void bell_notify(struct conn *c, struct pg_bell *b) {
    atomic_store(&b->rung, false); /* before the NOTIFY: what is rung from now on is told by the next */
    b->quiet_until = clock_monotonic() + GAP_MS;
    if (listening(c, b)) pg_run(c, "NOTIFY deskd");
}

/* Whether another process has told. */
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
