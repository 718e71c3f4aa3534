/* A bounded queue a lane, threads that serve all lanes in turn. What waits for its turn to hash waits in the queue of
 * its lane and holds no thread. */
#include "api/machine.h"
#include "base/limits.h"
#include "base/log.h"

#include <stdlib.h>

#define POOL_THREADS 64

struct line {
    struct pool_task *first, **last;
    int queued, running;
};

/* At once: of those that wait, of those that run. */
static const struct {
    int queued, running;
    const char *name;
} most[LANES] = {
    [LANE_WORK] = {LIMIT_POOL_QUEUE, POOL_THREADS, "long reads and uploads"},
    [LANE_HASH] = {LIMIT_HASH_QUEUE, 1,            "passwords"             },
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t some;
    struct line lines[LANES];
    pthread_t threads[POOL_THREADS];
    int count, turn;
    bool stopping;
};

/* The lane that is served next, or LANES. */
static int next_lane(const struct pool *p) {
    for (int i = 0; i < LANES; i++) {
        int lane = (p->turn + i) % LANES;
        if (p->lines[lane].first && p->lines[lane].running < most[lane].running) return lane;
    }
    return LANES;
}

static struct pool_task *take(struct pool *p, int lane) {
    struct line *l = &p->lines[lane];
    struct pool_task *t = l->first;
    l->first = t->next;
    if (l->first == NULL) l->last = &l->first;
    l->queued--;
    l->running++;
    p->turn = lane + 1;
    if (next_lane(p) < LANES) pthread_cond_signal(&p->some);
    return t;
}

static bool idle(const struct pool *p) {
    for (int i = 0; i < LANES; i++)
        if (p->lines[i].first) return false;
    return true;
}

static void *serve(void *arg) {
    struct pool *p = arg;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        int lane;
        while ((lane = next_lane(p)) == LANES && !(p->stopping && idle(p))) pthread_cond_wait(&p->some, &p->lock);
        if (lane == LANES) break;
        struct pool_task *t = take(p, lane);
        pthread_mutex_unlock(&p->lock);
        t->run(t);
        pthread_mutex_lock(&p->lock);
        p->lines[lane].running--;
        if (p->stopping) pthread_cond_broadcast(&p->some);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct pool *pool_new(int threads) {
    struct pool *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->some, NULL);
    for (int i = 0; i < LANES; i++) p->lines[i].last = &p->lines[i].first;
    for (int i = 0; i < threads && i < POOL_THREADS; i++)
        if (pthread_create(&p->threads[p->count], NULL, serve, p) == 0) p->count++;
    if (p->count) return p;
    pool_free(p);
    return NULL;
}

void pool_free(struct pool *p) {
    if (p == NULL) return;
    pthread_mutex_lock(&p->lock);
    p->stopping = true;
    pthread_cond_broadcast(&p->some);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->count; i++) pthread_join(p->threads[i], NULL);
    pthread_cond_destroy(&p->some);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

bool pool_submit(struct pool *p, enum lane lane, struct pool_task *t) {
    struct line *l = &p->lines[lane];
    pthread_mutex_lock(&p->lock);
    bool room = l->queued < most[lane].queued && !p->stopping;
    if (room) {
        t->next = NULL;
        *l->last = t;
        l->last = &t->next;
        l->queued++;
        pthread_cond_signal(&p->some);
    }
    pthread_mutex_unlock(&p->lock);
    if (!room) log_often(LOG_ERROR, "requests that found a full queue", "the pool's queue of %s is full or closed (at most %d wait): a request was refused", most[lane].name, most[lane].queued);
    return room;
}

int pool_queued(struct pool *p, enum lane lane) {
    pthread_mutex_lock(&p->lock);
    int n = p->lines[lane].queued;
    pthread_mutex_unlock(&p->lock);
    return n;
}
