/* Calls that a timer answers later. Nothing blocks meanwhile: the connection is suspended. The number of
 * delays is limited, in total and for each key. */
#include "api/call/delay.h"
#include "base/clock.h"
#include "base/limits.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct delays {
    pthread_mutex_t lock;
    pthread_cond_t change;
    pthread_t thread;
    struct delay *first, *last; /* ordered by due time */
    int count, most;
    bool ending, stopping;
};

static void wait_until(struct delays *d, int64_t ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    pthread_cond_timedwait(&d->change, &d->lock, &t);
}

static void *delays_main(void *arg) {
    struct delays *d = arg;
    pthread_mutex_lock(&d->lock);
    while (d->first || !d->stopping) {
        struct delay *t = d->first;
        if (t == NULL) {
            pthread_cond_wait(&d->change, &d->lock);
        } else if (!d->ending && t->due > clock_monotonic()) {
            wait_until(d, t->due);
        } else {
            d->first = t->next;
            if (d->first == NULL) d->last = NULL;
            d->count--;
            pthread_mutex_unlock(&d->lock);
            t->over(t);
            pthread_mutex_lock(&d->lock);
        }
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

struct delays *delays_new(int most) {
    pthread_condattr_t monotonic;
    struct delays *d = calloc(1, sizeof *d);
    if (d == NULL) return NULL;
    d->most = most;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->change, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&d->thread, NULL, delays_main, d) == 0) return d;
    free(d);
    return NULL;
}

void delays_end(struct delays *d) {
    pthread_mutex_lock(&d->lock);
    d->ending = true;
    pthread_cond_signal(&d->change);
    pthread_mutex_unlock(&d->lock);
}

void delays_free(struct delays *d) {
    if (d == NULL) return;
    pthread_mutex_lock(&d->lock);
    d->ending = d->stopping = true;
    pthread_cond_signal(&d->change);
    pthread_mutex_unlock(&d->lock);
    pthread_join(d->thread, NULL);
    pthread_cond_destroy(&d->change);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

static bool delays_has_room(const struct delays *d, uint64_t key) {
    int alike = 0;
    if (d->count >= d->most || d->ending) return false;
    for (const struct delay *o = key ? d->first : NULL; o; o = o->next) alike += o->key == key;
    return alike < LIMIT_DELAYED_ALIKE;
}

static void delay_link(struct delays *d, struct delay *t) {
    bool last = d->last && d->last->due <= t->due; /* always, if all delays of a list are equally long */
    struct delay **at = last ? &d->last->next : &d->first;
    while (*at && (*at)->due <= t->due) at = &(*at)->next;
    t->next = *at;
    *at = t;
    if (t->next == NULL) d->last = t;
    d->count++;
}

bool delay(struct delays *d, struct delay *t, uint64_t key, int ms) {
    *t = (struct delay){.over = t->over,
                        .key = key,
                        .due = clock_monotonic() + ms + 1}; /* + 1: the clock has whole milliseconds */
    pthread_mutex_lock(&d->lock);
    bool room = delays_has_room(d, key), first = d->first == NULL;
    if (room) delay_link(d, t);
    if (room && (first || d->first == t)) pthread_cond_signal(&d->change);
    pthread_mutex_unlock(&d->lock);
    return room;
}
