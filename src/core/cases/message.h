/* Messages of a conversation, read markers. */
#ifndef CORE_MESSAGE_H
#define CORE_MESSAGE_H

#include "core/cases/case.h"

struct message_new {
    struct str contents, client_id, metadata, creator_name; /* p NULL: none */
    int64_t creator_id;
    int source; /* 0: not given */
};

/* Posts; the conversation's status, last reply and read marker follow (completions.md section 7). A client_id posted before by the same
 * creator to the same conversation: *id is that message's, nothing else happens. -ERR_RESOURCE_ACTION_NOT_AVAILABLE when closed. */
int message_post(struct work *w, struct case_now *c, const struct message_new *m, int64_t *id);

/* SENT -> DELIVERED -> SEEN; a step back changes nothing. SEEN moves the actor's read marker and marks all before it too. */
int message_set_status(struct work *w, int64_t case_id, int64_t message_id, enum message_status status);

#endif
