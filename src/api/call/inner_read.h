/* A read inside of the server: a GET of the API by a person who was identified before.
 *
 * What such a person may know of an object is decided by the route of the object, with its roles, scope,
 * permission, visible rows and members, and nowhere else. It has no rate limit and no line of the access log. */
#ifndef API_CALL_INNER_READ_H
#define API_CALL_INNER_READ_H

#include "api/call/machine.h"

/* Runs GET `path`?`query` (below /api/v1: "/cases/23") for the actor in the open snapshot of `conn`. Sets *data
 * to the member `data` of the reply, NULL if there is none; data NULL: the body is not wanted. Returns the
 * HTTP status, or a negative error if the store can't be read. Memory is that of the arena. */
int inner_read(struct api *api, struct conn *conn, const struct actor *actor, struct arena *a,
               struct str path, struct str query, const struct json **data);
/* The same for a list, of which only the total is wanted. */
int inner_count(struct api *api, struct conn *conn, const struct actor *actor, struct arena *a,
                struct str path, struct str query, int64_t *total);

#endif
