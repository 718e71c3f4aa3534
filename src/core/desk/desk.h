/* A desk at its beginning, and what an operator may do to it from outside. */
#ifndef CORE_DESK_H
#define CORE_DESK_H

#include "work/work.h"

/* Made by desk_finish, whose row desk.created_at in the settings is written last. */
enum desk_state { DESK_EMPTY, DESK_UNFINISHED, DESK_READY };
int desk_state(struct conn *c); /* enum desk_state, or error */

struct new_desk {
    int64_t now;
    struct str owner_name, owner_email, password_hash; /* the address is valid */
    struct str owner_uuid;                             /* p NULL: a random one */
};
/* The owner, their address, the permissions of the system roles, the times of the seed rows. -ERR_FIELD_DUPLICATE: done
 * before. Without the last step the desk counts as unfinished; desk_finish takes it. */
int desk_begin(struct conn *c, const struct new_desk *n);
int desk_finish(struct conn *c, const struct new_desk *n);
int desk_init(struct db *db, const struct new_desk *n); /* both, in one transaction */

/* A database remembers by which server key it is served. 1: by this one, or by none so far; 0: by another, which it stays unless
 * `renew`; or error. proof: of the key, 64 characters that tell nothing else. */
int desk_key_known(struct db *db, int64_t now, struct str proof, bool renew);

struct str password_generate(struct arena *a); /* 20 characters that are not mistaken for each other: 100 bits */
#define PASSWORD_LENGTH_OWNER 8                /* of the first owner; later ones obey the desk's settings */

/* For the operator, who acts without a login. The person who logs in with an address: 1 found, 0 nobody. */
int account_find(struct conn *c, struct str email, int64_t *user_id, int64_t *role_type);
/* Sets the password and ends the sessions of its user. */
int account_set_password(struct db *db, int64_t now, int64_t user_id, struct str hash);

#endif
