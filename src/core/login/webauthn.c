#include "core/login/webauthn.h"

#include "base/cbor.h"
#include "json/json.h"

#include <fido.h>
#include <fido/eddsa.h>
#include <fido/es256.h>
#include <fido/rs256.h>
#include <sodium.h>

const int webauthn_algorithms[] = {COSE_ES256, COSE_EDDSA, COSE_RS256, 0};

enum { USER_PRESENT = 1, USER_VERIFIED = 4, HAS_CREDENTIAL = 64, HAS_EXTENSIONS = 128 }; /* section 6.1 */
enum { COSE_ALGORITHM = 3, CREDENTIAL_AT = 37 };

/* ---- client data ----------------------------------------------------------------------------- */

const char *webauthn_client(struct arena *a, const struct webauthn_party *party, struct str client_data,
                            const char *type, struct str *challenge) {
    struct json *tree;
    struct json_error err;
    if (json_parse(a, client_data, &tree, &err) < 0 || tree->type != JSON_OBJECT)
        return "The client data is not a JSON object.";
    if (!str_eq(json_member_text(tree, "type"), str_of(type)))
        return "The client data is of another ceremony.";
    if (!str_eqi(json_member_text(tree, "origin"), party->origin))
        return "The passkey was used on a page of another site than the desk's base URL.";
    if (json_member_true(tree, "crossOrigin"))
        return "The passkey was used in a frame on a page of another site.";
    *challenge = json_member_text(tree, "challenge");
    return challenge->p ? NULL : "The client data has no challenge.";
}

/* ---- authenticator data ---------------------------------------------------------------------- */

struct authenticator_data {
    unsigned flags;
    int64_t sign_count;
    struct str credential_id, key; /* with HAS_CREDENTIAL; key: CBOR */
};

static const char incomplete[] = "The authenticator data is incomplete or has extra bytes.";

/* The credential: 16 bytes of the model, 2 of a length, the id, the key. */
static bool read_credential(struct str *rest, struct authenticator_data *out) {
    if (rest->n < 18) return false;
    size_t n = (size_t)(unsigned char)rest->p[16] << 8 | (unsigned char)rest->p[17];
    if (n == 0 || n > WEBAUTHN_ID_MAX || rest->n < 18 + n) return false;
    out->credential_id = (struct str){rest->p + 18, n};
    *rest = (struct str){rest->p + 18 + n, rest->n - 18 - n};
    struct str key = *rest;
    if (!cbor_skip(rest)) return false;
    out->key = (struct str){key.p, key.n - rest->n};
    return true;
}

static const char *read_authenticator(const struct webauthn_party *party, struct str data,
                                      struct authenticator_data *out) {
    unsigned char expected[crypto_hash_sha256_BYTES];
    if (data.n < CREDENTIAL_AT) return incomplete;
    crypto_hash_sha256(expected, (const unsigned char *)party->id.p, party->id.n);
    if (memcmp(expected, data.p, sizeof expected) != 0)
        return "The passkey belongs to another host than that of the desk's base URL.";
    const unsigned char *at = (const unsigned char *)data.p + sizeof expected;
    *out = (struct authenticator_data){.flags = at[0],
                                       .sign_count = (int64_t)at[1] << 24 | at[2] << 16 | at[3] << 8 | at[4]};
    struct str rest = {data.p + CREDENTIAL_AT, data.n - CREDENTIAL_AT};
    if (out->flags & HAS_CREDENTIAL && !read_credential(&rest, out)) return incomplete;
    if (out->flags & HAS_EXTENSIONS && !cbor_skip(&rest)) return incomplete;
    if (rest.n) return incomplete;
    return out->flags & USER_PRESENT ? NULL : "The authenticator says that nobody was there.";
}

/* ---- registration ---------------------------------------------------------------------------- */

static const char no_attestation[] =
    "The attestation is no CBOR object of fmt, attStmt and authData, or has extra bytes.";

/* Returns false if it is not one map with each of the three members once. */
static bool read_attestation(struct str attestation, struct str *data) {
    uint64_t pairs;
    int formats = 0, statements = 0, datas = 0;
    struct str rest = attestation, whole = attestation, name, text;
    if (attestation.n > WEBAUTHN_MAX || !cbor_skip(&whole) || whole.n || !cbor_map(&rest, &pairs))
        return false;
    for (; pairs; pairs--) {
        if (!cbor_text(&rest, &name)) return false;
        if (str_eq(name, S("fmt"))) {
            if (!cbor_text(&rest, &text)) return false;
            formats++;
        } else if (str_eq(name, S("authData"))) {
            if (!cbor_bytes(&rest, data)) return false;
            datas++;
        } else {
            statements += str_eq(name, S("attStmt"));
            if (!cbor_skip(&rest)) return false;
        }
    }
    return formats == 1 && statements == 1 && datas == 1;
}

/* The algorithm of a key of COSE; 0: none. The labels of its parameters are numbers. */
static int key_algorithm(struct str key) {
    uint64_t pairs;
    int64_t label, value, found = 0;
    if (!cbor_map(&key, &pairs)) return 0;
    for (; pairs; pairs--) {
        bool is_number = cbor_int(&key, &label);
        if (!is_number && !cbor_skip(&key)) return 0;
        if (is_number && label == COSE_ALGORITHM) {
            if (found || !cbor_int(&key, &found)) return 0;
        } else if (!cbor_skip(&key)) {
            return 0;
        }
    }
    value = found;
    for (const int *known = webauthn_algorithms; *known; known++)
        if (value == *known) return *known;
    return 0;
}

