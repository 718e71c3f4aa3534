#include "base/memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Blocks of at least this size are mapped by themselves, and unmapped when they are freed. Without a fixed value the C
 * library raises it to the largest block ever freed, so that after one long reply it keeps all later ones. */
#define MAPPED_BYTES (256 * 1024)
#define MUCH (16 * 1024 * 1024)
#define SOME (2 * 1024 * 1024) /* worth returning if nothing more was freed since the last call */

static atomic_size_t freed, before; /* before: the value of `freed` at the last call of memory_give_back */

void memory_policy(void) {
    mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
    mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
}

void memory_freed(size_t n) { atomic_fetch_add_explicit(&freed, n, memory_order_relaxed); }

void memory_give_back(void) {
    size_t now = atomic_load_explicit(&freed, memory_order_relaxed);
    bool settled = atomic_exchange_explicit(&before, now, memory_order_relaxed) == now;
    if (now < SOME || (now < MUCH && !settled)) return;
    atomic_fetch_sub_explicit(&freed, now, memory_order_relaxed);
    malloc_trim(0);
}
