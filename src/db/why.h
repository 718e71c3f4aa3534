#ifndef DB_WHY_H
#define DB_WHY_H

#include <stddef.h>

/* The reason for a refusal, in one line. */
struct why {
    char *p;
    size_t n;
};
int db_refuse(struct why why, const char *fmt, ...)
    __attribute__((format(printf, 2, 3))); /* writes the reason; returns -ERR_SERVICE_UNAVAILABLE */

#endif
