/* LD_PRELOAD shim: a fault at one of the texts that are bound to statements of SQLite. DESKD_BIND is the
 * fault and the number of the text, counted from 1:
 *
 *     kill 3000     the process ends, as by SIGKILL from outside
 *     alter 3000    another text of the same length is stored
 *     full 3000     from then on the disk is full (needs eio.so)
 *
 * cc -shared -fPIC -o bind.so bind.c */
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int bind_text(void *stmt, int at, const char *text, uint64_t n, void (*end)(void *),
                      unsigned char encoding);
bind_text sqlite3_bind_text64;

int sqlite3_bind_text64(void *stmt, int at, const char *text, uint64_t n, void (*end)(void *),
                        unsigned char encoding) {
    static bind_text *real;
    static long count;
    const char *told = getenv("DESKD_BIND");
    char what[8] = "";
    long when = 0;
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "sqlite3_bind_text64");
    if (!told || sscanf(told, "%7s %ld", what, &when) != 2 || ++count != when)
        return real(stmt, at, text, n, end, encoding);
    if (strcmp(what, "kill") == 0) raise(SIGKILL);
    if (strcmp(what, "full") == 0) {
        FILE *fault = fopen(getenv("DESKD_FAULT"), "w");
        if (!fault || fputs("full\n", fault) < 0 || fclose(fault) != 0) abort();
        return real(stmt, at, text, n, end, encoding);
    }
    char *other = malloc(n + 1);
    if (!other) abort();
    memcpy(other, text, n);
    if (n) other[n - 1] = other[n - 1] == 'x' ? 'y' : 'x';
    return real(stmt, at, other, n, free, encoding);
}
