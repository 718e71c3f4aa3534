/* Jobs are rows. A claimed job is leased, and a job whose lease has expired (its process died) is claimed
 * again. A job runs whole in one write, so its changes and its completion are one commit.
 *
 * Some kinds (mail) act on the outside, between the claim and that write, without an open transaction, on
 * threads of their kind. A relay that answers slowly blocks only these threads. Such a job is claimed only
 * if one of them is idle.
 *
 *     due -> claimed -> run in one write -> done            most kinds, on the runner's thread
 *     due -> claimed -> outside -> run in one write -> done, or due later       on a thread of the kind
 *
 * A job may take longer than its lease. Its write locks the row with its first statement (job_hold), and
 * claims skip locked rows. So while the process lives, the lock replaces the lease, and when the process
 * dies, the store releases it. While a job is outside there is no write, and the runner renews its lease.
 * A process that was suspended meanwhile finds the number of another claim in the row and leaves the job
 * alone. */
#include "jobs/runner.h"

#include "base/log.h"
#include "core/access/scope.h"
#include "core/all/catch_up.h"
#include "core/all/finish.h"
#include "core/cases/snooze.h"
#include "core/desk/gather.h"
#include "core/desk/job.h"
#include "core/desk/lags.h"
#include "core/search/follow.h"
#include "core/sla/clocks.h"
#include "core/sla/sla_warning.h"
#include "jobs/arrivals.h"
#include "jobs/periodic.h"
#include "jobs/scheduled.h"
#include "json/json.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define LOOK_AGAIN_MS 1000    /* pause between looks for retries and leases; a new job wakes the runner */
#define LOOK_SOON_MS 5        /* pause after a job, because its next part is due a millisecond later */
#define JOBS_MS 1000          /* time for jobs; then periodic work has its turn, even if more jobs are due */
#define INDEX_MS TIME_SECOND  /* changes of texts wait so long for others */
#define REPORT_MS TIME_MINUTE /* a read of a report does not wait for it (core/reports/follow.h) */
#define REPORT_TURN_MS 200    /* the runner has other work */
#define FLUSH_MS (15 * TIME_SECOND)
#define SWEEP_MS TIME_MINUTE

#define DECLARE(NAME, name) extern JOB_CODE(NAME);
JOBS(DECLARE)
#define CODE(NAME, name) [JOB_##NAME] = &job_code_##NAME,
static const struct job_code *const job_codes[JOB_NAMES] = {JOBS(CODE)};

/* One job from its claim to its end. */
struct turn {
    struct desk *desk;
    struct arena *arena;
    enum job_name kind;
    const struct job_code *code;
    struct str kinds; /* kinds of jobs that may be claimed */
    struct work work;
    struct job job;
};

struct worker {
    struct runner *runner;
    enum job_name kind;
    pthread_t thread;
    struct turn *turn;         /* handed over, or running; NULL: idle */
    int64_t job_id, leased_at; /* id and time of the lease of the job in `turn` */
    int attempts;
};

struct runner {
    struct desk *desk;
    struct api *api;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake, handed;
    bool woken, over; /* over: nothing more is handed over */
    atomic_bool stopping;
    struct worker *workers;
    int worker_count; /* number of workers whose thread runs */
    struct arrivals *arrivals;
    struct lags lags;
};

/* ---- a turn ---------------------------------------------------------------------------------- */

static struct turn *turn_new(struct desk *d, struct arena *a) {
    struct turn *t = ARENA_NEW(a, struct turn);
    *t = (struct turn){.desk = d, .arena = a};
    return t;
}

static struct work *turn_work(struct turn *t) {
    work_init(&t->work, t->desk, t->arena);
    return &t->work;
}

static int claim(struct work *w, void *arg) {
    struct turn *t = arg;
    return job_claim(w, t->kinds, &t->job);
}

static int turn_carry_out(struct work *w, void *arg) {
    struct turn *t = arg;
    int rc = job_hold(w, &t->job);
    if (rc == 0) log_warn("job %" PRId64 " (%s) was claimed by another process", t->job.id, t->job.kind.p);
    if (rc <= 0) return rc;
    w->actor = (struct actor){.kind = ACTOR_SYSTEM,
                              .scopes = SCOPES_ALL,
                              .cause = str_fmt(w->arena, "Job: %s", job_names[t->kind])};
    TRY(t->code->run(w, &t->job));
    return t->code->every ? job_repeat(w, &t->job, w->now + t->code->every) : 0;
}

