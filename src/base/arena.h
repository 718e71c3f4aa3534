/* Memory of one request: allocated forward, freed at once.
 *
 * Three lifetimes exist: the process (malloc at start), the work (its arena) and the block (a mark that is
 * returned to). Nothing taken from an arena is freed by itself, so no handler frees anything. Memory is
 * zeroed, but that of texts. Out of memory ends the process: with input limited before it has memory, nothing sensible is left. */
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
void *arena_bytes(struct arena *a, size_t size);               /* the same, not zeroed: for texts */
void *arena_array(struct arena *a, size_t count, size_t size); /* overflow-checked */
/* A list that grows: itself while its n elements leave room, else a longer copy. *room is 0 at first, with list NULL. */
void *arena_more(struct arena *a, void *list, int n, int *room, size_t size);
struct arena_mark arena_mark(struct arena *a);
void arena_return(struct arena *a, struct arena_mark m); /* forgets all that was taken since the mark */

size_t arena_size(const struct arena *a); /* bytes it holds now */

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))

#endif
