#include "core/login/session.h"
#include "core/programs/code.h"

#include "core/access/scope.h"
#include "core/login/token_text.h"

#include <sodium.h>

#define CHALLENGE 43 /* digits: 32 bytes in base64url without padding */
#define VERIFIER_MIN 43
#define VERIFIER_MAX 128

QUERY(code_insert,
      "INSERT INTO oauth_codes (code_hash, grant_id, scopes, redirect_uri, challenge, family, expires_at) "
      "VALUES (:hash, :grant, :scopes, :redirect, :challenge, :family, :until)");
QUERY(code_user, "SELECT g.user_id FROM oauth_codes c JOIN oauth_grants g ON g.id = c.grant_id "
                 "WHERE c.code_hash = :hash AND g.client_id = :client");
QUERY(code_row,
      "SELECT c.id, c.used_at, c.expires_at, c.grant_id, c.scopes, c.redirect_uri, c.challenge, "
      "c.family, g.scopes FROM oauth_codes c JOIN oauth_grants g ON g.id = c.grant_id "
      "JOIN users u ON u.id = g.user_id WHERE c.code_hash = :hash AND g.client_id = :client AND " MAY_LOG_IN);
QUERY(code_use, "UPDATE oauth_codes SET used_at = :now WHERE id = :id AND used_at IS NULL");

struct code {
    int64_t id, expires_at;
    bool used;
    struct str redirect_uri, challenge;
    struct token_terms terms;
};

int code_make(struct work *w, const struct code_terms *t, struct str *text) {
    *text = token_text_make(w->arena, TOKEN_CODE);
    return db_exec(w->conn, &code_insert,
                   BINDS(B_TEXT("hash", token_text_hash(w, *text)), B_INT("grant", t->grant_id),
                         B_INT("scopes", t->scopes), B_TEXT("redirect", t->redirect_uri),
                         B_TEXT("challenge", t->challenge), B_TEXT("family", family_make(w->arena)),
                         B_INT("until", w->now + CODE_LIFE)));
}

/* ---- PKCE ------------------------------------------------------------------------------------ */

static bool is_letter_or_digit(char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool consists_of(struct str text, const char *others) {
    for (size_t i = 0; i < text.n; i++)
        if (!is_letter_or_digit(text.p[i]) && !in_set(text.p[i], others)) return false;
    return true;
}

bool challenge_is(struct str text) { return text.n == CHALLENGE && consists_of(text, "-_"); }

/* A code without a challenge is of a client with a secret. (1) If the client became public, nothing
 * protects the code. (2) If a verifier comes, somebody took the challenge from the request. */
static bool verifies(const struct client *c, struct str challenge, struct str verifier) {
    unsigned char hash[crypto_hash_sha256_BYTES];
    char text[CHALLENGE + 1];
    if (challenge.p == NULL) return !c->is_public && verifier.p == NULL;
    if (verifier.n < VERIFIER_MIN || verifier.n > VERIFIER_MAX || !consists_of(verifier, "-._~"))
        return false;
    crypto_hash_sha256(hash, (const unsigned char *)verifier.p, verifier.n);
    sodium_bin2base64(text, sizeof text, hash, sizeof hash, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    return secret_eq(challenge, (struct str){text, CHALLENGE});
}

/* ---- use ------------------------------------------------------------------------------------- */

/* An authorization request without an address meant the client's. The token request may name it. */
static bool same_redirect(const struct client *c, const struct code *code, struct str shown) {
    if (code->redirect_uri.p) return shown.p && str_eq(code->redirect_uri, shown);
    return shown.p == NULL || str_eq(c->callback_url, shown);
}

static int code_find(struct work *w, const struct client *c, struct str hash, struct code *out) {
    struct stmt *row;
    int rc = db_row(w->conn, &code_row, BINDS(B_TEXT("hash", hash), B_INT("client", c->id)), &row);
    if (rc <= 0) return rc;
    *out = (struct code){.id = col_int(row, 0), .used = !col_null(row, 1), .expires_at = col_int(row, 2)};
    out->redirect_uri = str_dup(w->arena, col_text(row, 5));
    out->challenge = str_dup(w->arena, col_text(row, 6));
    out->terms = (struct token_terms){
        .client_id = c->id, .grant_id = col_int(row, 3), .family = str_dup(w->arena, col_text(row, 7))};
    out->terms.scopes =
        scopes_common(scopes_common((uint32_t)col_int(row, 4), (uint32_t)col_int(row, 8)), c->scopes);
    stmt_end(row);
    return 1;
}

static int code_person(struct work *w, const struct client *c, struct str hash, int64_t *user) {
    return db_int(w->conn, &code_user, BINDS(B_TEXT("hash", hash), B_INT("client", c->id)), user);
}

int code_is_known(struct work *w, const struct client *c, struct str text) {
    int64_t user;
    return code_person(w, c, token_text_hash(w, text), &user);
}

int code_take(struct work *w, const struct client *c, const struct code_shown *shown,
              struct token_terms *out) {
    struct code code;
    int64_t user;
    if (!token_text_is(TOKEN_CODE, shown->text)) return TAKEN_NOT;
    struct str hash = token_text_hash(w, shown->text);
    int rc = code_person(w, c, hash, &user);
    if (rc <= 0) return rc < 0 ? rc : TAKEN_NOT;
    TRY(token_lock(w, user)); /* two concurrent uses run one after the other */
    rc = code_find(w, c, hash, &code);
    if (rc <= 0) return rc < 0 ? rc : TAKEN_NOT;
    if (code.used) {
        code.terms.user_id = user;
        TRY(family_stolen(w, &code.terms));
        return TAKEN_AGAIN;
    }
    TRY(db_exec(w->conn, &code_use, BINDS(B_INT("id", code.id), B_INT("now", w->now))));
    bool good = code.expires_at > w->now && same_redirect(c, &code, shown->redirect_uri) &&
                verifies(c, code.challenge, shown->verifier);
    *out = code.terms;
    out->user_id = user;
    return good && out->scopes ? TAKEN : TAKEN_NOT;
}
