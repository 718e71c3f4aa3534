/* Addresses with arguments. */
#ifndef CORE_SIGNIN_URL_H
#define CORE_SIGNIN_URL_H

#include "base/arena.h"
#include "base/str.h"

struct url_pair {
    const char *name;
    struct str value; /* p NULL: the pair is left out */
};
/* The address with these arguments behind those that it has. The list ends with name NULL. p NULL: it is no
 * address. */
struct str url_with(struct arena *a, struct str url, const struct url_pair *pairs);
/* The arguments alone, as the body of a form. */
struct str url_form(struct arena *a, const struct url_pair *pairs);
/* The code challenge of a verifier (RFC 7636, S256). */
struct str pkce_challenge(struct arena *a, struct str verifier);
/* The host; p NULL: it is no address. */
struct str url_host_part(struct arena *a, struct str url);

#endif
