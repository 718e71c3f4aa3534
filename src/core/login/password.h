/* Passwords as the settings want them: how long, how often changed, which not again. */
#ifndef CORE_PASSWORD_H
#define CORE_PASSWORD_H

#include "work/work.h"

/* Whether one of this age must be changed before anything else is done with it. updated_at 0: unknown, never. */
bool password_expired(const struct desk *d, int rank, int64_t updated_at, int64_t now);

/* Whether it is the present one or among the last ones that may not come again: 1, 0 or error. One hash for each: in the pool alone. */
int password_used_before(struct work *w, int64_t user_id, struct str password);

/* Ends what the former one opened: other sessions, remember-me, logins under way. */
int password_set(struct work *w, int64_t user_id, struct str hash);

#endif
