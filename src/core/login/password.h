/* Password rules of the settings: length, age and reuse. */
#ifndef CORE_PASSWORD_H
#define CORE_PASSWORD_H

#include "work/work.h"

/* Returns true if a password set at updated_at must be changed before anything else. updated_at 0:
 * unknown, never expires. */
bool password_expired(const struct desk *d, int rank, int64_t updated_at, int64_t now);

/* Returns 1 if this is the current password or one of the last ones that may not be reused, 0 if not, or a
 * negative error. Computes one hash for each, so call it only in the pool. */
int password_used_before(struct work *w, int64_t user_id, struct str password);

/* Stores the new hash. Ends everything that the old password opened: other sessions, remember-me chains,
 * logins in progress, links. */
int password_set(struct work *w, int64_t user_id, struct str hash);

/* Checks the length. *least: the minimum number of characters for this rank. Returns 0, or
 * -ERR_FIELD_INVALID without fail(). */
int password_rule(const struct desk *d, int rank, struct str password, int64_t *least);

#endif
