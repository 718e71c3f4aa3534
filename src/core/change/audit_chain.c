#include "core/change/audit.h"
#include "core/change/audit_mark.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- the chain ------------------------------------------------------------------------------- */

#define AUDIT_LOCK S("audit log")

QUERY(audit_open, "SELECT id, entry_hash FROM audit_entries WHERE seq IS NULL ORDER BY id LIMIT :most");
QUERY(audit_open_any, "SELECT id FROM audit_entries WHERE seq IS NULL ORDER BY id LIMIT 1");
QUERY(audit_place, "UPDATE audit_entries SET seq = :seq, chain = :chain WHERE id = :id AND seq IS NULL");
int audit_waits(struct conn *c) {
    int64_t id;
    return db_int(c, &audit_open_any, NULL, &id);
}

static int audit_place_entry(struct work *w, struct audit_mark *end, int64_t id, struct str entry_hash) {
    end->seq++;
    end->chain = audit_chain_hash(w->arena, &w->desk->audit_key, end->chain, end->seq, entry_hash);
    return db_exec(w->conn, &audit_place,
                   BINDS(B_INT("id", id), B_INT("seq", end->seq), B_TEXT("chain", end->chain)));
}

int audit_chain(struct work *w) {
    struct audit_mark end;
    int64_t ids[AUDIT_CHAINED_AT_ONCE];
    struct str hashes[AUDIT_CHAINED_AT_ONCE];
    int n = 0, rc;
    TRY(db_lock(w->conn, AUDIT_LOCK));
    TRY(audit_mark_of(w->conn, w->arena, &end));
    DB_ROWS(rc, w->conn, &audit_open, BINDS(B_INT("most", AUDIT_CHAINED_AT_ONCE)), row) {
        ids[n] = col_int(row, 0);
        hashes[n++] = str_dup(w->arena, col_text(row, 1));
    }
    for (int i = 0; i < n && rc >= 0; i++) rc = audit_place_entry(w, &end, ids[i], hashes[i]);
    return rc < 0 ? rc : n;
}

/* ---- anchors --------------------------------------------------------------------------------- */

QUERY(audit_anchor_put, "INSERT INTO audit_anchors (seq, chain, anchored_at) "
                        "VALUES (:seq, :chain, :now) ON CONFLICT (seq) DO NOTHING");
QUERY(audit_oldest,
      "SELECT seq, chain, happened_at FROM audit_entries WHERE seq IS NOT NULL ORDER BY seq LIMIT :most");
QUERY(audit_prune_values,
      "DELETE FROM audit_values WHERE entry_id IN (SELECT e.id FROM audit_entries e WHERE e.seq <= :seq)");
QUERY(audit_prune_entries, "DELETE FROM audit_entries WHERE seq <= :seq");

QUERY(audit_older, "SELECT t.id FROM (SELECT e.id, e.happened_at FROM audit_entries e "
                   "WHERE e.seq IS NOT NULL ORDER BY e.seq LIMIT 1) t "
                   "WHERE t.happened_at <= :before");

int audit_is_older(struct conn *c, int64_t before) {
    int64_t id;
    return db_int(c, &audit_older, BINDS(B_INT("before", before)), &id);
}

/* Begins verification behind a place. The entry proves that the program did it. */
static int audit_anchor(struct work *w, const struct audit_mark *at, enum audit_action action,
                        int64_t entries) {
    TRY(db_exec(w->conn, &audit_anchor_put,
                BINDS(B_INT("seq", at->seq), B_TEXT("chain", at->chain), B_INT("now", w->now))));
    return audit_add(
        w, &(struct audit_entry){.action = action,
                                 .object_type = "audit_anchor",
                                 .object_id = at->seq,
                                 .details = str_fmt(w->arena, "{\"seq\":%" PRId64 ",\"entries\":%" PRId64 "}",
                                                    at->seq, entries)});
}

