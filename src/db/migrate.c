/* The schema: numbered files, forward only, one transaction each. A store has the version of the last file
 * that was applied. A file that fails changes nothing.
 *
 * Files run with foreign keys off. SQLite changes a table by making a new one and dropping the old one,
 * which would delete the rows that refer to it. Instead, the references from and to each table that the
 * file touched are checked before the COMMIT. To check the whole store for each file would take most of the
 * time of an update of a large desk. */
#include "db/db_internal.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

const char schema_table[] =
    "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY, name TEXT NOT NULL, "
    "applied_at BIGINT NOT NULL)";

QUERY(schema_last,
      "SELECT version, name FROM schema_version WHERE version > 0 ORDER BY version DESC LIMIT 1");
/* not the version of a file: see schema_mark_moving */
QUERY(schema_moving, "SELECT 1 FROM schema_version WHERE version = 0");
QUERY(schema_mark, "INSERT INTO schema_version (version, name, applied_at) "
                   "VALUES (0, 'a move under way', :now) ON CONFLICT DO NOTHING");
QUERY(schema_applied,
      "INSERT INTO schema_version (version, name, applied_at) VALUES (:version, :name, :now)");

/* For SQLite only, so not QUERY()s, which both engines prepare. */
static const struct query has_table = {"has_table", "SELECT count(*) FROM sqlite_schema WHERE name = :name"};
static const struct query count_tables = {"count_tables", "SELECT count(*) FROM sqlite_schema"};
static const struct query table_names = {
    "table_names", "SELECT ',' || group_concat(name) || ',' FROM sqlite_schema WHERE type = 'table'"};
/* :touched and :before (the tables before the file ran): names, each between commas. A new table may be one
 * that was renamed. */
static const struct query orphans = {
    "orphans", "WITH touched AS (SELECT name FROM sqlite_schema WHERE type = 'table' "
               "AND (instr(:touched, ',' || name || ',') OR NOT instr(:before, ',' || name || ','))), "
               "checked AS (SELECT name FROM touched UNION SELECT s.name FROM sqlite_schema s, "
               "pragma_foreign_key_list(s.name) k WHERE s.type = 'table' "
               "AND (instr(:touched, ',' || k.\"table\" || ',') OR k.\"table\" IN touched)) "
               "SELECT 1 FROM checked c, pragma_foreign_key_check(c.name) LIMIT 1"};

int schema_newest(const struct schema_file *files) {
    int n = 0;
    for (; files[n].name; n++) assert(atoi(files[n].name) == n + 1); /* 0001_, 0002_, ... without a gap */
    return n;
}

/* Refuses a store that an unfinished move left, unless this is a move. Refuses to let a move migrate an
 * older desk in its target. */
static int look_for_move(struct conn *c, const struct schema_file *files, struct why why) {
    bool filling = c->store && c->store->filling;
    int64_t marked, version = 0;
    int moving = db_int(c, &schema_moving, NULL, &marked), rc = db_int(c, &schema_last, NULL, &version);
    if (moving < 0 || rc < 0) return db_refuse(why, "the store's schema_version can't be read");
    if (moving && !filling)
        return db_refuse(why, "a move or an import into this store was interrupted: run it again, or begin "
                              "with an empty store");
    if (filling && !moving && version > 0 && version < schema_newest(files))
        return db_refuse(why, "the target has schema %lld already: name an empty store", (long long)version);
    return 0;
}

int schema_mark_moving(struct conn *c) {
    return db_exec(c, &schema_mark, BINDS(B_INT("now", clock_now(&(struct clock){0}))));
}

int schema_recorded(struct conn *c, const struct schema_file *files, struct why why) {
    struct stmt *row;
    int rc = look_for_move(c, files, why);
    if (rc < 0) return rc;
    rc = db_row(c, &schema_last, NULL, &row);
    if (rc < 0) return db_refuse(why, "the store's schema_version can't be read");
    if (rc == 0) return 0;
    int version = (int)col_int(row, 0), newest = schema_newest(files);
    struct str name = col_text(row, 1);
    if (version > newest)
        rc = db_refuse(why,
                       "the store has schema %d, but this deskd supports only %d: start the newer "
                       "deskd, or restore a backup",
                       version, newest);
    else if (!str_eq(name, str_of(files[version - 1].name)))
        rc = db_refuse(why,
                       "schema %d is %.*s in the store, but %s in this deskd: start the deskd that "
                       "made the store",
                       version, (int)name.n, name.p, files[version - 1].name);
    stmt_end(row);
    return rc < 0 ? rc : version;
}

