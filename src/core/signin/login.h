/* The login of a person whom a provider has named.
 *
 *     claims ─▸ link of (provider, subject) ───────────▸ allowed? ─▸ role, teams ─▸ second factor? ─▸ session
 *                 └ none ─▸ verified address ─▸ its person ─┘  └ no ─▸ refused
 *                                └ nobody ─▸ a new person, if the provider creates people
 *
 * It runs in one write, so a refused login leaves no person and no link. The state is used in the same
 * write, so that a callback that is sent twice opens one session. */
#ifndef CORE_SIGNIN_LOGIN_H
#define CORE_SIGNIN_LOGIN_H

#include "core/login/lockout.h"
#include "core/signin/provider.h"

enum signin_result {
    SIGNIN_OPENED = 1, /* session_id is set */
    SIGNIN_CODE,       /* the person types a code: signin_by_code */
    SIGNIN_REPLAYED,   /* the others are refusals: signin_refusals */
    SIGNIN_UNVERIFIED,
    SIGNIN_DOMAIN,
    SIGNIN_UNKNOWN,
    SIGNIN_OTHER_LINK,
    SIGNIN_UNCONFIRMED,
    SIGNIN_DOOR,
    SIGNIN_RANK,
    SIGNIN_DISABLED,
    SIGNIN_WRONG_CODE,
    SIGNIN_LOCKED,
};

struct signin {
    const struct provider *provider;
    const struct claims *claims;
    struct str state;
    int64_t until; /* when the state is too old anyway */
    /* The outcome: */
    enum signin_result result;
    int64_t user_id, session_id;
    bool is_staff;
    struct lockout locked; /* SIGNIN_LOCKED */
};

/* The entry of the audit log for a refusal. reason: a word; provider_id 0: none. */
int signin_refused(struct work *w, int64_t provider_id, int64_t user_id, const char *reason);

/* Uses a state that came back. Returns 1, 0 if it was used before, or a negative error. until: when it is
 * too old anyway. */
int signin_state_take(struct work *w, struct str state, int64_t until);

int signin_login(struct work *w, struct signin *s);
/* The second step, of the person s->user_id. */
int signin_by_code(struct work *w, struct signin *s, struct str code);

/* Sets the address at which the browser of this session logs out at its provider, too. p NULL: there is
 * none. */
int signin_logout_url(struct work *w, int64_t session_id, struct str *url);

#define SIGNIN_LOGGED_OUT "/signin/out" /* page after it */

#endif
