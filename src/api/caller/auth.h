/* Authentication: the stage of a call that identifies the caller. */
#ifndef API_CALLER_AUTH_H
#define API_CALLER_AUTH_H

#include "api/call/call.h"

enum { AUTH_DONE = 0, AUTH_SLOW = 1 };
/* Identifies the caller and fills work.actor. Returns AUTH_DONE, AUTH_SLOW if a password must be verified
 * by auth_slow in the pool, or a negative error. */
int auth_fast(struct call *c);
/* After AUTH_SLOW: returns the milliseconds that this login must wait, with the key under which such
 * logins are counted; or a negative error. */
int auth_delay(struct call *c, uint64_t *key);
int auth_crowded(struct call *c); /* fails: too many such logins wait */
int auth_slow(struct call *c);    /* in LANE_HASH; its writes wait for the writer */
/* Checks the credentials before the body is received, without a hash and without using a token. Returns
 * AUTH_DONE or AUTH_SLOW as auth_fast, or the error. */
int auth_before_body(struct call *c);
int auth_session_failed(struct call *c); /* fails: the session is wrong or has ended */
/* For pages: loads the actor of the cookie's live session into w. Returns 1, 0 if there is none or the
 * request is foreign, or a negative error. */
int auth_cookie(struct work *w, struct http_request *r);
/* The same for a page that only shows: the request may come from a link on another site, whose pages can't
 * read the reply. Records the activity. *csrf: the token of the session, in the request's memory; p NULL:
 * none. */
int auth_reader(struct work *w, struct http_request *r, struct str *csrf);
struct str user_agent_of(struct http_request *r); /* as stored in sessions */

#endif
