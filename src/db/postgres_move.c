/* Reads and writes PostgreSQL for a move: COPY in binary format in both directions, so that neither side
 * parses or escapes. A message of the server holds one row: the number of columns in two bytes, then for
 * each column its length in four bytes (-1: NULL) and its value, numbers in network byte order. The first
 * message begins with a signature. The last one holds -1. */
#include "db/move.h"

#include "db/postgres.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/error.h"

#define MOVE_LOCK "1684370284" /* MIGRATION_LOCK + 1 */
#define SIGNATURE "PGCOPY\n\377\r\n"
#define HEADER (sizeof SIGNATURE + 8) /* with flags and the length of an empty extension */

enum {
    SEND_BYTES = 64 * 1024, /* gathered before they are handed to libpq */
    ALONE_MS = 2000,        /* how long the sessions of a stopped deskd may take to end */
    ALONE_STEP_MS = 50,
};

/* ---- commands -------------------------------------------------------------------------------- */

static const char *advice(const char *reason) {
    if (strstr(reason, "permission denied")) return "; grant this user the right, or connect as the owner";
    if (strstr(reason, "must be owner")) return "; connect as the owner";
    return "";
}

/* Uses only the primary message, because the details may quote the row. */
static int pg_move_failed(struct conn *c, const PGresult *r, const char *what, const char *name,
                          struct why why) {
    char reason[300];
    const char *primary = r ? PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    if (primary) snprintf(reason, sizeof reason, "%s", primary);
    else pg_reason(c, reason, sizeof reason);
    return db_refuse(why, "%s can't be %s: %s%s", name, what, reason, advice(reason));
}

static int pg_move_run(struct conn *c, const char *text, const char *what, const char *name, struct why why) {
    PGresult *r = pg_begin_now(c) < 0 ? NULL : PQexec(c->pg->handle, text);
    ExecStatusType status = PQresultStatus(r);
    bool done = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_COPY_OUT ||
                status == PGRES_COPY_IN;
    int rc = done ? 0 : pg_move_failed(c, r, what, name, why);
    PQclear(r);
    return rc;
}

/* Runs a constant query. Returns its rows, or NULL after a refusal. */
static PGresult *pg_move_ask(struct conn *c, const char *text, const char *name, struct why why) {
    PGresult *r = pg_begin_now(c) < 0 ? NULL : PQexec(c->pg->handle, text);
    if (PQresultStatus(r) == PGRES_TUPLES_OK) return r;
    pg_move_failed(c, r, "read", name, why);
    PQclear(r);
    return NULL;
}

static int64_t ask_int(struct conn *c, const char *text, const char *name, struct why why) {
    PGresult *r = pg_move_ask(c, text, name, why);
    int64_t n = r ? strtoll(PQgetvalue(r, 0, 0), NULL, 10) : -ERR_SERVICE_UNAVAILABLE;
    PQclear(r);
    return n;
}

int pg_claim(struct conn *c, struct why why) {
    static const char claim[] = "SELECT CAST(pg_try_advisory_lock(" MOVE_LOCK ") AS INTEGER)";
    int64_t ours = ask_int(c, claim, "the database", why);
    for (int waited = 0; ours == 0 && waited < ALONE_MS; waited += ALONE_STEP_MS) {
        nanosleep(&(struct timespec){0, ALONE_STEP_MS * 1000000L}, NULL);
        ours = ask_int(c, claim, "the database", why);
    }
    return ours == 0  ? db_refuse(why, "another move into this database is running")
           : ours < 0 ? (int)ours
                      : 0;
}

/* Returns a query that counts the connections of deskd that don't belong to this store. A process that starts
 * waits for the lock of migrations, and uses nothing yet. */
