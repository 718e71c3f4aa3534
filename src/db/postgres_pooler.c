/* Poolers between this process and the database, such as PgBouncer.
 *
 * A pooler that gives another session to each transaction breaks what deskd keeps in a session: prepared
 * statements, SET (isolation, timeouts, synchronous_commit), LISTEN, and the locks of a migration. Some of
 * these fail with an error, but a lost SET or a lost lock does not. So such a pooler is refused, by a test
 * of what it does, because no pooler reports its mode to a client.
 *
 * A pooler answers a connection with a key of its own for cancelling, so the number of the process in it is
 * not that of the session. This costs no round trip, because each connection asks for its number with its
 * first settings. If the numbers differ, another connection begins a transaction. A pooler by transactions
 * gives it the session that the first one has just used, because this one is free, or else gives the first
 * one another session afterwards. In session pooling neither can happen. The test runs for the first
 * connection to a server, and for the first one after any was lost, because a pooler may have been restarted
 * with other settings. */
#include "db/postgres.h"

#include <poll.h>
#include <stdlib.h>

enum {
    ROUNDS = 4,       /* a pooler may take up to three other free sessions first */
    ANSWER_MS = 2000, /* a pooler by sessions without a free one does not answer */
};

/* Times are those of OPERATIONS.md, "If the database is unavailable". The ones of the network end a
 * connection whose other end is gone without a word, in a quarter of a minute; without a socket of TCP they
 * have no effect. They come before the URL, so that the URL overrides them. */
PGconn *pg_connect(const struct pg_server *server, const PGconn *like) {
    const char *const words[] = {"connect_timeout",
                                 "tcp_user_timeout",
                                 "keepalives_idle",
                                 "keepalives_interval",
                                 "keepalives_count",
                                 "client_encoding",
                                 "fallback_application_name",
                                 "dbname",
                                 like ? "host" : NULL,
                                 "port",
                                 NULL};
    const char *const values[] = {server->connect_timeout,
                                  "10000",
                                  "5",
                                  "5",
                                  "2",
                                  "UTF8",
                                  "deskd",
                                  server->url,
                                  like ? PQhost(like) : NULL,
                                  like ? PQport(like) : NULL,
                                  NULL};
    return PQconnectdbParams(words, values, 1);
}

/* Returns true if a result can be read without waiting, or the connection is lost. */
static bool answers(PGconn *handle) {
    int64_t until = clock_monotonic() + ANSWER_MS;
    while (PQisBusy(handle)) {
        struct pollfd fd = {.fd = PQsocket(handle), .events = POLLIN};
        int64_t left = until - clock_monotonic();
        if (left <= 0 || poll(&fd, 1, (int)left) != 1) return false;
        if (!PQconsumeInput(handle)) return true;
    }
    return true;
}

/* Returns the last result of a command, or NULL if it does not come in time. */
static PGresult *answer_of(PGconn *handle, const char *text) {
    PGresult *last = NULL;
    if (!PQsendQuery(handle, text)) return NULL;
    while (answers(handle)) {
        PGresult *r = PQgetResult(handle);
        if (r == NULL) return last;
        PQclear(last);
        last = r;
    }
    PQclear(last);
    return NULL;
}

static int session_number_in(const PGresult *r) {
    return PQresultStatus(r) == PGRES_TUPLES_OK ? (int)strtol(PQgetvalue(r, 0, 0), NULL, 10) : 0;
}

static int refuse_pooler(const struct conn *c, struct why why) {
    return db_refuse(
        why,
        "the %s is behind a pooler that changes the session between transactions, but deskd needs "
        "its prepared statements, settings and LISTEN: set pool_mode=session for this database "
        "(PgBouncer), or name the server itself",
        c->pg->server->name);
}

/* Begins a transaction in another connection, and looks which session each of them has. */
static int pooler_round(struct conn *c, PGconn *other, struct why why) {
    PGresult *r = answer_of(other, "BEGIN; SELECT pg_backend_pid()");
    if (r == NULL) return 0; /* there is no free session, so the first connection has its own */
    int number = session_number_in(r);
    bool refused = PQresultStatus(r) != PGRES_TUPLES_OK;
    PQclear(r);
    /* refused: it pools by statements */
    if (refused || number == c->pg->number) return refuse_pooler(c, why);
    pg_wait(c, PG_COMMAND_MS);
    r = PQexec(c->pg->handle, "SELECT pg_backend_pid()");
    pg_waited(c);
    number = session_number_in(r);
    PQclear(r);
    return number == c->pg->number ? 1 : refuse_pooler(c, why);
}

int pg_pooler_check(struct conn *c, const PGresult *answer, struct why why) {
    struct pg_server *s = c->pg->server;
    PGconn *others[ROUNDS] = {0};
    c->pg->number = session_number_in(answer);
    if (c->pg->number == PQbackendPID(c->pg->handle)) return 0;
    if (c->pg->generation == 0 && atomic_load(&s->keeps_sessions)) return 0;
    int rc = 1;
    for (int i = 0; rc == 1 && i < ROUNDS; i++) {
        others[i] = pg_connect(s, c->pg->handle);
        rc = PQstatus(others[i]) == CONNECTION_OK ? pooler_round(c, others[i], why) : 0;
    }
    for (int i = 0; i < ROUNDS; i++) PQfinish(others[i]);
    if (rc < 0) return rc;
    atomic_store(&s->keeps_sessions, true);
    return 0;
}
