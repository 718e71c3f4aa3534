/* Shared groups of fields. A row {"*", .group = other} of a table of fields stands for the rows of the
 * other table, in its place. So two resources (a conversation for customers and the case for staff) share
 * rows without copies. */
#ifndef API_TABLE_FIELDS_H
#define API_TABLE_FIELDS_H

#include "api/table/resource.h"

#define GROUP_ROW "*" /* the name of such a row */
#define GROUP_DEPTH 8 /* groups in groups: deeper is a circle */

/* The rows of a table, with the rows of its groups in their place; NULL for NULL. Everything that reads
 * the fields, the input or the arguments of a table calls it: only fields_of sees group rows. The tables
 * of all resources and routes are expanded once. */
const struct field *fields_of(const struct field *table);

/* The same for any table, in the arena. */
const struct field *fields_expand(struct arena *a, const struct field *table);

/* The members of an item of a list that a request sends, or NULL: none is known. Those of owned rows are the
 * members of their resource (api/input/owned_rows.h). */
const struct field *field_items(const struct field *f);

#endif
