/* Pictures of people: initials, drawn, where none was uploaded. */
#ifndef RES_AVATAR_H
#define RES_AVATAR_H

#include "api/call.h"

int avatar_read(struct call *c); /* GET /users/:id/avatar */

#endif
