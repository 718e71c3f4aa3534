/* POST /cases/:id/reply: a message or a note, and changes of the conversation, in one write. */
#ifndef RES_CASE_REPLY_H
#define RES_CASE_REPLY_H

#include "core/cases/case.h"
#include "res/html_input.h"

extern const struct field reply_input[];
int post_case_reply(struct call *c);
int delete_case_reply(struct call *c); /* DELETE /cases/:id/reply/:post_id */

/* Functions of the resource case (res/case.c). */
int check_assigned_agent(struct call *c, struct in *in);
struct case_change case_change_given(struct call *c); /* the properties in the input */
/* fails with PERMISSIONS_DENIED if an agent closes the conversation */
int check_closing(struct call *c);

#endif