static struct str others(struct arena *a, struct db *db) {
    struct str own = S("0");
    for (struct ring *r = db->conns.next; r != &db->conns; r = r->next)
        own = str_fmt(a, "%s, %d", own.p, RING_OF(r, struct conn, in_store)->pg->number);
    return str_fmt(a,
                   "SELECT COUNT(*), pg_stat_clear_snapshot() "
                   "FROM pg_stat_activity "
                   "WHERE datname = current_database() AND backend_type = 'client backend' "
                   "AND application_name = current_setting('application_name') AND pid NOT IN (%s) "
                   "AND COALESCE(wait_event, '') <> 'advisory'",
                   own.p);
}

int pg_alone_to(struct conn *c, const char *then, struct why why) {
    struct arena *a = arena_new();
    struct str text = others(a, c->store);
    int64_t n = ask_int(c, text.p, "the database", why);
    for (int waited = 0; n > 0 && waited < ALONE_MS; waited += ALONE_STEP_MS) {
        nanosleep(&(struct timespec){0, ALONE_STEP_MS * 1000000L}, NULL);
        n = ask_int(c, text.p, "the database", why);
    }
    arena_free(a);
    if (n <= 0) return (int)n;
    return db_refuse(why, "%lld connections of deskd use the database: stop those processes, then %s",
                     (long long)n, then);
}

int pg_alone(struct conn *c, struct why why) { return pg_alone_to(c, "move", why); }

/* ---- the catalogue --------------------------------------------------------------------------- */

static const char catalogue[] =
    "SELECT c.relname, a.attname, "
    "CAST(a.atttypid AS INTEGER), format_type(a.atttypid, "
    "a.atttypmod), COALESCE(array_position(CAST(string_to_array(CAST(i.indkey "
    "AS TEXT), ' ') AS INTEGER[]), CAST(a.attnum AS INTEGER)), 0), " PG_SEQUENCE_OF
    ", CAST(a.attnotnull AS INTEGER) FROM pg_class c "
    "JOIN pg_namespace n ON n.oid = c.relnamespace "
    "JOIN pg_attribute a ON a.attrelid = c.oid "
    "LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary "
    "WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') "
    "AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' "
    "ORDER BY c.relname COLLATE \"C\", a.attnum";

static enum value_kind pg_kind_of(unsigned type) {
    switch (type) {
    case TYPE_INT2:
    case TYPE_INT4:
    case TYPE_INT8: return VALUE_INT;
    case TYPE_TEXT: return VALUE_TEXT;
    case TYPE_BYTEA: return VALUE_BYTES;
    case TYPE_FLOAT8: return VALUE_REAL;
    default: return VALUE_NULL;
    }
}

static int take_last_id(struct conn *c, struct arena *a, struct move_table *t, const char *sequence,
                        struct why why) {
    struct str text =
        str_fmt(a, "SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM %s", sequence);
    t->last_id = ask_int(c, text.p, sequence, why);
    return t->last_id < 0 ? (int)t->last_id : 0;
}

static int pg_add_column(struct conn *c, struct arena *a, struct move_table *t, PGresult *r, int i,
                         struct why why) {
    struct move_column k = {.name = str_dup(a, str_of(PQgetvalue(r, i, 1))).p,
                            .type = (unsigned)strtoul(PQgetvalue(r, i, 2), NULL, 10),
                            .key = atoi(PQgetvalue(r, i, 4))};
    k.kind = move_kind(k.name, pg_kind_of(k.type));
    k.needed = strcmp(PQgetvalue(r, i, 6), "1") == 0;
    k.type_name = str_dup(a, str_of(PQgetvalue(r, i, 3))).p;
    t->columns[t->count++] = k;
    if (PQgetisnull(r, i, 5)) return 0;
    t->identity = k.name;
    t->sequence = str_dup(a, str_of(PQgetvalue(r, i, 5))).p;
    return take_last_id(c, a, t, PQgetvalue(r, i, 5), why);
}

