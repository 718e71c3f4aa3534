/* The SQLite engine: its statements and its table. */
#include "db/db_internal.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

/* ---- statements ------------------------------------------------------------------------------ */

static bool is_tail_blank(const char *tail) { return tail[strspn(tail, " \t\r\n;")] == '\0'; }

static int prepare(struct conn *c, const char *sql, void **out, int *params) {
    struct arena *a = arena_new();
    struct str text = db_dialect(a, false, sql);
    const char *tail = "";
    sqlite3_stmt *handle = NULL;
    int code =
        sqlite3_prepare_v3(c->handle, text.p, (int)text.n + 1, SQLITE_PREPARE_PERSISTENT, &handle, &tail);
    int rc = code ? conn_prepare_error(c, code, sql) : 0;
    if (rc == 0 && (handle == NULL || !is_tail_blank(tail))) {
        log_error("store: not one statement: %s", sql);
        sqlite3_finalize(handle);
        rc = -ERR_INTERNAL_ERROR;
    }
    arena_free(a);
    if (rc < 0) return rc;
    *out = handle;
    *params = sqlite3_bind_parameter_count(handle);
    return 0;
}

static void finalize(struct conn *c, void *handle) {
    (void)c;
    sqlite3_finalize(handle);
}

static const char *param_name(void *handle, int i) { return sqlite3_bind_parameter_name(handle, i + 1); }

static int bind_code(sqlite3_stmt *handle, int at, const struct bind *b) {
    bool null = b->type == BIND_NULL || (b->type != BIND_INT && b->s.p == NULL);
    if (null) return sqlite3_bind_null(handle, at);
    if (b->type == BIND_INT) return sqlite3_bind_int64(handle, at, b->i);
    if (b->type == BIND_BLOB) return sqlite3_bind_blob64(handle, at, b->s.p, b->s.n, SQLITE_STATIC);
    return sqlite3_bind_text64(handle, at, b->s.p, b->s.n, SQLITE_STATIC, SQLITE_UTF8);
}

static int sqlite_bind_value(struct stmt *s, int i, const struct bind *b) {
    int code = bind_code(s->handle, i + 1, b);
    return code ? conn_error(s->conn, code, s->sql) : 0;
}

static int step(struct stmt *s) {
    assert(snapshot_held(s->conn));
    int code = sqlite3_step(s->handle);
    if (code == SQLITE_ROW) return 1;
    return code == SQLITE_DONE ? 0 : conn_error(s->conn, code, s->sql);
}

static int sqlite_reset_stmt(struct stmt *s) {
    int code = sqlite3_reset(s->handle);
    /* A foreign key is checked when a statement ends, so a statement that RETURNS a row may still fail
     * here. */
    int rc = s->state == 1 && code ? conn_error(s->conn, code, s->sql) : 0;
    if (s->cached) sqlite3_clear_bindings(s->handle);
    return rc;
}

static int changed(struct stmt *s) {
    return sqlite3_stmt_readonly(s->handle) ? 0 : sqlite3_changes(s->conn->handle);
}

static int64_t inserted(struct conn *c) { return sqlite3_last_insert_rowid(c->handle); }

static int64_t column_int(void *handle, int i) { return sqlite3_column_int64(handle, i); }
static bool column_null(void *handle, int i) { return sqlite3_column_type(handle, i) == SQLITE_NULL; }
static int column_count(void *handle) { return sqlite3_column_count(handle); }

/* Each sqlite3_column_ function checks the row, the column and memory again, so a value is fetched once.
 * An unprotected value is enough, because only this thread uses the connection. */
static bool column_int_given(void *handle, int i, int64_t *out) {
    *out = sqlite3_column_int64(handle, i);
    return *out || sqlite3_column_type(handle, i) != SQLITE_NULL; /* NULL is read as 0 */
}

