/* Blocks of memory that SQLite has freed and will ask for again.
 *
 * A write allocates and frees about 130 blocks, nearly all of less than 1 KiB: cursors, cells and records of its statements. Debian builds SQLite
 * without lookaside memory, so each is a malloc and a free, and glibc keeps only seven of a size for a thread. Here a thread keeps the
 * blocks that it frees, by their size, up to KEPT_BYTES. Its next statements take them. */
#include "db/db_internal.h"

#include <pthread.h>

#if defined(__SANITIZE_ADDRESS__)
#define KEEP_BLOCKS false /* a block that is kept would not be examined */
#elif defined(__has_feature)
#define KEEP_BLOCKS !__has_feature(address_sanitizer)
#else
#define KEEP_BLOCKS true
#endif

enum {
    STEP = 64,              /* sizes differ by this many bytes */
    SIZES = 17,             /* up to 1,024 bytes; the first size is empty */
    KEPT_BYTES = 64 * 1024, /* of a thread */
};

struct block {
    struct block *next;
};

static sqlite3_mem_methods libc; /* SQLite's own functions: malloc and free */
static _Thread_local struct {
    struct block *first[SIZES];
    int bytes;
    bool ends; /* blocks_free runs when the thread ends */
} kept;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;

static void blocks_free(void *of_the_thread) {
    (void)of_the_thread;
    for (int i = 0; i < SIZES; i++)
        for (struct block *b = kept.first[i]; b; b = kept.first[i]) {
            kept.first[i] = b->next;
            libc.xFree(b);
        }
    kept.bytes = 0;
    kept.ends = false; /* a connection that ends with the thread may free more */
}

static void *block_take(int n) {
    int size = (n + STEP - 1) / STEP;
    if (size >= SIZES) return libc.xMalloc(n);
    struct block *b = kept.first[size];
    if (b == NULL) return libc.xMalloc(size * STEP);
    kept.first[size] = b->next;
    kept.bytes -= size * STEP;
    return b;
}

static void block_give(void *p) {
    int size = libc.xSize(p) / STEP;
    if (size == 0 || size >= SIZES || kept.bytes + size * STEP > KEPT_BYTES) {
        libc.xFree(p);
        return;
    }
    if (!kept.ends) kept.ends = pthread_setspecific(thread_end, &kept) == 0;
    struct block *b = p;
    b->next = kept.first[size];
    kept.first[size] = b;
    kept.bytes += size * STEP;
}

static void memory_configure(void) {
    /* Without it every allocation takes a global lock to keep a statistic. */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    if (!KEEP_BLOCKS || pthread_key_create(&thread_end, blocks_free) != 0) return;
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &libc) != SQLITE_OK) return;
    sqlite3_mem_methods m = libc;
    m.xMalloc = block_take;
    m.xFree = block_give;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &m);
}

void sqlite_configure(void) { pthread_once(&once, memory_configure); }
