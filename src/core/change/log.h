/* The change log: every typed change, for readers that return with a cursor. The entries of an object are
 * in commit order.
 *
 * Cursors. An id is taken before its COMMIT, so on PostgreSQL an entry with a lower id may be committed
 * after the highest id that was read. A cursor is therefore (then, now, last). Its reader has seen (1) all
 * entries committed in snapshot `then`, and (2) of the entries committed between `then` and `now` those up
 * to id `last`. The next page continues with the rest of (2). When none is left, `now` becomes `then`, and
 * the current snapshot becomes `now`. On SQLite, commits follow ids, and both snapshots are ids.
 *
 * Order. The entries of an object have ids in commit order, because an id is taken after the object's row
 * was locked.
 *
 * Cost. An entry is one row with one index, on PostgreSQL with a second one by its transaction. A page of an
 * up-to-date reader reads only entries after `last`, and on PostgreSQL those of transactions that `then` has
 * not seen.
 *
 * Pruning deletes the oldest entries by age. A cursor whose `last` is below the deleted ids is refused,
 * because it would miss entries silently. A cursor belongs to one store (@STORE@). deskd move and a
 * restored dump make a new store; readers start again. */
#ifndef CORE_CHANGE_LOG_H
#define CORE_CHANGE_LOG_H

#include "work/work.h"

int change_log_finish(struct work *w); /* the last finisher but one: the audit log follows */

struct change_cursor {
    struct str store, then, now; /* `then` empty: from the oldest entry */
    int64_t last;
    /* The store itself keeps the cursor. A copy of a PostgreSQL database is another store, but in the same
     * cluster the places of this cursor stay valid, because its databases share transaction ids. */
    bool kept;
};

/* As text, for a place that the desk stores. Clients get it sealed (api/rows/cursor.h), because the store
 * takes its snapshots as they are. */
struct str change_cursor_text(struct arena *a, const struct change_cursor *c);
bool change_cursor_read(struct arena *a, struct str text, struct change_cursor *out); /* false: malformed */

enum change_log_state { CURSOR_GOOD, CURSOR_FOREIGN, CURSOR_PRUNED };

/* Reads up to `most` ids of entries after a cursor, in order. Moves the cursor to their window; its `last`
 * stays. store.p NULL: from the oldest. *more: further entries exist. Returns their number, or a negative
 * error. Call it in a snapshot. */
int change_log_read(struct work *w, struct change_cursor *cursor, int most, int64_t *ids, bool *more,
                    enum change_log_state *state);

/* The cursor of a reader that has seen all entries. Call it in a snapshot. */
int change_log_end(struct work *w, struct change_cursor *out);

/* Places that a process keeps in memory, with the numbers that it read there. */
int change_log_place(struct work *w, struct str *place); /* that of this snapshot */
/* Returns 1 if this snapshot sees all that was committed at the place, 0 (also on a replica), or a negative
 * error. */
int change_log_sees(struct work *w, struct str place);
/* 1: this snapshot is that of a replica, whose place does not have the transactions that are under way. */
int change_log_on_replica(struct work *w);

/* Deletes up to `most` of the oldest entries, if they are not newer than `before`. Returns their number,
 * or a negative error. */
int change_log_prune(struct conn *c, int64_t before, int64_t most);

#endif
