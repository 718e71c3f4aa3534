#include "core/login/session.h"
#include "core/programs/token.h"

#include "core/access/scope.h"
#include "core/change/audit.h"
#include "core/login/token_text.h"

#define REPEAT (60 * TIME_SECOND)

/* NULL in place of the scopes of a grant: client_credentials have none. */
#define TOKEN_OF(condition)                                              \
    "SELECT t.id, t.kind, CASE WHEN t.expires_at > :now AND " MAY_LOG_IN \
    " THEN 1 ELSE 0 END, t.user_id, COALESCE(t.grant_id, "               \
    "0), t.scopes, g.scopes, t.family, t.token_hash, "                   \
    "t.former_hash, COALESCE(t.rotated_at, 0), "                         \
    "t.created_at, t.expires_at FROM oauth_tokens t "                    \
    "JOIN users u ON u.id = t.user_id LEFT "                             \
    "JOIN oauth_grants g ON g.id = t.grant_id "                          \
    "WHERE t.client_id = :client AND " condition

QUERY(oauth_token_insert,
      "INSERT INTO oauth_tokens (kind, token_hash, client_id, grant_id, user_id, scopes, "
      "family, created_at, expires_at) "
      "VALUES (:kind, :hash, :client, CAST(:grant AS BIGINT), :user, :scopes, :family, :now, :until)");
QUERY(access_row, TOKEN_OF("t.kind = 1 AND t.token_hash = :hash"));
QUERY(refresh_row, TOKEN_OF("t.kind = 2 AND t.family = :family"));
QUERY(refresh_replace,
      "UPDATE oauth_tokens "
      "SET token_hash = :next, former_hash = token_hash, rotated_at = :now, created_at = :now, "
      "expires_at = :until WHERE id = :id AND token_hash = :hash");
QUERY(oauth_token_delete, "DELETE FROM oauth_tokens WHERE id = :id");
QUERY(oauth_family_delete, "DELETE FROM oauth_tokens WHERE family = :family");
/* Families of a grant beyond the newest FAMILIES_MAX, by their last rotation. */
QUERY(oauth_families_trim, "DELETE FROM oauth_tokens "
                           "WHERE family IN (SELECT o.family FROM oauth_tokens o WHERE o.grant_id = :grant "
                           "AND o.kind = 2 ORDER BY o.created_at DESC, o.id DESC LIMIT 1000 OFFSET :most)");
QUERY(oauth_family_grant,
      "SELECT grant_id FROM oauth_tokens WHERE family = :family AND grant_id IS NOT NULL LIMIT 1");
QUERY(grant_shorten,
      "UPDATE oauth_grants "
      "SET expiry_at = (SELECT COALESCE(MAX(t.expires_at), CAST(:now AS BIGINT)) FROM oauth_tokens t "
      "WHERE t.grant_id = :grant) WHERE id = :grant");

enum shown { SHOWN_OTHER, SHOWN_PRESENT, SHOWN_FORMER };

struct oauth_token {
    int64_t id, rotated_at, created_at, expires_at;
    enum token_kind kind;
    /* The token of the row that the text is; SHOWN_OTHER: an older or made-up one of the family. */
    enum shown shown;
    bool live;           /* not expired, and its person may log in */
    uint32_t now_scopes; /* scopes of the token that its grant and its client still have */
    struct token_terms terms;
};

/* ---- issue ----------------------------------------------------------------------------------- */

int token_lock(struct work *w, int64_t user_id) { return db_lock_row(w->conn, "users", user_id); }

static int token_add(struct work *w, const struct token_terms *t, enum token_kind kind, struct str text,
                     uint32_t mask, int64_t until) {
    return db_exec(w->conn, &oauth_token_insert,
                   BINDS(B_INT("kind", kind), B_TEXT("hash", token_text_hash(w, text)),
                         B_INT("client", t->client_id), B_ID("grant", t->grant_id), B_INT("user", t->user_id),
                         B_INT("scopes", mask), B_TEXT("family", t->family), B_INT("now", w->now),
                         B_INT("until", until)));
}

