/* Migrates PostgreSQL: the same files, each in a transaction, under one advisory lock. If several
 * processes start at once, one migrates and the others find it done. */
#include "db/postgres.h"

#include <ctype.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/log.h"

#define MIGRATION_LOCK "1684370283" /* "desk" */

/* For PostgreSQL only, so not QUERY()s, which both engines prepare. */
static const char has_table[] = "SELECT COUNT(*) FROM pg_tables "
                                "WHERE schemaname = current_schema() AND tablename = :name";
static const char count_tables[] = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema()";
/* Finds a table that this user may not read or, if it is to write, not change. */
static const char find_forbidden[] =
    "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = current_schema() AND c.relkind = 'r' AND NOT (has_table_privilege(c.oid, "
    "'SELECT') AND (CAST(:reads AS BIGINT) = 1 OR has_table_privilege(c.oid, 'INSERT') "
    "AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))) "
    "ORDER BY c.relname LIMIT 1";
static const char find_schema[] = "SELECT 1 WHERE current_schema() IS NOT NULL";

static const char settle[] =
    "DO $$ DECLARE r record; BEGIN FOR r IN SELECT * "
    "FROM (SELECT c.oid::regclass AS place, a.attname AS name, " PG_SEQUENCE_OF
    " AS sequence FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
    "JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE a.attnum > 0 AND NOT a.attisdropped AND (a.attidentity <> '' OR a.atthasdef) "
    "AND c.relkind = 'r' AND n.nspname = current_schema()) y "
    "WHERE y.sequence IS NOT NULL LOOP EXECUTE format('SELECT setval(%L, GREATEST(COALESCE(m.top, "
    "1), s.last_value), m.top IS NOT NULL OR s.is_called) "
    "FROM (SELECT MAX(%I) AS top FROM %s) m, %s s', r.sequence, r.name, r.place, "
    "r.sequence); END LOOP; END $$";

int pg_settle_ids(struct conn *c) { return pg_run(c, settle); }

int pg_next_id(struct conn *c, const char *table, int64_t id) {
    struct stmt *s;
    int rc = db_start(c, "SELECT setval(pg_get_serial_sequence(:name, 'id'), :id, false)",
                      BINDS(B_TEXT("name", str_of(table)), B_INT("id", id)), &s);
    if (rc < 0) return rc;
    rc = stmt_step(s);
    stmt_end(s);
    return rc < 0 ? rc : 0;
}

/* Returns a count, or an error. */
static int64_t pg_count(struct conn *c, const char *sql, const struct bind *binds) {
    struct stmt *s;
    int rc = db_start(c, sql, binds, &s);
    if (rc < 0) return rc;
    rc = stmt_step(s);
    int64_t n = rc == 1 ? col_int(s, 0) : rc;
    stmt_end(s);
    return n;
}

static int allowed(struct conn *c, struct why why) {
    struct stmt *s;
    int rc = db_start(c, find_forbidden, BINDS(B_INT("reads", c->role == CONN_READER)), &s);
    if (rc < 0) return db_refuse(why, "the database can't be read");
    rc = stmt_step(s);
    struct str name = rc == 1 ? col_text(s, 0) : S("");
    if (rc < 0) rc = db_refuse(why, "the database can't be read");
    if (rc == 1)
        rc = db_refuse(why, "this user may not use the table %.*s of the desk: log in as its owner",
                       (int)name.n, name.p);
    stmt_end(s);
    return rc;
}

int pg_schema_version(struct conn *c, const struct schema_file *files, struct why why) {
    int64_t schema = pg_count(c, find_schema, NULL);
    if (schema == 0)
        return db_refuse(why, "the database has no schema in its search_path: create one, or name "
                              "one in the URL");
    int64_t ours = pg_count(c, has_table, BINDS(B_TEXT("name", S("schema_version"))));
    int64_t tables = pg_count(c, count_tables, NULL);
    if (schema < 0 || ours < 0 || tables < 0) return db_refuse(why, "the database can't be read");
    if (!ours && tables)
        return db_refuse(why, "the database has tables of another program: name an empty database");
    if (!ours) return 0;
    int rc = allowed(c, why);
    return rc < 0 ? rc : schema_recorded(c, files, why);
}

/* Adds a COLLATE to each TEXT column, so that texts are ordered by bytes as on SQLite, whatever the
 * database's collation. */
static struct str ordered_by_bytes(struct arena *a, const char *sql) {
    struct buf b = {0};
    bool quoted = false, comment = false;
    for (const char *p = sql; *p; p++) {
        bool starts = p == sql || !(isalnum((unsigned char)p[-1]) || p[-1] == '_');
        bool ends = strncmp(p, "TEXT", 4) == 0 && !(isalnum((unsigned char)p[4]) || p[4] == '_');
        bool type = starts && ends && !quoted && !comment;
        if (!comment && *p == '\'') quoted = !quoted;
        if (!quoted && p[0] == '-' && p[1] == '-') comment = true;
        if (*p == '\n') comment = false;
        buf_char(&b, *p);
        if (!type) continue;
        buf_text(&b, "EXT COLLATE \"C\"");
        p += 3;
    }
    return buf_take(&b, a);
}

static int pg_migration_failed(struct conn *c, const struct schema_file *file, int version, struct why why) {
    char reason[300];
    pg_reason(c, reason, sizeof reason);
    bool rights = strstr(reason, "permission denied") != NULL;
    return db_refuse(why, "%s failed, the database stays at schema %d: %s%s", file->name, version - 1, reason,
                     rights ? "; grant CREATE on the schema to this user, or make it the database's owner"
                            : "");
}

/* A file that inserts rows may insert them with ids, which their sequences do not know. */
static bool pg_apply_file(struct conn *c, int version, const struct schema_file *file, struct arena *a) {
    PGconn *handle = c->pg->handle;
    const char *const texts[] = {"BEGIN", schema_table,
                                 ordered_by_bytes(a, db_dialect(a, true, file->sql).p).p,
                                 strcasestr(file->sql, "insert") ? settle : NULL};
    for (size_t i = 0; i < sizeof texts / sizeof *texts && texts[i]; i++) {
        PGresult *r = PQexec(handle, texts[i]);
        ExecStatusType status = PQresultStatus(r); /* empty: the file changes nothing on this engine */
        PQclear(r);
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY)
            return false;
    }
    return PQtransactionStatus(handle) == PQTRANS_INTRANS && schema_record(c, version, file->name) >= 0 &&
           pg_run(c, "COMMIT") == 0;
}

static int migrate(struct conn *c, const struct schema_file *files, struct why why) {
    int version = pg_schema_version(c, files, why), newest = schema_newest(files),
        rc = version < 0 ? version : 0;
    struct arena *a = arena_new();
    if (version > 0 && version < newest) rc = pg_alone_to(c, "update it", why);
    for (int v = version + 1; rc == 0 && v <= newest; v++) {
        if (!pg_apply_file(c, v, &files[v - 1], a)) {
            rc = pg_migration_failed(c, &files[v - 1], v, why);
            pg_run(c, "ROLLBACK");
        } else if (version > 0) {
            log_info("store: schema %d, %s", v, files[v - 1].name);
        }
    }
    arena_free(a);
    return rc;
}

int pg_migrate(struct conn *c, const struct schema_file *files, struct why why) {
    if (pg_run(c, "SELECT pg_advisory_lock(" MIGRATION_LOCK ")") < 0)
        return db_refuse(why, "the database can't be locked");
    int rc = migrate(c, files, why);
    pg_run(c, "SELECT pg_advisory_unlock(" MIGRATION_LOCK ")");
    return rc;
}
