#include "jobs/monitors.h"

#include "base/log.h"
#include "core/access/scope.h"
#include "core/change/finish.h"
#include "core/rules/monitor.h"

enum { CHOSEN = 1000 }; /* conversations that one read chooses */

/* A turn: a monitor, and the conversations that it acts on in this write. */
struct monitor_turn {
    struct desk *desk;
    struct arena *arena;
    struct work work;
    int64_t id; /* of the monitor */
    const int64_t *ids;
    int count;
};

static void monitor_work(struct monitor_turn *t, struct conn *c) {
    work_init(&t->work, t->desk, t->arena);
    t->work.conn = c;
    t->work.actor = (struct actor){.kind = ACTOR_RULE, .scopes = SCOPES_ALL, .cause = S("Monitor")};
}

static int monitor_claim_part(struct conn *c, void *arg) {
    struct monitor_turn *t = arg;
    monitor_work(t, c);
    int rc = monitor_claim(&t->work, t->id);
    TRY(rc);
    TRY(work_finish(&t->work));
    return rc;
}

/* Reads the monitor again, because it may have changed since the choice. */
static int monitor_act_part(struct conn *c, void *arg) {
    struct monitor_turn *t = arg;
    struct monitor m;
    monitor_work(t, c);
    int rc = monitor_read(&t->work, t->id, &m);
    TRY(rc);
    if (rc) TRY(monitor_act(&t->work, &m, t->ids, t->count));
    return work_finish(&t->work);
}

static int monitor_write(struct monitor_turn *t, int (*run)(struct conn *c, void *arg)) {
    t->arena = arena_new();
    int rc = db_write(t->desk->db, run, t);
    if (rc >= 0) work_committed(&t->work);
    arena_free(t->arena);
    return rc;
}

/* Reads with this thread's connection. Returns what `read` returns. */
static int monitor_see(struct desk *d, struct arena *a, int (*see)(struct work *w, void *arg), void *arg) {
    struct work w;
    work_init(&w, d, a);
    w.conn = db_reader(d->db);
    if (w.conn == NULL) return -ERR_SERVICE_UNAVAILABLE;
    TRY(db_read_begin(w.conn, 0));
    int rc = see(&w, arg);
    db_read_end(w.conn);
    return rc;
}

struct choice {
    int64_t monitor, after, *ids;
};

static int see_due(struct work *w, void *arg) { return monitors_due(w, arg); }

static int see_choice(struct work *w, void *arg) {
    struct choice *c = arg;
    struct monitor m;
    int rc = monitor_read(w, c->monitor, &m);
    return rc <= 0 ? rc : monitor_choose(w, &m, c->after, CHOSEN, &c->ids);
}

/* Acts on the next conversations that the monitor chooses. Returns 1 if there may be more, 0 or a negative error. */
static int monitor_part(struct desk *d, struct arena *a, struct choice *c, const atomic_bool *stopping) {
    int n = monitor_see(d, a, see_choice, c);
    TRY(n);
    for (int at = 0; at < n && !atomic_load(stopping); at += MONITOR_CHUNK) {
        struct monitor_turn t = {.desk = d, .id = c->monitor, .ids = c->ids + at, .count = n - at < MONITOR_CHUNK ? n - at : MONITOR_CHUNK};
        TRY(monitor_write(&t, monitor_act_part));
    }
    if (n) c->after = c->ids[n - 1];
    return n == CHOSEN && !atomic_load(stopping);
}

static int monitor_run(struct desk *d, int64_t id, const atomic_bool *stopping) {
    struct monitor_turn claim = {.desk = d, .id = id};
    struct choice c = {.monitor = id};
    int rc = monitor_write(&claim, monitor_claim_part);
    while (rc > 0) {
        struct arena *a = arena_new();
        rc = monitor_part(d, a, &c, stopping);
        arena_free(a);
    }
    return rc;
}

void monitors_run(struct desk *d, int64_t *last, const atomic_bool *stopping) {
    int64_t now = clock_now(&d->clock), *ids;
    if (*last && now >= *last && now - *last < MONITORS_LOOK) return;
    *last = now;
    struct arena *a = arena_new();
    int n = monitor_see(d, a, see_due, &ids), rc = n < 0 ? n : 0;
    for (int i = 0; i < n && rc >= 0 && !atomic_load(stopping); i++) rc = monitor_run(d, ids[i], stopping);
    arena_free(a);
    if (rc < 0) log_warn("a monitor could not be run; the next run tries again");
}
