/* Reads and writes SQLite for a move. */
#include "db/move.h"

#include "db/db_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

/* For SQLite only, so not QUERY()s, which both engines prepare. Litestream has tables of its own in a store
 * that it copies. */
static const struct query columns = {
    "move_columns",
    "SELECT m.name, p.name, p.type, p.pk, l.type = 'virtual', p.\"notnull\" "
    "FROM sqlite_schema m JOIN pragma_table_info(m.name) p "
    "JOIN pragma_table_list l ON l.schema = 'main' AND l.name = m.name AND l.type <> 'shadow' "
    "WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
    "AND m.name NOT LIKE '\\_litestream\\_%' ESCAPE '\\' "
    "ORDER BY m.name, p.cid"};
/* The highest id that was ever used. Of a table without AUTOINCREMENT: the highest one that was deleted. */
static const struct query last_id = {"move_last_id", "SELECT seq FROM sqlite_sequence WHERE name = :name"};
static const struct query indexes = {"move_indexes", "SELECT name, sql FROM sqlite_schema "
                                                     "WHERE type = 'index' AND sql IS NOT NULL "
                                                     "ORDER BY name"};
static const struct query orphan = {"move_orphan",
                                    "SELECT \"table\", rowid, parent, fkid FROM pragma_foreign_key_check "
                                    "ORDER BY 1, 2 LIMIT 1"};

static int sqlite_move_failed(struct conn *c, const char *what, const char *name, struct why why) {
    return db_refuse(why, "%s can't be %s: %s", name, what, sqlite3_errmsg(c->handle));
}

static int sqlite_move_run(struct conn *c, const char *text, const char *name, struct why why) {
    return conn_pragma(c, text) == 0 ? 0 : sqlite_move_failed(c, "written", name, why);
}

/* ---- the catalogue --------------------------------------------------------------------------- */

static enum value_kind sqlite_kind_of(struct str type) {
    static const struct {
        const char *type;
        enum value_kind kind;
    } kinds[] = {
        {"INTEGER", VALUE_INT}, {"BIGINT", VALUE_INT}, {"TEXT", VALUE_TEXT},
        {"BLOB", VALUE_BYTES},  {"REAL", VALUE_REAL},  {"DOUBLE PRECISION", VALUE_REAL},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_eqi(type, str_of(kinds[i].type))) return kinds[i].kind;
    return VALUE_NULL;
}

enum { COLUMNS_MAX = 200 };

static int sqlite_add_column(struct arena *a, struct move_table *t, struct stmt *row, struct why why) {
    struct str type = col_text(row, 2);
    struct move_column k = {
        .name = str_dup(a, col_text(row, 1)).p, .key = (int)col_int(row, 3), .needed = col_int(row, 5) != 0};
    k.kind = move_kind(k.name, sqlite_kind_of(type));
    k.type_name = str_dup(a, type).p;
    if (t->count == COLUMNS_MAX) return db_refuse(why, "%s has more than %d columns", t->name, COLUMNS_MAX);
    t->columns[t->count++] = k;
    return 0;
}

static int sqlite_read_columns(struct conn *c, struct arena *a, struct move_table **out, struct why why) {
    struct move_table **end = out, *t = NULL;
    int rc, done = 0;
    DB_ROWS(rc, c, &columns, NULL, row) {
        if (done < 0) continue;
        if (!t || !str_eq(str_of(t->name), col_text(row, 0))) {
            *end = t = ARENA_NEW(a, struct move_table);
            end = &t->next;
            t->name = str_dup(a, col_text(row, 0)).p;
            t->is_virtual = col_int(row, 4) != 0;
            t->columns = arena_array(a, COLUMNS_MAX, sizeof *t->columns);
        }
        done = sqlite_add_column(a, t, row, why);
    }
    return rc < 0 ? db_refuse(why, "the store can't be read: %s", sqlite3_errmsg(c->handle)) : done;
}