static int access_add(struct work *w, const struct token_terms *t, uint32_t mask, struct tokens *out) {
    TRY(client_hold(w, t->client_id));
    out->access = token_text_make(w->arena, TOKEN_ACCESS);
    out->scopes = mask;
    return token_add(w, t, TOKEN_ACCESS, out->access, mask, w->now + ACCESS_LIFE);
}

static int audit_token(struct work *w, enum audit_action action, const struct token_terms *t) {
    return audit_add(w, &(struct audit_entry){.action = action,
                                              .actor_id = t->user_id,
                                              .object_type = "oauth_client",
                                              .object_id = t->client_id});
}

int tokens_issue(struct work *w, const struct token_terms *t, struct tokens *out) {
    struct token_terms terms = *t;
    *out = (struct tokens){0};
    if (terms.family.p == NULL) terms.family = family_make(w->arena);
    TRY(access_add(w, &terms, terms.scopes, out));
    TRY(audit_token(w, AUDIT_TOKEN_ISSUED, t));
    if (terms.grant_id == 0) return 0;
    out->refresh = refresh_text_make(w->arena, terms.family);
    TRY(token_add(w, &terms, TOKEN_REFRESH, out->refresh, terms.scopes, w->now + REFRESH_LIFE));
    TRY(db_exec(w->conn, &oauth_families_trim,
                BINDS(B_INT("grant", terms.grant_id), B_INT("most", FAMILIES_MAX))));
    return grant_extend(w, terms.grant_id, w->now + REFRESH_LIFE);
}

/* deletes its tokens; the grant ends with its last token */
static int family_end(struct work *w, struct str family) {
    int64_t grant;
    int rc = db_int(w->conn, &oauth_family_grant, BINDS(B_TEXT("family", family)), &grant);
    TRY(rc);
    TRY(db_exec(w->conn, &oauth_family_delete, BINDS(B_TEXT("family", family))));
    return rc ? db_exec(w->conn, &grant_shorten, BINDS(B_INT("grant", grant), B_INT("now", w->now))) : 0;
}

int family_stolen(struct work *w, const struct token_terms *t) {
    TRY(family_end(w, t->family));
    return audit_token(w, AUDIT_TOKEN_REUSED, t);
}

/* ---- find ------------------------------------------------------------------------------------ */

static enum shown shown_of(struct stmt *row, struct str hash) {
    if (secret_eq(col_text(row, 8), hash)) return SHOWN_PRESENT;
    return !col_null(row, 9) && secret_eq(col_text(row, 9), hash) ? SHOWN_FORMER : SHOWN_OTHER;
}

/* Finds the row of a text, live or not. Returns 1, 0 if the client has none, or a negative error. */
static int token_find(struct work *w, const struct client *c, struct str text, struct oauth_token *out) {
    struct stmt *row;
    bool refresh = token_text_is(TOKEN_REFRESH, text);
    if (!refresh && !token_text_is(TOKEN_ACCESS, text)) return 0;
    struct str hash = token_text_hash(w, text);
    struct bind key = B_TEXT("hash", hash);
    if (refresh) key = (struct bind)B_TEXT("family", refresh_text_family(text));
    int rc = db_row(w->conn, refresh ? &refresh_row : &access_row,
                    BINDS(key, B_INT("client", c->id), B_INT("now", w->now)), &row);
    if (rc <= 0) return rc;
    *out = (struct oauth_token){.id = col_int(row, 0),
                                .kind = (enum token_kind)col_int(row, 1),
                                .live = col_int(row, 2) != 0,
                                .shown = shown_of(row, hash),
                                .rotated_at = col_int(row, 10),
                                .created_at = col_int(row, 11),
                                .expires_at = col_int(row, 12)};
    out->terms = (struct token_terms){.client_id = c->id,
                                      .user_id = col_int(row, 3),
                                      .grant_id = col_int(row, 4),
                                      .scopes = (uint32_t)col_int(row, 5),
                                      .family = str_dup(w->arena, col_text(row, 7))};
    out->now_scopes = scopes_common(out->terms.scopes, c->scopes);
    if (!col_null(row, 6)) out->now_scopes = scopes_common(out->now_scopes, (uint32_t)col_int(row, 6));
    stmt_end(row);
    return 1;
}

