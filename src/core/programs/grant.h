/* Grants: the consent of a person to a client (docs/PROGRAMS.md). A person has at most one for each
 * client. */
#ifndef CORE_GRANT_H
#define CORE_GRANT_H

#include "core/programs/client.h"

struct grant {
    int64_t id, user_id, client_id;
    uint32_t scopes;   /* never 0 */
    int64_t expiry_at; /* 0: no token was given yet */
};

/* The grant of a person to a client. Returns 1, 0 if there is none, or a negative error. */
int grant_find(struct work *w, int64_t user_id, int64_t client_id, struct grant *out);

/* Stores the consent of a person. mask: what the person agreed to, within the client's; 0: all of the
 * client's. The newest consent replaces the scopes of an older one. So tokens that were given before can
 * do no more than the newest consent allows. Locks the row of the person, as a change of the password
 * does. Fails with PERMISSIONS_DENIED if the scopes and the client's have nothing in common. Returns
 * -ERR_FIELD_INVALID if the client is gone. */
int grant_give(struct work *w, int64_t user_id, const struct client *c, uint32_t mask, int64_t *grant_id);

/* Moves the end of a grant to the end of a token that it gave, if that is later. */
int grant_extend(struct work *w, int64_t grant_id, int64_t until);

#endif
