/* Counts fsync and fdatasync. It is preloaded into the server (LD_PRELOAD). At the end of the process it
 * writes their number to the file named by BENCH_SYNCS. strace would stop the writer at each call, and so
 * change the size of its batches. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long count;

static int forward(const char *name, int fd) {
    int (*next)(int);
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(&next, &found, sizeof next); /* ISO C has no cast between the two */
    atomic_fetch_add(&count, 1);
    return next(fd);
}

int fsync(int fd) { return forward("fsync", fd); }
int fdatasync(int fd) { return forward("fdatasync", fd); }

__attribute__((destructor)) static void leave(void) {
    const char *path = getenv("BENCH_SYNCS");
    FILE *f = path ? fopen(path, "w") : NULL;
    if (f == NULL) return;
    fprintf(f, "%ld\n", atomic_load(&count));
    fclose(f);
}
