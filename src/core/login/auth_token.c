#include "core/login/auth_token.h"

#define LIFE (10 * TIME_MINUTE)
#define MISSES "5"

QUERY(auth_token_insert, "INSERT INTO auth_tokens (token_hash, step, user_id, user_agent, expires_at) "
                         "VALUES (:hash, :step, :user, :agent, :until)");
QUERY(auth_token_row,
      "SELECT t.id, t.user_id, t.step FROM auth_tokens t "
      "JOIN users u ON u.id = t.user_id "
      "WHERE t.token_hash = :hash AND t.user_agent = :agent AND t.used_at IS NULL "
      "AND t.expires_at > :now AND t.attempts < " MISSES " AND u.is_enabled = 1 AND u.deleted_at IS NULL");
QUERY(auth_token_spend, "UPDATE auth_tokens SET used_at = :now WHERE id = :id AND used_at IS NULL");
QUERY(auth_token_missed, "UPDATE auth_tokens SET attempts = attempts + 1 WHERE id = :id");
QUERY(auth_tokens_drop, "DELETE FROM auth_tokens WHERE user_id = :user");

static struct str auth_token_hash(struct work *w, struct str token) {
    return mac_hex(w->arena, &w->desk->factor_key, token);
}

int auth_token_make(struct work *w, enum auth_step step, int64_t user_id, struct str *token) {
    *token = random_hex(w->arena, 32);
    return db_exec(w->conn, &auth_token_insert,
                   BINDS(B_TEXT("hash", auth_token_hash(w, *token)), B_INT("step", step),
                         B_INT("user", user_id), B_TEXT("agent", w->actor.user_agent),
                         B_INT("until", w->now + LIFE)));
}

int auth_token_find(struct work *w, struct str token, struct auth_token *out) {
    struct stmt *row;
    int rc = db_row(w->conn, &auth_token_row,
                    BINDS(B_TEXT("hash", auth_token_hash(w, token)), B_TEXT("agent", w->actor.user_agent),
                          B_INT("now", w->now)),
                    &row);
    if (rc <= 0) return rc;
    *out = (struct auth_token){
        .id = col_int(row, 0), .user_id = col_int(row, 1), .step = (enum auth_step)col_int(row, 2)};
    stmt_end(row);
    return 1;
}

int auth_token_use(struct work *w, int64_t id) {
    return db_exec(w->conn, &auth_token_spend, BINDS(B_INT("id", id), B_INT("now", w->now)));
}
int auth_token_miss(struct work *w, int64_t id) {
    return db_exec(w->conn, &auth_token_missed, BINDS(B_INT("id", id)));
}
int auth_tokens_end(struct work *w, int64_t user_id) {
    return db_exec(w->conn, &auth_tokens_drop, BINDS(B_INT("user", user_id)));
}
