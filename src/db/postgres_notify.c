/* Processes that share a database wake each other by LISTEN and NOTIFY, sent by one thread through its
 * reading connection.
 *
 * A NOTIFY in the transaction of each write cost two thirds of the throughput, because its COMMIT takes a
 * lock that all COMMITs with a NOTIFY share. So a write only sets a mark after its COMMIT. The listener
 * sends one NOTIFY for all marks, at most one in GAP_MS. Its COMMIT need not be durable. A message has no
 * content: it means "look at the store". A message may be lost (a broken connection, a pooler without
 * LISTEN), so the caller looks each time db_listen returns, whatever the result. */
#include "db/postgres.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/error.h"

enum { GAP_MS = 5 };

void pg_notify(struct db *db) {
    struct pg_notifier *nt = &db->postgres->notifier;
    if (!atomic_exchange(&nt->marked, true)) eventfd_write(nt->fd, 1);
}

void pg_listen_end(struct db *db) {
    struct pg_notifier *nt = &db->postgres->notifier;
    atomic_store(&nt->ended, true);
    eventfd_write(nt->fd, 1);
}

/* Returns true if the connection is open and has run LISTEN. */
static bool listening(struct conn *c, struct pg_notifier *nt) {
    if (c == NULL || pg_ready(c) < 0) return false;
    if (nt->generation == c->pg->generation) return true;
    if (pg_run(c, "SET synchronous_commit = off; LISTEN deskd") < 0) return false;
    nt->generation = c->pg->generation;
    return true;
}

static void notifier_send(struct conn *c, struct pg_notifier *nt) {
    atomic_store(&nt->marked, false); /* before the NOTIFY: a later mark causes the next NOTIFY */
    nt->quiet_until = clock_monotonic() + GAP_MS;
    if (listening(c, nt)) pg_run(c, "NOTIFY deskd");
}

/* Returns true if another process has sent a NOTIFY. */
static bool notifier_received(struct conn *c, struct pg_notifier *nt) {
    bool others = false;
    if (!PQconsumeInput(c->pg->handle)) return false;
    for (PGnotify *n; (n = PQnotifies(c->pg->handle)) != NULL; PQfreemem(n))
        if (n->be_pid != c->pg->number) {
            others = true;
            count(&nt->received);
        }
    return others;
}

static void notifier_wait(struct conn *c, struct pg_notifier *nt, int64_t ms) {
    int64_t quiet = nt->quiet_until - clock_monotonic();
    bool waits = quiet > 0 && atomic_load(&nt->marked);
    struct pollfd fds[] = {
        {.fd = waits ? -1 : nt->fd, .events = POLLIN},
        {.fd = c ? PQsocket(c->pg->handle) : -1, .events = POLLIN},
    };
    eventfd_t marks;
    poll(fds, 2, (int)(waits && quiet < ms ? quiet : ms));
    if (fds[0].revents) eventfd_read(nt->fd, &marks);
}

int pg_listen(struct db *db, int wait_ms) {
    struct pg_notifier *nt = &db->postgres->notifier;
    struct conn *c = db_reader(db);
    int64_t now, until = clock_monotonic() + wait_ms;
    while (!atomic_load(&nt->ended)) {
        bool connected = listening(c, nt);
        now = clock_monotonic();
        if (atomic_load(&nt->marked) && now >= nt->quiet_until) notifier_send(c, nt);
        if (connected && notifier_received(c, nt)) return 1;
        if (now >= until) return 0;
        notifier_wait(connected ? c : NULL, nt, until - now);
    }
    return -1;
}