/* The end of the oldest entries that are not newer than `before`. *count: their number. */
static int audit_old_end(struct work *w, int64_t before, int64_t most, struct audit_mark *end,
                         int64_t *count) {
    bool old = true;
    int rc;
    *count = 0;
    DB_ROWS(rc, w->conn, &audit_oldest, BINDS(B_INT("most", most)), row) {
        old = old && col_int(row, 2) <= before;
        if (!old) continue;
        *end = (struct audit_mark){col_int(row, 0), str_dup(w->arena, col_text(row, 1))};
        ++*count;
    }
    return rc;
}

int audit_prune(struct work *w, int64_t before, int64_t most) {
    struct audit_mark end;
    int64_t count;
    TRY(db_lock(w->conn, AUDIT_LOCK));
    TRY(audit_old_end(w, before, most, &end, &count));
    if (count == 0) return 0;
    TRY(db_exec(w->conn, &audit_prune_values, BINDS(B_INT("seq", end.seq))));
    TRY(db_exec(w->conn, &audit_prune_entries, BINDS(B_INT("seq", end.seq))));
    TRY(audit_anchor(w, &end, AUDIT_LOG_PRUNED, count));
    return (int)count;
}

int audit_rekey(struct work *w) {
    struct audit_mark end;
    int rc;
    do rc = audit_chain(w);
    while (rc == AUDIT_CHAINED_AT_ONCE);
    TRY(rc);
    TRY(audit_mark_of(w->conn, w->arena, &end));
    return end.seq ? audit_anchor(w, &end, AUDIT_SERVER_KEY_CHANGED, 0) : 0;
}

/* ---- erasing --------------------------------------------------------------------------------- */

QUERY(audit_erase_about, "DELETE FROM audit_values "
                         "WHERE entry_id IN (SELECT e.id FROM audit_entries e WHERE e.object_type = 'user' "
                         "AND e.object_id IN @LIST(:users))");
QUERY(audit_erase_own,
      "DELETE FROM audit_values "
      "WHERE entry_id IN (SELECT e.id FROM audit_entries e WHERE e.actor_id IN @LIST(:users) "
      "AND e.object_type IN ('api_token', 'oauth_grant'))");
QUERY(audit_erase_origins, "UPDATE audit_values SET ip_address = NULL "
                           "WHERE ip_address IS NOT NULL AND entry_id IN (SELECT e.id FROM audit_entries e "
                           "WHERE e.actor_id IN @LIST(:users))");

int audit_values_erase(struct work *w, struct str users) {
    static const struct query *const erased[] = {&audit_erase_about, &audit_erase_own, &audit_erase_origins};
    for (size_t i = 0; i < sizeof erased / sizeof *erased; i++)
        TRY(db_exec(w->conn, erased[i], BINDS(B_TEXT("users", users))));
    return 0;
}

/* ---- verification ---------------------------------------------------------------------------- */

#define AUDIT_OPEN_LONG (10 * TIME_MINUTE)

/* The entry that explains an anchor was written after it, so its place is behind. Entries before an anchor
 * are not verified. */
QUERY(audit_anchor_entry,
      "SELECT id FROM audit_entries "
      "WHERE object_type = 'audit_anchor' AND object_id = :seq AND action IN (:pruned, :rekeyed) "
      "AND (seq IS NULL OR seq > :seq)");
/* Read in parts, because the rows of a statement are in memory at once on PostgreSQL. */
#define AUDIT_PART 1000
#define AUDIT_WHOLE                                                                          \
    "SELECT e.id, e.action, COALESCE(e.actor_id, 0), e.actor_kind, e.object_type, "          \
    "COALESCE(e.object_id, 0), e.happened_at, e.values_hash, e.entry_hash, e.seq, e.chain, " \
    "v.details, v.cause, v.ip_address, v.salt, e.origin_hash "                               \
    "FROM audit_entries e LEFT JOIN audit_values v ON v.entry_id = e.id "                    \
    "WHERE "
