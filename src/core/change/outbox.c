/* The outbox: a table to which each process appends within its writes. The other processes read it from
 * their last place.
 *
 * Place. An id is taken before its COMMIT, so the concurrent write with the lower id may commit last. A
 * reader that remembers the highest id would miss it for ever. On PostgreSQL, a place is therefore a
 * snapshot (pg_current_snapshot: which transactions were finished), and an entry stores the number of its
 * transaction. Unseen entries are those finished now and not finished then:
 *
 *     xid >= xmin(then) AND NOT visible_in(then)      entries of transactions that were not finished then (the snapshot of the query
 *                                                     ensures that they are finished now)
 *     xid < xmax(now)                                 no entries that deskd move brought from another cluster
 *
 * Each entry is read once, as soon as it is committed, whatever else runs. The place is the only state. A
 * long transaction widens the range of xid, but delays nobody. Rejected alternatives: (1) reading only
 * below the oldest running transaction delays everything by the slowest one; (2) waiting for gaps between
 * ids mistakes a rolled-back id for a late one; (3) locking the table makes writes wait for each other's
 * COMMIT. On SQLite, writes commit in the order of their ids, and a place is the highest id.
 *
 * Order. Within one reading, entries are ordered by id. Writes to the same object wait for each other
 * before they add an entry (a row or a name is locked), so the earlier event has the lower id and is never
 * read later. Entries of different objects have no order.
 *
 * Replay. A place is a text that any process understands. A reader that has seen everything up to a place
 * can continue from it anywhere, at least once, as long as entries are kept. On SQLite nothing is written,
 * because there are no other processes.
 *
 * Gaps. Entries are deleted after OUTBOX_KEPT. A reader that starts, or could not read for half that time,
 * can't tell what it missed: it reloads everything that the topics stand for. */
#include "core/change/outbox.h"

#define STORED(NAME, name) name,
static const char *const topic_names[] = {TOPICS(STORED)};

QUERY(outbox_insert,
      "INSERT INTO outbox (topic, payload, origin, created_at) VALUES (:topic, :payload, :origin, :now)");
QUERY(outbox_unseen,
      "SELECT id, topic, payload FROM outbox WHERE @UNSEEN(:place) AND origin <> :origin ORDER BY id");
QUERY(outbox_place, "SELECT CAST(@PLACE(outbox) AS TEXT)");

static void ring(struct desk *d, void *arg) {
    (void)arg;
    db_notify(d->db);
}

int outbox_add(struct work *w, enum topic_name topic, struct str payload) {
    if (!db_shared(w->desk->db)) return 0;
    after_commit(w, ring, NULL);
    return db_later(w->conn, &outbox_insert,
                    BINDS(B_TEXT("topic", str_of(topic_names[topic])), B_TEXT("payload", payload),
                          B_TEXT("origin", w->desk->process), B_INT("now", w->now)));
}

int outbox_read(struct work *w, struct str *place, struct outbox_entry **first) {
    int rc = 0;
    const struct bind *binds = BINDS(B_TEXT("place", *place), B_TEXT("origin", w->desk->process));
    *first = NULL;
    if (place->p) {
        struct outbox_entry **last = first;
        DB_ROWS(rc, w->conn, &outbox_unseen, binds, row) {
            struct outbox_entry *e = ARENA_NEW(w->arena, struct outbox_entry);
            *e = (struct outbox_entry){col_int(row, 0), str_dup(w->arena, col_text(row, 1)),
                                       str_dup(w->arena, col_text(row, 2)), NULL};
            *last = e;
            last = &e->next;
        }
    }
    if (rc >= 0) rc = db_text(w->conn, &outbox_place, NULL, w->arena, place);
    return rc < 0 ? rc : 0;
}
