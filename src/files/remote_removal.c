/* Removes contents from a bucket. The states of a removal are drawn in remote.c. */
#include "files/remote.h"

#include "base/log.h"
#include "core/desk/file.h"
#include "files/content.h"

#include <unistd.h>

#define DELETING_FOR (15 * TIME_MINUTE) /* a signature is valid as long */

#define AT_ONCE 100 /* contents that one write checks: a few ms */

struct removing {
    struct arena *arena;
    const struct str *contents;
    struct str *claimed; /* room for AT_ONCE */
    int n, claimed_count;
    int64_t now, due;
};

QUERY(removal_begin, "INSERT INTO content_removals (sha256, state, due_at) VALUES (:sha256, 1, :due) "
                     "ON CONFLICT (sha256) DO UPDATE SET state = 1, due_at = excluded.due_at "
                     "WHERE content_removals.state = 3");
QUERY(removals_due, "SELECT r.sha256 FROM content_removals r WHERE r.state IN (1, 2) AND r.due_at <= :due "
                    "ORDER BY r.due_at, r.sha256 LIMIT 100");
QUERY(removal_claim, "UPDATE content_removals SET state = 2, due_at = :until "
                     "WHERE sha256 = :sha256 AND state IN (1, 2) AND due_at <= :due");
QUERY(removal_done,
      "UPDATE content_removals SET state = 3, due_at = :until WHERE sha256 = :sha256 AND state = 2");

static int removals_note(struct conn *c, void *arg) {
    const struct removing *m = arg;
    for (int i = 0; i < m->n; i++) {
        TRY(db_lock(c, m->contents[i]));
        int named = content_named(c, m->contents[i]);
        TRY(named);
        if (!named)
            TRY(db_exec(c, &removal_begin, BINDS(B_TEXT("sha256", m->contents[i]), B_INT("due", m->due))));
    }
    return 0;
}

int remote_drop(struct desk *d, const struct str *contents, int n) {
    struct arena *a = arena_new();
    int64_t now = clock_now(&d->clock);
    int rc = 0;
    for (int i = 0; i < n && rc >= 0; i += AT_ONCE) {
        struct removing part = {.arena = a,
                                .contents = contents + i,
                                .n = n - i < AT_ONCE ? n - i : AT_ONCE,
                                .now = now,
                                .due = now + REMOTE_LINGERS};
        rc = db_write_first(d->db, removals_note, &part);
    }
    arena_free(a);
    return rc;
}

/* Takes removals that are due, unless a row refers to the content again. */
static int removals_claim(struct conn *c, void *arg) {
    struct removing *m = arg;
    struct str *due = arena_array(m->arena, AT_ONCE, sizeof *due);
    int n = 0, rc;
    m->claimed_count = 0;
    DB_ROWS(rc, c, &removals_due, BINDS(B_INT("due", m->due)), row)
    if (n < AT_ONCE) due[n++] = str_dup(m->arena, col_text(row, 0));
    TRY(rc);
    for (int i = 0; i < n; i++) {
        TRY(db_lock(c, due[i]));
        int named = content_named(c, due[i]);
        TRY(named);
        int mine = named ? removal_ended(c, due[i])
                         : db_exec(c, &removal_claim,
                                   BINDS(B_TEXT("sha256", due[i]), B_INT("due", m->due),
                                         B_INT("until", m->now + DELETING_FOR)));
        TRY(mine);
        if (!named && mine) m->claimed[m->claimed_count++] = due[i];
    }
    return 0;
}

static int removals_finish(struct conn *c, void *arg) {
    const struct removing *m = arg;
    for (int i = 0; i < m->n; i++)
        TRY(db_exec(c, &removal_done,
                    BINDS(B_TEXT("sha256", m->claimed[i]), B_INT("until", m->now + REMOTE_GONE))));
    return 0;
}

/* Deletes those that were taken. n: those that the store has deleted. */
static int removals_delete(const struct contents *k, struct removing *m) {
    char said[300] = "";
    for (m->n = 0; m->n < m->claimed_count; m->n++) {
        struct str sha256 = m->claimed[m->n];
        if (s3_delete(remote_s3(k->remote), remote_object(m->arena, sha256),
                      (struct why){said, sizeof said}) != S3_DONE)
            break;
        unlink(content_path(m->arena, k, sha256).p);
    }
    if (m->n == m->claimed_count) return 0;
    return UNAVAILABLE("contents that can't be deleted",
                       "contents can't be deleted from %s: %s; they are tried again",
                       s3_name(m->arena, remote_s3(k->remote)).p, said);
}

int remote_remove(struct desk *d, bool at_once) {
    int guard = contents_share(d->files), rc = 0;
    bool more = guard >= 0;
    while (more && rc >= 0) {
        struct arena *a = arena_new();
        int64_t now = clock_now(&d->clock);
        struct removing m = {.arena = a,
                             .claimed = arena_array(a, AT_ONCE, sizeof(struct str)),
                             .now = now,
                             .due = at_once ? now + REMOTE_LINGERS : now};
        rc = db_write_first(d->db, removals_claim, &m);
        more = m.claimed_count == AT_ONCE;
        int deleted = rc < 0 ? rc : removals_delete(d->files, &m);
        m.now = clock_now(&d->clock);
        if (rc >= 0 && m.n) rc = db_write(d->db, removals_finish, &m);
        if (rc >= 0) rc = deleted;
        arena_free(a);
    }
    if (guard >= 0) close(guard);
    return rc < 0 ? rc : 0;
}
