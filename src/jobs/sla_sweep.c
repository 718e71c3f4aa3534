#include "jobs/sla_sweep.h"

#include "base/log.h"
#include "core/access/scope.h"
#include "core/all/finish.h"
#include "core/sla/clocks.h"

static int breaches_part(struct work *w, void *arg) {
    (void)arg;
    return sla_sweep(w);
}

static bool breaches_recent(int64_t last, int64_t now) {
    return last && now >= last && now - last < BREACHES_EVERY;
}

void breaches_take(struct desk *d, struct breaches_last *last) {
    int64_t now = clock_now(&d->clock), monotonic = clock_monotonic();
    struct actor by = {.kind = ACTOR_SYSTEM, .scopes = SCOPES_ALL, .cause = S("SLA")};
    int rc;
    if (breaches_recent(last->now, now) && breaches_recent(last->monotonic, monotonic)) return;
    *last = (struct breaches_last){now, monotonic};
    do rc = desk_write(d, by, breaches_part, NULL);
    while (rc == 1);
    if (rc < 0) log_warn("breaches of SLAs could not be raised; the next sweep tries again");
}
