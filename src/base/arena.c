#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK (16 * 1024) /* most works fit in one */
#define ALIGN 16

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

static struct chunk *chunk_push(struct arena *a, size_t size) {
    struct chunk *c = must(malloc(sizeof *c + size));
    *c = (struct chunk){.before = a->top, .size = size};
    a->top = c;
    a->held += size;
    return c;
}

static void chunk_pop(struct arena *a) {
    struct chunk *c = a->top;
    a->top = c->before;
    a->held -= c->size;
    free(c);
}

struct arena *arena_new(void) { return must(calloc(1, sizeof(struct arena))); }

void arena_free(struct arena *a) {
    if (a == NULL) return;
    while (a->top) chunk_pop(a);
    free(a);
}

void *arena_alloc(struct arena *a, size_t size) {
    if (size > SIZE_MAX / 2) must(NULL);
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    struct chunk *c = a->top;
    if (c == NULL || c->size - c->used < size) c = chunk_push(a, size > CHUNK ? size : CHUNK);
    void *p = c->bytes + c->used;
    c->used += size;
    return memset(p, 0, size);
}

void *arena_array(struct arena *a, size_t count, size_t size) {
    if (size && count > SIZE_MAX / 2 / size) must(NULL);
    return arena_alloc(a, count * size);
}

struct arena_mark arena_mark(struct arena *a) {
    return (struct arena_mark){a->top, a->top ? a->top->used : 0};
}

void arena_return(struct arena *a, struct arena_mark m) {
    while (a->top != m.chunk) chunk_pop(a);
    if (a->top) a->top->used = m.used;
}

size_t arena_size(const struct arena *a) { return a->held; }