static int put_off(struct work *w, void *arg) {
    struct turn *t = arg;
    return t->code->outside || t->code->never_failed || t->code->every
               ? job_postpone(w, &t->job, w->now + TIME_MINUTE)
               : job_retry(w, &t->job);
}

static void turn_finish(struct turn *t) {
    if (work_write(turn_work(t), turn_carry_out, t) < 0) {
        log_error("job %" PRId64 " (%s) failed and will be tried again", t->job.id, t->job.kind.p);
        work_write(turn_work(t), put_off, t);
    }
    arena_free(t->arena); /* the turn is in it */
}

static enum job_name job_named(struct str name) {
    int kind = 1;
    while (!str_eq(str_of(job_names[kind]), name)) kind++;
    return (enum job_name)kind;
}

/* ---- threads for kinds that act on the outside ----------------------------------------------- */

static struct worker *idle_worker(struct runner *r, enum job_name kind) {
    struct worker *found = NULL;
    pthread_mutex_lock(&r->lock);
    for (int i = 0; i < r->worker_count && found == NULL; i++)
        if (r->workers[i].kind == kind && r->workers[i].turn == NULL) found = &r->workers[i];
    pthread_mutex_unlock(&r->lock);
    return found;
}

static void runner_wake(void *arg) {
    struct runner *r = arg;
    pthread_mutex_lock(&r->lock);
    r->woken = true;
    pthread_cond_signal(&r->wake);
    pthread_mutex_unlock(&r->lock);
}

static void hand_over(struct worker *w, struct turn *t) {
    pthread_mutex_lock(&w->runner->lock);
    w->turn = t;
    if (t) w->job_id = t->job.id, w->attempts = t->job.attempts, w->leased_at = t->work.now;
    pthread_cond_broadcast(&w->runner->handed);
    pthread_mutex_unlock(&w->runner->lock);
}

static struct turn *next_turn(struct worker *w) {
    struct runner *r = w->runner;
    pthread_mutex_lock(&r->lock);
    while (w->turn == NULL && !r->over) pthread_cond_wait(&r->handed, &r->lock);
    struct turn *t = w->turn;
    pthread_mutex_unlock(&r->lock);
    return t;
}

static void *work_outside(void *arg) {
    struct worker *w = arg;
    for (struct turn *t; (t = next_turn(w)) != NULL; runner_wake(w->runner)) {
        t->job.outcome = t->code->outside(turn_work(t), &t->job, &w->runner->stopping);
        turn_finish(t);
        hand_over(w, NULL);
    }
    return NULL;
}

/* ---- the runner ------------------------------------------------------------------------------ */

static int renew(struct work *w, void *arg) {
    const struct worker *of = arg;
    return job_renew(w, of->job_id, of->attempts);
}

/* Renews the leases of jobs that have been outside for half a lease. */
static void renew_leases(struct runner *r) {
    int64_t now = clock_now(&r->desk->clock);
    for (int i = 0; i < r->worker_count; i++) {
        struct worker *w = &r->workers[i];
        pthread_mutex_lock(&r->lock);
        bool due = w->turn && now - w->leased_at >= JOB_LEASE / 2;
        if (due) w->leased_at = now;
        pthread_mutex_unlock(&r->lock);
        /* w->turn can't change meanwhile to another job, because only this thread hands over */
        if (due) desk_write(r->desk, (struct actor){.kind = ACTOR_SYSTEM}, renew, w);
    }
}

/* Returns the kinds that can run now, as a JSON array. */
static struct str claimable(struct runner *r, struct arena *a) {
    struct str list = S("");
    for (enum job_name k = JOB_NONE + 1; k < JOB_NAMES; k++)
        if (job_codes[k]->outside == NULL || idle_worker(r, k))
            list = str_fmt(a, "%s%s\"%s\"", list.p, list.n ? "," : "", job_names[k]);
    return str_fmt(a, "[%s]", list.p);
}

