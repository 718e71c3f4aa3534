/* Connections to PostgreSQL, and the essay on the engine.
 *
 * Threads. libpq is used synchronously: a thread that runs a statement waits for the result, so this
 * engine never runs on an event loop (db_blocks). A pool thread reads through a connection of its own, as
 * on SQLite, so there are as many reading connections as pool threads. A few threads write, with a
 * connection each (postgres_store.c). A write that waits for a lock, or for the disk at its COMMIT, delays
 * no other. PostgreSQL makes one fsync for COMMITs that come together. Batches as on SQLite would only
 * make unrelated writes share locks.
 *
 * Isolation. A GET is one READ ONLY REPEATABLE READ transaction: one snapshot, as on SQLite. A write is
 * one READ COMMITTED transaction. Each of its statements sees what others have committed by then. So a
 * write reads the rows it will change with @LOCK@. If there is no row to lock, or a rule spans several
 * rows, db_lock() takes an advisory lock by name. Lock names before rows, and rows in the order of their
 * ids. If that is not possible, PostgreSQL detects the deadlock after deadlock_timeout.
 *
 * Retries. A task may be run again, after a ROLLBACK and a pause of random length:
 *
 *     40001, 40P01    serialisation failure, deadlock: up to ATTEMPTS times, then -ERR_SERVICE_UNAVAILABLE
 *     23505, 23503    a unique or foreign key violation that the checks of the task did not find: once. A concurrent write
 *                     committed between check and insert. The check of the second run finds it and gives the better error.
 *
 * Nothing is retried if the reply to a COMMIT is lost. Then it is unknown whether the COMMIT happened, and
 * the caller gets -ERR_SERVICE_UNAVAILABLE. A write that was answered with success was committed with
 * synchronous_commit on.
 *
 * Lost connections. A connection found dead before a transaction is opened again, and the caller does not
 * notice. A connection that dies in a transaction fails it with -ERR_SERVICE_UNAVAILABLE. While the
 * database can't be reached, all connections of the store share one back-off (BACK_OFF_MS to
 * BACK_OFF_MAX_MS). Requests in between fail at once. A database that accepts connections but does not
 * answer counts as lost once a wait has exceeded its time (postgres_watch.c).
 *
 * Round trips. Statements are prepared once for each connection and text. In a write, the BEGIN goes out
 * with the first statement, a statement whose result nobody reads with the next one or with the COMMIT
 * (postgres_pipeline.c), and reads with the statement that they followed before (postgres_ahead.c), in
 * libpq's pipeline mode. A GET is one pipeline, which PostgreSQL runs as one transaction without BEGIN
 * and COMMIT (postgres_hints.c). Its end is sent at once, but the reply to it is read before the next
 * command, so the reader does not wait for it. Parameters are sent in binary, by the type that the server
 * reports. Results come as text: they are parsed where they are read, and sums of type numeric need no
 * second format. */
#include "db/postgres.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

enum {
    BACK_OFF_MS = 50,
    BACK_OFF_MAX_MS = 2000,
    TRY_MS = 10000, /* no attempt to connect lasts longer; otherwise a second one would start beside it */
};

/* ---- errors ---------------------------------------------------------------------------------- */

void pg_reason(struct conn *c, char *out, size_t n) {
    snprintf(out, n, "%s", PQerrorMessage(c->pg->handle));
    size_t length = strlen(out);
    while (length && (out[length - 1] == '\n' || out[length - 1] == ' ')) out[--length] = 0;
    for (char *p = out; *p; p++)
        if (*p == '\n' || *p == '\t') *p = ' ';
}

static bool is(const char *state, const char *prefix) { return strncmp(state, prefix, strlen(prefix)) == 0; }