static struct str column_text(void *handle, int i) {
    sqlite3_value *value = sqlite3_column_value(handle, i);
    int type = sqlite3_value_type(value);
    if (type == SQLITE_NULL) return (struct str){0};
    const char *p = type == SQLITE_BLOB ? sqlite3_value_blob(value) : (const char *)sqlite3_value_text(value);
    return (struct str){p ? p : "", (size_t)sqlite3_value_bytes(value)};
}

/* ---- transactions ---------------------------------------------------------------------------- */

static int sqlite_read_begin(struct conn *c, int budget_ms) {
    int64_t now = clock_monotonic();
    int rc = snapshot_begin(c, now);
    c->deadline = rc == 0 && budget_ms > 0 ? now + budget_ms
                                           /* set after the turn is taken: before, the writer may be ending
                                            * the kept snapshot */
                                           : 0;
    return rc;
}

static void sqlite_read_end(struct conn *c) {
    c->deadline = 0;
    snapshot_end(c);
}

static int savepoint_verb(struct conn *c, const char *verb, const char *name) {
    char text[128];
    int n = snprintf(text, sizeof text, "%s %s", verb, name);
    assert(n > 0 && (size_t)n < sizeof text);
    int rc = db_exec_text(c, text, NULL);
    return rc < 0 ? rc : 0;
}

static int sqlite_savepoint(struct conn *c, const char *name) { return savepoint_verb(c, "SAVEPOINT", name); }
static int sqlite_release(struct conn *c, const char *name) { return savepoint_verb(c, "RELEASE", name); }

static int sqlite_undo(struct conn *c, const char *name) {
    int rc = savepoint_verb(c, "ROLLBACK TO", name);
    return rc < 0 ? rc : savepoint_verb(c, "RELEASE", name);
}

/* ---- locks: not needed with one writer ------------------------------------------------------- */

static int sqlite_lock_name(struct conn *c, struct str name, bool shared) {
    return (void)c, (void)name, (void)shared, 0;
}
static int sqlite_lock_row(struct conn *c, const char *table, int64_t id) {
    return (void)c, (void)table, (void)id, 0;
}

/* The id of the next row is above `seq` and above all ids of the table. */
static int sqlite_next_id(struct conn *c, const char *table, int64_t id) {
    const struct bind *binds = BINDS(B_TEXT("name", str_of(table)), B_INT("seq", id - 1));
    int rc = db_exec_text(c, "UPDATE sqlite_sequence SET seq = :seq WHERE name = :name", binds);
    if (rc == 0) rc = db_exec_text(c, "INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :seq)", binds);
    return rc < 0 ? rc : 0;
}

static int sqlite_connect_reader(struct db *db, struct conn **out, struct why why) {
    return conn_open(&db->sqlite->reading, out, why);
}

const struct engine sqlite_engine = {
    .open = sqlite_open,
    .close = sqlite_close,
    .submit = sqlite_submit,
    .writes_here = sqlite_writes_here,
    .generation = sqlite_generation,
    .snapshot = snapshot_number,
    .newest = snapshot_newest,
    .mark = mark_now,
    .stats = sqlite_stats,
    .compact = sqlite_compact,
    .connect = sqlite_connect_reader,
    .disconnect = reader_close,
    .rest = sqlite_rest,
    .read_begin = sqlite_read_begin,
    .read_end = sqlite_read_end,
    .lost = conn_lost,
    .savepoint = sqlite_savepoint,
    .release = sqlite_release,
    .undo = sqlite_undo,
    .lock_name = sqlite_lock_name,
    .lock_row = sqlite_lock_row,
    .next_id = sqlite_next_id,
    .prepare = prepare,
    .finalize = finalize,
    .param_name = param_name,
    .bind = sqlite_bind_value,
    .step = step,
    .reset = sqlite_reset_stmt,
    .changed = changed,
    .inserted = inserted,
    .col_int = column_int,
    .col_int_given = column_int_given,
    .col_text = column_text,
    .col_null = column_null,
    .col_count = column_count,
    .mover = &sqlite_mover,
};
