/* Facts that reads leave behind: views of articles, searches, last uses of sessions and tokens. A read never
 * writes, so they are gathered in memory and written in batches.
 *
 * The job runner writes them every 15 seconds, when the rows of one kind are half of their limit, and when
 * the process stops: up to 500 rows in each write. A process that is killed loses what it has gathered since
 * the last write. Several processes add to the same rows, so their sums are exact. */
#ifndef CORE_DESK_GATHER_H
#define CORE_DESK_GATHER_H

#include "work/work.h"

struct gather_kind {
    /* Locks the rows of :ids in the order of their ids, because several processes write the same rows at the
     * same time. NULL: the kind only adds rows. */
    const struct query *lock;
    /* Writes all rows of a batch. A row of @ROWS(:rows) is [id, key, name, count, sum, at]. */
    const struct query *write;
    size_t most; /* rows between two writes. Further ones are dropped, and the log has their number */
    const struct query *also; /* a second statement like .write, in the same write; NULL: none */
};

/* Rows of one kind with the same id and key are one: their counts and sums are added, the latest time and the
 * first name stay. */
struct gathered {
    int64_t id;
    struct str key, name;
    int64_t count, sum, at;
};

struct gathering *gathering_new(void); /* NULL: no memory */
void gathering_free(struct gathering *g);

/* The following are called by any thread, and do nothing if d->gathering is NULL. */

void gather_row(struct desk *d, const struct gather_kind *kind, const struct gathered *row);
/* Returns the latest time gathered for the id since the last write, or 0. */
int64_t gathered_at(struct desk *d, const struct gather_kind *kind, int64_t id);
bool gathering_waits(const struct desk *d); /* true: write before the next turn */
/* Writes all rows. Rows that can't be written are gathered again. Do not call it on a writer thread. */
int gathering_flush(struct desk *d);

#endif
