#include "pages/kept.h"

#include "api/machine.h"
#include "base/clock.h"

#include <stdlib.h>
#include <xxhash.h>

struct kept_slot {
    char *key; /* malloc */
    size_t key_bytes;
    int64_t generation, until;
    struct kept_page page;
};

struct kept_pages {
    pthread_mutex_t lock;
    struct kept_slot slots[PAGES_KEPT];
};

struct kept_pages *kept_pages_new(void) {
    struct kept_pages *k = calloc(1, sizeof *k);
    if (k) pthread_mutex_init(&k->lock, NULL);
    return k;
}

static void slot_clear(struct kept_slot *s) {
    free(s->key);
    shared_drop(s->page.bytes);
    *s = (struct kept_slot){0};
}

void kept_pages_free(struct kept_pages *k) {
    if (k == NULL) return;
    for (int i = 0; i < PAGES_KEPT; i++) slot_clear(&k->slots[i]);
    pthread_mutex_destroy(&k->lock);
    free(k);
}

static struct kept_slot *kept_slot_of(struct kept_pages *k, struct str key) { return &k->slots[XXH3_64bits(key.p, key.n) % PAGES_KEPT]; }

bool kept_find(struct kept_pages *k, struct str key, int64_t generation, struct kept_page *out) {
    if (k == NULL || generation == 0) return false;
    pthread_mutex_lock(&k->lock);
    const struct kept_slot *s = kept_slot_of(k, key);
    bool found = s->generation == generation && s->key && str_eq((struct str){s->key, s->key_bytes}, key) && clock_monotonic() < s->until;
    if (found) {
        *out = s->page;
        shared_hold(out->bytes);
    }
    pthread_mutex_unlock(&k->lock);
    return found;
}

void kept_put(struct kept_pages *k, struct str key, int64_t generation, const struct kept_page *page) {
    if (k == NULL || generation == 0 || shared_view(page->bytes).n > KEPT_BYTES) return;
    char *copy = malloc(key.n + 1);
    if (copy == NULL) return;
    memcpy(copy, key.p, key.n);
    pthread_mutex_lock(&k->lock);
    struct kept_slot *s = kept_slot_of(k, key);
    slot_clear(s);
    *s = (struct kept_slot){copy, key.n, generation, clock_monotonic() + KEPT_PAGE_MS, *page};
    shared_hold(s->page.bytes);
    pthread_mutex_unlock(&k->lock);
}
