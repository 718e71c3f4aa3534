#include "base/slots.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>

struct slots {
    pthread_mutex_t lock;
    size_t count, size;
    _Alignas(max_align_t) unsigned char bytes[];
};

struct slots *slots_new(size_t count, size_t size) {
    struct slots *s = calloc(1, sizeof *s + count * size);
    if (s == NULL) return NULL;
    pthread_mutex_init(&s->lock, NULL);
    s->count = count;
    s->size = size;
    return s;
}

void slots_free(struct slots *s) {
    if (s == NULL) return;
    pthread_mutex_destroy(&s->lock);
    sodium_memzero(s->bytes, s->count * s->size);
    free(s);
}

void *slots_lock(struct slots *s, uint64_t hash) {
    pthread_mutex_lock(&s->lock);
    return s->bytes + hash % s->count * s->size;
}

void slots_unlock(struct slots *s) { pthread_mutex_unlock(&s->lock); }
