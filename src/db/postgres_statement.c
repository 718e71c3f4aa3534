/* Statements of PostgreSQL: prepared by name once for each connection, parameters in binary, results as
 * text. The whole result is in memory, so a connection may have any number of statements in use. */
#include "db/postgres.h"

#include <ctype.h>
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/log.h"

enum { PARAMS_MAX = 128 };

struct bytes { /* a decoded bytea column */
    struct bytes *next;
    unsigned char *p;
};

/* ---- preparing ------------------------------------------------------------------------------- */

/* True if a read has begun, so commands outside of its pipeline would fail. */
static bool in_pipeline(const struct pg *g) {
    return g->pipes && PQpipelineStatus(g->handle) != PQ_PIPELINE_OFF;
}

static bool send_prepare(PGconn *handle, const void *command) {
    const struct pg_stmt *p = command;
    return PQsendPrepare(handle, p->name, p->text, 0, NULL);
}

static bool send_describe(PGconn *handle, const void *command) {
    return PQsendDescribePrepared(handle, ((const struct pg_stmt *)command)->name);
}

static int describe(struct conn *c, struct pg_stmt *p, const char *sql) {
    pg_wait(c, c->pg->timeout_ms);
    PGresult *r = in_pipeline(c->pg) ? pg_pipe(c, send_describe, p)
                                     : pg_received(c, PQdescribePrepared(c->pg->handle, p->name));
    pg_waited(c);
    if (PQresultStatus(r) != PGRES_COMMAND_OK) return pg_error(c, r, sql);
    for (int i = 0; i < p->count; i++) p->types[i] = PQparamtype(r, i);
    PQclear(r);
    p->generation = c->pg->generation;
    return 0;
}

static int prepare_once(struct conn *c, struct pg_stmt *p, PGresult **r) {
    int rc = pg_ready(c);
    if (rc == 0) rc = pg_collect(c);
    if (rc < 0) return rc;
    if (c->pg->begin) pg_hints_withdraw(c);
    pg_wait(c, c->pg->timeout_ms);
    *r = in_pipeline(c->pg) ? pg_pipe(c, send_prepare, p)
                            : pg_received(c, PQprepare(c->pg->handle, p->name, p->text, 0, NULL));
    pg_waited(c);
    return 0;
}

static int prepare_now(struct conn *c, struct pg_stmt *p, const char *sql) {
    PGresult *r = NULL;
    bool begun = c->transaction && c->pg->begin == NULL, lost = true;
    for (int i = 0; i < 2 && lost; i++) {
        PQclear(r);
        r = NULL;
        int rc = prepare_once(c, p, &r);
        if (rc < 0) return rc;
        lost = !begun && !pg_alive(c->pg); /* it died while it was idle */
    }
    if (PQresultStatus(r) != PGRES_COMMAND_OK) return pg_error(c, r, sql);
    PQclear(r);
    return describe(c, p, sql);
}

/* Functions of PostgreSQL in a SELECT lock names. A draw of an id (nextval) is a read: nobody notices an id
 * that is not used, and the draw stays behind the locks before it. */
static enum pg_effect effect_of(const char *text) {
    if (strncmp(text, "SELECT", 6) != 0 || strstr(text, "pg_")) return PG_CHANGES;
    return strstr(text, "FOR UPDATE") || strstr(text, "FOR SHARE") ? PG_LOCKS : PG_READS;
}

int pg_prepare(struct conn *c, const char *sql, void **handle, int *params) {
    struct arena *a = arena_new();
    struct pg_stmt *p = ARENA_NEW(a, struct pg_stmt);
    struct str names[PARAMS_MAX], text;
    size_t n = dialect_number(a, db_dialect(a, true, sql).p, names, PARAMS_MAX, &text);
    p->memory = a;
    p->text = text.p;
    p->by_values = strstr(text.p, DIALECT_BY_VALUES) != NULL;
    p->effect = effect_of(text.p);
    p->count = (int)n;
    p->names = arena_array(a, n + 1, sizeof *p->names);
    p->types = arena_array(a, n + 1, sizeof *p->types);
    p->values = arena_array(a, n + 1, sizeof *p->values);
    p->lengths = arena_array(a, n + 1, sizeof *p->lengths);
    p->formats = arena_array(a, n + 1, sizeof *p->formats);
    p->numbers = arena_array(a, n + 1, sizeof *p->numbers);
    for (size_t i = 0; i < n; i++) p->names[i] = str_dup(a, names[i]).p;
    snprintf(p->name, sizeof p->name, "s%u", ++c->pg->names);
    int rc = prepare_now(c, p, sql);
    if (rc < 0) {
        arena_free(a);
        return rc;
    }
    *handle = p;
    *params = p->count;
    return 0;
}

