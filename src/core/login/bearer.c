#include "core/login/bearer.h"

#include "core/access/scope.h"
#include "core/login/session.h"
#include "core/login/last_use.h"
#include "core/login/token_text.h"
#include "json/json.h"

/* Both queries give the same columns. A grant's scopes are those of the newest consent; a token of
 * client_credentials has no grant. */
#define OF_TOKEN_ACTOR \
    "JOIN users u ON u.id = t.user_id " OF_ACTOR "WHERE t.token_hash = :hash AND " MAY_LOG_IN
QUERY(bearer_access,
      "SELECT " ACTOR_COLUMNS ", t.user_id, t.scopes, COALESCE(g.scopes, t.scopes), c.scopes, c.name, "
      "c.id, COALESCE(g.id, 0), 0, COALESCE(c.last_used_at, "
      "0), COALESCE(g.last_activity_at, 0), 0 FROM oauth_tokens t "
      "JOIN oauth_clients c ON c.id = t.client_id "
      "LEFT JOIN oauth_grants g ON g.id = t.grant_id " OF_TOKEN_ACTOR
      " AND t.kind = 1 AND t.expires_at > :now AND c.deleted_at IS NULL");
QUERY(bearer_api, "SELECT " ACTOR_COLUMNS ", t.user_id, t.scopes, t.scopes, t.scopes, t.name, 0, 0, t.id, 0, "
                  "0, COALESCE(t.last_used_at, 0) FROM api_tokens t " OF_TOKEN_ACTOR
                  " AND (t.expires_at IS NULL OR t.expires_at > :now)");

enum {
    BEARER_USER = ACTOR_COLUMN_COUNT,
    BEARER_SCOPES,
    BEARER_GRANTED,
    BEARER_ALLOWED,
    BEARER_NAME,
    BEARER_IDS,
    BEARER_USES = BEARER_IDS + 3
};

/* A use of a token is a use of these rows, in the order of the columns. */
static const struct gather_kind *const bearer_uses[] = {&client_uses, &grant_uses, &api_token_uses};

static void bearer_used(struct work *w, struct stmt *row) {
    for (int i = 0; i < 3; i++) {
        int64_t id = col_int(row, BEARER_IDS + i);
        if (id) last_use(w, bearer_uses[i], id, col_int(row, BEARER_USES + i));
    }
}

static void bearer_read(struct work *w, struct stmt *row, const char *cause) {
    struct actor *a = &w->actor;
    struct str name = col_text(row, BEARER_NAME);
    actor_read(a, row);
    a->kind = ACTOR_TOKEN;
    a->user_id = col_int(row, BEARER_USER);
    a->client_id = col_int(row, BEARER_IDS);
    a->acts_alone = a->client_id && col_int(row, BEARER_IDS + 1) == 0;
    a->scopes = scopes_common((uint32_t)col_int(row, BEARER_SCOPES), (uint32_t)col_int(row, BEARER_GRANTED));
    a->scopes = scopes_common(a->scopes, (uint32_t)col_int(row, BEARER_ALLOWED));
    a->cause = str_fmt(w->arena, "%s: %.*s", cause, (int)name.n, name.p);
    bearer_used(w, row);
}

int bearer_load_hash(struct work *w, enum token_kind kind, struct str hash) {
    struct stmt *row;
    bool access = kind == TOKEN_ACCESS;
    int rc = db_row(w->conn, access ? &bearer_access : &bearer_api,
                    BINDS(B_TEXT("hash", hash), B_INT("now", w->now)), &row);
    if (rc <= 0) return rc;
    bearer_read(w, row, access ? "App" : "API token");
    stmt_end(row);
    return 1;
}

int bearer_load(struct work *w, struct str text) {
    enum token_kind kind = token_text_is(TOKEN_ACCESS, text) ? TOKEN_ACCESS : TOKEN_API;
    return token_text_is(kind, text) ? bearer_load_hash(w, kind, token_text_hash(w, text)) : 0;
}

QUERY(codes_drop, "DELETE FROM oauth_codes "
                  "WHERE grant_id IN (SELECT g.id FROM oauth_grants g WHERE g.user_id IN @LIST(:users))");
QUERY(oauth_tokens_drop, "DELETE FROM oauth_tokens WHERE user_id IN @LIST(:users)");
QUERY(api_tokens_drop, "DELETE FROM api_tokens WHERE user_id IN @LIST(:users)");
QUERY(grants_expire,
      "UPDATE oauth_grants SET expiry_at = :now WHERE user_id IN @LIST(:users) AND expiry_at > :now");

int tokens_end_all(struct work *w, struct str users) {
    const struct bind *binds = BINDS(B_TEXT("users", users), B_INT("now", w->now));
    TRY(db_exec(w->conn, &codes_drop, binds));
    TRY(db_exec(w->conn, &oauth_tokens_drop, binds));
    TRY(db_exec(w->conn, &api_tokens_drop, binds));
    return db_exec(w->conn, &grants_expire, binds);
}

int tokens_end(struct work *w, int64_t user_id) { return tokens_end_all(w, json_ids(w->arena, &user_id, 1)); }
