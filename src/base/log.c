#include "base/log.h"

#include "base/arena.h"
#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>

#define LINE 2048      /* bytes of a text before it is escaped */
#define TOKEN_LEAST 20 /* bytes; the longest id has 19 */
#define PATH_MOST 512
#define ONCE TIME_SECOND

static _Atomic int most = LOG_INFO;
static struct log_kind *_Atomic kinds; /* all kinds that were ever written */

void log_level_set(enum log_level level) { atomic_store(&most, level); }

/* Escapes a text so that one event is one line, for any bytes in a value. */
static void log_escape(char *out, const char *text) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '\\') *out++ = '\\', *out++ = '\\';
        else if (c >= ' ' && c < 127) *out++ = *text;
        else out += sprintf(out, "\\x%02x", c);
    }
    *out = '\0';
}

static void write_line(enum log_level level, const char *fmt, va_list args) {
    static const char *const names[] = {"error", "warn", "info", "debug"};
    char text[LINE], line[4 * LINE], when[TIME_ISO_SIZE];
    if ((int)level > atomic_load(&most)) return;
    if (vsnprintf(text, sizeof text, fmt, args) < 0) return;
    log_escape(line, text);
    time_iso(when, clock_now(&(struct clock){0}));
    fprintf(stderr, "%s %s %s\n", when, names[level], line);
}

void log_line(enum log_level level, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    write_line(level, fmt, args);
    va_end(args);
}

/* ---- repeated lines -------------------------------------------------------------------------- */

static void list(struct log_kind *k) {
    if (atomic_exchange(&k->listed, true)) return;
    struct log_kind *first = atomic_load(&kinds);
    do atomic_store(&k->next, first);
    while (!atomic_compare_exchange_weak(&kinds, &first, k));
}

/* Returns true if a line of this kind may be written now. One of several threads gets it. */
static bool is_due(struct log_kind *k) {
    int64_t now = clock_monotonic(), last = atomic_load(&k->written);
    if (last && now - last < ONCE) return false;
    return atomic_compare_exchange_strong(&k->written, &last, now ? now : 1);
}

void log_kind_line(struct log_kind *k, const char *fmt, ...) {
    char text[LINE];
    va_list args;
    if ((int)k->level > atomic_load(&most)) return;
    list(k);
    if (!is_due(k)) {
        atomic_fetch_add(&k->missed, 1);
        return;
    }
    int64_t missed = atomic_exchange(&k->missed, 0);
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (missed) log_line(k->level, "%s (and %lld more %s)", text, (long long)missed, k->name);
    else log_line(k->level, "%s", text);
}

void log_flush(void) {
    for (struct log_kind *k = atomic_load(&kinds); k; k = atomic_load(&k->next)) {
        if (atomic_load(&k->missed) == 0 || !is_due(k)) continue;
        log_line(k->level, "%lld more %s", (long long)atomic_exchange(&k->missed, 0), k->name);
    }
}

/* ---- paths ----------------------------------------------------------------------------------- */

static bool is_word(struct str s) {
    bool lower = false, upper = false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        lower = lower || (c >= 'a' && c <= 'z');
        upper = upper || (c >= 'A' && c <= 'Z');
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !in_set(c, "_-.")) return false;
    }
    return !(lower && upper);
}

struct str log_path(struct arena *a, struct str path) {
    char *out = arena_alloc(a, path.n + 4);
    size_t n = 0;
    for (struct str rest = path; rest.p && n < PATH_MOST;) {
        struct str one = str_cut(&rest, '/');
        if (one.n >= TOKEN_LEAST && !is_word(one)) one = S("...");
        memcpy(out + n, one.p, one.n);
        n += one.n;
        if (rest.p) out[n++] = '/';
    }
    if (n > PATH_MOST) memcpy(out + PATH_MOST, "...", 3), n = PATH_MOST + 3;
    return (struct str){out, n};
}
