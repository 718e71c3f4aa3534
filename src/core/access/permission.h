/* Permissions: dotted keys that narrow what a role type allows (completions.md section 5). */
#ifndef CORE_PERMISSION_H
#define CORE_PERMISSION_H

#include "work/work.h"

extern const char *const permissions[]; /* the place of a name is its bit in roles.denied; ends with NULL */

int permission_bit(struct str name); /* -1: no such permission */
bool permitted(const struct actor *a, const char *name);

/* Rows of a new role: every permission on. */
int permissions_create(struct work *w, int64_t role_id);
/* Switches one; the folded roles.denied follows. Unknown names are the caller's to refuse. */
int permission_set(struct work *w, int64_t role_id, int bit, bool value);

#endif
