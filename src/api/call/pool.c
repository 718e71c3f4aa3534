/* Each lane has its own threads and bounded queue, so that tasks of one lane never delay another lane.
 *
 * Within a lane the callers take turns. `turns` is a list with the first waiting task of each caller;
 * further tasks of a caller hang on that task. A free thread takes the first task whose caller is below
 * its limit of running tasks, and appends the caller's next task to the list. So a caller with thirty
 * tasks delays another caller's single task by one task, not by thirty. */
#include "api/call/pool.h"
#include "base/limits.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define LANE_THREADS 64
#define REMOTE_THREADS 8 /* threads that wait for an object store, a lane */
#define BACKGROUND \
    5 /* nice(2): long reads and pictures leave the cores to event loops and writers, which get three times their share */

/* Limits of tasks: waiting in total, waiting for each caller, running for each caller. */
static const struct bounds {
    int queued, queued_each, running_each;
    bool background;
} bounds[LANES] = {
    [LANE_WORK] = {LIMIT_POOL_QUEUE, LIMIT_POOL_QUEUE, LANE_THREADS, false},
    [LANE_READ] = {LIMIT_POOL_QUEUE, LIMIT_BURST_EACH, 1, true},
    [LANE_HASH] = {LIMIT_HASH_QUEUE, LIMIT_BURST_EACH, 1, false},
    [LANE_PICTURE] = {LIMIT_POOL_QUEUE, LIMIT_LANE_EACH, 1, true},
    [LANE_SYNC] = {LIMIT_POOL_QUEUE, LIMIT_LANE_EACH, 1, false},
    [LANE_OUTSIDE] = {LIMIT_POOL_QUEUE, LIMIT_LANE_EACH, 2, false},
    [LANE_STORE] = {LIMIT_POOL_QUEUE, LIMIT_LANE_EACH, 4, false},
};

struct worker {
    struct line *line;
    pthread_t thread;
    uint64_t whose; /* caller of its running task; 0: none */
};

struct line {
    const struct bounds *bounds;
    pthread_mutex_t lock; /* protects all below */
    pthread_cond_t some;
    struct pool_task *turns;
    struct worker workers[LANE_THREADS];
    int count, queued;
    bool stopping;
    atomic_int waking; /* threads that have queued a task and not yet signalled it; not protected */
};

struct pool {
    struct line lines[LANES];
};

static _Thread_local struct worker *self; /* NULL: not a pool thread */

static int running(const struct line *l, uint64_t whose) {
    int n = 0;
    for (int i = 0; i < l->count; i++) n += l->workers[i].whose == whose;
    return n;
}

/* Removes the first task whose caller may run another one. NULL: none. */
static struct pool_task *pool_take(struct line *l) {
    struct pool_task **at = &l->turns, *t;
    while (*at && (*at)->whose && running(l, (*at)->whose) >= l->bounds->running_each) at = &(*at)->turn;
    if ((t = *at) == NULL) return NULL;
    *at = t->turn;
    l->queued--;
    if (t->next == NULL) return t;
    t->next->last = t->last;
    t->next->waiting = t->waiting - 1;
    while (*at) at = &(*at)->turn;
    *at = t->next;
    t->next->turn = NULL;
    return t;
}

static void *pool_worker_main(void *arg) {
    struct worker *w = self = arg;
    struct line *l = w->line;
    if (l->bounds->background) setpriority(PRIO_PROCESS, (id_t)gettid(), BACKGROUND);
    pthread_mutex_lock(&l->lock);
    for (;;) {
        struct pool_task *t;
        while ((t = pool_take(l)) == NULL && !(l->stopping && l->queued == 0))
            pthread_cond_wait(&l->some, &l->lock);
        if (t == NULL) break;
        w->whose = t->whose;
        pthread_mutex_unlock(&l->lock);
        t->run(t);
        pthread_mutex_lock(&l->lock);
        w->whose = 0;
        if (l->stopping) pthread_cond_broadcast(&l->some);
    }
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

static bool line_start(struct line *l, const struct bounds *b, int threads) {
    l->bounds = b;
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->some, NULL);
    pthread_mutex_lock(&l->lock);
    for (int i = 0; i < threads && i < LANE_THREADS; i++) {
        struct worker *w = &l->workers[l->count];
        w->line = l;
        if (pthread_create(&w->thread, NULL, pool_worker_main, w) == 0) l->count++;
    }
    pthread_mutex_unlock(&l->lock);
    return l->count > 0;
}

