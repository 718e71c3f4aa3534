/* The credentials that a request carries: read from headers, arguments and the cookie, not verified. */
#ifndef API_CALLER_CREDENTIALS_H
#define API_CALLER_CREDENTIALS_H

#include "api/call/call.h"

struct basic {
    struct str login, password;
};

struct credentials_given {
    bool basic;
    struct basic pair;
    struct str bearer;      /* token of Authorization: Bearer; p NULL: none */
    struct str session;     /* session token; p NULL: none */
    struct str token, code; /* token and code of a login with several steps */
    struct str passkey;     /* X-Passkey, where a login may begin; n 0: none */
    struct str remembered;
    bool cookie; /* the session came as a cookie */
    bool csrf;   /* X-CSRF is not false */
};

/* Reads all credentials, and the fingerprint into the actor. Returns 0 or a negative error:
 * AUTHENTICATION_FAILED if they are malformed, PARAMETERS_INCONSISTENT if a header and its argument
 * differ. */
int credentials_read(struct call *c, struct credentials_given *g);

/* Returns true if the request has anything that may be credentials for a route of these roles. */
bool credentials_presented(struct http_request *r, unsigned roles);

#endif
