/* The limit of writes without login, by address and minute. */
#ifndef API_CALLER_RATE_H
#define API_CALLER_RATE_H

#include "api/call/call.h"

struct slots *rates_new(void); /* base/slots.h; NULL: no memory */

/* For a write without login: rate_over returns the seconds to wait if the address is known to be over the
 * limit, otherwise 0. Then rate_count counts the write, in its own write. Then rate_counted returns the
 * seconds to wait for that count. Nothing is counted if the limit is 0. */
int64_t rate_over(struct api *api, struct str remote, int64_t now);
int rate_count(struct conn *conn, struct str remote, int64_t now, int64_t *n);
int64_t rate_counted(struct api *api, struct str remote, int64_t now, int64_t n);
/* Calls all three for a posted form. Call it on a thread of the pool, because it waits for the writer.
 * Returns the seconds to wait, 0, or a negative error. */
int64_t rate_form(struct api *api, struct str remote, int64_t now);

#endif
