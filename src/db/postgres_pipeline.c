/* Statements that are sent without waiting for their results.
 *
 * A write waits a round trip for each statement, and holds its locks meanwhile. Many statements have a result
 * that nobody reads: an INSERT without RETURNING, an UPDATE of a row that is locked already, a lock. db_later
 * sends such a statement and returns. Its result is read with that of the next statement that has an answer,
 * or with that of the COMMIT, which goes out in the same pipeline:
 *
 *     db_later(UPDATE)  db_later(INSERT)  db_row(SELECT)     ->  one round trip
 *     db_later(INSERT)  COMMIT                               ->  one round trip
 *
 * PostgreSQL runs them in this order, each with a snapshot of its own, as if each had been waited for. libpq
 * keeps what it sends until the end of the pipeline, so a command is not sent before.
 *
 * Failures. After a command that fails, PostgreSQL skips all others up to the end of the pipeline. So a COMMIT
 * never follows a failed statement. The error would surface at a later statement, whose caller may take it
 * for its own: a duplicate name, say. So the task runs again, and each of its statements waits (`at_once`): the
 * error comes where its cause is. Deadlocks and statements that were cancelled for their time need no such run,
 * because every caller treats them alike. If the connection is lost, the rule of postgres.c holds: a task
 * whose COMMIT was sent is not run again.
 *
 * A statement does not wait if (1) the BEGIN has not gone out yet, because a connection that died while it
 * was idle is found by the statement that follows the BEGIN, or (2) it has yet to be prepared, or (3)
 * PG_WAITING_MAX others wait. The results of statements that wait are small, so the server never blocks on
 * a client that sends and does not read. */
#include "db/postgres.h"

#include "base/error.h"

static bool succeeded(const PGresult *r) {
    ExecStatusType status = PQresultStatus(r);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

bool pg_send_constant(PGconn *handle, const void *text) {
    return PQsendQueryParams(handle, text, 0, NULL, NULL, NULL, NULL, 0);
}

PGresult *pg_pipeline(struct conn *c, pg_send *send, const void *command) {
    struct pg *g = c->pg;
    int first = g->waiting_count, count = first + (g->begin != NULL) + (send != NULL);
    assert(first == 0 || g->begin == NULL);
    pg_wait(c, pg_limit(c));
    bool sent = (first || PQenterPipelineMode(g->handle)) &&
                (g->begin == NULL || pg_send_constant(g->handle, g->begin)) &&
                (send == NULL || send(g->handle, command)) && pg_ahead_send(c) && PQpipelineSync(g->handle);
    PGresult *r = NULL;
    bool good = sent;
    for (int i = 0; good && i < count; i++) {
        PQclear(r);
        r = pg_next_result(c);
        good = succeeded(r);
        if (!good && i < first && pg_alive(g)) g->culprit = g->waiting[i];
        if (good && i == first && g->begin) g->begin = NULL;
    }
    if (good) pg_ahead_read(c);
    g->waiting_count = 0;
    pg_pipeline_ended(c);
    if (!good || send) return r;
    PQclear(r);
    return NULL;
}

int pg_send_later(struct conn *c, pg_send *send, const void *command, const char *sql) {
    struct pg *g = c->pg;
    pg_wait(c, pg_limit(c)); /* libpq sends once its buffer is full */
    bool sent = (g->waiting_count || PQenterPipelineMode(g->handle)) && send(g->handle, command);
    pg_waited(c);
    if (!sent) {
        pg_drop(c);
        return pg_error(c, NULL, sql);
    }
    g->waiting[g->waiting_count++] = sql;
    return 0;
}

int pg_collect(struct conn *c) {
    if (c->pg->waiting_count == 0) return 0;
    PGresult *r = pg_pipeline(c, NULL, NULL);
    return r || !pg_alive(c->pg) ? pg_error(c, r, "") : 0;
}

int pg_run_last(struct conn *c, const char *text) {
    PGresult *r = pg_pipeline(c, pg_send_constant, text);
    if (!succeeded(r)) return pg_error(c, r, text);
    PQclear(r);
    return 0;
}

int pg_begin_now(struct conn *c) {
    struct pg *g = c->pg;
    int rc = pg_collect(c);
    for (int i = 0; i < 2 && g->begin; i++) { /* a connection that died while it was idle fails here */
        if ((rc = pg_begin_ready(c)) == 0) rc = pg_run_text(c, g->begin);
        if (rc == 0) g->begin = NULL;
        else if (pg_alive(g)) break;
    }
    return rc;
}

int pg_run(struct conn *c, const char *text) {
    int rc = pg_begin_now(c);
    return rc < 0 ? rc : pg_run_text(c, text);
}
