/* The change log: every typed change, in the order of commits of each object, for readers that come back with a cursor.
 *
 * Where a reader stands. An id is taken before its COMMIT, so on PostgreSQL a highest id that was read says nothing of the ids below it. A
 * cursor is therefore (then, now, last): the reader has seen (1) what was committed in snapshot `then`, and (2) of what was committed
 * between `then` and `now` the entries up to id `last`. The next page continues with the rest of (2). When nothing is left of it, `now` becomes
 * `then`, and the present snapshot becomes `now`. On SQLite commits follow ids, and both snapshots are ids.
 *
 * Order. The entries of one object have ids in the order of their commits, because an id is taken after the object's row was locked.
 *
 * Cost. An entry is one row with one index. A page of a reader who is up to date reads the entries behind `last` alone.
 *
 * Pruning deletes from the low end by age. A cursor whose `last` lies below the deleted ids is refused: it would miss entries in silence.
 * A cursor belongs to one store (@STORE@). deskd move and a restored dump make another store; its readers begin anew. */
#ifndef CORE_CHANGE_LOG_H
#define CORE_CHANGE_LOG_H

#include "work/work.h"

int change_log_finish(struct work *w); /* the last finisher */

struct change_cursor {
    struct str store, then, now; /* `then` empty: from the oldest entry */
    int64_t last;
};

struct str change_cursor_text(struct arena *a, const struct change_cursor *c);        /* opaque: base64url */
bool change_cursor_read(struct arena *a, struct str text, struct change_cursor *out); /* false: it is none */

enum change_log_state { CURSOR_GOOD, CURSOR_FOREIGN, CURSOR_PRUNED };

/* Reads at most `most` ids of entries behind a cursor, in order, and moves the cursor to the window they are of; its `last` stays. `cursor` empty (store.p
 * NULL): from the oldest. *more: there are further entries. Returns how many, or a negative error. In a snapshot. */
int change_log_read(struct work *w, struct change_cursor *cursor, int most, int64_t *ids, bool *more, enum change_log_state *state);

/* Deletes at most `most` entries of `before` and older from the low end. Returns how many, or a negative error. */
int change_log_prune(struct conn *c, int64_t before, int64_t most);

#endif
