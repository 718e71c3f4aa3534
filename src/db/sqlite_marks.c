/* Numbers of sets of tables, for what is kept in memory of their rows (db_mark).
 *
 * Most COMMITs change no row of a set: a reply changes no team. So what was read of its rows is exact until
 * the next COMMIT that changes one, in each snapshot that was begun since the last one.
 *
 *     writer:  since = none   COMMIT   number + 1   since = the newest snapshot
 *     reader:  number, since, number again: known if (1) the number is the same and (2) its snapshot is newer
 *              than `since`
 *
 * A reader that finds the former `since` has begun its snapshot before the COMMIT, because `since` becomes
 * `none` before it. So it sees the rows of the former number. A reader that finds the new `since` finds the
 * new number, too, or two different ones. A snapshot of the new number is begun after the COMMIT.
 *
 * The rows of a snapshot are those of its first statement, not of its begin. So a value in memory may be
 * older than the other rows of a read by the time between the two. It is never older than the begin of the
 * read, so a caller whose write was answered finds it.
 *
 * A write finds the rows that are committed, until a statement of its batch changes one of them. */
#include "db/db_internal.h"

static bool mark_exists(const struct db *db, int set) {
    for (int i = 0; db && db->marked && db->marked[i]; i++)
        if (i == set) return true;
    return false;
}

int64_t mark_now(const struct conn *c, int set) {
    if (!mark_exists(c->store, set)) return 0;
    const struct mark *m = &c->store->sqlite->marks[set];
    int64_t number = atomic_load(&m->number), since = atomic_load(&m->since);
    if (c->role == CONN_WRITER) return c->changed >> set & 1 ? 0 : number + 1;
    return snapshot_number(c) > since && atomic_load(&m->number) == number ? number + 1 : 0;
}

void marks_close(struct conn *c) {
    for (int i = 0; c->changed >> i; i++)
        if (c->changed >> i & 1) atomic_store(&c->store->sqlite->marks[i].since, INT64_MAX);
}

void marks_renew(struct conn *c) {
    struct sqlite_store *s = c->store->sqlite;
    for (int i = 0; c->changed >> i; i++) {
        if (!(c->changed >> i & 1)) continue;
        atomic_fetch_add(&s->marks[i].number, 1);
        atomic_store(&s->marks[i].since, atomic_load(&s->snapshots));
    }
    c->changed = 0;
}
