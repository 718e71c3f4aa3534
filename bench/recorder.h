/* Statements as a request ran them, to be run again without it.
 *
 * The linker puts recorder.c between the API and the store (--wrap of the functions of db.h that start a statement); each
 * goes on to the store, and while a recording is under way leaves a copy of its text and of what was bound. */
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

/* Only what the calling thread starts (mine), or only what others start: a write runs on the writer's thread. */
void record_begin(struct recording *out, struct arena *a, bool mine);
void record_end(void);

void recorded_columns(struct recording *r, const char *store); /* names and types, from the store's schema */
/* Runs all once, each row written as an object behind out. 0 or error. */
int recorded_run(const struct recording *r, struct conn *c, struct buf *out);
void recorded_print(const struct recording *r, struct conn *c); /* texts, binds and query plans, to standard output */

#endif
