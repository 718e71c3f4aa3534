/* Scheduled replies, for the route that makes and replaces them: POST /cases/:id/reply. */
#ifndef RES_SCHEDULED_REPLY_H
#define RES_SCHEDULED_REPLY_H

#include "api/call/call.h"
#include "core/cases/scheduled_reply.h"

extern const struct field scheduled_input[]; /* send_at, scheduled_reply */

/* After api_input: locks the scheduled reply that the request replaces. Returns 1, 0 if it names none, or a
 * negative error. */
int scheduled_former(struct call *c, int64_t case_id, struct scheduled_reply *out);
/* Returns 1 and sets *id if the caller has already scheduled this reply (client_id), but for the one that it
 * replaces. 0, or a negative error. */
int scheduled_before(struct call *c, int64_t case_id, int64_t former, int64_t *id);
/* The parameters of the request, for its time, as a JSON object. clean: HTML in place of the contents; p
 * NULL: they stay. files: a JSON array of the files to attach. */
struct str scheduled_parameters(struct call *c, struct str clean, struct str files);

#endif