static int pg_error_of(struct conn *c, const char *state) {
    struct pg *g = c->pg;
    if (is(state, "23505") || is(state, "23503")) {
        g->raced = true;
        return is(state, "23505") ? ERR_FIELD_DUPLICATE : ERR_FIELD_INVALID;
    }
    if (is(state, "40001") || is(state, "40P01")) {
        g->collided = true;
        return ERR_SERVICE_UNAVAILABLE;
    }
    if (is(state, "25P02") && g->late) return ERR_SERVICE_UNAVAILABLE; /* a read that was sent ahead failed */
    if (is(state, "57014")) {
        c->budget_spent = true;
        return ERR_SERVICE_UNAVAILABLE;
    }
    if (is(state, "XX001") || is(state, "XX002")) { /* data_corrupted, index_corrupted */
        store_damaged(c->store, is(state, "XX001") ? "the database reports corrupted data"
                                                   : "the database reports a corrupted index");
        return ERR_SERVICE_UNAVAILABLE;
    }
    /* A name of a prepared statement is taken or unknown: a pooler has changed the session. */
    if (is(state, "42P05") || is(state, "26000")) {
        g->ended = true;
        atomic_store(&g->server->keeps_sessions, false);
        return ERR_SERVICE_UNAVAILABLE;
    }
    /* A read that writes is a defect. A write that is refused runs on a standby. */
    if (is(state, "25006")) return c->role == CONN_READER ? ERR_INTERNAL_ERROR : ERR_SERVICE_UNAVAILABLE;
    static const char *const passing[] = {"08", "53", "55P03", "57P", "58"};
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        if (is(state, passing[i])) return ERR_SERVICE_UNAVAILABLE;
    return ERR_INTERNAL_ERROR;
}

/* Only messages of class 42 (syntax and names) are logged, because other messages may quote data. */
int pg_error(struct conn *c, PGresult *r, const char *sql) {
    const char *state = r ? PQresultErrorField(r, PG_DIAG_SQLSTATE) : NULL;
    if (PQresultStatus(r) == PGRES_PIPELINE_ABORTED) state = "25P02"; /* a statement before it failed */
    struct pg *g = c->pg;
    if (g->culprit) sql = g->culprit;
    const char *text = state && is(state, "42") ? PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY) : "";
    int err = state ? pg_error_of(c, state) : ERR_SERVICE_UNAVAILABLE;
    if (err == ERR_INTERNAL_ERROR) log_error("store: %s (%s) in: %s", text, state, sql);
    g->late = g->late || (g->culprit && err != ERR_SERVICE_UNAVAILABLE);
    g->culprit = NULL;
    int fault = state ? (int)strtol(state, NULL, 36) : -1;
    /* the task or read may run again: see postgres_store.c and api/call/dispatch.c */
    bool passing = g->collided || g->late || c->budget_spent;
    if (err == ERR_SERVICE_UNAVAILABLE && !passing) {
        log_often(LOG_WARN, "refused statements", "store: the database refused a statement (%s)",
                  state ? state : "connection lost");
        c->fault = fault;
    }
    if (state && is(state, "23"))
        snprintf(c->refused, sizeof c->refused, "constraint %s (%s)",
                 PQresultErrorField(r, PG_DIAG_CONSTRAINT_NAME), state);
    PQclear(r);
    return -err;
}

/* ---- connecting ------------------------------------------------------------------------------ */

/* A COMMIT that waits for a synchronous standby ends with success if somebody cancels the wait
 * (pg_cancel_backend): the transaction is in the log of this server only, and a warning is all that says so.
 */
static void noticed(void *arg, const PGresult *r) {
    struct conn *c = arg;
    const char *from = PQresultErrorField(r, PG_DIAG_SOURCE_FUNCTION);
    if (from && strcmp(from, "SyncRepWaitForLSN") == 0) c->pg->unconfirmed = true;
}

#define OF_NUMBER "; SELECT pg_backend_pid()"
static const char session_read[] =
    "SET default_transaction_read_only = on; SET default_transaction_isolation = "
    "'repeatable read'; SET statement_timeout = 0" OF_NUMBER;
