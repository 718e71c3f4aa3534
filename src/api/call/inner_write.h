/* A write inside of the server: a call of the API in the name of a person who asked for it before.
 *
 * Roles, permissions, validation, visible rows and consequences are those of the route at that moment. It
 * has no rate limit, no Idempotency-Key and no line in the access log. */
#ifndef API_CALL_INNER_WRITE_H
#define API_CALL_INNER_WRITE_H

#include "api/call/machine.h"

/* A call of an operation (POST, "/cases/23/reply"), which exists. Its work is for work_write
 * (core/all/finish.h). Memory is that of the arena. */
struct call *inner_call(struct api *api, struct arena *a, struct str method, struct str path);

/* In each run of that write: inner_begin comes first, then the caller sets the actor of the work and may
 * change rows, and inner_write runs the operation. prepared: the result of .prepare; NULL: none. Returns 0
 * or a negative error, as the handler. */
void inner_begin(struct call *c);
int inner_write(struct call *c, const struct json *body, void *prepared);

#endif
