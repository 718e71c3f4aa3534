#include "jobs/sla_sweep.h"

#include "base/log.h"
#include "core/access/scope.h"
#include "core/all/finish.h"
#include "core/sla/clocks.h"

struct breaches_turn {
    struct desk *desk;
    struct arena *arena;
    struct work work;
    bool more;
};

static int breaches_part(struct conn *c, void *arg) {
    struct breaches_turn *t = arg;
    work_init(&t->work, t->desk, t->arena);
    t->work.conn = c;
    t->work.actor = (struct actor){.kind = ACTOR_SYSTEM, .scopes = SCOPES_ALL, .cause = S("SLA")};
    int rc = sla_sweep(&t->work);
    TRY(rc);
    t->more = rc == 1;
    return work_finish(&t->work);
}

static bool breaches_recent(int64_t last, int64_t now) {
    return last && now >= last && now - last < BREACHES_EVERY;
}

void breaches_take(struct desk *d, struct breaches_last *last) {
    int64_t now = clock_now(&d->clock), monotonic = clock_monotonic();
    struct breaches_turn t = {.desk = d};
    int rc;
    if (breaches_recent(last->now, now) && breaches_recent(last->monotonic, monotonic)) return;
    *last = (struct breaches_last){now, monotonic};
    do {
        t.arena = arena_new();
        t.more = false;
        rc = db_write(d->db, breaches_part, &t);
        if (rc >= 0) work_committed(&t.work);
        arena_free(t.arena);
    } while (rc >= 0 && t.more);
    if (rc < 0) log_warn("breaches of SLAs could not be raised; the next sweep tries again");
}
