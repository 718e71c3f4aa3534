/* The PostgreSQL engine: its table. postgres.c has the essay. */
#include "db/postgres.h"

#include <stdio.h>

#include "base/error.h"

/* ---- savepoints ------------------------------------------------------------------------------ */

static int run_named(struct conn *c, const char *format, const char *name) {
    char text[160];
    int n = snprintf(text, sizeof text, format, name, name);
    assert(n > 0 && (size_t)n < sizeof text);
    pg_ahead_end(c, true);
    return pg_run(c, text);
}

static int pg_savepoint(struct conn *c, const char *name) { return run_named(c, "SAVEPOINT %s", name); }
static int pg_release(struct conn *c, const char *name) { return run_named(c, "RELEASE %s", name); }
static int pg_undo(struct conn *c, const char *name) {
    pg_collect(c); /* the statements that wait are undone, also if one failed */
    return run_named(c, "ROLLBACK TO %s; RELEASE %s", name);
}

/* ---- locks ----------------------------------------------------------------------------------- */

static int pg_lock_name(struct conn *c, struct str name, bool shared) {
    const char *sql = shared ? "SELECT pg_advisory_xact_lock_shared(hashtextextended(:name, 0))"
                             : "SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))";
    return db_later_text(c, sql, BINDS(B_TEXT("name", name)));
}

static int pg_lock_row(struct conn *c, const char *table, int64_t id) {
    char text[160];
    int n = snprintf(text, sizeof text, "SELECT id FROM %s WHERE id = :id FOR UPDATE", table);
    assert(n > 0 && (size_t)n < sizeof text);
    return db_later_text(c, text, BINDS(B_INT("id", id)));
}

static int pg_connect_reader(struct db *db, struct conn **out, struct why why) {
    return pg_open(db, &db->postgres->primary, CONN_READER, out, why);
}

/* VACUUM FULL writes each table and index anew. ANALYZE replaces the samples of values that the planner
 * keeps, whose old ones the second VACUUM removes. A checkpoint makes the old files go; a user who may not
 * ask for one waits for the next. */
static int pg_compact(struct db *db, struct why why) {
    static const char *const steps[] = {"VACUUM (FULL, ANALYZE)", "VACUUM FULL pg_catalog.pg_statistic"};
    struct conn *c;
    int rc = pg_open(db, &db->postgres->primary, CONN_BULK, &c, why);
    if (rc < 0) return rc;
    for (size_t i = 0; rc == 0 && i < sizeof steps / sizeof *steps; i++) rc = pg_run(c, steps[i]);
    if (rc < 0) return db_refuse(why, "the database can't be rewritten: its user must own it");
    PQclear(PQexec(c->pg->handle, "CHECKPOINT"));
    return 0;
}

static int pg_analyze(struct conn *c) { return pg_run(c, "ANALYZE"); }

const struct engine postgres_engine = {
    .blocks = true,
    .open = pg_store_open,
    .close = pg_store_close,
    .submit = pg_submit,
    .writes_here = pg_writes_here,
    .stats = pg_stats,
    .compact = pg_compact,
    .notify = pg_notify,
    .listen = pg_listen,
    .listen_end = pg_listen_end,
    .connect = pg_connect_reader,
    .replica = pg_replica,
    .disconnect = pg_close,
    .read_begin = pg_read_begin,
    .read_end = pg_read_end,
    .expect = pg_expect,
    .lost = pg_lost,
    .savepoint = pg_savepoint,
    .release = pg_release,
    .undo = pg_undo,
    .lock_name = pg_lock_name,
    .lock_row = pg_lock_row,
    .settle_ids = pg_settle_ids,
    .next_id = pg_next_id,
    .analyze = pg_analyze,
    .prepare = pg_prepare,
    .finalize = pg_finalize,
    .param_name = pg_param_name,
    .bind = pg_bind,
    .step = pg_step,
    .later = pg_later,
    .reset = pg_reset,
    .changed = pg_changed,
    .col_int = pg_col_int,
    .col_int_given = pg_col_int_given,
    .col_text = pg_col_text,
    .col_null = pg_col_null,
    .col_count = pg_col_count,
    .mover = &pg_mover,
};

/* ---- check ----------------------------------------------------------------------------------- */

static const char bad_indexes[] = "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
                                  "JOIN pg_namespace n ON n.oid = c.relnamespace "
                                  "WHERE n.nspname = current_schema() AND NOT (i.indisvalid "
                                  "AND i.indisready) ORDER BY 1";

int postgres_check(const struct db_config *cfg, const struct schema_file *files,
                   void (*report)(void *arg, const char *line), void *arg, struct why why) {
    struct db_config look = *cfg;
    struct db *db;
    struct stmt *s;
    int findings = 0;
    look.read_only = true;
    int rc = db_open_on(&postgres_engine, &look, files, &db, why);
    if (rc < 0) return rc;
    struct conn *c = db_reader(db);
    rc = c ? db_start(c, bad_indexes, NULL, &s) : -ERR_SERVICE_UNAVAILABLE;
    if (rc == 0) {
        while ((rc = stmt_step(s)) == 1) {
            char line[160];
            struct str name = col_text(s, 0);
            snprintf(line, sizeof line, "the index %.*s is not valid: REINDEX it", (int)name.n, name.p);
            report(arg, line);
            findings++;
        }
        stmt_end(s);
    }
    db_close(db);
    return rc < 0 ? db_refuse(why, "the database can't be read") : findings;
}
