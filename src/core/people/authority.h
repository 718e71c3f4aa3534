/* Checks which people and roles the actor may change. */
#ifndef CORE_AUTHORITY_H
#define CORE_AUTHORITY_H

#include "work/work.h"

#define ROLE_OF_CUSTOMERS 4 /* id of the system role */

/* Both check whether the actor may change this person. user_may_change returns 0 or fails with
 * PERMISSIONS_DENIED. */
bool actor_may_change(const struct actor *a, int64_t user_id, int64_t role_type);
int user_may_change(struct work *w, int64_t user_id);
/* Returns 0 if the actor may get the rights of this person: the actor may change the person, and no
 * permission of the person's role is denied to the actor's. Else fails with PERMISSIONS_DENIED. */
int user_may_act_as(struct work *w, int64_t user_id);
/* The same for several people. listed: the request names them in `ids`, and problems point into it. */
int users_may_change(struct work *w, const int64_t *ids, int count, bool listed);
/* Fails with RESOURCE_ACTION_NOT_AVAILABLE if no owner besides these people could log in. */
int users_leave_an_owner(struct work *w, const int64_t *ids, int count, bool listed);
/* Returns 0 if the actor may grant the role, or if it does not exist (the check of its reference reports
 * that). Else PERMISSIONS_DENIED. */
int user_may_grant(struct work *w, int64_t role_id);
/* 0, or PERMISSIONS_DENIED if its type is above the actor's */
int role_may_change(struct work *w, int64_t role_id);
int role_type_of(struct work *w, int64_t role_id, int64_t *type); /* 1 found, 0 not */

#endif