/* Runs one job. Returns true if there was one. */
static bool run_one(struct runner *r) {
    renew_leases(r);
    struct arena *a = arena_new();
    struct turn *t = turn_new(r->desk, a);
    t->kinds = claimable(r, a);
    if (work_write(turn_work(t), claim, t) != 1) {
        arena_free(a);
        return false;
    }
    t->kind = job_named(t->job.kind);
    t->code = job_codes[t->kind];
    /* still idle, because only this thread hands over */
    if (t->code->outside) hand_over(idle_worker(r, t->kind), t);
    else turn_finish(t);
    return true;
}

static bool runner_rest(struct runner *r, int ms) {
    struct timespec until = clock_deadline(ms);
    pthread_mutex_lock(&r->lock);
    while (!r->woken && !atomic_load(&r->stopping))
        if (pthread_cond_timedwait(&r->wake, &r->lock, &until) != 0) break;
    r->woken = false;
    pthread_mutex_unlock(&r->lock);
    return !atomic_load(&r->stopping);
}

static bool due(int64_t *last, int64_t every) {
    int64_t now = clock_monotonic();
    if (now - *last < every) return false;
    *last = now;
    return true;
}

/* ---- times that come: breaches of SLAs (core/sla/clocks.h), ends of snoozes (core/cases/snooze.h),
 * scheduled replies (jobs/scheduled.h) --------------------------------------------------------------------
 * */

#define DUE_EVERY (5 * TIME_SECOND)

/* The last sweep: time of the desk, which tests move, and clock_monotonic. 0: none. */
struct due_last {
    int64_t now, monotonic;
};

static int breaches_part(struct work *w, void *arg) {
    (void)arg;
    TRY(sla_warning_sweep(w));
    return sla_sweep(w);
}

static int snoozes_part(struct work *w, void *arg) {
    (void)arg;
    return snooze_sweep(w);
}

static bool due_recent(int64_t last, int64_t now) { return last && now >= last && now - last < DUE_EVERY; }

/* Does what is due, unless the last sweep is less than DUE_EVERY ago by both clocks. Returns true if there
 * is more to do soon. */
static bool due_take(struct runner *r, struct due_last *last) {
    struct desk *d = r->desk;
    int64_t now = clock_now(&d->clock), monotonic = clock_monotonic();
    struct actor sla = {.kind = ACTOR_SYSTEM, .scopes = SCOPES_ALL, .cause = S("SLA")};
    struct actor snooze = {.kind = ACTOR_RULE, .scopes = SCOPES_ALL, .cause = S("Snooze")};
    int rc;
    if (due_recent(last->now, now) && due_recent(last->monotonic, monotonic)) return false;
    *last = (struct due_last){now, monotonic};
    do rc = desk_write(d, sla, breaches_part, NULL);
    while (rc == 1);
    if (rc < 0) log_warn("breaches of SLAs could not be raised; the next sweep tries again");
    do rc = desk_write(d, snooze, snoozes_part, NULL);
    while (rc == 1);
    if (rc < 0) log_warn("snoozed conversations could not be woken; the next sweep tries again");
    bool more = scheduled_send(r->api);
    if (more) *last = (struct due_last){0};
    return more;
}

/* ---- the work that no row of jobs asks for --------------------------------------------------- */

struct periodic {
    int64_t indexed, flushed, swept, reported, measured;
    bool reports_behind;
    struct due_last due;
    struct monitors_state monitors;
};

/* Returns true if there is more to do soon. */
static bool run_periodic(struct runner *r, struct periodic *p) {
    bool more = due_take(r, &p->due);
    more = monitors_run(r->desk, &p->monitors, &r->stopping) || more;
    if (search_waits(r->desk, due(&p->indexed, INDEX_MS))) search_catch_up(r->desk);
    if (due(&p->reported, REPORT_MS) || p->reports_behind)
        p->reports_behind = report_catch_up_for(r->desk, REPORT_TURN_MS) == 1;
    if (gathering_waits(r->desk)) gathering_flush(r->desk);
    if (due(&p->flushed, FLUSH_MS)) gathering_flush(r->desk);
    audit_run(r->desk);
    if (due(&p->measured, LAGS_EVERY)) lags_measure(r->desk, &r->lags);
    if (due(&p->swept, SWEEP_MS)) {
        audit_keep_end(r->desk);
        sweep(r->desk);
    }
    return more || p->reports_behind;
}

