#include "core/people/visitor.h"

#include "base/encoding.h"
#include "base/fold.h"
#include "base/limits.h"
#include "core/access/access.h"
#include "core/change/change.h"
#include "core/people/user.h"
#include "core/words.h"
#include "json/json.h"

#include <inttypes.h>
#include <sodium.h>

/* ---- bindings -------------------------------------------------------------------------------- */

QUERY(visitor_of_fingerprint,
      "SELECT v.user_id, v.name FROM widget_visitors v JOIN users u ON u.id = v.user_id "
      "WHERE v.brand_id = :brand AND v.fingerprint = :fingerprint AND v.expires_at > :now "
      "AND u.role_type = 1 AND u.is_enabled = 1 AND u.deleted_at IS NULL");
QUERY(visitor_binding, "SELECT v.id FROM widget_visitors v JOIN users u ON u.id = v.user_id "
                       "WHERE v.user_id = :user AND v.brand_id = :brand AND v.expires_at > :now "
                       "AND u.role_type = 1 AND u.is_enabled = 1 AND u.deleted_at IS NULL LIMIT 1");

struct str visitor_fingerprint(const struct desk *d, struct arena *a, int64_t user_id, int64_t brand_id) {
    return mac_hex(a, &d->fingerprint_key,
                   str_fmt(a, "visitor %" PRId64 " of brand %" PRId64, user_id, brand_id));
}

int visitor_load(struct work *w) {
    struct actor *a = &w->actor;
    struct stmt *row;
    int rc = db_row(w->conn, &visitor_of_fingerprint,
                    BINDS(B_INT("brand", a->widget_brand_id), B_TEXT("fingerprint", a->fingerprint),
                          B_INT("now", w->now)),
                    &row);
    a->device = a->fingerprint;
    if (rc <= 0) return rc;
    a->visitor_id = col_int(row, 0);
    a->visitor_name = str_dup(w->arena, col_text(row, 1));
    stmt_end(row);
    struct str all = visitor_fingerprint(w->desk, w->arena, a->visitor_id, a->widget_brand_id);
    a->fingerprint = (struct str){all.p, a->device.n};
    return 0;
}

int visitor_lives(struct work *w, const struct actor *a) {
    int64_t id;
    return db_int(
        w->conn, &visitor_binding,
        BINDS(B_INT("user", a->visitor_id), B_INT("brand", a->widget_brand_id), B_INT("now", w->now)), &id);
}

/* ---- the token ------------------------------------------------------------------------------- */

QUERY(visitor_secret, "SELECT secret FROM brand_widgets WHERE brand_id = :brand");

static int visitor_token_refused(struct work *w, const char *why) {
    return fail_field(w, ERR_AUTHENTICATION_FAILED, S("token"), "%s", why);
}

/* A part of the token as an object; NULL: it is none. */
static const struct json *visitor_token_part(struct arena *a, struct str part) {
    struct str text = base64url_decode(a, part);
    struct json *object = NULL;
    struct json_error err;
    if (text.p == NULL || json_parse(a, text, &object, &err) < 0) return NULL;
    return object->type == JSON_OBJECT ? object : NULL;
}

static bool signature_matches(struct arena *a, struct str secret, struct str content, struct str signature) {
    crypto_auth_hmacsha256_state s;
    unsigned char made[crypto_auth_hmacsha256_BYTES];
    struct str sent = base64url_decode(a, signature);
    crypto_auth_hmacsha256_init(&s, (const unsigned char *)secret.p, secret.n);
    crypto_auth_hmacsha256_update(&s, (const unsigned char *)content.p, content.n);
    crypto_auth_hmacsha256_final(&s, made);
    return sent.n == sizeof made && sodium_memcmp(sent.p, made, sizeof made) == 0;
}