static void forget_rows(struct pg_stmt *p) {
    for (struct bytes *b = p->bytes, *next; b; b = next) {
        next = b->next;
        PQfreemem(b->p);
        free(b);
    }
    p->bytes = NULL;
    PQclear(p->result);
    p->result = NULL;
}

void pg_finalize(struct conn *c, void *handle) {
    struct pg_stmt *p = handle;
    char text[32];
    pg_hints_gone(c, p);
    pg_ahead_gone(c, p);
    snprintf(text, sizeof text, "DEALLOCATE %s", p->name);
    if (c->pg->begin) pg_hints_withdraw(c);
    if (c->pg->handle && p->generation == c->pg->generation &&
        PQtransactionStatus(c->pg->handle) != PQTRANS_INERROR) {
        if (in_pipeline(c->pg)) PQclear(pg_pipe(c, pg_send_constant, text));
        else pg_run(c, text);
    }
    forget_rows(p);
    arena_free(p->memory);
}

const char *pg_param_name(void *handle, int i) { return ((struct pg_stmt *)handle)->names[i]; }

/* ---- binding --------------------------------------------------------------------------------- */

static void bind_bytes(struct pg_stmt *p, int i, const void *bytes, size_t n) {
    p->values[i] = bytes;
    p->lengths[i] = (int)n;
    p->formats[i] = 1;
}

static int bind_int(struct pg_stmt *p, int i, int64_t v) {
    uint64_t v8 = htobe64((uint64_t)v);
    uint32_t v4 = htobe32((uint32_t)v);
    switch (p->types[i]) {
    case TYPE_INT8: bind_bytes(p, i, memcpy(p->numbers[i], &v8, sizeof v8), sizeof v8); return 0;
    case TYPE_INT4:
        if (v < INT32_MIN || v > INT32_MAX) return -ERR_INTERNAL_ERROR;
        bind_bytes(p, i, memcpy(p->numbers[i], &v4, sizeof v4), sizeof v4);
        return 0;
    default:
        p->lengths[i] = snprintf(p->numbers[i], PG_NUMBER_MAX, "%" PRId64, v);
        p->values[i] = p->numbers[i];
        p->formats[i] = 0;
        return 0;
    }
}

static int bind_text(struct pg_stmt *p, int i, struct str s) {
    switch (p->types[i]) {
    case TYPE_TEXT:
    case TYPE_VARCHAR:
    case TYPE_JSON:
    case TYPE_BYTEA: bind_bytes(p, i, s.p, s.n); return 0;
    default: /* a number as text */
        if (s.n >= PG_NUMBER_MAX) return -ERR_INTERNAL_ERROR;
        memcpy(p->numbers[i], s.p, s.n);
        p->numbers[i][s.n] = 0;
        p->values[i] = p->numbers[i];
        p->formats[i] = 0;
        return 0;
    }
}

int pg_bind(struct stmt *s, int i, const struct bind *b) {
    struct pg_stmt *p = s->handle;
    p->values[i] = NULL;
    if (b->type == BIND_NULL || (b->type != BIND_INT && b->s.p == NULL)) return 0;
    int rc = b->type == BIND_INT ? bind_int(p, i, b->i) : bind_text(p, i, b->s);
    if (rc < 0) log_error("store: a value is out of range of its type in: %s", s->sql);
    return rc;
}

/* ---- running --------------------------------------------------------------------------------- */

static PGresult *run_statement(struct conn *c, const struct pg_stmt *p) {
    pg_wait(c, c->pg->timeout_ms);
    PGresult *r =
        p->by_values
            ? PQexecParams(c->pg->handle, p->text, p->count, p->types, p->values, p->lengths, p->formats, 0)
            : PQexecPrepared(c->pg->handle, p->name, p->count, p->values, p->lengths, p->formats, 0);
    pg_waited(c);
    return pg_received(c, r);
}

