#include "core/change/record.h"

#include "base/buf.h"
#include "core/change/change.h"
#include "json/json.h"

#include <assert.h>

/* The columns that name the object of a row: its id and its conversation. */
#define OBJECT_COLUMNS 2
static void put_object_columns(struct buf *sql, struct record r) {
    buf_fmt(sql, "id, %s", r.case_column ? r.case_column : "CAST(NULL AS BIGINT)");
}

static struct changed object_in(struct record r, struct stmt *row) {
    return (struct changed){r.kind, col_int(row, 0), col_null(row, 1) ? 0 : col_int(row, 1)};
}

/* Runs the built SQL and frees it. */
static int run_built(struct work *w, struct buf *sql, const struct bind *binds) {
    buf_char(sql, 0);
    int rc = db_exec_text(w->conn, sql->p, binds);
    buf_free(sql);
    return rc;
}

static int bind_columns(const struct column *columns, int count, struct bind *binds) {
    assert(count < RECORD_COLUMNS);
    for (int i = 0; i < count; i++) binds[i] = columns[i].value;
    return count;
}

int record_insert(struct work *w, struct record r, const struct column *columns, int count, int64_t *id) {
    struct bind binds[RECORD_COLUMNS + 2] = {0};
    struct buf sql = {0};
    struct stmt *row;
    int n = bind_columns(columns, count, binds);
    binds[n] = (struct bind)B_INT("now", w->now);
    buf_fmt(&sql, "INSERT INTO %s (", r.table);
    for (int i = 0; i < count; i++) buf_fmt(&sql, "%s, ", columns[i].name);
    buf_text(&sql, "created_at, updated_at) VALUES (");
    for (int i = 0; i < count; i++) buf_fmt(&sql, "%s, ", columns[i].value.name);
    buf_text(&sql, ":now, :now) RETURNING ");
    put_object_columns(&sql, r);
    buf_char(&sql, 0);
    int rc = db_start(w->conn, sql.p, binds, &row);
    buf_free(&sql);
    if (rc < 0) return rc;
    rc = stmt_step(row);
    struct changed made = rc == 1 ? object_in(r, row) : (struct changed){0};
    stmt_end(row);
    if (rc != 1) return rc < 0 ? rc : -ERR_INTERNAL_ERROR;
    *id = made.id;
    if (r.kind) change_created(w, made);
    return 0;
}

/* ---- differences ----------------------------------------------------------------------------- */

static struct changed_value number_value(struct work *w, const struct column *c, int64_t n) {
    if (c->form == COLUMN_BOOL) return changed_bool(n);
    if (c->form == COLUMN_WORD) return changed_word(c->words, n);
    return c->form == COLUMN_TIME ? changed_time(w->arena, n) : changed_number(n);
}

static struct changed_value new_value(struct work *w, const struct column *c) {
    if (c->value.type == BIND_NULL || (c->value.type == BIND_TEXT && c->value.s.p == NULL))
        return changed_nothing();
    return c->value.type == BIND_INT ? number_value(w, c, c->value.i) : changed_text(c->value.s);
}

static struct changed_value old_value(struct work *w, const struct column *c, struct stmt *row, int at) {
    if (col_null(row, at)) return changed_nothing();
    return c->form == COLUMN_TEXT ? changed_text(str_dup(w->arena, col_text(row, at)))
                                  : number_value(w, c, col_int(row, at));
}

static void record_row(struct work *w, struct record r, struct stmt *row, const struct column *columns,
                       int count) {
    struct changed object = object_in(r, row);
    for (int i = 0, at = OBJECT_COLUMNS; i < count; i++) {
        const struct column *c = &columns[i];
        if (c->property == NULL) continue;
        if (c->secret) change_named(w, object, c->property);
        else change_property(w, object, c->property, old_value(w, c, row, at++), new_value(w, c));
    }
}

/* Records the changes: compares the stored columns with the new values, before the UPDATE. */
static int record_old(struct work *w, struct record r, struct str ids, const struct column *columns,
                      int count) {
    struct buf sql = {0};
    struct stmt *row;
    buf_text(&sql, "SELECT ");
    put_object_columns(&sql, r);
    for (int i = 0; i < count; i++)
        if (columns[i].property && !columns[i].secret) buf_fmt(&sql, ", %s", columns[i].name);
    buf_fmt(&sql, " FROM %s WHERE id IN @LIST(:ids) ORDER BY id", r.table);
    buf_char(&sql, 0);
    int rc = db_start(w->conn, sql.p, BINDS(B_TEXT("ids", ids)), &row);
    buf_free(&sql);
    if (rc < 0) return rc;
    while ((rc = stmt_step(row)) == 1) record_row(w, r, row, columns, count);
    stmt_end(row);
    return rc;
}

int record_update(struct work *w, struct record r, const int64_t *ids, int id_count,
                  const struct column *columns, int count) {
    struct bind binds[RECORD_COLUMNS + 3] = {0};
    struct buf sql = {0};
    struct str list = json_ids(w->arena, ids, (size_t)id_count);
    if (r.kind && count) TRY(record_old(w, r, list, columns, count));
    int n = bind_columns(columns, count, binds);
    binds[n++] = (struct bind)B_INT("now", w->now);
    binds[n] = (struct bind)B_TEXT("ids", list);
    buf_fmt(&sql, "UPDATE %s SET ", r.table);
    for (int i = 0; i < count; i++) buf_fmt(&sql, "%s = %s, ", columns[i].name, columns[i].value.name);
    buf_text(&sql, "updated_at = :now WHERE id IN @LIST(:ids)");
    return run_built(w, &sql, binds);
}

int record_object(struct work *w, struct record r, int64_t id, struct changed *out) {
    struct stmt *row;
    struct buf sql = {0};
    *out = (struct changed){r.kind, id, 0};
    if (r.case_column == NULL) return 0;
    buf_text(&sql, "SELECT ");
    put_object_columns(&sql, r);
    buf_fmt(&sql, " FROM %s WHERE id = :id", r.table);
    buf_char(&sql, 0);
    int rc = db_start(w->conn, sql.p, BINDS(B_INT("id", id)), &row);
    buf_free(&sql);
    if (rc < 0) return rc;
    rc = stmt_step(row);
    if (rc == 1) *out = object_in(r, row);
    stmt_end(row);
    return rc < 0 ? rc : rc == 1 ? 0 : -ERR_INTERNAL_ERROR;
}

int record_delete(struct work *w, struct record r, const int64_t *ids, int id_count) {
    struct buf sql = {0};
    for (int i = 0; r.kind && i < id_count; i++) {
        struct changed object;
        TRY(record_object(w, r, ids[i], &object));
        change_deleted(w, object);
    }
    buf_fmt(&sql, "DELETE FROM %s WHERE id IN @LIST(:ids)", r.table);
    return run_built(w, &sql, BINDS(B_TEXT("ids", json_ids(w->arena, ids, (size_t)id_count))));
}
