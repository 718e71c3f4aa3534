/* Reads and verifies what a browser returns from the two ceremonies of WebAuthn Level 2 (sections 7.1 and
 * 7.2): pure functions.
 *
 * The reader checks the form and the flags, and libfido2 reads the key and verifies the signature.
 * Attestation is not examined, because the desk has no list of permitted authenticators. A function returns
 * NULL, or the reason for the refusal: a sentence. */
#ifndef CORE_WEBAUTHN_H
#define CORE_WEBAUTHN_H

#include "base/arena.h"
#include "base/str.h"

#define WEBAUTHN_MAX (32 * 1024) /* bytes of a part of a reply; an attestation with certificates has 5 KB */
#define WEBAUTHN_ID_MAX 1023     /* bytes of the id of a credential (section 5.8.3) */

struct webauthn_party {
    struct str id;     /* RP id: host of the base URL */
    struct str origin; /* scheme, host and port of the base URL */
};

/* The algorithms that the desk accepts, the preferred one first, ended by 0: ES256, EdDSA, RS256 (COSE). */
extern const int webauthn_algorithms[];

/* Checks the client data (JSON) of a ceremony: "webauthn.create" or "webauthn.get". *challenge: Base64url. */
const char *webauthn_client(struct arena *a, const struct webauthn_party *party, struct str client_data,
                            const char *type, struct str *challenge);

struct webauthn_credential {
    struct str id;         /* bytes */
    int algorithm;         /* of COSE */
    struct str public_key; /* bytes, in the form of libfido2 */
    int64_t sign_count;
};
const char *webauthn_created(struct arena *a, const struct webauthn_party *party, struct str attestation,
                             struct webauthn_credential *out);

struct webauthn_assertion {
    struct str client_data, authenticator_data, signature;
    bool needs_verification; /* the authenticator must have verified its user: a PIN, a finger */
};
/* key: the algorithm, the public key and the stored counter. *sign_count: the new counter. */
const char *webauthn_asserted(struct arena *a, const struct webauthn_party *party,
                              const struct webauthn_credential *key, const struct webauthn_assertion *got,
                              int64_t *sign_count);

/* True if an authenticator with this counter may be the one with the stored one. */
bool webauthn_counts(int64_t stored, int64_t now);

#endif
