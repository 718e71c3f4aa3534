/* X-Desk-Signature of a delivery: docs/guides describe how a server verifies it. */
#ifndef OUTGOING_SIGNATURE_H
#define OUTGOING_SIGNATURE_H

#include "base/arena.h"
#include "base/str.h"

#include <stdint.h>

/* Returns "t=SECONDS,v1=HEX" with a v1 for each secret that has a p: HMAC-SHA256 of "SECONDS.BODY", keyed
 * by the text of the secret. seconds: since 1970. p NULL if there is no secret. */
struct str signature(struct arena *a, int64_t seconds, struct str body, const struct str *secrets, int count);

#endif
