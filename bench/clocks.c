/* Measures SLA clocks on a demo desk, whose conversations it attaches to an SLA:
 *
 *   clocks DIR
 *
 * Prints the CPU time of computing the clocks of all conversations from their history (1,000 in one write),
 * of one conversation at a time from its history and by a step, and of the sweep for breaches, when nothing
 * is due and when 50 clocks are. DIR is changed. */
#include "base/arena.h"
#include "core/all/finish.h"
#include "core/time/calendars.h"
#include "core/sla/clock_settings.h"
#include "core/sla/clock_step.h"
#include "core/sla/clocks.h"
#include "work/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static struct desk desk;
static int64_t now;

static double cpu_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

QUERY(bench_sla, "INSERT INTO slas (title, execution_order, is_enabled, created_at, updated_at) "
                 "VALUES ('Gold', 1, 0, 0, 0) RETURNING id");
QUERY(bench_version, "INSERT INTO sla_versions (sla_id, title, created_at, updated_at) "
                     "VALUES (:sla, 'Gold', 0, 0) RETURNING id");
QUERY(bench_target, "INSERT INTO sla_targets (sla_version_id, type, goal_in_seconds, operational_hours, "
                    "created_at, updated_at) VALUES (:version, :type, :goal, 1, 0, 0)");
QUERY(bench_attach, "UPDATE cases SET sla_version_id = :version");
QUERY(bench_newest, "SELECT MAX(updated_at) FROM cases");
QUERY(bench_cases, "SELECT id FROM cases ORDER BY id");
QUERY(bench_open, "SELECT COUNT(*) FROM sla_metrics WHERE stage <> 3");
QUERY(bench_spread, "UPDATE sla_metrics "
                    "SET is_breached = 0, breached_at = NULL, due_at = CASE WHEN due_at IS NULL THEN NULL "
                    "ELSE CAST(:later AS BIGINT) + id END WHERE stage <> 3");
QUERY(bench_due, "UPDATE sla_metrics SET due_at = :now - id "
                 "WHERE id IN (SELECT m.id FROM sla_metrics m WHERE m.stage = 1 "
                 "AND m.due_at IS NOT NULL ORDER BY m.id LIMIT 50)");

static int attach(struct conn *c, void *arg) {
    int64_t sla, version;
    (void)arg;
    TRY(db_int(c, &bench_newest, NULL, &now));
    TRY(db_insert(c, &bench_sla, NULL, &sla));
    TRY(db_insert(c, &bench_version, BINDS(B_INT("sla", sla)), &version));
    for (int type = SLA_FIRST_REPLY; type <= SLA_RESOLUTION; type++)
        TRY(db_exec(c, &bench_target,
                    BINDS(B_INT("version", version), B_INT("type", type), B_INT("goal", type * 36000))));
    return db_exec(c, &bench_attach, BINDS(B_INT("version", version)));
}

struct part {
    const int64_t *ids;
    size_t n;
};

static int compute(struct conn *c, void *arg) {
    const struct part *p = arg;
    struct arena *a = arena_new();
    struct work w;
    work_init(&w, &desk, a);
    w.conn = c;
    w.now = now;
    int rc = clocks_recompute(&w, p->ids, (int)p->n);
    arena_free(a);
    return rc;
}

/* The step of a message that moves no clock. */
static int make_step(struct conn *c, void *arg) {
    const struct part *p = arg;
    struct arena *a = arena_new();
    struct work w;
    struct clock_events e = {.case_id = p->ids[0], .messages = 1};
    work_init(&w, &desk, a);
    w.conn = c;
    w.now = now;
    int rc = clocks_update(&w, &e, 1);
    arena_free(a);
    return rc;
}

static int raised;

static int sweep_once(struct conn *c, void *arg) {
    struct arena *a = arena_new();
    struct work w;
    (void)arg;
    work_init(&w, &desk, a);
    w.conn = c;
    w.now = now;
    int rc = sla_sweep(&w);
    raised = 0;
    for (const struct breach *b = breaches_of(&w); b; b = b->next) raised++;
    if (rc >= 0) rc = work_finish(&w);
    arena_free(a);
    return rc;
}

static int make_later(struct conn *c, void *arg) {
    (void)arg;
    return db_exec(c, &bench_spread, BINDS(B_INT("later", now + TIME_DAY)));
}

static int make_due(struct conn *c, void *arg) {
    (void)arg;
    return db_exec(c, &bench_due, BINDS(B_INT("now", now)));
}

static int count_open(struct conn *c, void *arg) { return db_int(c, &bench_open, NULL, arg); }

static int64_t *cases;
static int list_cases(struct conn *c, void *arg) { return db_ids(c, &bench_cases, NULL, arg, &cases); }

static void run_write(int (*run)(struct conn *c, void *arg), void *arg) {
    if (db_write(desk.db, run, arg) < 0) fprintf(stderr, "a write failed\n");
}

static void measure_clocks(size_t n) {
    double before = cpu_us();
    for (size_t i = 0; i < n; i += 1000)
        run_write(compute, &(struct part){cases + i, n - i < 1000 ? n - i : 1000});
    printf("%zu conversations, 1,000 a write: %.1f us each\n", n, (cpu_us() - before) / (double)n);
    size_t one = n < 5000 ? n : 5000;
    before = cpu_us();
    for (size_t i = 0; i < one; i++) run_write(compute, &(struct part){cases + i, 1});
    double with = cpu_us() - before;
    before = cpu_us();
    for (size_t i = 0; i < one; i++) run_write(make_step, &(struct part){cases + i, 1});
    double step = cpu_us() - before;
    before = cpu_us();
    for (size_t i = 0; i < one; i++) run_write(compute, &(struct part){cases, 0});
    printf("one conversation a write, unchanged clocks: %.1f us each, by a step %.1f us, "
           "an empty list %.1f us\n",
           with / (double)one, step / (double)one, (cpu_us() - before) / (double)one);
}

static void measure_sweep(void) {
    int64_t open = 0;
    run_write(make_later, NULL);
    run_write(count_open, &open);
    run_write(sweep_once, NULL); /* prepares the statements */
    double before = cpu_us();
    for (int i = 0; i < 1000; i++) run_write(sweep_once, NULL);
    printf("sweep, %" PRId64 " open clocks, none due: %.1f us\n", open, (cpu_us() - before) / 1000);
    run_write(make_due, NULL);
    before = cpu_us();
    run_write(sweep_once, NULL);
    printf("sweep, %" PRId64 " open clocks, %d due: %.0f us\n", open, raised, cpu_us() - before);
}

int main(int argc, char **argv) {
    char err[256];
    struct arena *a = arena_new();
    if (argc != 2) return 2;
    if (db_open(&(struct db_config){.dir = argv[1], .bulk = true}, &desk.db, err, sizeof err) < 0)
        return fprintf(stderr, "%s\n", err), 1;
    desk.calendars = calendars_new();
    desk.clock_cache = clock_cache_new();
    run_write(attach, NULL);
    int n = db_write(desk.db, list_cases, a);
    if (n > 0) measure_clocks((size_t)n);
    measure_sweep();
    clock_cache_free(desk.clock_cache);
    calendars_free(desk.calendars);
    db_close(desk.db);
    arena_free(a);
    return 0;
}