QUERY(audit_placed_part, AUDIT_WHOLE "e.seq > :after ORDER BY e.seq LIMIT :most");
QUERY(audit_open_part, AUDIT_WHOLE "e.seq IS NULL AND e.id > :after ORDER BY e.id LIMIT :most");
/* Entries that the chain has passed over: one that happened long after them has a place. */
QUERY(audit_open_long, "SELECT id FROM audit_entries "
                       "WHERE seq IS NULL AND happened_at < (SELECT MAX(x.happened_at) FROM audit_entries x "
                       "WHERE x.seq IS NOT NULL) - :long ORDER BY id");
QUERY(audit_copied, "SELECT MIN(id) FROM audit_entries GROUP BY entry_hash HAVING COUNT(*) > 1 ORDER BY 1");
QUERY(audit_values_alone, "SELECT v.entry_id FROM audit_values v "
                          "WHERE NOT EXISTS (SELECT 1 FROM audit_entries e WHERE e.id = v.entry_id) "
                          "ORDER BY v.entry_id");

/* An erasure removes the values of entries before it, and of those that are written while it runs. Its own
 * entry is in the chain, so values that somebody deleted by hand since the last one are a finding. */
#define AUDIT_ERASURE_LONG TIME_DAY
QUERY(audit_values_missing, "SELECT e.id FROM audit_entries e "
                            "WHERE NOT EXISTS (SELECT 1 FROM audit_values v WHERE v.entry_id = e.id) "
                            "AND e.happened_at > COALESCE((SELECT MAX(p.happened_at) FROM audit_entries p "
                            "WHERE p.action IN (:purged, :erased)), 0) + :long "
                            "ORDER BY e.id");

enum { AUDIT_SHOWN = 10 };

struct verification {
    const struct key *key; /* NULL: hashes are not verified */
    struct arena *arena;
    struct audit_mark before;
    void (*report)(void *arg, const char *line);
    void *arg;
    int found;
};

static void audit_finding(struct verification *v, const char *what, int64_t id) {
    char line[200];
    if (++v->found > AUDIT_SHOWN) return;
    snprintf(line, sizeof line, what, id);
    v->report(v->arg, line);
}

static struct str text_or_null(struct stmt *row, int at) {
    return col_null(row, at) ? (struct str){0} : col_text(row, at);
}

static bool values_differ(struct verification *v, struct stmt *row) {
    if (col_null(row, 14)) return false; /* erased */
    struct str salt = col_text(row, 14), ip = text_or_null(row, 13);
    struct str values = audit_values_hash(v->arena, v->key, salt, text_or_null(row, 12), col_text(row, 11));
    bool other_origin = ip.p && !str_eq(audit_origin_hash(v->arena, v->key, salt, ip), col_text(row, 15));
    return other_origin || !str_eq(values, col_text(row, 7));
}

static bool entry_differs(struct verification *v, struct stmt *row) {
    struct audit_hashed e = {.action = col_int(row, 1),
                             .actor_id = col_int(row, 2),
                             .actor_kind = col_int(row, 3),
                             .object_type = text_or_null(row, 4),
                             .object_id = col_int(row, 5),
                             .happened_at = col_int(row, 6),
                             .values_hash = col_text(row, 7),
                             .origin_hash = col_text(row, 15)};
    return !str_eq(audit_entry_hash(v->arena, v->key, &e), col_text(row, 8));
}

/* Verifies the place of an entry in the chain, and continues behind it, so that one defect is one finding. */
static void verify_place(struct verification *v, struct stmt *row) {
    int64_t id = col_int(row, 0), seq = col_int(row, 9);
    struct str chain = col_text(row, 10);
    bool follows = seq == v->before.seq + 1;
    if (!follows) audit_finding(v, "audit log: entries are missing before entry %" PRId64, id);
    else if (v->key &&
             !str_eq(chain, audit_chain_hash(v->arena, v->key, v->before.chain, seq, col_text(row, 8))))
        audit_finding(v, "audit log: the chain is broken at entry %" PRId64, id);
    v->before = (struct audit_mark){seq, str_dup(v->arena, chain)};
}

