/* The table of errors: one row for each, with its status, its message and the text of its page.
 *
 * A fallible function returns an int: zero or more is success, -ERR_x is failure. Only errors.def states
 * the HTTP status and the message of an error. Replies, the OpenAPI document and /docs/errors/<CODE> are
 * made from it. */
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
    const char *message; /* one sentence for the reader of the reply */
    const char *doc;     /* advice for the caller */
};

/* Returns the row of an error. Accepts ERR_x and -ERR_x. */
const struct error_info *error_info(int err);
/* Converts the negative result of a function to its error. */
static inline enum error error_of_result(int rc) { return (enum error)(-rc); }

/* If the expression is negative, returns it from the enclosing function. */
#define TRY(expr)                      \
    do {                               \
        int try_rc = (expr);           \
        if (try_rc < 0) return try_rc; \
    } while (0)

#endif
