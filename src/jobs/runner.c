/* Jobs are rows: a job at work is leased, and one whose lease ran out (its process died) is claimed again. A job runs whole in one
 * write, so what it did and that it is done are one commit. */
#include "jobs/runner.h"

#include "base/log.h"
#include "core/job.h"
#include "core/session.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define LOOK_AGAIN_S 1 /* for retries and leases; a new job wakes the runner */
#define FLUSH_MS (15 * TIME_SECOND)

struct runner {
    struct desk *desk;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool woken, stopping;
};

struct turn {
    struct desk *desk;
    struct arena *arena;
    struct job job;
    bool found;
};

static int claim(struct conn *c, void *arg) {
    struct turn *t = arg;
    struct work w;
    work_init(&w, t->desk, t->arena);
    w.conn = c;
    int rc = job_claim(&w, &t->job);
    t->found = rc == 1;
    return rc < 0 ? rc : 0;
}

static const struct job_kind *kind_of(struct str name) {
    for (const struct job_kind *k = job_kinds; k->name; k++)
        if (str_eq(str_of(k->name), name)) return k;
    return NULL;
}

static int carry_out(struct conn *c, void *arg) {
    struct turn *t = arg;
    struct work w;
    const struct job_kind *k = kind_of(t->job.kind);
    work_init(&w, t->desk, t->arena);
    w.conn = c;
    if (k) return k->run(&w, &t->job);
    return job_finish(&w, t->job.id, JOB_FAILED, 0, 0, 0, S("[]"));
}

static int put_off(struct conn *c, void *arg) {
    struct turn *t = arg;
    struct work w;
    work_init(&w, t->desk, t->arena);
    w.conn = c;
    return job_retry(&w, &t->job);
}

/* One job: true when there was one. */
static bool one(struct desk *d) {
    struct turn t = {.desk = d, .arena = arena_new()};
    int rc = db_write(d->db, claim, &t);
    if (rc >= 0 && t.found) {
        rc = db_write(d->db, carry_out, &t);
        if (rc < 0) {
            log_error("job %" PRId64 " (%s) failed and will be tried again", t.job.id, t.job.kind.p);
            db_write(d->db, put_off, &t);
        }
    }
    arena_free(t.arena);
    return t.found;
}

static bool rest(struct runner *r) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LOOK_AGAIN_S;
    pthread_mutex_lock(&r->lock);
    while (!r->woken && !r->stopping)
        if (pthread_cond_timedwait(&r->wake, &r->lock, &until) != 0) break;
    r->woken = false;
    bool stopping = r->stopping;
    pthread_mutex_unlock(&r->lock);
    return !stopping;
}

static void *run(void *arg) {
    struct runner *r = arg;
    int64_t flushed = clock_monotonic();
    do {
        while (one(r->desk)) {}
        if (clock_monotonic() - flushed < FLUSH_MS) continue;
        touches_flush(r->desk);
        flushed = clock_monotonic();
    } while (rest(r));
    touches_flush(r->desk);
    return NULL;
}

static void wake(void *arg) {
    struct runner *r = arg;
    pthread_mutex_lock(&r->lock);
    r->woken = true;
    pthread_cond_signal(&r->wake);
    pthread_mutex_unlock(&r->lock);
}

struct runner *jobs_start(struct desk *d) {
    struct runner *r = calloc(1, sizeof *r);
    if (r == NULL) return NULL;
    r->desk = d;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->wake, NULL);
    d->wake_jobs = wake;
    d->wake_arg = r;
    if (pthread_create(&r->thread, NULL, run, r) == 0) return r;
    d->wake_jobs = NULL;
    free(r);
    return NULL;
}

void jobs_stop(struct runner *r) {
    if (r == NULL) return;
    pthread_mutex_lock(&r->lock);
    r->stopping = true;
    pthread_cond_signal(&r->wake);
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->thread, NULL);
    r->desk->wake_jobs = NULL;
    pthread_cond_destroy(&r->wake);
    pthread_mutex_destroy(&r->lock);
    free(r);
}
