/* Authorization codes (RFC 6749 section 4.1, RFC 7636): valid for 60 s, used once, bound to client,
 * redirect address and challenge. They are stored hashed. */
#ifndef CORE_PROGRAM_CODE_H
#define CORE_PROGRAM_CODE_H

#include "core/programs/token.h"

#define CODE_LIFE (60 * TIME_SECOND)
#define CODES_KEPT TIME_DAY /* after their end, so that a second use is noticed */

struct code_terms {
    int64_t grant_id;
    uint32_t scopes;
    struct str redirect_uri; /* as the authorization request sent it; p NULL: it sent none */
    struct str challenge;    /* challenge of PKCE S256; p NULL: none */
};
int code_make(struct work *w, const struct code_terms *t, struct str *text);

/* True if a text has the form of a challenge of S256. */
bool challenge_is(struct str text);

/* Returns 1 if the text is a code of this client, usable or not, 0 if it is unknown, or a negative error. */
int code_is_known(struct work *w, const struct client *c, struct str text);

/* A token request shows these values; p NULL: absent. */
struct code_shown {
    struct str text, redirect_uri, verifier;
};
/* Uses a code. A wrong redirect address or verifier uses it up, too. A second use ends the tokens that the
 * first one gave. Returns an enum taken, but never TAKEN_SCOPES, or a negative error. The caller commits
 * in all cases but the last. The person is locked. */
int code_take(struct work *w, const struct client *c, const struct code_shown *shown,
              struct token_terms *out);

#endif
