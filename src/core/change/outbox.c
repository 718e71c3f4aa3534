/* The outbox: a table that every process appends to within its writes, and that the others read from where they stood.
 *
 * Where a reader stands. An id is taken before its COMMIT, so of two writes side by side the one with the lower id may
 * be committed last: a reader that remembers the highest id it saw passes over the other for ever. So on PostgreSQL a
 * place is not an id but a snapshot (pg_current_snapshot: which transactions were over), an entry carries the number of
 * its transaction, and what is unseen is what is over now and was not over then:
 *
 *     xid >= xmin(then) AND NOT visible_in(then)      entries of transactions that were not over then
 *                                                     (that they are over now, the query's own snapshot sees to)
 *     xid < xmax(now)                                 not those that a move brought from another cluster
 *
 * Each entry is read once, as soon as it is committed, whatever else is under way; nothing is remembered but the place.
 * A transaction that stays open for long makes the range of xid longer, it holds nobody up. (The other ways: to read
 * only below the oldest transaction under way, which makes all wait for the slowest; to remember the gaps between ids
 * and wait for them, which takes a rolled back id for a late one; to lock the table, which makes writes wait for each
 * other's COMMIT.) On SQLite writes are committed in the order of their ids, and a place is the highest.
 *
 * Order. Within one reading entries come by id. Writes to the same thing wait for each other before they add their
 * entry (a row or a name is locked), so what happened first has the lower id and is never read later. Between strangers
 * there is no order to keep.
 *
 * Replay. A place is a text that any process understands: who was told everything up to a place can go on from it
 * anywhere, at least once, as long as entries are kept. Entries that are to be replayed on SQLite, too, must be written
 * there; those of today are signals to other processes, and there are none.
 *
 * Losing touch. Entries are swept after OUTBOX_KEPT. A reader that starts, or could not read for half that time, can't
 * know what it missed: it looks at everything that a topic stands for. */
#include "core/change/outbox.h"

QUERY(outbox_insert, "INSERT INTO outbox (topic, payload, origin, created_at) VALUES (:topic, :payload, :origin, :now)");
QUERY(outbox_unseen, "SELECT id, topic, payload FROM outbox WHERE @UNSEEN(:place) AND origin <> :origin ORDER BY id");
QUERY(outbox_place, "SELECT CAST(@PLACE(outbox) AS TEXT)");

static void ring(struct desk *d, void *arg) {
    (void)arg;
    db_ring(d->db);
}

int outbox_add(struct work *w, const char *topic, struct str payload) {
    if (!db_shared(w->desk->db)) return 0;
    after_commit(w, ring, NULL);
    return db_exec(
        w->conn, &outbox_insert,
        BINDS(B_TEXT("topic", str_of(topic)), B_TEXT("payload", payload), B_TEXT("origin", w->desk->process), B_INT("now", w->now)));
}

int outbox_read(struct work *w, struct str *place, struct outbox_entry **first) {
    int rc = 0;
    const struct bind *binds = BINDS(B_TEXT("place", *place), B_TEXT("origin", w->desk->process));
    *first = NULL;
    if (place->p) {
        struct outbox_entry **last = first;
        DB_ROWS(rc, w->conn, &outbox_unseen, binds, row) {
            struct outbox_entry *e = ARENA_NEW(w->arena, struct outbox_entry);
            *e = (struct outbox_entry){col_int(row, 0), str_dup(w->arena, col_text(row, 1)), str_dup(w->arena, col_text(row, 2)), NULL};
            *last = e;
            last = &e->next;
        }
    }
    if (rc >= 0) rc = db_text(w->conn, &outbox_place, NULL, w->arena, place);
    return rc < 0 ? rc : 0;
}
