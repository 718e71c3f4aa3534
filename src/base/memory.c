#include "base/memory.h"

#include <malloc.h>
#include <stdatomic.h>

/* Blocks from this size on are mapped by themselves and unmapped when they are freed. Without a fixed value the library raises it to
 * the largest block that was ever freed, so that one long reply makes it keep all later ones. */
#define MAPPED_BYTES (256 * 1024)
#define MUCH (16 * 1024 * 1024)

static atomic_size_t freed;

void memory_policy(void) {
    mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
    mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
}

void memory_freed(size_t n) { atomic_fetch_add_explicit(&freed, n, memory_order_relaxed); }

void memory_give_back(void) {
    if (atomic_load_explicit(&freed, memory_order_relaxed) < MUCH) return;
    atomic_store_explicit(&freed, 0, memory_order_relaxed);
    malloc_trim(0);
}
