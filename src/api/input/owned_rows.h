/* Lists of rows that a resource owns (field.owned_by): addresses, web sites, identifiers. A list of
 * objects with the members of the rows' resource replaces the existing rows. An object with the `id` of a
 * row keeps that row. A plain text stands for the only mandatory member. If rows have is_primary, exactly
 * one is primary: the marked one, otherwise the first. */
#ifndef API_INPUT_OWNED_ROWS_H
#define API_INPUT_OWNED_ROWS_H

#include "api/call/call.h"

#define OWNED_PRIMARY "is_primary"

struct owned_item {
    int64_t id; /* id of the row that the item keeps; 0: a new row */
    struct in *input;
    int count;
    bool primary;
};
struct owned { /* stored in in->made */
    struct owned_item *items;
    int count;
};

int owned_store(struct call *c, const struct in *in, int64_t owner_id);
struct in *owned_in(const struct owned_item *item, const char *name);

#endif
