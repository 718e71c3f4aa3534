#include "core/desk/processes.h"

#include "core/change/lease.h"

#define PROCESS_KEPT TIME_HOUR

QUERY(process_leases, "SELECT COUNT(*) FROM leases WHERE name LIKE 'process %' AND until > :now");
QUERY(process_differs, "SELECT version, base_url FROM leases WHERE name LIKE 'process %' AND until > :now "
                       "AND (COALESCE(version, '') <> :version OR COALESCE(base_url, '') <> :base_url) "
                       "ORDER BY name LIMIT 1");
QUERY(process_put, "INSERT INTO leases (name, holder, until, version, base_url) "
                   "VALUES (:name, :holder, :until, :version, :base_url) "
                   "ON CONFLICT (name) DO UPDATE SET until = excluded.until");
QUERY(process_leases_drop, "DELETE FROM leases WHERE name LIKE 'process %' AND until < :before");

struct beat {
    struct desk *desk;
    int64_t number, for_ms;
};

int64_t processes_number(const struct desk *d) {
    int64_t n = atomic_load(&d->processes);
    return n > 1 ? n : 1;
}

static struct str lease_name(struct work *w) { return STR_CAT(w->arena, S("process "), w->desk->process); }

static int process_hold(struct work *w, int64_t ms) {
    return db_exec(w->conn, &process_put,
                   BINDS(B_TEXT("name", lease_name(w)), B_TEXT("holder", w->desk->process),
                         B_INT("until", w->now + ms), B_TEXT("version", S(DESKD_VERSION)),
                         B_TEXT("base_url", w->desk->base_url)));
}

static int process_beat_in(struct conn *conn, void *arg) {
    struct beat *b = arg;
    struct work w;
    struct arena *a = arena_new();
    work_init(&w, b->desk, a);
    w.conn = conn;
    int rc = b->for_ms ? process_hold(&w, b->for_ms) : lease_release(&w, lease_name(&w), b->desk->process);
    if (rc >= 0) rc = db_exec(conn, &process_leases_drop, BINDS(B_INT("before", w.now - PROCESS_KEPT)));
    if (rc >= 0) rc = db_int(conn, &process_leases, BINDS(B_INT("now", w.now)), &b->number);
    arena_free(a);
    return rc < 0 ? rc : 0;
}

int processes_beat(struct desk *d) {
    struct beat b = {.desk = d, .for_ms = PROCESS_LEASE};
    int rc = db_write(d->db, process_beat_in, &b);
    if (rc >= 0) atomic_store(&d->processes, b.number);
    return rc;
}

int processes_leave(struct desk *d) {
    struct beat b = {.desk = d};
    return db_write(d->db, process_beat_in, &b);
}

/* ---- joining --------------------------------------------------------------------------------- */

struct joining {
    struct desk *desk;
    struct arena *arena;
    struct other_process *other;
    int differs;
};

static int process_join_in(struct conn *conn, void *arg) {
    struct joining *j = arg;
    struct work w;
    struct stmt *row;
    work_init(&w, j->desk, j->arena);
    w.conn = conn;
    TRY(db_lock(conn, S("processes"))); /* of two that start together, the second one sees the first */
    j->differs = db_row(conn, &process_differs,
                        BINDS(B_INT("now", w.now), B_TEXT("version", S(DESKD_VERSION)),
                              B_TEXT("base_url", j->desk->base_url)),
                        &row);
    if (j->differs <= 0) return j->differs < 0 ? j->differs : process_hold(&w, PROCESS_LEASE);
    j->other->version = str_dup(j->arena, col_text(row, 0));
    j->other->base_url = str_dup(j->arena, col_text(row, 1));
    stmt_end(row);
    return 0;
}

int processes_join(struct desk *d, struct arena *a, struct other_process *other) {
    struct joining j = {.desk = d, .arena = a, .other = other};
    int rc = db_write(d->db, process_join_in, &j);
    return rc < 0 ? rc : j.differs == 0;
}

int processes_run(struct conn *c, int64_t now) {
    int64_t n = 0;
    int rc = db_int(c, &process_leases, BINDS(B_INT("now", now)), &n);
    return rc < 0 ? rc : n > 0;
}
