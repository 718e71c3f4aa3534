/* Counts bytes of replies that wait for their readers: in total, and for each owner. */
#include "http/edge.h"

#include "base/memory.h"

#include <stdlib.h>

struct holder {
    uint64_t owner;
    size_t bytes;
    struct holder *next; /* next in its bucket */
};

void held_init(struct held *h, int64_t most, int64_t most_each) {
    pthread_mutex_init(&h->lock, NULL);
    h->most = (size_t)most;
    h->most_each = (size_t)most_each;
}

void held_free(struct held *h) { pthread_mutex_destroy(&h->lock); } /* every request has ended, so no bytes are held */

static struct holder **held_find(struct held *h, uint64_t owner) {
    struct holder **at = &h->buckets[(owner * 0x9E3779B97F4A7C15u) >> 54];
    while (*at && (*at)->owner != owner) at = &(*at)->next;
    return at;
}

/* An owner who holds nothing may always hold one reply, even if it is larger than their whole share. */
static bool held_has_room(const struct held *h, const struct holder *holder, size_t n) {
    if (h->total >= h->most) return false;
    return holder == NULL || holder->bytes + n <= h->most_each;
}

static bool held_add(struct held *h, uint64_t owner, size_t n, bool always) {
    pthread_mutex_lock(&h->lock);
    struct holder **at = held_find(h, owner);
    bool taken = always || held_has_room(h, *at, n);
    if (taken && *at == NULL) *at = calloc(1, sizeof **at);
    if (taken && *at == NULL) abort();
    if (taken) {
        (*at)->owner = owner;
        (*at)->bytes += n;
        h->total += n;
    }
    pthread_mutex_unlock(&h->lock);
    return taken;
}

void held_release(struct edge *e) {
    struct held *h = &e->server->held;
    if (e->held == 0) return;
    pthread_mutex_lock(&h->lock);
    struct holder **at = held_find(h, e->owner), *holder = *at;
    h->total -= e->held;
    holder->bytes -= e->held;
    if (holder->bytes == 0) {
        *at = holder->next;
        free(holder);
    }
    pthread_mutex_unlock(&h->lock);
    memory_freed(e->held);
    e->held = 0;
}

bool http_hold(struct http_request *r, uint64_t owner, size_t n, bool always) {
    struct edge *e = (struct edge *)r;
    if (n <= HELD_FREE) return true;
    if (!held_add(&e->server->held, owner, n, always)) return false;
    e->owner = owner;
    e->held = n;
    return true;
}
