#include "pages/page_cache.h"

#include "api/call/machine.h"
#include "base/clock.h"

#include <stdlib.h>
#include <xxhash.h>

struct page_cache_slot {
    char *key; /* malloc */
    size_t key_bytes;
    int64_t generation, until;
    struct cached_page page;
};

/* The key is known by its hash alone, with a seed of this process, so that nobody can prepare two keys
 * with one hash. */
struct page_cache_tag {
    XXH128_hash_t key;
    int64_t generation, until, viewed;
    char etag[33];
};

struct page_cache {
    pthread_mutex_t lock;
    uint64_t seed;
    struct page_cache_slot slots[CACHED_PAGES];
    struct page_cache_tag tags[CACHED_TAGS];
};

struct page_cache *page_cache_new(void) {
    struct page_cache *k = calloc(1, sizeof *k);
    if (k == NULL) return NULL;
    pthread_mutex_init(&k->lock, NULL);
    random_bytes(&k->seed, sizeof k->seed);
    return k;
}

static void slot_clear(struct page_cache_slot *s) {
    free(s->key);
    shared_drop(s->page.bytes);
    *s = (struct page_cache_slot){0};
}

void page_cache_free(struct page_cache *k) {
    if (k == NULL) return;
    for (int i = 0; i < CACHED_PAGES; i++) slot_clear(&k->slots[i]);
    pthread_mutex_destroy(&k->lock);
    free(k);
}

/* ---- tags ------------------------------------------------------------------------------------ */

static struct page_cache_tag *tag_slot(struct page_cache *k, XXH128_hash_t key) {
    return &k->tags[key.low64 % CACHED_TAGS];
}

static void tag_put(struct page_cache *k, XXH128_hash_t key, int64_t generation, int64_t until,
                    const struct cached_page *page) {
    struct page_cache_tag *t = tag_slot(k, key);
    *t =
        (struct page_cache_tag){.key = key, .generation = generation, .until = until, .viewed = page->viewed};
    memcpy(t->etag, page->etag, sizeof t->etag);
}

static bool tag_get(struct page_cache *k, XXH128_hash_t key, int64_t generation, struct cached_page *out) {
    const struct page_cache_tag *t = tag_slot(k, key);
    if (t->generation != generation || !XXH128_isEqual(t->key, key) || clock_monotonic() >= t->until)
        return false;
    *out = (struct cached_page){.viewed = t->viewed};
    memcpy(out->etag, t->etag, sizeof out->etag);
    return true;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static struct page_cache_slot *page_cache_slot_of(struct page_cache *k, XXH128_hash_t key) {
    return &k->slots[key.low64 % CACHED_PAGES];
}

static bool slot_get(struct page_cache *k, XXH128_hash_t hash, struct str key, int64_t generation,
                     struct cached_page *out) {
    const struct page_cache_slot *s = page_cache_slot_of(k, hash);
    if (s->generation != generation || s->key == NULL || !str_eq((struct str){s->key, s->key_bytes}, key) ||
        clock_monotonic() >= s->until)
        return false;
    *out = s->page;
    shared_hold(out->bytes);
    return true;
}

bool page_cache_find(struct page_cache *k, struct str key, int64_t generation, struct cached_page *out) {
    if (k == NULL || generation == 0) return false;
    XXH128_hash_t hash = XXH3_128bits_withSeed(key.p, key.n, k->seed);
    pthread_mutex_lock(&k->lock);
    bool found = slot_get(k, hash, key, generation, out) || tag_get(k, hash, generation, out);
    pthread_mutex_unlock(&k->lock);
    return found;
}

void page_cache_put(struct page_cache *k, struct str key, int64_t generation,
                    const struct cached_page *page) {
    if (k == NULL || generation == 0) return;
    bool fits = shared_view(page->bytes).n <= CACHED_PAGE_BYTES;
    char *copy = fits ? malloc(key.n + 1) : NULL;
    XXH128_hash_t hash = XXH3_128bits_withSeed(key.p, key.n, k->seed);
    int64_t until = clock_monotonic() + CACHED_PAGE_MS;
    if (copy) memcpy(copy, key.p, key.n);
    pthread_mutex_lock(&k->lock);
    tag_put(k, hash, generation, until, page);
    if (copy) {
        struct page_cache_slot *s = page_cache_slot_of(k, hash);
        slot_clear(s);
        *s = (struct page_cache_slot){copy, key.n, generation, until, *page};
        shared_hold(s->page.bytes);
    }
    pthread_mutex_unlock(&k->lock);
}