int schema_version(struct conn *c, const struct schema_file *files, struct why why) {
    int64_t ours = 0, tables = 0;
    int rc = db_int(c, &has_table, BINDS(B_TEXT("name", S("schema_version"))), &ours);
    if (rc >= 0) rc = db_int(c, &count_tables, NULL, &tables);
    if (rc < 0) return db_refuse(why, "the store can't be read: %s", sqlite3_errmsg(c->handle));
    if (!ours && tables) return db_refuse(why, "this is an SQLite file of another program");
    if (!ours) return 0;

    return schema_recorded(c, files, why);
}

int schema_current(struct conn *c, const struct schema_file *files, struct why why) {
    int version = schema_version(c, files, why), newest = schema_newest(files);
    if (version < 0 || version == newest) return version < 0 ? version : 0;
    return db_refuse(why, "the store has schema %d, this deskd needs %d: start deskd serve to update it",
                     version, newest);
}

int schema_record(struct conn *c, int version, const char *name) {
    int64_t now = clock_now(&(struct clock){0});
    return db_exec(c, &schema_applied,
                   BINDS(B_INT("version", version), B_TEXT("name", str_of(name)), B_INT("now", now)));
}

/* Names of the tables that a file touches, each between commas. all: it may touch every table. */
struct touched {
    struct buf names;
    bool all;
};

/* An authorizer of SQLite, which calls it for what a statement does, while it prepares the statement. */
static int table_touched(void *arg, int action, const char *first, const char *second, const char *schema,
                         const char *trigger) {
    struct touched *t = arg;
    (void)schema, (void)trigger;
    if (action == SQLITE_PRAGMA && strcmp(first, "writable_schema") == 0) t->all = true;
    bool writes = action == SQLITE_INSERT || action == SQLITE_UPDATE || action == SQLITE_DELETE;
    if (!writes && action != SQLITE_ALTER_TABLE) return SQLITE_OK;
    buf_text(&t->names, ",");
    buf_text(&t->names, writes ? first : second);
    buf_text(&t->names, ",");
    return SQLITE_OK;
}

static int run_file(struct conn *c, struct arena *a, const struct schema_file *file, struct touched *t) {
    sqlite3_set_authorizer(c->handle, table_touched, t);
    int rc = conn_pragma(c, schema_table);
    if (rc == 0) rc = conn_pragma(c, db_dialect(a, false, file->sql).p);
    sqlite3_set_authorizer(c->handle, NULL, NULL);
    return rc;
}

/* Returns 0 if no reference from or to a touched table leads nowhere. */
static int look_for_orphans(struct conn *c, const struct touched *t, struct str before) {
    int64_t orphan;
    return db_int(c, &orphans,
                  BINDS(B_TEXT("touched", buf_view(&t->names)), B_TEXT("before", t->all ? S("") : before)),
                  &orphan);
}

static int sqlite_apply_file(struct conn *c, int version, const struct schema_file *file, struct why why) {
    struct arena *a = arena_new();
    struct touched touched = {0};
    struct str before = {0};
    int rc = conn_begin(c, true);
    if (rc >= 0) rc = db_text(c, &table_names, NULL, a, &before);
    if (rc < 0) rc = db_refuse(why, "%s can't start: %s", file->name, sqlite3_errmsg(c->handle));
    if (rc >= 0 && run_file(c, a, file, &touched))
        rc = db_refuse(why, "%s failed, the store stays at schema %d: %s", file->name, version - 1,
                       sqlite3_errmsg(c->handle));
    if (rc >= 0 && conn_lost(c))
        rc = db_refuse(why, "%s ended its transaction, which a schema file must not do", file->name);
    if (rc >= 0 && look_for_orphans(c, &touched, before) != 0)
        rc = db_refuse(why, "%s breaks references, the store stays at schema %d", file->name, version - 1);
    if (rc >= 0 && schema_record(c, version, file->name) < 0)
        rc = db_refuse(why, "%s can't be recorded: %s", file->name, sqlite3_errmsg(c->handle));
    if (rc < 0) conn_rollback(c);
    else if (conn_commit(c) < 0)
        rc = db_refuse(why, "%s can't be committed, the store stays at schema %d", file->name, version - 1);
    buf_free(&touched.names);
    arena_free(a);
    return rc < 0 ? rc : 0;
}

int schema_migrate(struct conn *c, const struct schema_file *files, struct why why) {
    int version = schema_version(c, files, why), newest = schema_newest(files);
    if (version < 0 || version == newest) return version < 0 ? version : 0;
    int rc = 0;
    sqlite3_db_config(c->handle, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
    sqlite3_db_config(c->handle, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL); /* a file may write sqlite_schema */
    for (int v = version + 1; rc == 0 && v <= newest; v++) {
        rc = sqlite_apply_file(c, v, &files[v - 1], why);
        if (rc == 0 && version > 0) log_info("store: schema %d, %s", v, files[v - 1].name);
    }
    sqlite3_db_config(c->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(c->handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
    return rc;
}
