#include "base/log.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic int most = LOG_INFO;

void log_level_set(enum log_level level) { atomic_store(&most, level); }

void log_line(enum log_level level, const char *fmt, ...) {
    static const char *const names[] = {"error", "warn", "info", "debug"};
    char line[2048], when[TIME_ISO_SIZE];
    if ((int)level > atomic_load(&most)) return;
    time_iso(when, clock_now(&(struct clock){0}));
    int n = snprintf(line, sizeof line, "%s %s ", when, names[level]);
    va_list args;
    va_start(args, fmt);
    int more = vsnprintf(line + n, sizeof line - (size_t)n, fmt, args);
    va_end(args);
    if (more < 0) return;
    for (char *c = line + n; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' '; /* one event, one line, whatever a value holds */
    fprintf(stderr, "%s\n", line);
}
