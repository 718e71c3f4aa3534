#include "pages/page_cache.h"

#include "api/call/machine.h"
#include "base/clock.h"

#include <stdlib.h>
#include <xxhash.h>

struct kept_slot {
    char *key; /* malloc */
    size_t key_bytes;
    int64_t generation, until;
    struct kept_page page;
};

/* The key is known by its hash alone, with a seed of this process, so that nobody can prepare two keys
 * with one hash. */
struct kept_tag {
    XXH128_hash_t key;
    int64_t generation, until, viewed;
    char etag[33];
};

struct kept_pages {
    pthread_mutex_t lock;
    uint64_t seed;
    struct kept_slot slots[PAGES_KEPT];
    struct kept_tag tags[TAGS_KEPT];
};

struct kept_pages *kept_pages_new(void) {
    struct kept_pages *k = calloc(1, sizeof *k);
    if (k == NULL) return NULL;
    pthread_mutex_init(&k->lock, NULL);
    random_bytes(&k->seed, sizeof k->seed);
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

/* ---- tags ------------------------------------------------------------------------------------ */

static struct kept_tag *tag_slot(struct kept_pages *k, XXH128_hash_t key) {
    return &k->tags[key.low64 % TAGS_KEPT];
}

static void tag_put(struct kept_pages *k, XXH128_hash_t key, int64_t generation, int64_t until,
                    const struct kept_page *page) {
    struct kept_tag *t = tag_slot(k, key);
    *t = (struct kept_tag){.key = key, .generation = generation, .until = until, .viewed = page->viewed};
    memcpy(t->etag, page->etag, sizeof t->etag);
}

static bool tag_get(struct kept_pages *k, XXH128_hash_t key, int64_t generation, struct kept_page *out) {
    const struct kept_tag *t = tag_slot(k, key);
    if (t->generation != generation || !XXH128_isEqual(t->key, key) || clock_monotonic() >= t->until)
        return false;
    *out = (struct kept_page){.viewed = t->viewed};
    memcpy(out->etag, t->etag, sizeof out->etag);
    return true;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static struct kept_slot *kept_slot_of(struct kept_pages *k, XXH128_hash_t key) {
    return &k->slots[key.low64 % PAGES_KEPT];
}

static bool slot_get(struct kept_pages *k, XXH128_hash_t hash, struct str key, int64_t generation,
                     struct kept_page *out) {
    const struct kept_slot *s = kept_slot_of(k, hash);
    if (s->generation != generation || s->key == NULL || !str_eq((struct str){s->key, s->key_bytes}, key) ||
        clock_monotonic() >= s->until)
        return false;
    *out = s->page;
    shared_hold(out->bytes);
    return true;
}

bool kept_find(struct kept_pages *k, struct str key, int64_t generation, struct kept_page *out) {
    if (k == NULL || generation == 0) return false;
    XXH128_hash_t hash = XXH3_128bits_withSeed(key.p, key.n, k->seed);
    pthread_mutex_lock(&k->lock);
    bool found = slot_get(k, hash, key, generation, out) || tag_get(k, hash, generation, out);
    pthread_mutex_unlock(&k->lock);
    return found;
}

void kept_put(struct kept_pages *k, struct str key, int64_t generation, const struct kept_page *page) {
    if (k == NULL || generation == 0) return;
    bool fits = shared_view(page->bytes).n <= KEPT_BYTES;
    char *copy = fits ? malloc(key.n + 1) : NULL;
    XXH128_hash_t hash = XXH3_128bits_withSeed(key.p, key.n, k->seed);
    int64_t until = clock_monotonic() + KEPT_PAGE_MS;
    if (copy) memcpy(copy, key.p, key.n);
    pthread_mutex_lock(&k->lock);
    tag_put(k, hash, generation, until, page);
    if (copy) {
        struct kept_slot *s = kept_slot_of(k, hash);
        slot_clear(s);
        *s = (struct kept_slot){copy, key.n, generation, until, *page};
        shared_hold(s->page.bytes);
    }
    pthread_mutex_unlock(&k->lock);
}
