/* Writes the statistics of the heap once in BENCH_HEAP_SECONDS to the file named by BENCH_HEAP, one line
 * of JSON each. It is preloaded into the server (LD_PRELOAD). Bytes in use are those that the program
 * holds; free ones are those that the C library keeps. Those of SQLite are a part of the bytes in use, and
 * its pages are a part of those. */
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* The server turns the statistics of SQLite off (SQLITE_CONFIG_MEMSTATUS), because they cost a lock at each
 * allocation. They stay on here. SQLite itself sets its allocator in this way. */
int sqlite3_config(int option, ...) {
    int (*next)(int, ...) = (int (*)(int, ...))(intptr_t)dlsym(RTLD_NEXT, "sqlite3_config");
    va_list given;
    va_start(given, option);
    void *methods = va_arg(given, void *);
    va_end(given);
    return option == SQLITE_CONFIG_MEMSTATUS ? SQLITE_OK : next(option, methods);
}

static long long held_by_sqlite(int of) {
    sqlite3_int64 now = 0, most;
    sqlite3_status64(of, &now, &most, false);
    return now;
}

static void *report(void *path) {
    const char *every = getenv("BENCH_HEAP_SECONDS");
    for (;;) {
        struct timespec rest = {every ? atol(every) : 60, 0};
        nanosleep(&rest, NULL);
        FILE *f = fopen(path, "a");
        if (f == NULL) return NULL;
        struct mallinfo2 m = mallinfo2();
        fprintf(f, "{\"used\": %zu, \"free\": %zu, \"mapped\": %zu, \"sqlite\": %lld, \"pages\": %lld}\n",
                m.uordblks, m.fordblks, m.hblkhd, held_by_sqlite(SQLITE_STATUS_MEMORY_USED),
                held_by_sqlite(SQLITE_STATUS_PAGECACHE_OVERFLOW));
        fclose(f);
    }
}

/* Processes that the server forks have no thread of this kind, because a fork copies only the thread that
 * calls it. */
__attribute__((constructor)) static void begin(void) {
    pthread_t thread;
    char *path = getenv("BENCH_HEAP");
    if (path != NULL && pthread_create(&thread, NULL, report, path) == 0) pthread_detach(thread);
}
