/* Lines for the operator on standard error: time, level, text. Never a secret, never a body. A line of text
 * is printable ASCII: other bytes are written as \xNN, a backslash as \\. A line of JSON (RFC 8259) is one
 * object with the members time, level and message, and with those of an event. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/error.h"
#include "base/str.h"

#include <stdatomic.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

enum log_format { LOG_TEXT, LOG_JSON };

void log_level_set(enum log_level level);
void log_format_set(enum log_format format);
void log_line(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)
#define log_warn(...) log_line(LOG_WARN, __VA_ARGS__)
#define log_info(...) log_line(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)

/* A member of an event in JSON. */
struct log_field {
    const char *name;
    struct str text; /* p NULL: the number */
    int64_t number;
};
/* The text says all that the fields say, because a line of text has no fields. */
void log_event(enum log_level level, const struct log_field *fields, int count, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* A kind of line that many requests can repeat. It is written at most once a second. The lines between are
 * counted. The next line, or log_flush, writes their number. `name` is a plural noun for the line of
 * log_flush. */
struct log_kind {
    const char *name;
    enum log_level level;
    /* written: clock_monotonic of the last line, 0: none yet; missed: lines not written since */
    _Atomic int64_t written, missed;
    struct log_kind *_Atomic next;
    _Atomic bool listed;
};
void log_kind_line(struct log_kind *k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* call it several times a second: writes the counts of repeated lines that have ended */
void log_flush(void);

#define log_often(kind_level, kind_name, ...)                                        \
    do {                                                                             \
        static struct log_kind kind_ = {.name = (kind_name), .level = (kind_level)}; \
        log_kind_line(&kind_, __VA_ARGS__);                                          \
    } while (0)

/* Writes the line that names the cause of a 503, and evaluates to -ERR_SERVICE_UNAVAILABLE. Use it where
 * the cause is known. */
#define UNAVAILABLE(kind_name, ...)                   \
    __extension__({                                   \
        log_often(LOG_ERROR, kind_name, __VA_ARGS__); \
        -ERR_SERVICE_UNAVAILABLE;                     \
    })

/* Returns a path that may be logged: at most 512 bytes, and `...` for each segment that may be a token. A
 * token is a segment of 20 bytes or more that is not a word. A word has only letters of one case, `_`, `-`
 * and `.`. */
struct str log_path(struct arena *a, struct str path);

#endif
