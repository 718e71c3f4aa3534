/* The authorization request of a client (RFC 6749 section 4.1.1, RFC 7636, RFC 8252, RFC 9207). */
#ifndef OAUTH_AUTHORIZATION_H
#define OAUTH_AUTHORIZATION_H

#include "core/programs/client.h"
#include "json/json.h"

enum prompt { PROMPT_ASK, PROMPT_LOGIN, PROMPT_NONE };

struct authorization {
    struct client client;
    struct str redirect_uri;                 /* address that gets the reply */
    bool has_redirect_uri;                   /* the request named it; else it is the client's */
    struct str state, challenge, login_hint; /* p NULL: none */
    uint32_t scopes;
    enum prompt prompt;
    const char *error, *description; /* reason why the client gets no code; NULL: the client may get one */
};

/* Reads and checks a request. Returns 1, 0 if nobody may be sent back with a reply, or a negative error.
 * After 0 *why is a sentence for the person: the client or its redirect address is wrong, so a redirect
 * would lead to a stranger. */
int authorization_read(struct work *w, const struct json *given, struct authorization *out, const char **why);

/* The request as a query, without prompt. */
struct str authorization_query(struct arena *a, const struct authorization *r);

/* The address of the client with a reply. code.p NULL: the error. */
struct str authorization_reply(const struct desk *d, struct arena *a, const struct authorization *r,
                               struct str code);

#endif