static int ready(struct stmt *s) {
    struct pg_stmt *p = s->handle;
    struct conn *c = s->conn;
    int rc = c->pg->begin ? pg_begin_ready(c) : pg_ready(c);
    if (rc == 0 && p->generation != c->pg->generation) rc = prepare_now(c, p, s->sql);
    return rc;
}

static int execute(struct stmt *s) {
    struct pg_stmt *p = s->handle;
    struct conn *c = s->conn;
    PGresult *r = NULL;
    bool begins, lost = true;
    int hint = pg_hint_of(c, s);
    p->row = -1;
    p->result = pg_ahead_take(s);
    if (p->result) return 0;
    for (int i = 0; i < 2 && lost; i++) {
        PQclear(r);
        int rc = ready(s);
        if (rc < 0) return rc;
        begins = c->pg->begin != NULL;
        r = c->pg->pipes                                        ? pg_hinted(c, p, hint)
            : begins || c->pg->waiting_count || pg_ahead_any(c) ? pg_pipeline(c, pg_send_statement, p)
                                                                : run_statement(c, p);
        lost = begins && !pg_alive(c->pg); /* it died while it was idle, so nothing has happened yet */
        if (begins && pg_hints_failed(c)) {
            lost = true;
            pg_hints_withdraw(c);
        }
    }
    if (PQresultStatus(r) != PGRES_TUPLES_OK && PQresultStatus(r) != PGRES_COMMAND_OK)
        return pg_error(c, r, s->sql);
    p->result = r;
    return 0;
}

int pg_step(struct stmt *s) {
    struct pg_stmt *p = s->handle;
    int rc = p->result ? 0 : execute(s);
    if (rc < 0) return rc;
    return ++p->row < PQntuples(p->result) ? 1 : 0;
}

int pg_later(struct stmt *s) {
    const struct pg_stmt *p = s->handle;
    struct conn *c = s->conn;
    struct pg *g = c->pg;
    bool waits = c->role != CONN_READER && c->transaction && g->begin == NULL && !g->at_once &&
                 g->waiting_count < PG_WAITING_MAX && p->generation == g->generation && pg_alive(g);
    if (waits) {
        pg_ahead_pass(s);
        return pg_send_later(c, pg_send_statement, p, s->sql);
    }
    int rc = pg_step(s);
    return rc < 0 ? rc : 0;
}

int pg_reset(struct stmt *s) {
    forget_rows(s->handle);
    return 0;
}

int pg_changed(struct stmt *s) {
    struct pg_stmt *p = s->handle;
    if (strncmp(PQcmdStatus(p->result), "SELECT", 6) == 0) return 0;
    return atoi(PQcmdTuples(p->result));
}

/* ---- columns --------------------------------------------------------------------------------- */

bool pg_col_null(void *handle, int i) {
    struct pg_stmt *p = handle;
    return PQgetisnull(p->result, p->row, i);
}

int64_t pg_col_int(void *handle, int i) {
    struct pg_stmt *p = handle;
    const char *text = PQgetvalue(p->result, p->row, i); /* "" for NULL */
    return *text == 't' ? 1 : strtoll(text, NULL, 10);
}

bool pg_col_int_given(void *handle, int i, int64_t *out) {
    if (pg_col_null(handle, i)) return false;
    *out = pg_col_int(handle, i);
    return true;
}

static struct str bytea_decoded(struct pg_stmt *p, const char *text) {
    struct bytes *b = malloc(sizeof *b);
    size_t n = 0;
    if (b) b->p = PQunescapeBytea((const unsigned char *)text, &n);
    if (b == NULL || b->p == NULL) abort(); /* out of memory: abort, as arenas do */
    b->next = p->bytes;
    p->bytes = b;
    return (struct str){(char *)b->p, n};
}

struct str pg_col_text(void *handle, int i) {
    struct pg_stmt *p = handle;
    if (PQgetisnull(p->result, p->row, i)) return (struct str){0};
    const char *text = PQgetvalue(p->result, p->row, i);
    if (PQftype(p->result, i) == TYPE_BYTEA) return bytea_decoded(p, text);
    return (struct str){text, (size_t)PQgetlength(p->result, p->row, i)};
}

int pg_col_count(void *handle) { return PQnfields(((struct pg_stmt *)handle)->result); }
