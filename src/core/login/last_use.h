/* The last uses of sessions, grants, clients and API tokens. core/desk/gather.h writes them. */
#ifndef CORE_LOGIN_LAST_USE_H
#define CORE_LOGIN_LAST_USE_H

#include "core/desk/gather.h"

extern const struct gather_kind session_uses, grant_uses, client_uses, api_token_uses;
extern const struct gather_kind
    person_uses; /* the person of a session. Use by a program is none of a person */

/* Notes a use, at most once a minute for each row. last: the stored time */
void last_use(struct work *w, const struct gather_kind *kind, int64_t id, int64_t last);

#endif