static int key_load(int algorithm, struct str bytes, es256_pk_t *es256, eddsa_pk_t *eddsa,
                    rs256_pk_t *rs256) {
    if (algorithm == COSE_ES256) return es256_pk_from_ptr(es256, bytes.p, bytes.n);
    if (algorithm == COSE_EDDSA) return eddsa_pk_from_ptr(eddsa, bytes.p, bytes.n);
    return rs256_pk_from_ptr(rs256, bytes.p, bytes.n);
}

/* Runs one step with the key in the form of the library. assert NULL: only loads it. Returns FIDO_OK or an
 * error. */
static int with_key(const struct webauthn_credential *c, const fido_assert_t *assert_) {
    es256_pk_t *es256 = es256_pk_new();
    eddsa_pk_t *eddsa = eddsa_pk_new();
    rs256_pk_t *rs256 = rs256_pk_new();
    int rc = FIDO_ERR_INTERNAL;
    if (es256 && eddsa && rs256) rc = key_load(c->algorithm, c->public_key, es256, eddsa, rs256);
    const void *key = c->algorithm == COSE_ES256   ? (const void *)es256
                      : c->algorithm == COSE_EDDSA ? (const void *)eddsa
                                                   : (const void *)rs256;
    if (rc == FIDO_OK && assert_) rc = fido_assert_verify(assert_, 0, c->algorithm, key);
    es256_pk_free(&es256);
    eddsa_pk_free(&eddsa);
    rs256_pk_free(&rs256);
    return rc;
}

/* Reads the key by the library: its type, curve, lengths, and that its point is on the curve. */
static bool read_key(struct arena *a, struct str data, struct webauthn_credential *out) {
    fido_init(0);
    fido_cred_t *cred = fido_cred_new();
    bool good = cred && fido_cred_set_type(cred, out->algorithm) == FIDO_OK &&
                fido_cred_set_authdata_raw(cred, (const unsigned char *)data.p, data.n) == FIDO_OK &&
                fido_cred_pubkey_len(cred) > 0;
    if (good)
        out->public_key =
            str_dup(a, (struct str){(const char *)fido_cred_pubkey_ptr(cred), fido_cred_pubkey_len(cred)});
    fido_cred_free(&cred);
    return good && with_key(out, NULL) == FIDO_OK;
}

const char *webauthn_created(struct arena *a, const struct webauthn_party *party, struct str attestation,
                             struct webauthn_credential *out) {
    struct str bytes;
    struct authenticator_data data;
    if (!read_attestation(attestation, &bytes)) return no_attestation;
    const char *why = read_authenticator(party, bytes, &data);
    if (why) return why;
    if (!(data.flags & HAS_CREDENTIAL)) return "The attestation has no credential.";
    *out = (struct webauthn_credential){
        .id = data.credential_id, .algorithm = key_algorithm(data.key), .sign_count = data.sign_count};
    if (out->algorithm == 0) return "The key is of none of the algorithms that the desk accepts.";
    return read_key(a, bytes, out) ? NULL : "The public key is not valid.";
}

/* ---- login ----------------------------------------------------------------------------------- */

bool webauthn_counts(int64_t stored, int64_t now) { return (stored == 0 && now == 0) || now > stored; }

static bool signed_by(const struct webauthn_party *party, const struct webauthn_credential *key,
                      const struct webauthn_assertion *got, struct arena *a) {
    fido_init(0);
    fido_assert_t *f = fido_assert_new();
    bool good =
        f && fido_assert_set_count(f, 1) == FIDO_OK &&
        fido_assert_set_rp(f, str_dup(a, party->id).p) == FIDO_OK &&
        fido_assert_set_clientdata(f, (const unsigned char *)got->client_data.p, got->client_data.n) ==
            FIDO_OK &&
        fido_assert_set_authdata_raw(f, 0, (const unsigned char *)got->authenticator_data.p,
                                     got->authenticator_data.n) == FIDO_OK &&
        fido_assert_set_sig(f, 0, (const unsigned char *)got->signature.p, got->signature.n) == FIDO_OK &&
        with_key(key, f) == FIDO_OK;
    fido_assert_free(&f);
    return good;
}

const char *webauthn_asserted(struct arena *a, const struct webauthn_party *party,
                              const struct webauthn_credential *key, const struct webauthn_assertion *got,
                              int64_t *sign_count) {
    struct authenticator_data data;
    const char *why = read_authenticator(party, got->authenticator_data, &data);
    if (why) return why;
    if (data.flags & HAS_CREDENTIAL) return incomplete;
    if (got->needs_verification && !(data.flags & USER_VERIFIED))
        return "The authenticator has not verified its user. A login by passkey alone needs that: a PIN, a "
               "finger or a face.";
    if (!signed_by(party, key, got, a)) return "The signature is wrong.";
    if (!webauthn_counts(key->sign_count, data.sign_count))
        return "The counter of the authenticator has not grown. The passkey may have been copied.";
    *sign_count = data.sign_count;
    return NULL;
}
