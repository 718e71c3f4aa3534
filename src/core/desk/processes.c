#include "core/desk/processes.h"

#include "core/change/lease.h"

#define PROCESS_KEPT TIME_HOUR

QUERY(process_leases, "SELECT COUNT(*) FROM leases WHERE name LIKE 'process %' AND until > :now");
QUERY(process_leases_drop, "DELETE FROM leases WHERE name LIKE 'process %' AND until < :before");

struct beat {
    struct desk *desk;
    int64_t number, for_ms;
};

int64_t processes_number(const struct desk *d) {
    int64_t n = atomic_load(&d->processes);
    return n > 1 ? n : 1;
}

static int process_beat_in(struct conn *conn, void *arg) {
    struct beat *b = arg;
    struct work w;
    struct arena *a = arena_new();
    work_init(&w, b->desk, a);
    w.conn = conn;
    struct str name = STR_CAT(a, S("process "), b->desk->process);
    int rc = b->for_ms ? lease_take(&w, name, b->desk->process, b->for_ms)
                       : lease_release(&w, name, b->desk->process);
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
