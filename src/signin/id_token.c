#include "signin/id_token.h"

#include "base/encoding.h"

#include <cjose/cjose.h>
#include <sodium.h>

#define KEYS_TRIED 16 /* keys of one JWKS that are tried for a token without kid */

const char *const token_fault_words[TOKEN_FAULTS] = {"GOOD",
                                                     "TOKEN_MALFORMED",
                                                     "ALGORITHM_NOT_ALLOWED",
                                                     "KEY_UNKNOWN",
                                                     "SIGNATURE_WRONG",
                                                     "ISSUER_WRONG",
                                                     "AUDIENCE_WRONG",
                                                     "TIME_WRONG",
                                                     "NONCE_WRONG",
                                                     "ACCESS_TOKEN_WRONG"};

/* ---- the header and the keys ----------------------------------------------------------------- */

struct algorithm {
    const char *name, *kty;
};
static const struct algorithm algorithms[] = {{"RS256", "RSA"}, {"PS256", "RSA"}, {"ES256", "EC"}};

struct token {
    struct str whole, head, body;
    const struct algorithm *algorithm;
    struct str kid; /* p NULL: none */
};

static const struct json *token_part(struct arena *a, struct str part) {
    struct str text = part.n ? base64url_decode(a, part) : (struct str){0};
    struct json *tree;
    struct json_error err;
    if (text.p == NULL || json_parse(a, text, &tree, &err) < 0) return NULL;
    return tree->type == JSON_OBJECT ? tree : NULL;
}

static enum token_fault token_read(struct arena *a, struct str token, struct token *out) {
    struct str rest = token;
    *out = (struct token){.whole = token};
    if (token.n > ID_TOKEN_MAX) return TOKEN_MALFORMED;
    out->head = str_cut(&rest, '.');
    out->body = rest.p ? str_cut(&rest, '.') : S("");
    if (rest.p == NULL || memchr(rest.p, '.', rest.n)) return TOKEN_MALFORMED;
    const struct json *head = token_part(a, out->head);
    if (head == NULL || json_member(head, S("crit"))) return TOKEN_MALFORMED;
    struct str alg = json_member_text(head, "alg");
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        if (str_eq(alg, str_of(algorithms[i].name))) out->algorithm = &algorithms[i];
    out->kid = json_member_text(head, "kid");
    return out->algorithm ? TOKEN_GOOD : TOKEN_ALGORITHM;
}

static bool key_fits(const struct json *key, const struct token *t) {
    struct str use = json_member_text(key, "use"), alg = json_member_text(key, "alg");
    if (!str_eq(json_member_text(key, "kty"), str_of(t->algorithm->kty))) return false;
    if (use.p && !str_eq(use, S("sig"))) return false;
    if (alg.p && !str_eq(alg, str_of(t->algorithm->name))) return false;
    return t->kid.p == NULL || str_eq(json_member_text(key, "kid"), t->kid);
}

/* The public members of a key, as the library reads it. p NULL: it is no key of its kind. */
static struct str key_public(struct arena *a, const struct json *key, bool rsa) {
    static const char *const of_rsa[] = {"n", "e", NULL}, *const of_ec[] = {"crv", "x", "y", NULL};
    struct json_writer w;
    struct buf b = {0};
    bool whole = rsa || str_eq(json_member_text(key, "crv"), S("P-256"));
    jw_init(&w, &b);
    jw_object(&w);
    jw_key_raw(&w, S("kty"));
    jw_str(&w, rsa ? S("RSA") : S("EC"));
    for (const char *const *name = rsa ? of_rsa : of_ec; *name; name++) {
        struct str value = json_member_text(key, *name);
        whole = whole && value.n > 0 && value.n < 2048;
        jw_key_raw(&w, str_of(*name));
        jw_str(&w, value);
    }
    jw_end(&w);
    struct str text = buf_take(&b, a);
    return whole ? text : (struct str){0};
}

static bool key_verifies(struct arena *a, const struct json *key, const struct token *t) {
    bool rsa = strcmp(t->algorithm->kty, "RSA") == 0, right = false;
    struct str text = key_public(a, key, rsa);
    cjose_err err;
    cjose_jwk_t *jwk = text.p ? cjose_jwk_import(text.p, text.n, &err) : NULL;
    if (jwk == NULL) return false;
    size_t bits = cjose_jwk_get_keysize(jwk, &err);
    if (!rsa || (bits >= 2048 && bits <= 8192)) {
        cjose_jws_t *jws = cjose_jws_import(t->whole.p, t->whole.n, &err);
        right = jws && cjose_jws_verify(jws, jwk, &err);
        cjose_jws_release(jws);
    }
    cjose_jwk_release(jwk);
    return right;
}

