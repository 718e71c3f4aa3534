/* Undoes a reply whose mails have not left yet. */
#ifndef CORE_MESSAGE_UNDO_H
#define CORE_MESSAGE_UNDO_H

#include "core/cases/case.h"

/* Deletes a message of the actor and its letters, while mail.undo_seconds have not passed. The conversation gets the counters, the last message
 * and the times of its other messages, and the status before the reply, if the reply alone changed it. What else the request or a rule changed
 * stays. Returns 0, -ERR_RESOURCE_NOT_FOUND, -ERR_PERMISSIONS_DENIED for another author, or -ERR_RESOURCE_ACTION_NOT_AVAILABLE. The caller has
 * locked the conversation. */
int message_undo(struct work *w, struct case_now *c, int64_t message_id);

#endif