static int pg_list_tables(struct conn *c, struct arena *a, struct move_table **out, struct why why) {
    PGresult *r = pg_move_ask(c, catalogue, "the catalogue", why);
    struct move_table *t = NULL;
    int rc = r ? 0 : -ERR_SERVICE_UNAVAILABLE, rows = PQntuples(r);
    for (int i = 0; rc == 0 && i < rows; i++) {
        if (!t || strcmp(t->name, PQgetvalue(r, i, 0)) != 0) {
            *out = t = ARENA_NEW(a, struct move_table);
            out = &t->next;
            t->name = str_dup(a, str_of(PQgetvalue(r, i, 0))).p;
            t->columns = arena_array(a, (size_t)(rows - i), sizeof *t->columns);
        }
        rc = pg_add_column(c, a, t, r, i, why);
    }
    PQclear(r);
    return rc;
}

/* ---- reading rows ---------------------------------------------------------------------------- */

struct reading {
    struct conn *c;
    const struct move_table *t;
    char *message;
    bool begun, ended;
};

static int pg_read_rows(struct conn *c, const struct move_table *t, void **handle, struct why why) {
    struct arena *a = arena_new();
    struct str text = str_fmt(a, "COPY (SELECT %s FROM \"%s\"%s) TO STDOUT (FORMAT binary)",
                              move_columns(a, t).p, t->name, move_order(a, t).p);
    struct reading *r = calloc(1, sizeof *r);
    int rc = r ? pg_move_run(c, text.p, "read", t->name, why) : db_refuse(why, "out of memory");
    arena_free(a);
    if (rc < 0) {
        free(r);
        return rc;
    }
    *r = (struct reading){.c = c, .t = t};
    *handle = r;
    return 0;
}

struct bytes {
    const char *p, *end;
};

static int64_t pg_take_number(struct bytes *b, int width) {
    uint64_t n = 0;
    assert(b->end - b->p >= width);
    for (int i = 0; i < width; i++) n = n << 8 | (unsigned char)*b->p++;
    return width == 8 ? (int64_t)n : width == 4 ? (int32_t)n : (int16_t)n;
}

static struct value pg_take_value(struct bytes *b, enum value_kind kind) {
    int64_t n = pg_take_number(b, 4);
    if (n < 0) return (struct value){.kind = VALUE_NULL};
    struct value v = {.kind = kind};
    assert(b->end - b->p >= n);
    if (kind == VALUE_INT) {
        v.i = pg_take_number(b, (int)n);
    } else if (kind == VALUE_REAL) {
        int64_t bits = pg_take_number(b, (int)n);
        memcpy(&v.r, &bits, sizeof v.r);
    } else {
        v.s = (struct str){b->p, (size_t)n};
        b->p += n;
    }
    return v;
}

/* Reads the results after the last message. Returns 0, or an error if the command failed. */
static int end_of(struct conn *c, const char *what, const char *name, struct why why) {
    int rc = 0;
    for (PGresult *r; (r = PQgetResult(c->pg->handle)) != NULL; PQclear(r))
        if (PQresultStatus(r) != PGRES_COMMAND_OK && rc == 0) rc = pg_move_failed(c, r, what, name, why);
    return rc;
}

static int pg_next_row(void *handle, struct value *row, struct why why) {
    struct reading *r = handle;
    PQfreemem(r->message);
    r->message = NULL;
    int n = PQgetCopyData(r->c->pg->handle, &r->message, 0);
    if (n < 0) {
        r->ended = true;
        if (n == -2) return pg_move_failed(r->c, NULL, "read", r->t->name, why);
        return end_of(r->c, "read", r->t->name, why);
    }
    struct bytes b = {r->message, r->message + n};
    if (!r->begun) b.p += HEADER;
    r->begun = true;
    int64_t count = pg_take_number(&b, 2);
    if (count < 0) return pg_next_row(r, row, why); /* the last message; the end follows */
    assert(count == r->t->count);
    for (int i = 0; i < r->t->count; i++) row[i] = pg_take_value(&b, r->t->columns[i].kind);
    return 1;
}

