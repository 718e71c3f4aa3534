#include "base/memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* Blocks of at least this size are mapped by themselves, and unmapped when they are freed. Without a fixed
 * value the C library raises it to the largest block ever freed, so that after one long reply it keeps all
 * later ones. */
#define MAPPED_BYTES (256 * 1024)
#define MUCH (16 * 1024 * 1024)
#define SOME (2 * 1024 * 1024) /* worth returning if nothing more was freed since the last call */

static atomic_size_t freed, before; /* before: the value of `freed` at the last call of memory_give_back */

/* The C library has eight arenas for each core. Each keeps what its threads have freed, and a thread of
 * one can't use the memory of another. */
#define ARENAS_OF_CORE 2

void memory_policy(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    mallopt(M_ARENA_MAX, ARENAS_OF_CORE * (cores > 0 ? (int)cores : 1));
    mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
    mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
}

/* The limit alone would not do: the kernel ignores it for programs that take dumps by a pipe. A sanitizer
 * traces its own process. */
void memory_private(void) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (!SANITIZED) prctl(PR_SET_DUMPABLE, 0);
}

void memory_undumped(void *p, size_t n) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)p / page * page,
              to = ((uintptr_t)p + n + page - 1) / page * page;
    madvise((void *)from, to - from, MADV_DONTDUMP);
}

void memory_freed(size_t n) { atomic_fetch_add_explicit(&freed, n, memory_order_relaxed); }

void memory_return(void) { malloc_trim(0); }

void memory_give_back(void) {
    size_t now = atomic_load_explicit(&freed, memory_order_relaxed);
    bool settled = atomic_exchange_explicit(&before, now, memory_order_relaxed) == now;
    if (now < SOME || (now < MUCH && !settled)) return;
    atomic_fetch_sub_explicit(&freed, now, memory_order_relaxed);
    memory_return();
}