static const char session_write[] = "SET default_transaction_isolation = 'read committed'; SET "
                                    "synchronous_commit = on; SET statement_timeout = 0; SET "
                                    "idle_in_transaction_session_timeout = 60000" OF_NUMBER;
static const char session_bulk[] = "SET synchronous_commit = off; SET statement_timeout = 0; SET "
                                   "idle_in_transaction_session_timeout = 0" OF_NUMBER;

static bool reports(PGconn *handle, const char *parameter, const char *value) {
    const char *reported = PQparameterStatus(handle, parameter);
    return reported && strcmp(reported, value) == 0;
}

/* Checks the parameters that the server reports when a connection opens, before any statement. */
static int suits(PGconn *handle, enum conn_role role, struct why why) {
    const char *version = PQparameterStatus(handle, "server_version");
    if (PQserverVersion(handle) < PG_VERSION_MIN)
        return db_refuse(why, "the database is PostgreSQL %s: deskd needs %d or newer",
                         version ? version : "of unknown version", PG_VERSION_MIN / 10000);
    if (PQparameterStatus(handle,
                          "crdb_version")) /* some of its versions accept advisory locks without locking */
        return db_refuse(why, "the database is CockroachDB: deskd needs PostgreSQL (see docs/OPERATIONS.md)");
    if (!reports(handle, "server_encoding", "UTF8"))
        return db_refuse(why,
                         "the database's encoding is %s: make one with ENCODING 'UTF8' TEMPLATE "
                         "template0",
                         PQparameterStatus(handle, "server_encoding"));
    if (role != CONN_READER && reports(handle, "in_hot_standby", "on"))
        return db_refuse(why, "the database is a standby: name its primary, or all servers and "
                              "target_session_attrs=read-write");
    if (role != CONN_READER && reports(handle, "default_transaction_read_only", "on"))
        return db_refuse(why, "the database is read-only: set its default_transaction_read_only to off");
    return 0;
}

static int pg_set_up(struct conn *c, struct why why) {
    static const char *const texts[] = {
        [CONN_READER] = session_read, [CONN_WRITER] = session_write, [CONN_BULK] = session_bulk};
    struct pg *g = c->pg;
    int rc = suits(g->handle, c->role, why);
    if (rc < 0) return rc;
    PQsetNoticeReceiver(g->handle, noticed, c);
    PQsetErrorVerbosity(g->handle, PQERRORS_TERSE);
    PGresult *r = pg_exec(c, texts[c->role], PG_COMMAND_MS);
    rc = PQresultStatus(r) == PGRES_TUPLES_OK
             ? pg_pooler_check(c, r, why)
             : db_refuse(why, "the database refuses a session: %s", PQerrorMessage(g->handle));
    PQclear(r);
    g->timeout_ms = 0;
    g->sent = false;
    g->generation++;
    return rc;
}

static int open_handle(struct conn *c, struct why why) {
    char text[400];
    c->pg->handle = pg_connect(c->pg->server, NULL);
    pg_watch_socket(c, PQsocket(c->pg->handle));
    if (PQstatus(c->pg->handle) == CONNECTION_OK) return pg_set_up(c, why);
    pg_reason(c, text, sizeof text);
    return db_refuse(why, "the %s can't be reached: %s", c->pg->server->name, text);
}

static void close_handle(struct conn *c) {
    if (c->pg->handle == NULL) return;
    pg_watch_socket(c, -1);
    PQfinish(c->pg->handle);
    c->pg->handle = NULL;
    c->pg->waiting_count = 0;
    c->pg->ended = false;
}

void pg_drop(struct conn *c) { close_handle(c); }

/* Returns true if this connection may try to connect. While the database can't be reached, one connection
 * tries, because a try may take long, and the others fail at once. */
static bool may_try(struct pg_server *s) {
    int64_t now = clock_monotonic(), next = atomic_load(&s->next_try);
    if (now < next) return false;
    return atomic_load(&s->back_off) == 0 ||
           atomic_compare_exchange_strong(&s->next_try, &next, now + TRY_MS);
}