/* Runs jobs until none is due, but at most for JOBS_MS, because there may always be one. Returns the
 * milliseconds until the next look. */
static int run_jobs(struct runner *r) {
    int64_t end = clock_monotonic() + JOBS_MS;
    int rest = LOOK_AGAIN_MS;
    while (!atomic_load(&r->stopping) && run_one(r)) {
        rest = LOOK_SOON_MS;
        if (clock_monotonic() >= end) return 0;
    }
    return rest;
}

static int ensure(struct work *w, void *arg) { return job_ensure(w, *(enum job_name *)arg); }

/* A desk has one job of each kind with a period. */
static void ensure_periodic(struct desk *d) {
    for (enum job_name k = JOB_NONE + 1; k < JOB_NAMES; k++)
        if (job_codes[k]->every) desk_write(d, (struct actor){.kind = ACTOR_SYSTEM}, ensure, &k);
}

static void *runner_main(void *arg) {
    struct runner *r = arg;
    struct periodic p = {.flushed = clock_monotonic(), .reported = clock_monotonic()};
    int rest;
    ensure_periodic(r->desk);
    do {
        rest = run_jobs(r);
        if (run_periodic(r, &p) && rest > LOOK_SOON_MS) rest = LOOK_SOON_MS;
    } while (runner_rest(r, rest));
    monitors_end(&p.monitors);
    if (search_waits(r->desk, true)) search_catch_up(r->desk);
    gathering_flush(r->desk);
    audit_run(r->desk);
    audit_keep_end(r->desk);
    return NULL;
}

static bool start_workers(struct runner *r) {
    int wanted = 0;
    for (int k = 1; k < JOB_NAMES; k++) wanted += job_codes[k]->threads;
    r->workers = calloc((size_t)wanted + 1, sizeof *r->workers);
    if (r->workers == NULL) return false;
    for (enum job_name k = JOB_NONE + 1; k < JOB_NAMES; k++)
        for (int i = 0; i < job_codes[k]->threads; i++) {
            struct worker *w = &r->workers[r->worker_count];
            *w = (struct worker){.runner = r, .kind = k};
            if (pthread_create(&w->thread, NULL, work_outside, w) != 0) return false;
            r->worker_count++;
        }
    return true;
}

static void runner_end(struct runner *r) {
    arrivals_stop(r->arrivals);
    atomic_store(&r->stopping, true);
    pthread_mutex_lock(&r->lock);
    pthread_cond_signal(&r->wake);
    pthread_mutex_unlock(&r->lock);
    if (r->thread) pthread_join(r->thread, NULL);
    pthread_mutex_lock(&r->lock);
    r->over = true;
    pthread_cond_broadcast(&r->handed);
    pthread_mutex_unlock(&r->lock);
    for (int i = 0; i < r->worker_count; i++) pthread_join(r->workers[i].thread, NULL);
}

void jobs_free(struct runner *r) {
    if (r == NULL) return;
    r->desk->wake_jobs = NULL;
    r->desk->lags = NULL;
    pthread_cond_destroy(&r->wake);
    pthread_cond_destroy(&r->handed);
    pthread_mutex_destroy(&r->lock);
    free(r->workers);
    free(r);
}

struct runner *jobs_start(struct desk *d, struct api *api) {
    struct runner *r = calloc(1, sizeof *r);
    if (r == NULL) return NULL;
    r->desk = d;
    r->api = api;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->wake, NULL);
    pthread_cond_init(&r->handed, NULL);
    d->wake_arg = r;
    d->wake_jobs = runner_wake;
    d->lags = &r->lags;
    if (start_workers(r) && arrivals_start(d, &r->arrivals) == 0 &&
        pthread_create(&r->thread, NULL, runner_main, r) == 0)
        return r;
    runner_end(r);
    jobs_free(r);
    return NULL;
}

void jobs_stop(struct runner *r) {
    if (r) runner_end(r);
}
