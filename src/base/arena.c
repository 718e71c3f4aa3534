#include "base/arena.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK (16 * 1024) /* most works fit in one chunk */
#define ALIGN 16
#define MANY (1024 * 1024)

struct chunk {
    struct chunk *before;
    size_t size, used;
    _Alignas(ALIGN) char bytes[];
};

struct arena {
    struct chunk *top;
    size_t held;
};

static void *must(void *p) {
    if (p == NULL) {
        fputs("deskd: out of memory\n", stderr);
        abort();
    }
    return p;
}

/* ---- chunks ---------------------------------------------------------------------------------- Each
 * thread keeps up to SPARES chunks of the common size for its next arenas, because most requests end
 * before the next begins. Not with the address sanitizer, because it can't detect a use after free in a
 * chunk that is used again. */

#if defined(__SANITIZE_ADDRESS__)
#define KEEP_SPARE false
#elif defined(__has_feature)
#define KEEP_SPARE !__has_feature(address_sanitizer)
#else
#define KEEP_SPARE true
#endif

#define SPARES 2 /* a request has two arenas: one of the edge, one of the work */
static _Thread_local struct chunk *spares[SPARES];
static _Thread_local int spare_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_exit; /* its destructor frees the spares of a thread that ends */

static void free_spares(void *of_the_thread) {
    (void)of_the_thread;
    while (spare_count) free(spares[--spare_count]);
}

static void make_key(void) {
    if (pthread_key_create(&at_exit, free_spares) != 0) must(NULL);
}

static struct chunk *chunk_new(size_t size) {
    struct chunk *c = size == CHUNK && spare_count ? spares[--spare_count] : must(malloc(sizeof *c + size));
    *c = (struct chunk){.size = size};
    return c;
}

static void chunk_free(struct chunk *c) {
    if (c->size != CHUNK || spare_count == SPARES || !KEEP_SPARE) {
        free(c);
        return;
    }
    pthread_once(&once, make_key);
    spares[spare_count++] = c;
    pthread_setspecific(at_exit, spares); /* any value but NULL makes free_spares run */
}

static struct chunk *chunk_push(struct arena *a, size_t size) {
    struct chunk *c = chunk_new(size);
    c->before = a->top;
    a->top = c;
    a->held += size;
    return c;
}

static void chunk_pop(struct arena *a) {
    struct chunk *c = a->top;
    a->top = c->before;
    a->held -= c->size;
    chunk_free(c);
}

/* ---- arenas ---------------------------------------------------------------------------------- */

/* An arena lies in its own first chunk. No mark lies before it. */
struct arena *arena_new(void) {
    struct chunk *c = chunk_new(CHUNK);
    struct arena *a = (struct arena *)(void *)c->bytes;
    c->used = (sizeof *a + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    *a = (struct arena){.top = c, .held = CHUNK};
    return a;
}

void arena_free(struct arena *a) {
    if (a == NULL) return;
    if (a->held > MANY) memory_freed(a->held);
    while (a->top->before) chunk_pop(a);
    chunk_free(a->top);
}

void *arena_bytes(struct arena *a, size_t size) {
    if (size > SIZE_MAX / 2) must(NULL);
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    struct chunk *c = a->top;
    if (c->size - c->used < size) c = chunk_push(a, size > CHUNK ? size : CHUNK);
    void *p = c->bytes + c->used;
    c->used += size;
    return p;
}

void *arena_alloc(struct arena *a, size_t size) { return memset(arena_bytes(a, size), 0, size); }

static size_t size_of_array(size_t count, size_t size) {
    if (size && count > SIZE_MAX / 2 / size) must(NULL);
    return count * size;
}

void *arena_array(struct arena *a, size_t count, size_t size) {
    return arena_alloc(a, size_of_array(count, size));
}

void *arena_more(struct arena *a, void *list, int n, int *room, size_t size) {
    if (n < *room) return list;
    *room = *room ? *room * 2 : 16;
    size_t all = size_of_array((size_t)*room, size), used = (size_t)n * size;
    char *more = arena_bytes(a, all);
    if (used) memcpy(more, list, used);
    memset(more + used, 0, all - used);
    return more;
}

size_t arena_size(const struct arena *a) { return a->held; }

struct arena_mark arena_mark(struct arena *a) {
    return (struct arena_mark){a->top, a->top->used};
}

void arena_return(struct arena *a, struct arena_mark m) {
    while (a->top != m.chunk) chunk_pop(a);
    a->top->used = m.used;
}
