/* People: creation, changes, deletion, and who may change them. */
#ifndef CORE_USER_H
#define CORE_USER_H

#include "core/desk/cascade.h"
#include "core/change/record.h"
#include "core/words.h"
#include "work/work.h"

struct user_new {
    /* p NULL: none */
    struct str full_name, email, phone, password_hash, designation, signature, time_zone, legacy_id;
    int64_t id; /* of a person who keeps the id of another desk; 0: the store chooses it */
    int64_t role_id, organization_id, locale_id;
    /* 0: agent_case_access of the role; ORGANIZATION_REQUESTED */
    int agent_case_access, organization_case_access;
    bool is_disabled;
};

/* Makes a user with its first identities, which are primary. They are validated if staff made the user
 * (by_staff). A person without an organization joins the one with the validated domain of the address.
 * Fails with FIELD_DUPLICATE for email or phone. */
int user_create(struct work *w, const struct user_new *n, bool by_staff, int64_t *id);

enum user_property {
    USER_NAME = 1,
    USER_ROLE = 2,
    USER_PASSWORD = 4,
    USER_ORGANIZATION = 8,
    USER_TEAMS = 16,
    USER_ENABLED = 32
};

/* Plain columns, and the properties named by `set`, which have consequences. */
struct user_change {
    const struct column *columns; /* columns of the table users */
    int column_count;
    unsigned set;
    struct str full_name, password_hash;
    struct str team_ids;              /* JSON array; replaces the memberships */
    int64_t role_id, organization_id; /* organization 0: none */
    bool is_enabled;
};

/* The one function that changes a person and what follows from it: indexed names, conversations that move
 * with the person, sessions that end. The caller has checked permissions and references. */
int user_change(struct work *w, int64_t user_id, const struct user_change *wanted);

int user_join_teams(struct work *w, int64_t user_id, struct str team_ids);
/* soft delete: frees identities, ends sessions, unassigns conversations */
int users_delete(struct work *w, const int64_t *ids, int count);
/* Deletes people and erases their personal data by a cascade. Their conversations stay. People deleted
 * before may be among them. */
int users_purge(struct work *w, const int64_t *ids, int count);
int users_purge_by(struct work *w, const int64_t *ids, int count,
                   enum cascade what); /* the same; `what` erases more: core/erasure/erase.h */

/* Rebuilds designation keys of the next rows after id *after, and advances *after. Returns 1 if there are
 * more, 0 if not, or a negative error. */
int users_rekey(struct work *w, int64_t *after);

/* ---- people who are known by an e-mail address alone ----------------------------------------- */

/* Finds the owner of an e-mail address, or creates a customer with this name. Concurrent writes with one
 * new address create one person. Returns 1 if there was an owner, 0 if the person is new, or a negative
 * error. */
int customer_of_address(struct work *w, struct str name, struct str address, int64_t *user_id);

/* In a write: until it ends, no other write that calls this creates a person with this address. key:
 * email_key. */
int customer_lock(struct work *w, struct str key);

#endif
