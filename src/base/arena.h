/* Memory of one request: allocated forward, freed at once.
 *
 * There are three lifetimes: the process (malloc at start), the work (its arena) and the block (from
 * arena_mark to arena_return). Nothing taken from an arena is freed by itself, so no handler frees
 * anything. Memory is zeroed, except by arena_bytes. If memory runs out, the process aborts: input is
 * limited before it takes memory, so there is nothing sensible left to do. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena;
struct arena_mark {
    void *chunk;
    size_t used;
};

struct arena *arena_new(void);
void arena_free(struct arena *a);
void *arena_alloc(struct arena *a, size_t size);
void *arena_bytes(struct arena *a, size_t size);               /* the bytes are not zeroed; used for texts */
void *arena_array(struct arena *a, size_t count, size_t size); /* aborts if count * size overflows */
/* Makes room for one more element. Returns `list` if it has room for more than n elements, else a larger
 * copy. At first `list` is NULL and *room is 0. */
void *arena_more(struct arena *a, void *list, int n, int *room, size_t size);
struct arena_mark arena_mark(struct arena *a);
void arena_return(struct arena *a, struct arena_mark m); /* frees all that was taken since the mark */

size_t arena_size(const struct arena *a); /* bytes that the arena holds now */

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))

#endif
