/* Invariants between the rows of a desk that the store can't enforce, for `deskd check`. */
#ifndef CORE_CHECK_H
#define CORE_CHECK_H

#include "db/db.h"

/* Reports one line for each finding: the first ten of a kind, then the number of the rest. Returns the
 * number of findings, or a negative error. */
int desk_check(struct conn *c, void (*report)(void *arg, const char *line), void *arg);

#endif
