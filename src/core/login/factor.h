/* The second factor of a login: a TOTP secret, and recovery codes for people who lost it.
 *
 * An unconfirmed secret is not stored. It is derived from the user, the number of removed factors and the
 * session. So a GET writes nothing, a session always shows the same secret, and another session never sees
 * the secret that is confirmed in this one. A confirmed secret is stored sealed. A code and a recovery
 * code are accepted once. Recovery codes are stored hashed. */
#ifndef CORE_FACTOR_H
#define CORE_FACTOR_H

#include "work/work.h"

#define RECOVERY_CODES 10

struct factor {
    bool enabled;
    struct str secret;  /* raw bytes */
    struct str account; /* the primary address, or the name: the label in an authenticator */
};
int factor_read(struct work *w, int64_t user_id, struct factor *out); /* 1 found, 0 not */

/* Confirms the derived secret with one of its codes. Returns 1 and the recovery codes, which are shown
 * only now; 0 if the code is wrong; or a negative error. Ends the user's other sessions, because they were
 * opened without a second factor. */
int factor_enable(struct work *w, int64_t user_id, struct str code, struct str codes[RECOVERY_CODES]);
int factor_remove(struct work *w, int64_t user_id);

/* Uses a code of the authenticator or a recovery code. Returns 1, or 0 if it is wrong or was used before. */
int factor_take(struct work *w, int64_t user_id, struct str code);

#endif
