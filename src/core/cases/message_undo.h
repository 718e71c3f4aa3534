/* Undoes a reply whose mails have not left yet. */
#ifndef CORE_MESSAGE_UNDO_H
#define CORE_MESSAGE_UNDO_H

#include "core/cases/case.h"

/* Deletes a message of the actor and its letters, while mail.undo_seconds have not passed. The counters,
 * the last message and the times of the conversation then follow from its other messages. If the message
 * is the last reply, the call also restores (1) the status before the reply, if the reply alone changed
 * it, and (2) the read marker and the participation of the author before it. Other changes of the request
 * or of a rule stay. Returns 0, -ERR_RESOURCE_NOT_FOUND, -ERR_PERMISSIONS_DENIED for another author, or
 * -ERR_RESOURCE_ACTION_NOT_AVAILABLE. The caller has locked the conversation. */
int message_undo(struct work *w, struct case_now *c, int64_t message_id);

#endif