static int connect_now(struct conn *c, struct why why) {
    struct pg_server *s = c->pg->server;
    if (!may_try(s)) return db_refuse(why, "the %s can't be reached", s->name);
    if (c->pg->handle)
        atomic_store(&s->keeps_sessions, false); /* it was lost: the pooler may be another one */
    close_handle(c);
    c->transaction = false;
    int rc = open_handle(c, why), waited = atomic_load(&s->back_off);
    if (rc == 0) {
        c->fault = 0;
        atomic_store(&s->next_try, 0);
        if (atomic_exchange(&s->back_off, 0)) log_info("store: the %s can be reached again", s->name);
        return 0;
    }
    close_handle(c);
    atomic_store(&s->keeps_sessions, false);
    int next = waited ? waited * 2 : BACK_OFF_MS;
    if (c->store->postgres->opened) log_often(LOG_ERROR, "attempts to connect", "store: %s", why.p);
    atomic_store(&s->back_off, next < BACK_OFF_MAX_MS ? next : BACK_OFF_MAX_MS);
    atomic_store(&s->next_try, clock_monotonic() + next);
    return rc;
}

int pg_open(struct db *db, struct pg_server *server, enum conn_role role, struct conn **out, struct why why) {
    struct conn *c = conn_new(db->engine, db, role);
    *out = NULL;
    if (!c) return db_refuse(why, "out of memory");
    c->pg = calloc(1, sizeof *c->pg);
    if (c->pg) c->pg->server = server, c->pg->fd = -1;
    int rc = c->pg ? connect_now(c, why) : db_refuse(why, "out of memory");
    if (rc < 0) {
        pg_close(c);
        return rc;
    }
    conn_join(c);
    *out = c;
    return 0;
}

void pg_close(struct conn *c) {
    if (!c) return;
    statements_end(c);
    conn_leave(c); /* before c->pg is freed, which the watching thread reads */
    if (c->pg) close_handle(c);
    statements_free(c);
    if (c->pg) buf_free(&c->pg->hints.bytes), buf_free(&c->pg->hints.sent_bytes);
    if (c->pg) free(c->pg->ahead);
    free(c->pg);
    conn_free(c);
}

bool pg_send_statement(PGconn *handle, const void *command) {
    const struct pg_stmt *p = command;
    return p->by_values
               ? PQsendQueryParams(handle, p->text, p->count, p->types, p->values, p->lengths, p->formats, 0)
               : PQsendQueryPrepared(handle, p->name, p->count, p->values, p->lengths, p->formats, 0);
}

/* ---- commands -------------------------------------------------------------------------------- */

/* Writers without a timeout migrate or fill a store, which may take any time. */
int pg_limit(const struct conn *c) {
    return c->pg->timeout_ms > 0 ? c->pg->timeout_ms : c->role == CONN_READER ? PG_COMMAND_MS : 0;
}

/* An error of severity FATAL ends its session: the server was shut down, or an operator has ended it. An
 * error without a severity is of libpq. PQstatus() may call the connection sound after it: if libpq could not
 * send, but reads a warning that the server sent before it closed the connection, libpq has not seen its end
 * yet. */
static bool ends_session(const PGresult *r) {
    if (PQresultStatus(r) != PGRES_FATAL_ERROR) return false;
    const char *severity = PQresultErrorField(r, PG_DIAG_SEVERITY_NONLOCALIZED);
    return severity == NULL || strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0;
}

PGresult *pg_received(struct conn *c, PGresult *r) {
    if (r && ends_session(r)) c->pg->ended = true;
    return r;
}

PGresult *pg_exec(struct conn *c, const char *text, int ms) {
    pg_wait(c, ms);
    PGresult *r = pg_received(c, PQexec(c->pg->handle, text));
    pg_waited(c);
    return r;
}

PGresult *pg_next_result(struct conn *c) {
    pg_wait(c, pg_limit(c));
    PGresult *r = pg_received(c, PQgetResult(c->pg->handle));
    if (r) PQclear(PQgetResult(c->pg->handle)); /* the NULL that ends the results of a command */
    return r;
}