/* A number of seconds as milliseconds. Returns false if the claim is no such number. */
static bool visitor_claim_time(const struct json *claims, const char *name, int64_t *ms) {
    const struct json *j = json_member(claims, str_of(name));
    int64_t seconds;
    if (j == NULL || j->type != JSON_NUMBER || !str_to_int(j->text, &seconds)) return false;
    if (seconds < 0 || seconds > INT64_MAX / TIME_SECOND) return false;
    *ms = seconds * TIME_SECOND;
    return true;
}

static struct str claim_text(const struct json *claims, const char *name) {
    struct str text = json_member_text(claims, name);
    return text.p ? str_trim(text) : text;
}

static int claim_times(struct work *w, const struct json *claims, int64_t *until) {
    int64_t issued, end;
    bool ends = json_member(claims, S("exp")) != NULL;
    if (!visitor_claim_time(claims, "iat", &issued))
        return visitor_token_refused(w, "The token needs iat: the time of its signature, in whole seconds.");
    if (ends && !visitor_claim_time(claims, "exp", &end))
        return visitor_token_refused(w, "exp of the token must be a time in whole seconds.");
    if (issued > w->now + VISITOR_AHEAD)
        return visitor_token_refused(
            w, "iat of the token is in the future. Set the clock of the site's server.");
    *until = issued + VISITOR_PROOF;
    if (ends && end < *until) *until = end;
    return w->now < *until
               ? 0
               : visitor_token_refused(w, "The token is too old. Sign a new one for each page: a token is "
                                          "accepted for ten minutes.");
}

static int visitor_claims_check(struct work *w, const struct json *claims, struct visitor_claim *out) {
    TRY(claim_times(w, claims, &out->until));
    out->email = claim_text(claims, "email");
    out->name = claim_text(claims, "name");
    if (!email_valid(out->email))
        return visitor_token_refused(w, "The token needs email: an e-mail address.");
    if (out->name.n == 0 || text_wrong(w->arena, out->name, LIMIT_TITLE, true))
        return visitor_token_refused(w, "The token needs name: a text of one line, at most 255 characters.");
    return 0;
}

/* The secret of the actor's brand. p NULL: there is none, or it was sealed with another server key. */
static int secret_read(struct work *w, struct str *secret) {
    struct str sealed = {0};
    TRY(db_text(w->conn, &visitor_secret, BINDS(B_INT("brand", w->actor.widget_brand_id)), w->arena,
                &sealed));
    *secret = sealed.n ? seal_text_open(w->arena, &w->desk->widget_key, sealed) : (struct str){0};
    return 0;
}

int visitor_claim_read(struct work *w, struct str token, struct visitor_claim *out) {
    struct str rest = token, secret;
    struct str head = str_cut(&rest, '.'), body = str_cut(&rest, '.'), signature = rest;
    const struct json *header = visitor_token_part(w->arena, head),
                      *claims = visitor_token_part(w->arena, body);
    TRY(secret_read(w, &secret));
    if (secret.p == NULL) return visitor_token_refused(w, "The brand has no secret. An owner makes one.");
    if (header == NULL || claims == NULL || signature.n == 0)
        return visitor_token_refused(
            w, "This is no JSON Web Token: three parts in Base64url, with dots between.");
    if (!str_eq(claim_text(header, "alg"), S("HS256")) || json_member(header, S("crit")))
        return visitor_token_refused(w, "The token must be signed with HS256, and have no crit.");
    struct str content = {token.p, head.n + 1 + body.n};
    if (!signature_matches(w->arena, secret, content, signature))
        return visitor_token_refused(
            w, "The signature of the token is wrong. Sign it with the secret of the brand.");
    *out = (struct visitor_claim){.digest = mac_hex(w->arena, &w->desk->widget_key, token)};
    return visitor_claims_check(w, claims, out);
}

/* ---- binding --------------------------------------------------------------------------------- */

