/* Time-based one-time passwords (RFC 6238: HMAC-SHA-1, 30 s, 6 digits). Pure functions. */
#ifndef CORE_TOTP_H
#define CORE_TOTP_H

#include "base/arena.h"
#include "base/str.h"

#define TOTP_SECRET 20 /* bytes, as long as the hash (RFC 4226 section 4) */
#define TOTP_STEP_MS 30000

/* Returns the step that a code of six digits (spaces are ignored) matches, or -1. The step is the current
 * one or a neighbour, and greater than `last`, so that a code is accepted once. */
int64_t totp_match(struct str secret, struct str code, int64_t now, int64_t last);

/* RFC 4648, without padding: for typing a secret by hand */
struct str base32(struct arena *a, struct str bytes);

#endif