static int sqlite_list_tables(struct conn *c, struct arena *a, struct move_table **out, struct why why) {
    int rc = sqlite_read_columns(c, a, out, why);
    for (struct move_table *t = *out; t && rc >= 0; t = t->next) {
        rc = db_int(c, &last_id, BINDS(B_TEXT("name", str_of(t->name))), &t->last_id);
        if (rc < 0) return db_refuse(why, "the store can't be read: %s", sqlite3_errmsg(c->handle));
    }
    return rc < 0 ? rc : 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct rows {
    struct conn *c;
    const struct move_table *t;
    sqlite3_stmt *stmt;
};

static int open_rows(struct conn *c, const struct move_table *t, const char *text, const char *what,
                     void **handle, struct why why) {
    struct rows *r = calloc(1, sizeof *r);
    if (!r) return db_refuse(why, "out of memory");
    *r = (struct rows){.c = c, .t = t};
    if (sqlite3_prepare_v2(c->handle, text, -1, &r->stmt, NULL) != SQLITE_OK) {
        free(r);
        return sqlite_move_failed(c, what, t->name, why);
    }
    *handle = r;
    return 0;
}

static void sqlite_close_rows(void *handle) {
    struct rows *r = handle;
    sqlite3_finalize(r->stmt);
    free(r);
}

static int sqlite_read_rows(struct conn *c, const struct move_table *t, void **handle, struct why why) {
    struct arena *a = arena_new();
    struct str text =
        str_fmt(a, "SELECT %s FROM \"%s\"%s", move_columns(a, t).p, t->name, move_order(a, t).p);
    int rc = open_rows(c, t, text.p, "read", handle, why);
    arena_free(a);
    return rc;
}

/* Readers don't distinguish bytes in a column of texts from texts in a column of bytes, so the kind of the
 * column decides. */
static struct value value_at(sqlite3_stmt *stmt, int i, enum value_kind column) {
    bool bytes = column == VALUE_BYTES;
    switch (sqlite3_column_type(stmt, i)) {
    case SQLITE_INTEGER: return (struct value){.kind = VALUE_INT, .i = sqlite3_column_int64(stmt, i)};
    case SQLITE_FLOAT: return (struct value){.kind = VALUE_REAL, .r = sqlite3_column_double(stmt, i)};
    case SQLITE_NULL: return (struct value){.kind = VALUE_NULL};
    default: break;
    }
    const char *p = sqlite3_column_blob(stmt, i);
    struct str s = {p ? p : "", (size_t)sqlite3_column_bytes(stmt, i)};
    return (struct value){.kind = bytes ? VALUE_BYTES : VALUE_TEXT, .s = s};
}

static int sqlite_next_row(void *handle, struct value *row, struct why why) {
    struct rows *r = handle;
    int code = sqlite3_step(r->stmt);
    if (code == SQLITE_DONE) return 0;
    if (code != SQLITE_ROW) return sqlite_move_failed(r->c, "read", r->t->name, why);
    for (int i = 0; i < r->t->count; i++) row[i] = value_at(r->stmt, i, r->t->columns[i].kind);
    return 1;
}

static int sqlite_write_rows(struct conn *c, const struct move_table *t, void **handle, struct why why) {
    struct arena *a = arena_new();
    struct str marks = S("?");
    for (int i = 1; i < t->count; i++) marks = str_fmt(a, "%s, ?", marks.p);
    struct str text =
        str_fmt(a, "INSERT INTO \"%s\" (%s) VALUES (%s)", t->name, move_columns(a, t).p, marks.p);
    int rc = sqlite_move_run(c, str_fmt(a, "DELETE FROM \"%s\"", t->name).p, t->name, why);
    if (rc == 0) rc = open_rows(c, t, text.p, "written", handle, why);
    arena_free(a);
    return rc;
}

static int bind_value(sqlite3_stmt *stmt, int at, const struct value *v) {
    switch (v->kind) {
    case VALUE_NULL: return sqlite3_bind_null(stmt, at);
    case VALUE_INT: return sqlite3_bind_int64(stmt, at, v->i);
    case VALUE_REAL: return sqlite3_bind_double(stmt, at, v->r);
    case VALUE_TEXT: return sqlite3_bind_text64(stmt, at, v->s.p, v->s.n, SQLITE_STATIC, SQLITE_UTF8);
    case VALUE_BYTES: return sqlite3_bind_blob64(stmt, at, v->s.p, v->s.n, SQLITE_STATIC);
    case VALUE_OWN: break;
    }
    return SQLITE_MISUSE;
}

static int sqlite_put_row(void *handle, const struct value *row, struct why why) {
    struct rows *r = handle;
    int code = SQLITE_OK;
    for (int i = 0; code == SQLITE_OK && i < r->t->count; i++) code = bind_value(r->stmt, i + 1, &row[i]);
    if (code == SQLITE_OK) sqlite3_step(r->stmt);
    if (code == SQLITE_OK) code = sqlite3_reset(r->stmt);
    return code == SQLITE_OK ? 0 : sqlite_move_failed(r->c, "written", r->t->name, why);
}

static int sqlite_write_end(void *handle, bool keep, struct why why) {
    (void)keep, (void)why;
    sqlite_close_rows(handle);
    return 0;
}

/* ---- indexes and references; this connection does not enforce references, so they are checked at the end
 * ---- */

struct index {
    const char *name, *create;
    struct index *next;
};

static int sqlite_strip(struct conn *c, struct arena *a, void **plan, struct why why) {
    struct index *list = NULL;
    int rc;
    DB_ROWS(rc, c, &indexes, NULL, row) {
        struct index *i = ARENA_NEW(a, struct index);
        *i = (struct index){str_dup(a, col_text(row, 0)).p, str_dup(a, col_text(row, 1)).p, list};
        list = i;
    }
    if (rc < 0) return db_refuse(why, "the store can't be read: %s", sqlite3_errmsg(c->handle));
    for (struct index *i = list; i && rc == 0; i = i->next)
        rc = sqlite_move_run(c, str_fmt(a, "DROP INDEX \"%s\"", i->name).p, i->name, why);
    *plan = list;
    return rc;
}

/* Finds the column and the value of a reference to a missing row. */
static int dangling_value(struct conn *c, struct arena *a, struct stmt *row, struct str *column,
                          int64_t *value) {
    struct str table = str_dup(a, col_text(row, 0));
    struct query q = {"move_reference", "SELECT \"from\" FROM pragma_foreign_key_list(:name) "
                                        "WHERE id = :id AND seq = 0"};
    if (col_null(row, 1)) return 0; /* the key is the table: there is no rowid */
    if (db_text(c, &q, BINDS(B_TEXT("name", table), B_INT("id", col_int(row, 3))), a, column) != 1) return 0;
    struct query v = {"move_value",
                      str_fmt(a, "SELECT \"%s\" FROM \"%s\" WHERE rowid = :id", column->p, table.p).p};
    return db_int(c, &v, BINDS(B_INT("id", col_int(row, 1))), value);
}

static int refuse_orphan(struct conn *c, const struct db_fill *f, struct stmt *row, struct why why) {
    struct str table = col_text(row, 0), parent = col_text(row, 2), column;
    struct arena *a = arena_new();
    int64_t value;
    int rc;
    if (f->from.dangling && dangling_value(c, a, row, &column, &value) == 1)
        rc = f->from.dangling(f->from.self, str_dup(a, table).p, column.p, value, str_dup(a, parent).p, why);
    else
        rc = db_refuse(why, "row %lld of %.*s refers to no row of %.*s: deskd check the source",
                       (long long)col_int(row, 1), (int)table.n, table.p, (int)parent.n, parent.p);
    arena_free(a);
    return rc;
}

static int check_first_reference(struct conn *c, const struct db_fill *f, struct why why) {
    struct stmt *row;
    int rc = db_row(c, &orphan, NULL, &row);
    if (rc < 0) return db_refuse(why, "the references can't be checked: %s", sqlite3_errmsg(c->handle));
    if (rc == 0) return 0;
    rc = refuse_orphan(c, f, row, why);
    stmt_end(row);
    return rc;
}

static int sqlite_restore(struct conn *c, void *plan, const struct db_fill *f, struct why why) {
    int64_t total = 0, done = 0;
    int rc = 0;
    for (struct index *i = plan; i; i = i->next) total++;
    for (struct index *i = plan; i && rc == 0; i = i->next) {
        rc = sqlite_move_run(c, i->create, i->name, why);
        if (f->progress) f->progress("indexes", ++done, total);
    }
    return rc < 0 ? rc : check_first_reference(c, f, why);
}

/* The highest id of deleted rows counts, too. */
static int sqlite_settle(struct conn *c, const struct move_table *t, int64_t last, struct why why) {
    char text[256];
    if (last == 0) return 0;
    int n = snprintf(text, sizeof text,
                     "INSERT INTO sqlite_sequence (name, seq) "
                     "SELECT '%s', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence "
                     "WHERE name = '%s');UPDATE sqlite_sequence "
                     "SET seq = max(seq, %lld) WHERE name = '%s'",
                     t->name, t->name, (long long)last, t->name);
    assert(n > 0 && (size_t)n < sizeof text);
    return sqlite_move_run(c, text, t->name, why);
}

/* db_close syncs a bulk store. */
static int sqlite_durable(struct conn *c, struct why why) { return (void)c, (void)why, 0; }
static int alone(struct conn *c, struct why why) { return (void)c, (void)why, 0; } /* the store is locked */

const struct mover sqlite_mover = {.tables = sqlite_list_tables,
                                   .read = sqlite_read_rows,
                                   .next = sqlite_next_row,
                                   .close = sqlite_close_rows,
                                   .write = sqlite_write_rows,
                                   .put = sqlite_put_row,
                                   .write_end = sqlite_write_end,
                                   .strip = sqlite_strip,
                                   .restore = sqlite_restore,
                                   .settle = sqlite_settle,
                                   .durable = sqlite_durable,
                                   .alone = alone};
