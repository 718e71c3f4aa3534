/* People and the addresses they are known by. */
#ifndef CORE_USER_H
#define CORE_USER_H

#include "core/change/record.h"
#include "core/words.h"
#include "work/work.h"

struct user_new {
    struct str full_name, email, phone, password_hash, designation, signature, time_zone, legacy_id; /* p NULL: none */
    int64_t role_id, organization_id, locale_id;
    int agent_case_access, organization_case_access; /* 0: the role's; REQUESTED */
};

/* Without an organization, the person joins the one with the domain of the address, when that is validated.
 * Makes a user with its first identities, primary; validated when staff made it (by_staff). FIELD_DUPLICATE names email or phone. */
int user_create(struct work *w, const struct user_new *n, bool by_staff, int64_t *id);

enum user_property { USER_NAME = 1, USER_ROLE = 2, USER_PASSWORD = 4, USER_ORGANIZATION = 8, USER_TEAMS = 16, USER_ENABLED = 32 };

/* Columns that nothing follows from, and the properties named by `set`. */
struct user_change {
    const struct column *columns; /* of the table users */
    int column_count;
    unsigned set;
    struct str full_name, password_hash;
    struct str team_ids;              /* JSON array: replaces the memberships */
    int64_t role_id, organization_id; /* organization 0: none */
    bool is_enabled;
};

/* The one function that changes a person: writes what is given, and what follows from it (looked-up names, conversations that move with the person,
 * sessions that end). The caller has checked who may, and that the references exist. */
int user_change(struct work *w, int64_t user_id, const struct user_change *wanted);

int user_join_teams(struct work *w, int64_t user_id, struct str team_ids);
int users_delete(struct work *w, const int64_t *ids, int count); /* soft: identities freed, sessions ended, conversations unassigned */
/* Deletes, and erases personal data, by a cascade; the conversations stay. People who were deleted before may be among them. */
int users_purge(struct work *w, const int64_t *ids, int count);

/* Folds designations anew, a part of them behind *after, which it moves on: 1 there are more, 0, or error. */
int users_rekey(struct work *w, int64_t *after);

/* Whether the actor may change this person (completions.md section 5): 0, or fails with PERMISSIONS_DENIED. */
bool actor_may_change(const struct actor *a, int64_t user_id, int64_t role_type);
int user_may_change(struct work *w, int64_t user_id);
/* The same of several people. listed: the request names them in ids, and problems point into it. */
int users_may_change(struct work *w, const int64_t *ids, int count, bool listed);
int users_leave_an_owner(struct work *w, const int64_t *ids, int count,
                         bool listed); /* RESOURCE_ACTION_NOT_AVAILABLE if no other owner can log in */
int user_may_grant(struct work *w,
                   int64_t role_id); /* a role no higher than one's own; 0 when there is no such role, which its reference says */
int role_may_change(struct work *w, int64_t role_id);             /* a role of a type no higher than one's own: 0, or PERMISSIONS_DENIED */
int role_type_of(struct work *w, int64_t role_id, int64_t *type); /* 1 found, 0 */

#endif
