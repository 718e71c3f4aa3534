/* Drafts of replies and notes, for the routes that send them. */
#ifndef RES_DRAFT_H
#define RES_DRAFT_H

#include "api/call/call.h"
#include "core/cases/draft.h"

extern const struct field draft_sent_input[]; /* draft_etag */

/* The caller has sent a reply or a note: deletes the draft that it came from, if the request names it. */
int draft_sent(struct call *c, enum draft_channel channel);

#endif
