#include "base/log.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define LINE 2048      /* bytes of a text before it is escaped */
#define TOKEN_LEAST 20 /* bytes; the longest id has 19 */
#define PATH_MOST 512
#define ONCE TIME_SECOND

static _Atomic int most = LOG_INFO;
static _Atomic int format = LOG_TEXT;
static struct log_kind *_Atomic kinds; /* all kinds that were ever written */

void log_level_set(enum log_level level) { atomic_store(&most, level); }
void log_format_set(enum log_format f) { atomic_store(&format, f); }

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

/* Appends a text as a string of JSON. A byte that is not UTF-8 becomes U+FFFD. */
static void log_json(struct buf *out, struct str s) {
    buf_text(out, "\"");
    for (size_t i = 0, n; i < s.n; i += n) {
        unsigned char c = (unsigned char)s.p[i];
        n = utf8_sequence(s.p + i, s.n - i);
        if (n == 0) n = 1, buf_text(out, "\\ufffd");
        else if (c == '"' || c == '\\') buf_fmt(out, "\\%c", c);
        else if (c < ' ' || c == 127) buf_fmt(out, "\\u%04x", c);
        else buf_str(out, (struct str){s.p + i, n});
    }
    buf_text(out, "\"");
}

static void log_object(const char *when, const char *level, const char *text, const struct log_field *fields,
                       int count) {
    struct buf out = {0};
    buf_fmt(&out, "{\"time\":\"%s\",\"level\":\"%s\",\"message\":", when, level);
    log_json(&out, str_of(text));
    for (const struct log_field *f = fields; f < fields + count; f++) {
        buf_fmt(&out, ",\"%s\":", f->name);
        if (f->text.p) log_json(&out, f->text);
        else buf_fmt(&out, "%" PRId64, f->number);
    }
    buf_text(&out, "}\n");
    fwrite(out.p, 1, out.n, stderr);
    buf_free(&out);
}

static void write_line(enum log_level level, const struct log_field *fields, int count, const char *fmt,
                       va_list args) {
    static const char *const names[] = {"error", "warn", "info", "debug"};
    char text[LINE], line[4 * LINE], whole[sizeof line + TIME_ISO_SIZE + 16], when[TIME_ISO_SIZE];
    if ((int)level > atomic_load(&most)) return;
    if (vsnprintf(text, sizeof text, fmt, args) < 0) return;
    time_iso(when, clock_now(&(struct clock){0}));
    if (atomic_load(&format) == LOG_JSON) {
        log_object(when, names[level], text, fields, count);
        return;
    }
    log_escape(line, text);
    /* one write for each line: since glibc 2.37 fprintf writes a long line to stderr in pieces */
    int n = snprintf(whole, sizeof whole, "%s %s %s\n", when, names[level], line);
    if (n > 0) fwrite(whole, 1, (size_t)n, stderr);
}

void log_line(enum log_level level, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    write_line(level, NULL, 0, fmt, args);
    va_end(args);
}

void log_event(enum log_level level, const struct log_field *fields, int count, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    write_line(level, fields, count, fmt, args);
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
