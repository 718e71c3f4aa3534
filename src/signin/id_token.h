/* The check of an ID token (OpenID Connect Core 1.0, section 3.1.3.7; RFC 7515, 7517, 7518, 8725).
 *
 * Signatures are verified by libcjose. This file decides which key and which algorithm may be used, before
 * the library sees the token: RS256 and PS256 with RSA keys from 2048 to 8192 bits, ES256 with keys of the
 * curve P-256. So a token can choose neither `none` nor an HMAC with a public key as its secret. Only the
 * public members of a key are passed on. */
#ifndef SIGNIN_ID_TOKEN_H
#define SIGNIN_ID_TOKEN_H

#include "core/signin/provider.h"

#define ID_TOKEN_MAX (16 * 1024)
#define ID_TOKEN_SKEW TIME_MINUTE /* by which the clocks of the provider and of the desk may differ */

enum token_fault {
    TOKEN_GOOD,
    TOKEN_MALFORMED,
    TOKEN_ALGORITHM,
    TOKEN_KEY_UNKNOWN, /* the keys may be newer at the provider */
    TOKEN_SIGNATURE,
    TOKEN_ISSUER,
    TOKEN_AUDIENCE,
    TOKEN_TIME,
    TOKEN_NONCE,
    TOKEN_ACCESS, /* at_hash */
    TOKEN_FAULTS
};
extern const char *const token_fault_words[TOKEN_FAULTS];

struct token_terms {
    struct str issuer, client_id, nonce, access_token; /* access_token p NULL: none came */
    int64_t now, begun;                                /* milliseconds; begun: of this login */
};

/* Checks the signature by the keys of a JWKS, then the claims. After TOKEN_GOOD *claims is the payload. */
enum token_fault id_token_check(struct arena *a, struct str token, const struct json *jwks,
                                const struct token_terms *t, const struct json **claims);

#endif
