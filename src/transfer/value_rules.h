/* The values that the columns of the store can have, for rows that this program did not write: those of an
 * edited export. The schema has types only, so a number that is no word of its enumeration, no truth value
 * or no id is found here. */
#ifndef TRANSFER_VALUE_RULES_H
#define TRANSFER_VALUE_RULES_H

#include "base/arena.h"
#include "db/rows.h"

struct value_rules;
/* Sets *out to the rules of a table. Refuses a table with a column of numbers that no rule covers. */
int value_rules_of(struct arena *a, const struct move_table *t, struct value_rules **out, struct why why);
/* Returns 0, or refuses a row: "is_enabled can't be 7". */
int value_rules_check(struct value_rules *r, const struct value *row, struct why why);
/* Returns the table whose ids the column contains, or NULL if it refers to none, or to rows that may be
 * gone. */
const char *value_rules_parent(struct arena *a, const struct move_table *t, const struct move_column *c);
/* Returns 0, or refuses a table whose last assigned id is above `max`. */
int value_rules_check_last(const struct move_table *t, int64_t max, struct why why);

#endif
