/* Permissions: dotted keys that narrow what a role type may do.
 *
 * roles.denied has a bit for each permission that the role lacks. The permission's row has its bit, so
 * rows may be moved and removed. Each role has a row of role_permissions for each permission. A role
 * without one (the desk is older than the permission) gets it at the start of the server, with the default
 * of the row here. */
#ifndef CORE_PERMISSION_H
#define CORE_PERMISSION_H

#include "work/work.h"

struct permission {
    const char *name;
    /* Bit of roles.denied: 0 to 62. Never used by another row or by a removed one (PERMISSIONS_RETIRED). */
    int bit;
    bool is_off; /* new roles lack it */
};
#define PERMISSION_BITS 63

/* Bits of removed rows, which desks still store. */
#define PERMISSIONS_RETIRED UINT64_C(0)

extern const struct permission permissions[]; /* ends with name NULL */

/* Returns true if every row has a name and its own bit. Otherwise err is one line that names the row. */
bool permissions_check(const struct permission *list, char *err, size_t size);

const struct permission *permission_of(struct str name); /* NULL: no such permission */
bool permitted(const struct actor *a, const char *name);

/* Returns 1 if a role lacks a permission of the list, 0 if none does, or a negative error. */
int permissions_lack(struct conn *c, const struct permission *list);
/* Gives each role the permissions of the list that it lacks. Returns 0, or a negative error. */
int permissions_fill(struct conn *c, const struct permission *list, int64_t now);
/* At the start of the server: the same for all permissions there are. Returns 1 if a role got some, 0 if
 * none lacked any, or a negative error. */
int permissions_complete(struct db *db, int64_t now);
/* Grants or denies one permission, and updates roles.denied. The caller refuses unknown names. */
int permission_set(struct work *w, int64_t role_id, const struct permission *p, bool value);

#endif
