#include "core/login/remember.h"

#include "core/change/audit.h"

#define REPEAT (60 * TIME_SECOND)

QUERY(chain_insert, "INSERT INTO remember_chains (user_id, session_id, created_at) "
                    "VALUES (:user, :session, :now) RETURNING id");
QUERY(chain_session_live, "SELECT id FROM sessions WHERE id = :session AND ended_at IS NULL");
QUERY(chain_close, "UPDATE remember_chains SET ended_at = :now WHERE id = :chain AND ended_at IS NULL");
QUERY(chain_close_sessions,
      "UPDATE sessions SET ended_at = :now WHERE remembered_by = :chain AND ended_at IS NULL");
QUERY(chains_close, "UPDATE remember_chains SET ended_at = :now WHERE user_id = :user AND ended_at IS NULL");
QUERY(chains_close_of_session,
      "UPDATE remember_chains SET ended_at = :now "
      "WHERE ended_at IS NULL AND (id = (SELECT s.remembered_by FROM sessions s WHERE s.id = :session) "
      "OR (session_id = :session AND user_id = (SELECT s.user_id FROM sessions s WHERE s.id = :session)))");
QUERY(remember_insert,
      "INSERT INTO remember_tokens (chain_id, token_hash, expires_at) VALUES (:chain, :hash, :until)");
QUERY(remember_user, "SELECT c.user_id FROM remember_tokens t "
                     "JOIN remember_chains c ON c.id = t.chain_id "
                     "WHERE t.token_hash = :hash");
QUERY(remember_row,
      "SELECT t.id, t.chain_id, t.used_at, t.successor, c.user_id "
      "FROM remember_tokens t JOIN remember_chains c ON c.id = t.chain_id "
      "JOIN users u ON u.id = c.user_id "
      "WHERE t.token_hash = :hash AND t.expires_at > :now AND c.ended_at IS NULL AND u.is_enabled = 1 "
      "AND u.deleted_at IS NULL");
QUERY(remember_use,
      "UPDATE remember_tokens SET used_at = :now, successor = :successor WHERE id = :id AND used_at IS NULL");

static struct str remember_hash(struct work *w, struct str token) {
    return mac_hex(w->arena, &w->desk->remember_key, token);
}

static int add_token(struct work *w, int64_t chain, struct str *token) {
    *token = random_hex(w->arena, 32);
    return db_exec(w->conn, &remember_insert,
                   BINDS(B_INT("chain", chain), B_TEXT("hash", remember_hash(w, *token)),
                         B_INT("until", w->now + REMEMBERED_FOR)));
}

/* Changes of the password or the second factor lock the person's row and end the chains. A concurrent
 * begin or take waits for that lock and then finds the chain ended. */
static int lock_person(struct work *w, int64_t user_id) { return db_lock_row(w->conn, "users", user_id); }

int remember_begin(struct work *w, int64_t user_id, int64_t session_id, struct str *token) {
    int64_t chain, session;
    TRY(lock_person(w, user_id));
    int live = db_int(w->conn, &chain_session_live, BINDS(B_INT("session", session_id)), &session);
    if (live <= 0) return live;
    TRY(db_insert(w->conn, &chain_insert,
                  BINDS(B_INT("user", user_id), B_INT("session", session_id), B_INT("now", w->now)), &chain));
    TRY(add_token(w, chain, token));
    return 1;
}

static int stolen(struct work *w, const struct remembered *r) {
    const struct bind *binds = BINDS(B_INT("chain", r->chain_id), B_INT("now", w->now));
    TRY(db_exec(w->conn, &chain_close, binds));
    TRY(db_exec(w->conn, &chain_close_sessions, binds));
    return audit_add(w, &(struct audit_entry){.action = AUDIT_TOKEN_REUSED,
                                              .actor_id = r->user_id,
                                              .object_type = "user",
                                              .object_id = r->user_id});
}

int remember_take(struct work *w, struct str token, struct remembered *out) {
    struct stmt *row;
    struct str hash = remember_hash(w, token);
    int64_t user;
    int rc = db_int(w->conn, &remember_user, BINDS(B_TEXT("hash", hash)), &user);
    if (rc <= 0) return rc;
    /* Two concurrent uses run one after the other; the second one counts as a retry. */
    TRY(lock_person(w, user));
    rc = db_row(w->conn, &remember_row, BINDS(B_TEXT("hash", hash), B_INT("now", w->now)), &row);
    if (rc <= 0) return rc;
    int64_t id = col_int(row, 0), used = col_int(row, 2);
    *out = (struct remembered){.user_id = col_int(row, 4), .chain_id = col_int(row, 1)};
    if (used)
        out->successor = seal_open(w->arena, &w->desk->remember_key, str_dup(w->arena, col_text(row, 3)));
    stmt_end(row);
    if (used) return w->now - used <= REPEAT && out->successor.p ? 1 : stolen(w, out);
    TRY(add_token(w, out->chain_id, &out->successor));
    TRY(db_exec(w->conn, &remember_use,
                BINDS(B_INT("id", id), B_INT("now", w->now),
                      B_BLOB("successor", seal(w->arena, &w->desk->remember_key, out->successor)))));
    return 1;
}

int remember_look(struct work *w, struct str token, int64_t *user_id, int64_t *chain_id) {
    struct stmt *row;
    int rc = db_row(w->conn, &remember_row,
                    BINDS(B_TEXT("hash", remember_hash(w, token)), B_INT("now", w->now)), &row);
    if (rc <= 0) return rc;
    bool fresh = col_null(row, 2) || w->now - col_int(row, 2) <= REPEAT;
    *chain_id = col_int(row, 1);
    *user_id = col_int(row, 4);
    stmt_end(row);
    return fresh;
}

int remember_forget(struct work *w, int64_t session_id) {
    return db_exec(w->conn, &chains_close_of_session,
                   BINDS(B_INT("session", session_id), B_INT("now", w->now)));
}

int remember_end(struct work *w, int64_t user_id) {
    return db_exec(w->conn, &chains_close, BINDS(B_INT("user", user_id), B_INT("now", w->now)));
}