/* One NULL ends the results of a command. Two in a row mean that libpq has nothing to wait for, because it
 * could not send all. */
void pg_pipeline_ended(struct conn *c) {
    bool ended = false;
    for (int nothing = 0; !ended && nothing < 2 && pg_alive(c->pg);) {
        pg_wait(c, pg_limit(c));
        PGresult *r = PQgetResult(c->pg->handle);
        nothing = r ? 0 : nothing + 1;
        ended = PQresultStatus(r) == PGRES_PIPELINE_SYNC;
        PQclear(r);
    }
    ended = ended && PQexitPipelineMode(c->pg->handle);
    if (!ended && pg_alive(c->pg)) pg_drop(c);
    pg_waited(c);
}

/* Reads the result of a command that was only sent. */
static void read_sent(struct conn *c) {
    struct pg *g = c->pg;
    if (!g->sent) return;
    if (PQpipelineStatus(g->handle) != PQ_PIPELINE_OFF) {
        g->sent = false;
        pg_pipeline_ended(c);
        return;
    }
    pg_wait(c, pg_limit(c));
    while (g->sent) {
        PGresult *r = PQgetResult(g->handle);
        g->sent = r != NULL;
        PQclear(r);
    }
    pg_waited(c);
}

bool pg_alive(const struct pg *g) { return g->handle && !g->ended && PQstatus(g->handle) == CONNECTION_OK; }

int pg_ready(struct conn *c) {
    char text[400];
    if (pg_alive(c->pg)) read_sent(c);
    if (pg_alive(c->pg)) return 0;
    c->pg->sent = false;
    if (c->transaction && c->pg->begin == NULL)
        return UNAVAILABLE("lost connections",
                           "store: the connection to the %s was lost in the middle of a "
                           "transaction",
                           c->pg->server->name);
    bool begins = c->transaction;
    int rc = connect_now(c, (struct why){text, sizeof text});
    c->transaction = begins;
    return rc < 0 ? UNAVAILABLE("connections that failed", "store: %s", text) : 0;
}

int pg_run_text(struct conn *c, const char *text) {
    int rc = pg_ready(c);
    if (rc < 0) return rc;
    PGresult *r = pg_exec(c, text, pg_limit(c));
    if (PQresultStatus(r) != PGRES_COMMAND_OK && PQresultStatus(r) != PGRES_TUPLES_OK)
        return pg_error(c, r, text);
    PQclear(r);
    return 0;
}

int pg_begin(struct conn *c, const char *text, int timeout_ms) {
    struct pg *g = c->pg;
    assert(!c->transaction);
    g->collided = g->raced = g->late = false;
    g->begin = NULL;
    g->wanted_ms = timeout_ms;
    int rc = pg_ready(c);
    if (rc < 0) return rc;
    c->transaction = true;
    g->begin = text;
    return 0;
}

/* Makes sure that a BEGIN can go out: the connection is open, and has the timeout of the transaction. A
 * connection that died while it was idle is made again. */
int pg_begin_ready(struct conn *c) {
    struct pg *g = c->pg;
    char text[64];
    int rc;
    for (int i = 0; i < 2; i++) {
        if ((rc = pg_ready(c)) < 0 || g->timeout_ms == g->wanted_ms) return rc;
        snprintf(text, sizeof text, "SET statement_timeout = %d", g->wanted_ms);
        g->timeout_ms = g->wanted_ms; /* also the limit of this command */
        rc = pg_run_text(c, text);
        if (rc < 0) g->timeout_ms = -1;
        if (pg_alive(g)) break;
    }
    return rc;
}

bool pg_unbegun(struct conn *c) {
    bool unbegun = c->pg->begin != NULL;
    c->pg->begin = NULL;
    return unbegun;
}

bool pg_lost(const struct conn *c) { return c->transaction && c->pg->begin == NULL && !pg_alive(c->pg); }
