/* The second factor of a login: a TOTP secret, and recovery codes for who lost it (completions.md section 4).
 *
 * Until it is confirmed the secret is derived from the user, how often a factor was removed, and the session: showing it writes nothing,
 * two looks of a session show the same, and whoever looked in another session has not seen what is confirmed in this one. Confirmed, it is kept sealed. A code is taken once; so is a recovery code, which is kept hashed. */
#ifndef CORE_FACTOR_H
#define CORE_FACTOR_H

#include "work/work.h"

#define RECOVERY_CODES 10

struct factor {
    bool enabled;
    struct str secret;  /* raw bytes */
    struct str account; /* the primary address, or the name: what an authenticator shows */
};
int factor_read(struct work *w, int64_t user_id, struct factor *out); /* 1 found, 0 */

/* Confirms the derived secret with a code of it; codes then holds the recovery codes, shown this once. 1, or 0: a wrong code. Ends the
 * user's other sessions: they were opened with less. */
int factor_enable(struct work *w, int64_t user_id, struct str code, struct str codes[RECOVERY_CODES]);
int factor_remove(struct work *w, int64_t user_id);

/* Takes a code of the authenticator or a recovery code: 1, or 0 when it is neither, or was taken before. */
int factor_take(struct work *w, int64_t user_id, struct str code);

#endif
