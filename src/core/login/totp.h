/* One-time passwords by the clock (RFC 6238: HMAC-SHA-1, 30 s, 6 digits), as authenticators know them. Pure functions. */
#ifndef CORE_TOTP_H
#define CORE_TOTP_H

#include "base/arena.h"
#include "base/str.h"

#define TOTP_SECRET 20 /* bytes, as long as the hash (RFC 4226 section 4) */
#define TOTP_STEP_MS 30000

int totp_code(struct str secret, int64_t step); /* 0..999999 */

/* The step, of this moment or one beside it, that a code of six digits (blanks within count for nothing) belongs to and that lies
 * after `last`, so that a code serves once; or -1. */
int64_t totp_match(struct str secret, struct str code, int64_t now, int64_t last);

struct str base32(struct arena *a, struct str bytes); /* RFC 4648, without padding: how people type a secret */

#endif
