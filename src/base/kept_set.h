/* Sets that threads read and no thread changes, such as rows of the desk that seldom change. A set is a
 * struct in an arena of its own, with a struct kept_set as its first member. Readers hold it by a count, and the
 * last one frees it. A keeper has the newest one. When a set is fresh is its owner's matter. */
#ifndef BASE_KEPT_SET_H
#define BASE_KEPT_SET_H

#include "base/arena.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct kept_set {
    struct arena *arena;
    int64_t generation;
    atomic_int holders;
};

/* A set of this size, all 0. The caller holds it. */
void *kept_set_new(size_t size, int64_t generation);
void kept_set_drop(const void *set); /* NULL is allowed */

struct set_keeper {
    pthread_mutex_t lock; /* guards `now`, and what the owner keeps beside it */
    struct kept_set *now; /* held; NULL: nothing was read yet */
};

void keeper_open(struct set_keeper *k);
void keeper_close(struct set_keeper *k);
void *
keeper_hold(struct set_keeper *k); /* the newest set, held for the caller, who has the lock; there is one */
void *keeper_find(struct set_keeper *k,
                  int64_t generation);            /* the same if it has this generation; else NULL */
void keeper_put(struct set_keeper *k, void *set); /* makes it the newest one */
/* The same for a caller who has the lock, and drops the former set after it. */
struct kept_set *keeper_replace(struct set_keeper *k, void *set);

#endif
