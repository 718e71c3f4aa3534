/* The state of a login by a provider, in a cookie of the browser: sealed, so that it can't be read or forged.
 * The store holds nothing before the login. It is valid for 10 minutes, in the browser that began. */
#ifndef SIGNIN_TICKET_H
#define SIGNIN_TICKET_H

#include "work/work.h"

#define SIGNIN_COOKIE "desk_signin"
#define SIGNIN_LIFE (10 * TIME_MINUTE)

enum signin_step { SIGNIN_ASKED = 1, SIGNIN_WANTS_CODE };

struct signin_ticket {
    enum signin_step step;
    int64_t until, begun, provider_id;
    int64_t user_id;                   /* SIGNIN_WANTS_CODE: whom the provider has named */
    struct str state, nonce, verifier; /* SIGNIN_ASKED */
    struct str to;                     /* path of the page after the login; empty: by the role */
};

/* The value of Set-Cookie. t NULL: deletes the cookie. */
struct str signin_ticket_cookie(const struct desk *d, struct arena *a, const struct signin_ticket *t);
/* false: none, forged or too old. */
bool signin_ticket_read(const struct desk *d, struct arena *a, struct str cookie, int64_t now,
                        struct signin_ticket *out);

/* True for a path of this host: it begins with one slash, and has no character that a browser reads as
 * something else. */
bool signin_path_is_local(struct str to);

#endif
