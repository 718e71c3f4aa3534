/* Checks the values of all rows of a store by the rules of value_rules.h, for `deskd check`. */
#ifndef TRANSFER_VALUE_CHECK_H
#define TRANSFER_VALUE_CHECK_H

#include "db/db.h"

/* Reports one line for each finding: the first ten of a table, then the number of the rest. Returns the
 * number of findings, or a negative error. */
int values_check(struct conn *c, void (*report)(void *arg, const char *line), void *arg);

#endif
