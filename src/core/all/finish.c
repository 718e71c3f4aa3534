#include "core/all/finish.h"

#include "core/cases/case_total.h"
#include "core/cases/staff_notice.h"
#include "core/change/activity.h"
#include "core/change/audit.h"
#include "core/change/log.h"
#include "core/change/object_diff.h"
#include "core/sla/clocks.h"
#include "core/rules/rules_finish.h"
#include "core/rules/sla_match.h"
#include "core/search/follow.h"

#include <assert.h>

/* The order matters: a finisher may use what those before it recorded. */
static const struct finisher {
    const char *name;
    int (*run)(struct work *w);
} finishers[] = {
    {"compared objects", object_diff_finish},
    {"rules", rules_finish},
    {"SLAs", sla_match_finish},
    {"clocks", clocks_finish},
    {"counters", case_totals_finish},
    {"search index", search_finish},
    {"activities", activities_finish},
    {"notices to staff", staff_notices_finish},
    {"change log", change_log_finish},
    {"audit log", audit_finish},
};

int work_finish(struct work *w) {
    assert(!w->finished);
    w->finished = true;
    for (size_t i = 0; work_collected(w) && i < sizeof finishers / sizeof *finishers; i++)
        TRY(finishers[i].run(w));
    return 0;
}

struct one_write {
    struct work *work;
    int (*run)(struct work *w, void *arg);
    void *arg;
};

static int one_write_run(struct conn *c, void *arg) {
    struct one_write *o = arg;
    work_rewind(o->work);
    o->work->conn = c;
    int rc = o->run(o->work, o->arg);
    if (rc >= 0) TRY(work_finish(o->work));
    return rc;
}

int work_write(struct work *w, int (*run)(struct work *w, void *arg), void *arg) {
    int rc = db_write(w->desk->db, one_write_run, &(struct one_write){w, run, arg});
    if (rc >= 0) work_committed(w);
    return rc;
}

int desk_write(struct desk *d, struct actor actor, int (*run)(struct work *w, void *arg), void *arg) {
    struct work w;
    work_init(&w, d, arena_new());
    w.actor = actor;
    int rc = work_write(&w, run, arg);
    arena_free(w.arena);
    return rc;
}

int work_read(struct work *w, int budget_ms, int (*run)(struct work *w, void *arg), void *arg) {
    w->conn = db_reader(w->desk->db);
    if (w->conn == NULL) return -ERR_SERVICE_UNAVAILABLE;
    TRY(db_read_begin(w->conn, budget_ms));
    int rc = run(w, arg);
    db_read_end(w->conn);
    w->conn = NULL;
    return rc;
}