/* The same, after it has locked the person of the token. So of two uses of a token, one is first. */
static int token_find_locked(struct work *w, const struct client *c, struct str text,
                             struct oauth_token *out) {
    int rc = token_find(w, c, text, out);
    if (rc <= 0) return rc;
    TRY(token_lock(w, out->terms.user_id));
    return token_find(w, c, text, out);
}

int token_introspect(struct work *w, const struct client *c, struct str text, struct token_facts *out) {
    struct oauth_token t;
    int rc = token_find(w, c, text, &t);
    if (rc <= 0 || !t.live || t.shown != SHOWN_PRESENT) return rc < 0 ? rc : 0;
    *out = (struct token_facts){.user_id = t.terms.user_id,
                                .created_at = t.created_at,
                                .expires_at = t.expires_at,
                                .scopes = t.now_scopes,
                                .is_refresh = t.kind == TOKEN_REFRESH};
    return 1;
}

int token_is_known(struct work *w, const struct client *c, struct str text) {
    struct oauth_token t;
    return token_find(w, c, text, &t);
}

/* ---- refresh --------------------------------------------------------------------------------- */

/* True if the client repeats itself because it lost the reply. The row holds the former token only until
 * the present one is used. */
static bool is_repeated(const struct work *w, const struct oauth_token *t) {
    return t->shown == SHOWN_FORMER && w->now - t->rotated_at <= REPEAT;
}

static int refresh_rotate(struct work *w, const struct oauth_token *t, struct str text,
                          struct str successor) {
    TRY(grant_extend(w, t->terms.grant_id, w->now + REFRESH_LIFE));
    int rc = db_exec(w->conn, &refresh_replace,
                     BINDS(B_INT("id", t->id), B_TEXT("hash", token_text_hash(w, text)),
                           B_TEXT("next", token_text_hash(w, successor)), B_INT("now", w->now),
                           B_INT("until", w->now + REFRESH_LIFE)));
    return rc == 0 ? -ERR_FIELD_INVALID : rc; /* 0: grant or client was deleted meanwhile */
}

int refresh_take(struct work *w, const struct client *c, struct str text, uint32_t wanted,
                 struct tokens *out) {
    struct oauth_token t;
    if (!token_text_is(TOKEN_REFRESH, text)) return TAKEN_NOT;
    int rc = token_find_locked(w, c, text, &t);
    if (rc <= 0 || !t.live) return rc < 0 ? rc : TAKEN_NOT;
    if (t.shown != SHOWN_PRESENT && !is_repeated(w, &t)) {
        TRY(family_stolen(w, &t.terms));
        return TAKEN_AGAIN;
    }
    uint32_t mask = wanted ? wanted : t.now_scopes;
    if (mask == 0 || scopes_within(mask, t.now_scopes) != mask) return TAKEN_SCOPES;
    TRY(access_add(w, &t.terms, mask,
                   /* first, because it locks client and grant, and their deletion locks them before tokens,
                    * too */
                   out));
    out->refresh = refresh_text_successor(w, text);
    if (t.shown == SHOWN_PRESENT) TRY(refresh_rotate(w, &t, text, out->refresh));
    return TAKEN;
}

/* ---- revoke ---------------------------------------------------------------------------------- */

int token_revoke(struct work *w, const struct client *c, struct str text) {
    struct oauth_token t;
    int rc = token_find_locked(w, c, text, &t);
    if (rc <= 0) return rc;
    return t.kind == TOKEN_REFRESH ? family_end(w, t.terms.family)
                                   : db_exec(w->conn, &oauth_token_delete, BINDS(B_INT("id", t.id)));
}
