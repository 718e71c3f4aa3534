#include "base/kept_set.h"

void *kept_set_new(size_t size, int64_t generation) {
    struct arena *a = arena_new();
    struct kept_set *k = arena_array(a, 1, size);
    k->arena = a;
    k->generation = generation;
    atomic_init(&k->holders, 1);
    return k;
}

void kept_set_drop(const void *set) {
    struct kept_set *k = (struct kept_set *)(uintptr_t)set;
    if (k && atomic_fetch_sub(&k->holders, 1) == 1) arena_free(k->arena); /* the set is in it */
}

void keeper_open(struct set_keeper *k) {
    pthread_mutex_init(&k->lock, NULL);
    k->now = NULL;
}

void keeper_close(struct set_keeper *k) {
    kept_set_drop(k->now);
    pthread_mutex_destroy(&k->lock);
}

void *keeper_hold(struct set_keeper *k) {
    atomic_fetch_add(&k->now->holders, 1);
    return k->now;
}

void *keeper_find(struct set_keeper *k, int64_t generation) {
    pthread_mutex_lock(&k->lock);
    void *found = k->now && k->now->generation == generation ? keeper_hold(k) : NULL;
    pthread_mutex_unlock(&k->lock);
    return found;
}

struct kept_set *keeper_replace(struct set_keeper *k, void *set) {
    struct kept_set *before = k->now;
    k->now = set;
    keeper_hold(k);
    return before;
}

void keeper_put(struct set_keeper *k, void *set) {
    pthread_mutex_lock(&k->lock);
    struct kept_set *before = keeper_replace(k, set);
    pthread_mutex_unlock(&k->lock);
    kept_set_drop(before);
}
