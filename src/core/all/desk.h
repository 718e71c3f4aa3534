/* Creates a desk, and functions for the operator's commands. */
#ifndef CORE_DESK_H
#define CORE_DESK_H

#include "work/work.h"

/* DESK_READY: desk_finish has written the setting desk.created_at. */
enum desk_state { DESK_EMPTY, DESK_UNFINISHED, DESK_READY };
int desk_state(struct conn *c); /* enum desk_state, or a negative error */

struct new_desk {
    int64_t now;
    struct str owner_name, owner_email, password_hash; /* the address has been checked */
    struct str owner_uuid;                             /* p NULL: random */
    int64_t owner_id;                                  /* 0: the store chooses it */
};
/* Creates the owner with an address, the permissions of the system roles, and the times of seed rows.
 * Returns -ERR_FIELD_DUPLICATE if people exist. The desk is unfinished until desk_finish. */
int desk_begin(struct conn *c, const struct new_desk *n);
int desk_finish(struct conn *c, const struct new_desk *n);
int desk_init(struct db *db, const struct new_desk *n); /* desk_begin and desk_finish in one transaction */

/* The database stores a proof of the server key that it is used with. Returns 1 if this is the key, or no
 * key was stored (it is stored then); 0 if another key was stored, which `renew` replaces and `replaced`
 * is called in the same write; or a negative error. proof: 64 characters derived from the key. */
int desk_key_known(struct db *db, int64_t now, struct str proof, bool renew,
                   int (*replaced)(struct conn *c, void *arg), void *arg);
/* 1: this key, or none, was stored; 0: another one; or a negative error */
int desk_key_is(struct conn *c, struct str proof);

/* 20 characters that can't be confused with each other: 100 bits */
struct str password_generate(struct arena *a);
#define PASSWORD_LENGTH_OWNER 8 /* minimum for the first owner; later passwords obey the desk's settings */

/* For the operator, without login. Finds the person who logs in with an address. Returns 1 found, 0 not,
 * or a negative error. */
int account_find(struct conn *c, struct str email, int64_t *user_id, int64_t *role_type);

#endif
