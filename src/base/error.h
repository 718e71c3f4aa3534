/* What can go wrong: one row an error, with the status, the sentence and the page that documents it.
 *
 * A fallible function returns an int: zero or more is success, -ERR_x is failure. The table is the only
 * place that knows the HTTP status and the words (completions.md section 3); /docs/errors/<CODE>, the
 * OpenAPI document and the replies are made from it. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

enum error {
    ERR_NONE,
#define ERROR(code, status, message, doc) ERR_##code,
#include "base/errors.def"
#undef ERROR
    ERR_COUNT
};

struct error_info {
    const char *code;    /* FIELD_REQUIRED */
    int status;          /* HTTP status */
    const char *message; /* one sentence for the person who reads the reply */
    const char *doc;     /* what to do about it */
};

/* The row of an error; accepts ERR_x and -ERR_x. */
const struct error_info *error_info(int err);
/* The error of a negative result of a function that returns -code. */
static inline enum error error_of_result(int rc) { return (enum error)(-rc); }

/* Returns a negative result to the caller at once. */
#define TRY(expr)                      \
    do {                               \
        int try_rc = (expr);           \
        if (try_rc < 0) return try_rc; \
    } while (0)

#endif