QUERY(proof_use, "INSERT INTO widget_proofs (digest, fingerprint, expires_at) "
                 "VALUES (:digest, :fingerprint, :until) ON CONFLICT (digest) DO NOTHING");
QUERY(proof_user, "SELECT fingerprint FROM widget_proofs WHERE digest = :digest");
QUERY(visitor_put, "INSERT INTO widget_visitors (brand_id, fingerprint, user_id, name, expires_at) "
                   "VALUES (:brand, :fingerprint, :user, :name, :until) "
                   "ON CONFLICT (brand_id, fingerprint) DO UPDATE "
                   "SET user_id = excluded.user_id, name = excluded.name, expires_at = excluded.expires_at");
QUERY(visitor_drop, "DELETE FROM widget_visitors WHERE brand_id = :brand AND fingerprint = :fingerprint");
QUERY(visitors_drop, "DELETE FROM widget_visitors WHERE brand_id = :brand");

/* A fingerprint may use its token again, because a page may be loaded again. */
static int proof_take(struct work *w, const struct visitor_claim *claim) {
    struct str user = {0};
    TRY(db_exec(w->conn, &proof_use,
                BINDS(B_TEXT("digest", claim->digest), B_TEXT("fingerprint", w->actor.device),
                      B_INT("until", claim->until))));
    TRY(db_text(w->conn, &proof_user, BINDS(B_TEXT("digest", claim->digest)), w->arena, &user));
    return str_eq(user, w->actor.device)
               ? 0
               : visitor_token_refused(w,
                                       "Another browser has used this token. Sign a new one for each page.");
}

int visitor_bind(struct work *w, const struct visitor_claim *claim) {
    struct actor person;
    int64_t user_id;
    TRY(proof_take(w, claim));
    TRY(customer_of_address(w, claim->name, claim->email, &user_id));
    int state = actor_of_person(w, user_id, &person);
    TRY(state);
    if (state != ACTOR_ABLE || person.rank != ROLE_CUSTOMER)
        return fail_field(w, ERR_PERMISSIONS_DENIED, S("token"),
                          "The address belongs to staff, or to a person who is disabled. A site signs in "
                          "customers only.");
    return db_exec(w->conn, &visitor_put,
                   BINDS(B_INT("brand", w->actor.widget_brand_id), B_TEXT("fingerprint", w->actor.device),
                         B_INT("user", user_id), B_TEXT("name", claim->name),
                         B_INT("until", w->now + VISITOR_KEPT)));
}

int visitor_unbind(struct work *w) {
    return db_exec(w->conn, &visitor_drop,
                   BINDS(B_INT("brand", w->actor.widget_brand_id), B_TEXT("fingerprint", w->actor.device)));
}

/* ---- the secret ------------------------------------------------------------------------------ */

QUERY(visitor_secret_put,
      "INSERT INTO brand_widgets (brand_id, origins, is_anonymous_allowed, secret, secret_created_at, "
      "updated_at) VALUES (:brand, '[]', 1, :secret, CAST(:made AS BIGINT), :now) "
      "ON CONFLICT (brand_id) DO UPDATE SET secret = excluded.secret, "
      "secret_created_at = excluded.secret_created_at, updated_at = excluded.updated_at");

int visitor_secret_set(struct work *w, int64_t brand_id, struct str *secret) {
    struct str sealed = {0};
    TRY(db_lock(w->conn, S("widgets")));
    if (secret) {
        *secret = random_hex(w->arena, 32);
        sealed = seal_text(w->arena, &w->desk->widget_key, *secret);
    }
    change_named(w, (struct changed){"brand", brand_id, 0}, "widget_secret");
    TRY(db_exec(w->conn, &visitors_drop, BINDS(B_INT("brand", brand_id))));
    return db_exec(w->conn, &visitor_secret_put,
                   BINDS(B_INT("brand", brand_id), B_TEXT("secret", sealed),
                         B_ID("made", secret ? w->now : 0), B_INT("now", w->now)));
}
