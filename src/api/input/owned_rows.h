/* Lists of rows that a resource owns (field.owned_by): addresses, web sites, identifiers. A list of
 * objects with the members of the rows' resource replaces the existing rows. An object with the `id` of a
 * row keeps that row. A plain text stands for the only mandatory member. If rows have is_primary, exactly
 * one is primary: the marked one, otherwise the first. */
#ifndef API_INPUT_OWNED_ROWS_H
#define API_INPUT_OWNED_ROWS_H

#include "api/input/input.h"

int owned_store(struct call *c, const struct in *in, int64_t owner_id);

#endif