static void pg_close_rows(void *handle) {
    struct reading *r = handle;
    PGcancel *cancel = r->ended ? NULL : PQgetCancel(r->c->pg->handle);
    char reason[256];
    if (cancel) PQcancel(cancel, reason, sizeof reason);
    PQfreeCancel(cancel);
    PQfreemem(r->message);
    while (!r->ended && PQgetCopyData(r->c->pg->handle, &r->message, 0) > 0) PQfreemem(r->message);
    for (PGresult *rest; !r->ended && (rest = PQgetResult(r->c->pg->handle)) != NULL;) PQclear(rest);
    free(r);
}

/* ---- writing rows ---------------------------------------------------------------------------- */

struct writing {
    struct conn *c;
    const struct move_table *t;
    struct buf text;
};

static int pg_write_rows(struct conn *c, const struct move_table *t, void **handle, struct why why) {
    struct arena *a = arena_new();
    struct writing *w = calloc(1, sizeof *w);
    int rc = w ? 0 : db_refuse(why, "out of memory");
    if (rc == 0) rc = pg_move_run(c, str_fmt(a, "DELETE FROM \"%s\"", t->name).p, "written", t->name, why);
    if (rc == 0)
        rc = pg_move_run(
            c, str_fmt(a, "COPY \"%s\" (%s) FROM STDIN (FORMAT binary)", t->name, move_columns(a, t).p).p,
            "written", t->name, why);
    arena_free(a);
    if (rc < 0) {
        free(w);
        return rc;
    }
    *w = (struct writing){.c = c, .t = t};
    buf_add(&w->text, SIGNATURE, sizeof SIGNATURE);
    buf_add(&w->text, "\0\0\0\0\0\0\0\0", 8);
    *handle = w;
    return 0;
}

static void add_number(struct buf *b, int64_t n, int width) {
    uint64_t big = htobe64((uint64_t)n);
    buf_add(b, (const char *)&big + sizeof big - width, (size_t)width);
}

static int width_of(unsigned type) { return type == TYPE_INT2 ? 2 : type == TYPE_INT4 ? 4 : 8; }

/* Returns why a value does not fit its column, or NULL: (1) a number with more bytes than the column, or
 * (2) a text that PostgreSQL can't store. Only stores written by other programs have such values. */
static const char *unfit(const struct move_column *k, const struct value *v) {
    int bits = 8 * width_of(k->type);
    bool wide = v->kind == VALUE_INT && bits < 64 && (v->i >> (bits - 1)) != 0 && (v->i >> (bits - 1)) != -1;
    if (wide) return "is a number too large for the column in PostgreSQL";
    if (v->kind == VALUE_TEXT && memchr(v->s.p, 0, v->s.n))
        return "contains U+0000, which PostgreSQL can't store";
    return NULL;
}

static void pg_add_value(struct buf *b, const struct move_column *k, const struct value *v) {
    int64_t bits;
    switch (v->kind) {
    case VALUE_NULL: add_number(b, -1, 4); break;
    case VALUE_INT:
        add_number(b, width_of(k->type), 4);
        add_number(b, v->i, width_of(k->type));
        break;
    case VALUE_REAL:
        memcpy(&bits, &v->r, sizeof bits);
        add_number(b, 8, 4);
        add_number(b, bits, 8);
        break;
    case VALUE_TEXT:
    case VALUE_BYTES:
        add_number(b, (int64_t)v->s.n, 4);
        buf_str(b, v->s);
        break;
    case VALUE_OWN: break;
    }
}

static int flush(struct writing *w, struct why why) {
    int sent = PQputCopyData(w->c->pg->handle, w->text.p, (int)w->text.n);
    w->text.n = 0;
    return sent == 1 ? 0 : pg_move_failed(w->c, NULL, "written", w->t->name, why);
}