static void verify_entry(struct verification *v, struct stmt *row) {
    int64_t id = col_int(row, 0);
    if (v->key && entry_differs(v, row))
        audit_finding(v, "audit log: entry %" PRId64 " was changed or is forged", id);
    if (v->key && values_differ(v, row))
        audit_finding(v, "audit log: the values of entry %" PRId64 " were changed", id);
    if (!col_null(row, 9)) verify_place(v, row);
}

/* Verifies the entries of a query, part by part, from behind `after`. key: the column that orders them. */
static int verify_entries(struct verification *v, struct conn *c, const struct query *q, int64_t after,
                          int key) {
    char chain[2 * MAC_SIZE]; /* chain value of the previous entry */
    int rc, n;
    do {
        n = 0;
        DB_ROWS(rc, c, q, BINDS(B_INT("after", after), B_INT("most", AUDIT_PART)), row) {
            struct arena_mark m = arena_mark(v->arena);
            verify_entry(v, row);
            if (v->before.chain.n > sizeof chain) v->before.chain.n = sizeof chain;
            memmove(chain, v->before.chain.p, v->before.chain.n);
            v->before.chain.p = chain;
            arena_return(v->arena, m);
            after = col_int(row, key);
            n++;
        }
    } while (rc >= 0 && n == AUDIT_PART);
    v->before.chain = str_dup(v->arena, v->before.chain);
    return rc;
}

/* An anchor that no entry proves: somebody deleted the oldest entries by hand. */
static int verify_anchor(struct verification *v, struct conn *c) {
    int64_t entry;
    v->before = (struct audit_mark){0, S("")};
    int rc = audit_mark_of_anchor(c, v->arena, &v->before);
    if (rc <= 0) return rc;
    rc = db_int(c, &audit_anchor_entry,
                BINDS(B_INT("seq", v->before.seq), B_INT("pruned", AUDIT_LOG_PRUNED),
                      B_INT("rekeyed", AUDIT_SERVER_KEY_CHANGED)),
                &entry);
    if (rc == 0)
        audit_finding(v, "audit log: no entry explains why verification begins after place %" PRId64,
                      v->before.seq);
    return rc < 0 ? rc : 0;
}

static int verify_rows(struct verification *v, struct conn *c, const struct query *q,
                       const struct bind *binds, const char *what) {
    int rc;
    DB_ROWS(rc, c, q, binds, row) audit_finding(v, what, col_int(row, 0));
    return rc;
}

static int audit_verify_in(struct verification *v, struct conn *c) {
    TRY(verify_anchor(v, c));
    TRY(verify_entries(v, c, &audit_placed_part, v->before.seq, 9));
    TRY(verify_entries(v, c, &audit_open_part, 0, 0));
    TRY(verify_rows(v, c, &audit_open_long, BINDS(B_INT("long", AUDIT_OPEN_LONG)),
                    "audit log: entry %" PRId64 " has no place in the chain"));
    TRY(verify_rows(v, c, &audit_copied, NULL, "audit log: entry %" PRId64 " occurs twice"));
    TRY(verify_rows(v, c, &audit_values_missing,
                    BINDS(B_INT("purged", AUDIT_USER_PURGED), B_INT("erased", AUDIT_PERSON_ERASED),
                          B_INT("long", AUDIT_ERASURE_LONG)),
                    "audit log: the values of entry %" PRId64 " are missing, and no erasure explains it"));
    return verify_rows(v, c, &audit_values_alone, NULL,
                       "audit log: there are values of entry %" PRId64 ", which is missing");
}

int audit_verify(struct conn *c, const struct key *key, void (*report)(void *arg, const char *line),
                 void *arg) {
    struct verification v = {.key = key, .arena = arena_new(), .report = report, .arg = arg};
    char line[80];
    int rc = audit_verify_in(&v, c);
    arena_free(v.arena);
    if (rc < 0) return rc;
    snprintf(line, sizeof line, "... and %d more findings in the audit log", v.found - AUDIT_SHOWN);
    if (v.found > AUDIT_SHOWN) report(arg, line);
    return v.found;
}
