#include "jobs/audit.h"

#include "base/limits.h"
#include "base/log.h"
#include "core/access/scope.h"
#include "core/change/audit.h"
#include "core/change/finish.h"
#include "core/desk/setting.h"
#include "core/login/lockout.h"

#define PRUNE_EVERY TIME_DAY /* so that a busy desk has one entry of a deletion a day, not one a minute */

struct audit_turn {
    struct desk *desk;
    struct arena *arena;
    struct work work;
    int (*act)(struct work *w);
    int did;
};

static int audit_turn_in(struct conn *c, void *arg) {
    struct audit_turn *t = arg;
    work_init(&t->work, t->desk, t->arena);
    t->work.conn = c;
    t->work.actor = (struct actor){.kind = ACTOR_SYSTEM, .scopes = SCOPES_ALL, .cause = S("Audit log")};
    t->did = t->act(&t->work);
    TRY(t->did);
    return work_finish(&t->work);
}

/* Runs `act` in one write. Returns its result. */
static int audit_turn(struct desk *d, int (*act)(struct work *w)) {
    struct audit_turn t = {.desk = d, .arena = arena_new(), .act = act};
    int rc = db_write(d->db, audit_turn_in, &t);
    if (rc >= 0) work_committed(&t.work);
    arena_free(t.arena);
    return rc < 0 ? rc : t.did;
}

enum { WAIT_FAILURES = 1, WAIT_ENTRIES = 2 };

/* Returns the kinds of work there are, or a negative error. */
static int audit_waiting(struct desk *d) {
    struct conn *c = db_reader(d->db);
    if (c == NULL) return -ERR_SERVICE_UNAVAILABLE;
    TRY(db_read_begin(c, 0));
    int failures = login_failures_wait(c, clock_now(&d->clock)), entries = failures < 0 ? failures : audit_waits(c);
    db_read_end(c);
    return entries < 0 ? entries : (failures ? WAIT_FAILURES : 0) | (entries ? WAIT_ENTRIES : 0);
}

void audit_run(struct desk *d) {
    int waiting = audit_waiting(d), rc = waiting;
    if (rc > 0 && waiting & WAIT_FAILURES) rc = audit_turn(d, login_failures_audit);
    if (rc > 0) do
            rc = audit_turn(d, audit_chain);
        while (rc == AUDIT_CHAINED_AT_ONCE);
    if (rc < 0) log_often(LOG_WARN, "audit log not chained", "the audit log could not be chained; the next turn tries again");
}

static int64_t audit_kept_since(const struct desk *d, int64_t now) { return now - setting_int(d, "audit.keep_days") * TIME_DAY; }

static int audit_prune_part(struct work *w) { return audit_prune(w, audit_kept_since(w->desk, w->now), LIMIT_CASCADE); }

/* Returns 1 if the oldest entry is a day older than it has to be. */
static int audit_prune_due(struct desk *d) {
    struct conn *c = setting_int(d, "audit.keep_days") ? db_reader(d->db) : NULL;
    if (c == NULL) return 0;
    TRY(db_read_begin(c, 0));
    int due = audit_is_older(c, audit_kept_since(d, clock_now(&d->clock)) - PRUNE_EVERY);
    db_read_end(c);
    return due;
}

void audit_sweep(struct desk *d) {
    int rc;
    while ((rc = audit_prune_due(d)) > 0 && (rc = audit_turn(d, audit_prune_part)) > 0) {}
    if (rc < 0) log_warn("old entries of the audit log could not be deleted; the next sweep tries again");
}