static int pg_put_row(void *handle, const struct value *row, struct why why) {
    struct writing *w = handle;
    add_number(&w->text, w->t->count, 2);
    for (int i = 0; i < w->t->count; i++) {
        const char *what = unfit(&w->t->columns[i], &row[i]);
        if (what) return move_refuse(why, w->t, row, i, what);
        pg_add_value(&w->text, &w->t->columns[i], &row[i]);
    }
    return w->text.n < SEND_BYTES ? 0 : flush(w, why);
}

/* Updates statistics for the queries that read the table next: the checks of this move and the first
 * requests. */
static int analyze(struct conn *c, const struct move_table *t, struct why why) {
    char text[128];
    int n = snprintf(text, sizeof text, "ANALYZE \"%s\"", t->name);
    assert(n > 0 && (size_t)n < sizeof text);
    return pg_move_run(c, text, "analyzed", t->name, why);
}

static int pg_write_end(void *handle, bool keep, struct why why) {
    struct writing *w = handle;
    struct conn *c = w->c;
    int rc = 0;
    char ignored[64];
    if (keep) {
        add_number(&w->text, -1, 2);
        rc = flush(w, why);
    }
    PQputCopyEnd(c->pg->handle, keep && rc == 0 ? NULL : "the move was given up");
    int end = end_of(c, "written", w->t->name, keep && rc == 0 ? why : (struct why){ignored, sizeof ignored});
    rc = rc < 0 ? rc : keep ? end : 0;
    if (rc == 0 && keep) rc = analyze(c, w->t, why);
    buf_free(&w->text);
    free(w);
    return rc;
}

/* ---- indexes and references ------------------------------------------------------------------ */

/* Each row: the command that drops it, the command that makes it again, its name. References are dropped
 * first and made last. */
static const char stripped[] =
    "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', x.conrelid::regclass, x.conname), "
    "format('ALTER TABLE %s ADD CONSTRAINT %I %s', x.conrelid::regclass, "
    "x.conname, pg_get_constraintdef(x.oid)), x.conname, 2 AS step "
    "FROM pg_constraint x JOIN pg_namespace n ON n.oid = x.connamespace "
    "WHERE n.nspname = current_schema() AND x.contype = 'f' "
    "UNION ALL "
    "SELECT format('DROP INDEX %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid), c.relname, 1 "
    "FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
    "JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = current_schema() AND NOT EXISTS (SELECT 1 FROM pg_constraint x "
    "WHERE x.conindid = i.indexrelid AND x.contype IN ('p', 'u', 'x')) "
    "ORDER BY 4 DESC, 3";

struct part {
    const char *away, *back, *name;
    struct part *next;
};

static int pg_strip(struct conn *c, struct arena *a, void **plan, struct why why) {
    struct part *list = NULL;
    PGresult *r = pg_move_ask(c, stripped, "the catalogue", why);
    int rc = r ? 0 : -ERR_SERVICE_UNAVAILABLE;
    for (int i = 0; rc == 0 && i < PQntuples(r); i++) {
        struct part *p = ARENA_NEW(a, struct part);
        *p = (struct part){str_dup(a, str_of(PQgetvalue(r, i, 0))).p,
                           str_dup(a, str_of(PQgetvalue(r, i, 1))).p,
                           str_dup(a, str_of(PQgetvalue(r, i, 2))).p, list};
        list = p;
        rc = pg_move_run(c, p->away, "changed", p->name, why);
    }
    PQclear(r);
    *plan = list;
    return rc;
}

/* Copies the text between two marks, without quotes. */
static struct str between(struct arena *a, const char *text, const char *after, const char *end) {
    const char *p = strstr(text, after);
    if (!p) return (struct str){0};
    p += strlen(after) + (p[strlen(after)] == '"');
    size_t n = strcspn(p, end);
    return str_dup(a, (struct str){p, n > 0 && p[n - 1] == '"' ? n - 1 : n});
}

