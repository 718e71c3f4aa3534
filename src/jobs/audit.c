#include "jobs/periodic.h"

#include "base/limits.h"
#include "base/log.h"
#include "core/access/scope.h"
#include "core/change/audit.h"
#include "core/change/audit_mark.h"
#include "core/change/audit_pending.h"
#include "core/all/finish.h"
#include "core/desk/setting.h"
#include "core/login/lockout.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define PRUNE_EVERY TIME_DAY /* so a busy desk has one entry of a deletion a day, not one a minute */

#define AUDIT_ACTOR ((struct actor){.kind = ACTOR_SYSTEM, .scopes = SCOPES_ALL, .cause = S("Audit log")})

static int audit_act(struct work *w, void *arg) {
    int (**act)(struct work * w) = arg;
    return (*act)(w);
}

/* Runs `act` in one write. Returns its result. */
static int audit_turn(struct desk *d, int (*act)(struct work *w)) {
    return desk_write(d, AUDIT_ACTOR, audit_act, &act);
}

struct audit_left {
    struct str *list;
    int count;
};

static int audit_left_take(struct work *w, void *arg) {
    const struct audit_left *left = arg;
    return audit_pending_take(w, w->desk->folder, left->list, left->count);
}

/* Makes entries of the files that commands left. Returns 0 or a negative error. */
static int audit_take_pending(struct desk *d) {
    struct arena *a = arena_new();
    struct audit_left left;
    left.count = d->folder ? audit_pending_list(a, d->folder, &left.list) : 0;
    int rc = left.count ? desk_write(d, AUDIT_ACTOR, audit_left_take, &left) : 0;
    if (rc >= 0 && left.count) audit_pending_remove(a, d->folder, left.list, left.count);
    arena_free(a);
    return rc < 0 ? rc : 0;
}

enum { WAIT_FAILURES = 1, WAIT_ENTRIES = 2 };

/* Returns the kinds of work there are, or a negative error. */
static int audit_waiting(struct desk *d) {
    struct conn *c = db_reader(d->db);
    if (c == NULL) return -ERR_SERVICE_UNAVAILABLE;
    TRY(db_read_begin(c, 0));
    int failures = login_failures_wait(c, clock_now(&d->clock)),
        entries = failures < 0 ? failures : audit_waits(c);
    db_read_end(c);
    return entries < 0 ? entries : (failures ? WAIT_FAILURES : 0) | (entries ? WAIT_ENTRIES : 0);
}

void audit_run(struct desk *d) {
    int rc = audit_take_pending(d), waiting = rc < 0 ? rc : audit_waiting(d);
    rc = waiting;
    if (rc > 0 && waiting & WAIT_FAILURES) rc = audit_turn(d, login_failures_audit);
    if (rc > 0) do
            rc = audit_turn(d, audit_chain);
        while (rc == AUDIT_CHAINED_AT_ONCE);
    if (rc < 0)
        log_often(LOG_WARN, "audit log not chained",
                  "the audit log could not be chained; the next turn tries again");
}

static int64_t audit_kept_since(const struct desk *d, int64_t now) {
    return now - setting_int(d, "audit.keep_days") * TIME_DAY;
}

/* ---- the end of the chain, outside of the store ---------------------------------------------- */

/* Returns 1 and the end of the chain, 0 and a finding if the store contradicts the file, or a negative
 * error. */
static int audit_end_now(struct desk *d, struct arena *a, int marked, const struct audit_mark *before,
                         struct audit_mark *out, struct str *finding) {
    struct conn *c = db_reader(d->db);
    if (c == NULL) return -ERR_SERVICE_UNAVAILABLE;
    TRY(db_read_begin(c, 0));
    int missing = marked == 1 ? audit_mark_missing(c, a, before, d->audit_mark, finding) : 0;
    int rc = missing < 0 ? missing : audit_mark_of(c, a, out);
    db_read_end(c);
    return rc < 0 ? rc : !missing;
}

static void audit_end_write(struct desk *d, struct arena *a, const struct audit_mark *end) {
    if (audit_mark_write(a, d->audit_mark, end) != 0)
        log_often(LOG_WARN, "ends of the audit log not kept",
                  "%s can't be written: %s. Keep the lines about the audit log "
                  "elsewhere",
                  d->audit_mark, strerror(errno));
    log_info("audit log: place %" PRId64 " has the chain %.*s", end->seq, (int)end->chain.n, end->chain.p);
    atomic_store(&d->audit_bits, audit_mark_bits(end));
    atomic_store(&d->audit_seq, end->seq);
}

/* The file is read first: another process may write a later end to it meanwhile. */
void audit_keep_end(struct desk *d) {
    struct arena *a = arena_new();
    struct audit_mark before = {0}, end = {0};
    struct str finding;
    const char *why = NULL;
    int marked = audit_mark_read(a, d->audit_mark, &before, &why),
        rc = audit_end_now(d, a, marked, &before, &end, &finding);
    bool is_new = marked != 1 || end.seq > before.seq || atomic_load(&d->audit_seq) == 0;
    if (rc == 0)
        log_error("%.*s. If an older store was put in place on purpose, remove %s", (int)finding.n, finding.p,
                  d->audit_mark);
    if (marked < 0) log_warn("%s can't be read, and is written again: %s", d->audit_mark, why);
    if (rc == 1 && end.seq && is_new) audit_end_write(d, a, &end);
    arena_free(a);
}

/* ---- deletion by age ------------------------------------------------------------------------- */

static int audit_prune_part(struct work *w) {
    return audit_prune(w, audit_kept_since(w->desk, w->now), LIMIT_CASCADE);
}

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
