#include "core/programs/api_token.h"

#include "core/access/scope.h"
#include "core/change/change.h"
#include "core/login/token_text.h"

QUERY(api_token_session, "SELECT id FROM sessions WHERE id = :session AND ended_at IS NULL");
QUERY(api_token_count, "SELECT COUNT(*) FROM api_tokens WHERE user_id = :user");
QUERY(api_token_scopes_now, "SELECT scopes FROM api_tokens WHERE id = :id");
QUERY(api_token_scopes_set, "UPDATE api_tokens SET scopes = :scopes, updated_at = :now WHERE id = :id");

struct str api_token_make(struct work *w, struct str *hash) {
    struct str text = token_text_make(w->arena, TOKEN_API);
    *hash = token_text_hash(w, text);
    return text;
}

int api_token_room(struct work *w) {
    int64_t session, count = 0;
    TRY(db_lock_row(w->conn, "users", w->actor.user_id));
    int live = db_int(w->conn, &api_token_session, BINDS(B_INT("session", w->actor.session_id)), &session);
    if (live <= 0) return live < 0 ? live : fail(w, ERR_SESSION_LOADING_FAILED);
    TRY(db_int(w->conn, &api_token_count, BINDS(B_INT("user", w->actor.user_id)), &count));
    if (count < API_TOKENS_MAX) return 0;
    return fail_state(w, "You have %d API tokens. Delete one first.", API_TOKENS_MAX);
}

int api_token_set_scopes(struct work *w, int64_t id, uint32_t mask) {
    int64_t before = 0;
    TRY(db_int(w->conn, &api_token_scopes_now, BINDS(B_INT("id", id)), &before));
    change_property(w, (struct changed){"api_token", id, 0}, "scopes",
                    changed_text(scopes_text(w->arena, (uint32_t)before)),
                    changed_text(scopes_text(w->arena, mask)));
    return db_exec(w->conn, &api_token_scopes_set,
                   BINDS(B_INT("id", id), B_INT("scopes", mask), B_INT("now", w->now)));
}
