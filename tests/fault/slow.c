/* LD_PRELOAD shim: a busy machine. A thread waits SLOW_MS at the first step of each SELECT while the file
 * named by DESKD_FAULT exists. SQLite calls its progress handler (deskd's budget) at every instruction.
 *
 * cc -shared -fPIC -o slow.so slow.c */
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SLOW_MS 60 /* longer than BUDGET_INLINE_MS of base/limits.h */

int sqlite3_stmt_readonly(void *stmt);
int sqlite3_stmt_busy(void *stmt);
int sqlite3_step(void *stmt);
void sqlite3_progress_handler(void *handle, int steps, int (*look)(void *), void *arg);

int sqlite3_step(void *stmt) {
    static int (*real)(void *);
    const struct timespec turn = {0, SLOW_MS * 1000000L};
    const char *fault = getenv("DESKD_FAULT");
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "sqlite3_step");
    if (fault && access(fault, F_OK) == 0 && sqlite3_stmt_readonly(stmt) && !sqlite3_stmt_busy(stmt))
        nanosleep(&turn, NULL);
    return real(stmt);
}

void sqlite3_progress_handler(void *handle, int steps, int (*look)(void *), void *arg) {
    static void (*real)(void *, int, int (*)(void *), void *);
    (void)steps;
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "sqlite3_progress_handler");
    real(handle, 1, look, arg);
}
