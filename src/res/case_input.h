/* Parameters that describe a conversation: those of POST and PUT, of a reply, and of a macro. */
#ifndef RES_CASE_INPUT_H
#define RES_CASE_INPUT_H

#include "api/call/call.h"
#include "core/cases/case.h"

/* .check: the person must be staff who may log in */
int check_assigned_agent(struct call *c, struct in *in);
struct case_change case_change_given(struct call *c); /* the properties in the input */
/* Fails with PERMISSIONS_DENIED if an agent closes the conversation: only admins and owners may. */
int check_closing(struct call *c);

#endif
