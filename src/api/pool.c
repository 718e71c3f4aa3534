#include "api/machine.h"
#include "base/limits.h"

#include <stdlib.h>

#define POOL_THREADS 64

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t some;
    struct pool_task *first, *last;
    pthread_t threads[POOL_THREADS];
    int count, queued;
    bool stopping;
};

static void *serve(void *arg) {
    struct pool *p = arg;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->first == NULL && !p->stopping) pthread_cond_wait(&p->some, &p->lock);
        struct pool_task *t = p->first;
        if (t == NULL) break;
        p->first = t->next;
        p->queued--;
        pthread_mutex_unlock(&p->lock);
        t->run(t);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct pool *pool_new(int threads) {
    struct pool *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->some, NULL);
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

bool pool_submit(struct pool *p, struct pool_task *t) {
    pthread_mutex_lock(&p->lock);
    bool room = p->queued < LIMIT_POOL_QUEUE && !p->stopping;
    if (room) {
        t->next = NULL;
        if (p->first) p->last->next = t;
        else p->first = t;
        p->last = t;
        p->queued++;
        pthread_cond_signal(&p->some);
    }
    pthread_mutex_unlock(&p->lock);
    return room;
}

int pool_queued(struct pool *p) {
    pthread_mutex_lock(&p->lock);
    int n = p->queued;
    pthread_mutex_unlock(&p->lock);
    return n;
}