/* Names the row that refers to a missing one, after its FOREIGN KEY was refused: ALTER TABLE notes ADD
 * CONSTRAINT x FOREIGN KEY (user_id) REFERENCES users(id). */
static int pg_refuse_orphan(struct conn *c, struct arena *a, const struct db_fill *f, const struct part *p,
                            struct why why) {
    struct str table = between(a, p->back, "ALTER TABLE ", " "),
               column = between(a, p->back, "FOREIGN KEY (", ",)"),
               parent = between(a, p->back, "REFERENCES ", "("),
               key = between(a, p->back, "REFERENCES ", ")");
    if (!f->from.dangling || !column.p || !parent.p || !key.p) return -ERR_SERVICE_UNAVAILABLE;
    const char *its = strchr(key.p, '(');
    struct str text =
        str_fmt(a,
                "SELECT x.\"%s\" FROM \"%s\" x "
                "WHERE x.\"%s\" IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \"%s\" y WHERE y.%s = x.\"%s\") "
                "LIMIT 1",
                column.p, table.p, column.p, parent.p, its ? its + 1 : "id", column.p);
    PGresult *r = PQexec(c->pg->handle, text.p);
    bool found = PQresultStatus(r) == PGRES_TUPLES_OK && PQntuples(r) == 1;
    int64_t value = found ? strtoll(PQgetvalue(r, 0, 0), NULL, 10) : 0;
    PQclear(r);
    return found ? f->from.dangling(f->from.self, table.p, column.p, value, parent.p, why)
                 : -ERR_SERVICE_UNAVAILABLE;
}

static int restore_part(struct conn *c, struct arena *a, const struct db_fill *f, const struct part *p,
                        struct why why) {
    bool named = f->from.dangling && strstr(p->back, "FOREIGN KEY");
    if (named) TRY(pg_move_run(c, "SAVEPOINT reference", "written", "the database", why));
    int rc = pg_move_run(c, p->back, "made again", p->name, why);
    if (rc < 0 && named && pg_move_run(c, "ROLLBACK TO reference", "written", "the database", why) == 0)
        pg_refuse_orphan(c, a, f, p, why);
    return rc;
}

static int pg_restore(struct conn *c, void *plan, const struct db_fill *f, struct why why) {
    int64_t total = 0, done = 0;
    int rc = 0;
    struct arena *a = arena_new();
    for (struct part *p = plan; p; p = p->next) total++;
    for (struct part *p = plan; p && rc == 0; p = p->next) {
        rc = restore_part(c, a, f, p, why);
        if (f->progress) f->progress("indexes", ++done, total);
    }
    arena_free(a);
    return rc;
}

static int pg_settle(struct conn *c, const struct move_table *t, int64_t last, struct why why) {
    if (!t->identity) return 0;
    struct arena *a = arena_new();
    struct str text = str_fmt(a,
                              "SELECT setval('%s', GREATEST(x.last, 1), x.last > 0) "
                              "FROM (SELECT GREATEST(%lld, (SELECT MAX(\"%s\") FROM \"%s\"), "
                              "CASE WHEN s.is_called THEN s.last_value END) AS last FROM %s s) x",
                              t->sequence, (long long)last, t->identity, t->name, t->sequence);
    int rc = pg_move_run(c, text.p, "settled", t->name, why);
    arena_free(a);
    return rc;
}

static int pg_durable(struct conn *c, struct why why) {
    return pg_move_run(c, "SET LOCAL synchronous_commit = on", "written", "the database", why);
}

const struct mover pg_mover = {.tables = pg_list_tables,
                               .read = pg_read_rows,
                               .next = pg_next_row,
                               .close = pg_close_rows,
                               .write = pg_write_rows,
                               .put = pg_put_row,
                               .write_end = pg_write_end,
                               .strip = pg_strip,
                               .restore = pg_restore,
                               .settle = pg_settle,
                               .durable = pg_durable,
                               .alone = pg_alone};
