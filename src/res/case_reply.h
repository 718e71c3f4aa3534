/* POST /cases/:id/reply: a message or a note, and changes of the conversation, in one write. */
#ifndef RES_CASE_REPLY_H
#define RES_CASE_REPLY_H

#include "core/cases/case.h"
#include "res/html_input.h"

extern const struct field reply_input[];
int post_case_reply(struct call *c);
int delete_case_reply(struct call *c); /* DELETE /cases/:id/reply/:post_id */

#endif
