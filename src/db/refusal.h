/* Writes that a foreign key or a unique index refused. */
#ifndef DB_REFUSAL_H
#define DB_REFUSAL_H

#include "db/db.h"

/* Returns the reason of the last -ERR_FIELD_INVALID or -ERR_FIELD_DUPLICATE of this connection: the
 * constraint, and with SQLite the statement, without its values. Returns an empty text if no constraint
 * was the reason. Valid until the next statement. */
const char *db_refusal(const struct conn *c);

#endif
