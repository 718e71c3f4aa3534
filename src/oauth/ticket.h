/* A ticket is the hidden field of the forms at /oauth/authorize: what the server must find again when the
 * form is posted. It is sealed, so it can't be forged or read, and the store holds nothing before the
 * consent. It is valid for 10 minutes, in the browser that got the form, and a consent in the session that
 * it was shown to. */
#ifndef OAUTH_TICKET_H
#define OAUTH_TICKET_H

#include "work/work.h"

#define TICKET_LIFE (10 * TIME_MINUTE)

enum ticket_step { TICKET_LOGIN = 1, TICKET_CODE, TICKET_CONSENT };

struct ticket {
    enum ticket_step step;
    int64_t until;
    int64_t user_id, session_id; /* person and session of a consent */
    struct str browser;          /* value of the cookie */
    struct str auth_token;       /* token of a login with a second step; empty: none */
    /* Error of a wrong request, which the client gets after the login; empty: the request is valid. */
    struct str error;
    struct str description; /* description of the error */
    struct str query;       /* the authorization request */
};

struct str ticket_seal(const struct desk *d, struct arena *a, const struct ticket *t);
/* false: forged or too old */
bool ticket_open(const struct desk *d, struct arena *a, struct str text, int64_t now, struct ticket *out);

#endif
