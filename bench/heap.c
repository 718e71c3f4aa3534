/* Writes the statistics of the heap once in BENCH_HEAP_SECONDS to the file named by BENCH_HEAP, one line
 * of JSON each. It is preloaded into the server (LD_PRELOAD). Bytes in use are those that the program
 * holds; free ones are those that the C library keeps. */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void *report(void *path) {
    const char *every = getenv("BENCH_HEAP_SECONDS");
    for (;;) {
        struct timespec rest = {every ? atol(every) : 60, 0};
        nanosleep(&rest, NULL);
        FILE *f = fopen(path, "a");
        if (f == NULL) return NULL;
        struct mallinfo2 m = mallinfo2();
        fprintf(f, "{\"used\": %zu, \"free\": %zu, \"mapped\": %zu}\n", m.uordblks, m.fordblks, m.hblkhd);
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
