/* A demo desk: a new store filled with invented people and two years of their conversations. */
#ifndef CORE_DEMO_H
#define CORE_DEMO_H

#include "db/db.h"
#include "demo/plan.h"

struct demo {
    uint64_t seed;
    int64_t conversations;
    struct str password_hashes[DEMO_LOGINS];
    void (*progress)(const char *what, int64_t done, int64_t total); /* may be NULL */
    /* stores the content of a raw mail; may be NULL */
    int (*keep)(void *arg, struct str bytes, struct str sha256);
    void *keep_arg;
};

/* Fills a new store, opened in bulk. The same seed and number give the same rows, except for the hashes.
 * Returns -ERR_FIELD_DUPLICATE if the store is not new. If it fails halfway, the store stays unfinished
 * (core/all/desk.h). */
int demo_fill(struct db *db, const struct demo *d);

#endif
