/* Pages for frames of the console. Each has a policy and a sandbox of its own, which let no script run. */
#ifndef RES_FRAMED_H
#define RES_FRAMED_H

#include "api/call/call.h"

/* The sandbox keeps the origin, so that the page around the frame can read and change what it shows. */
#define FRAMED_SANDBOX "sandbox allow-same-origin"

/* Returns true if a browser asks for the page outside of a frame. Other clients say nothing, and run
 * nothing. */
bool framed_elsewhere(const struct call *c);

/* Replies with the page under this Content-Security-Policy, or with 304. */
int framed_reply(struct call *c, struct str policy, struct str page);

#endif