struct pool *pool_new(int threads, bool remote) {
    const int counts[LANES] = {[LANE_WORK] = threads,
                               [LANE_READ] = threads > 2 ? threads / 2 : threads,
                               [LANE_HASH] = 1,
                               [LANE_PICTURE] = 2,
                               [LANE_SYNC] = remote ? REMOTE_THREADS : 2,
                               [LANE_OUTSIDE] = 4,
                               [LANE_STORE] = remote ? REMOTE_THREADS : 1};
    struct pool *p = calloc(1, sizeof *p);
    bool ok = p != NULL;
    for (int i = 0; p && i < LANES; i++) ok = line_start(&p->lines[i], &bounds[i], counts[i]) && ok;
    if (ok) return p;
    pool_free(p);
    return NULL;
}

static void line_stop(struct line *l) {
    pthread_mutex_lock(&l->lock);
    l->stopping = true;
    pthread_cond_broadcast(&l->some);
    pthread_mutex_unlock(&l->lock);
    for (int i = 0; i < l->count; i++) pthread_join(l->workers[i].thread, NULL);
    while (atomic_load(&l->waking)) sched_yield(); /* a writer whose task has already run */
}

/* Tasks move between lanes, so all lanes stop before any is freed. */
void pool_free(struct pool *p) {
    if (p == NULL) return;
    for (int i = 0; i < LANES; i++) line_stop(&p->lines[i]);
    for (int i = 0; i < LANES; i++) {
        pthread_cond_destroy(&p->lines[i].some);
        pthread_mutex_destroy(&p->lines[i].lock);
    }
    free(p);
}

static bool append(struct line *l, struct pool_task *t) {
    struct pool_task **at = &l->turns;
    while (*at && (*at)->whose != t->whose) at = &(*at)->turn;
    struct pool_task *first = *at;
    if (first && first->waiting >= l->bounds->queued_each) return false;
    t->next = t->turn = NULL;
    t->last = t;
    t->waiting = 1;
    if (first) {
        first->last = first->last->next = t;
        first->waiting++;
    } else {
        *at = t;
    }
    l->queued++;
    return true;
}

bool pool_submit(struct pool *p, enum lane lane, struct pool_task *t) {
    struct line *l = &p->lines[lane];
    pthread_mutex_lock(&l->lock);
    bool room = l->queued < l->bounds->queued && !l->stopping && append(l, t);
    if (room) atomic_fetch_add(&l->waking, 1);
    pthread_mutex_unlock(&l->lock);
    if (!room) return false;
    pthread_cond_signal(&l->some); /* after the unlock, or the thread that wakes would wait for the lock */
    atomic_fetch_sub(&l->waking, 1);
    return true;
}

bool pool_run_as(uint64_t whose) {
    if (self == NULL) return true;
    struct line *l = self->line;
    pthread_mutex_lock(&l->lock);
    self->whose = 0;
    bool few = running(l, whose) * 3 < l->count;
    if (few) self->whose = whose;
    pthread_mutex_unlock(&l->lock);
    return few;
}

int pool_queued(struct pool *p, enum lane lane) {
    pthread_mutex_lock(&p->lines[lane].lock);
    int n = p->lines[lane].queued;
    pthread_mutex_unlock(&p->lines[lane].lock);
    return n;
}
