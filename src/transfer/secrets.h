/* The values of a desk that only its server key can read or verify. */
#ifndef TRANSFER_SECRETS_H
#define TRANSFER_SECRETS_H

#include "db/db.h"

/* Deletes them. Calls dropped() for each kind with their number, if there are any; it may be NULL. Returns
 * 0 or a negative error. */
int secrets_drop(struct conn *c, void (*dropped)(const char *what, int64_t rows));

#endif
