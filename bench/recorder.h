/* Records the statements that a request runs, so that they can be run again without it.
 *
 * The linker puts recorder.c between the API and the store (--wrap of the functions of db.h that start a
 * statement). Each call is passed on to the store. While recording, recorder.c keeps a copy of its text
 * and its binds. */
#ifndef BENCH_RECORDER_H
#define BENCH_RECORDER_H

#include "base/buf.h"
#include "db/db.h"

struct column {
    struct str name;
    bool text;
};
struct recorded {
    const char *sql;
    struct bind *binds;
    struct column *columns; /* of a SELECT or RETURNING */
    int column_count;
    struct recorded *next;
};
struct recording {
    struct arena *arena;
    struct recorded *first, *last;
};

/* Records only statements that the calling thread starts (mine), or only those of other threads, because a
 * write runs on the writer's thread. */
void record_begin(struct recording *out, struct arena *a, bool mine);
void record_end(void);
/* Returns the number of rows that writes have inserted, changed and deleted so far, also those of tables inside of a full-text index.
 * 0 on PostgreSQL. Call it when no write runs. */
int64_t recorded_rows(void);

void recorded_columns(struct recording *r, const char *store); /* names and types, from the store's schema */
/* Runs all statements once and appends each row to `out` as an object. Returns 0 or an error. */
int recorded_run(const struct recording *r, struct conn *c, struct buf *out);
/* prints texts, binds and query plans to standard output */
void recorded_print(const struct recording *r, struct conn *c);

#endif