static enum token_fault signature_check(struct arena *a, const struct token *t, const struct json *jwks) {
    const struct json *keys = json_member(jwks, S("keys"));
    int tried = 0;
    for (const struct json *key = keys ? keys->first : NULL; key && tried < KEYS_TRIED; key = key->next) {
        if (!key_fits(key, t)) continue;
        if (key_verifies(a, key, t)) return TOKEN_GOOD;
        tried++;
    }
    return tried ? TOKEN_SIGNATURE : TOKEN_KEY_UNKNOWN;
}

/* ---- the claims ------------------------------------------------------------------------------ */

/* Seconds since 1970, perhaps with a fraction, as milliseconds. false: absent, or no such number. */
static bool claim_time(const struct json *claims, const char *name, int64_t *out) {
    const struct json *j = json_member(claims, str_of(name));
    if (j == NULL || j->type != JSON_NUMBER) return false;
    struct str rest = j->text, whole = str_cut(&rest, '.');
    if (!str_to_int(whole, out) || *out < 0 || *out > INT64_MAX / 2000) return false;
    *out *= 1000;
    return rest.p == NULL || !memchr(rest.p, 'e', rest.n);
}

static bool times_right(const struct json *claims, const struct token_terms *t) {
    int64_t exp, iat, nbf = 0;
    bool has_nbf = json_member(claims, S("nbf")) != NULL;
    if (!claim_time(claims, "exp", &exp) || !claim_time(claims, "iat", &iat)) return false;
    if (has_nbf && !claim_time(claims, "nbf", &nbf)) return false;
    return exp + ID_TOKEN_SKEW > t->now && iat <= t->now + ID_TOKEN_SKEW &&
           iat + 1000 + ID_TOKEN_SKEW > t->begun && nbf <= t->now + ID_TOKEN_SKEW;
}

/* The desk is an audience. If there are others, azp must say that the token was made for the desk. */
static bool audience_right(const struct json *claims, struct str client_id) {
    const struct json *aud = json_member(claims, S("aud")), *azp = json_member(claims, S("azp"));
    bool ours = false;
    if (aud == NULL) return false;
    if (aud->type == JSON_STRING) ours = str_eq(aud->text, client_id);
    else if (aud->type == JSON_ARRAY)
        for (const struct json *j = aud->first; j; j = j->next)
            ours = ours || (j->type == JSON_STRING && str_eq(j->text, client_id));
    if (azp) return ours && azp->type == JSON_STRING && str_eq(azp->text, client_id);
    return ours && (aud->type == JSON_STRING || aud->count == 1);
}

/* RS256, PS256 and ES256 all use SHA-256. */
static bool access_hash_right(struct arena *a, const struct json *claims, struct str access_token) {
    const struct json *j = json_member(claims, S("at_hash"));
    unsigned char hash[crypto_hash_sha256_BYTES];
    if (j == NULL) return true;
    if (j->type != JSON_STRING || access_token.p == NULL) return false;
    crypto_hash_sha256(hash, (const unsigned char *)access_token.p, access_token.n);
    return str_eq(j->text, base64url_encode(a, hash, sizeof hash / 2));
}

static enum token_fault claims_check(struct arena *a, const struct json *claims,
                                     const struct token_terms *t) {
    struct str nonce = json_member_text(claims, "nonce"), subject = json_member_text(claims, "sub");
    if (!str_eq(json_member_text(claims, "iss"), t->issuer)) return TOKEN_ISSUER;
    if (!audience_right(claims, t->client_id)) return TOKEN_AUDIENCE;
    if (!times_right(claims, t)) return TOKEN_TIME;
    if (nonce.n == 0 || !secret_eq(nonce, t->nonce)) return TOKEN_NONCE;
    if (!access_hash_right(a, claims, t->access_token)) return TOKEN_ACCESS;
    return subject.n && subject.n <= 255 ? TOKEN_GOOD : TOKEN_MALFORMED;
}

enum token_fault id_token_check(struct arena *a, struct str token, const struct json *jwks,
                                const struct token_terms *t, const struct json **claims) {
    struct token read;
    enum token_fault fault = token_read(a, token, &read);
    if (fault == TOKEN_GOOD) fault = signature_check(a, &read, jwks);
    if (fault != TOKEN_GOOD) return fault;
    *claims = token_part(a, read.body);
    return *claims ? claims_check(a, *claims, t) : TOKEN_MALFORMED;
}
