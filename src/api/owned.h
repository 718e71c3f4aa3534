/* Lists of rows that a resource owns (field.owned_by): addresses, web sites, identifiers. Given as a list of objects
 * with the members of the rows' resource, the list replaces those there are; an object with the `id` of one keeps that
 * one. A bare text stands for the one member that is mandatory. Where the rows have is_primary, one of them is: the one
 * said to be, else the first. */
#ifndef API_OWNED_H
#define API_OWNED_H

#include "api/call.h"

#define OWNED_PRIMARY "is_primary"

struct owned_item {
    int64_t id; /* of the row it keeps; 0: a new one */
    struct in *input;
    int count;
    bool primary;
};
struct owned { /* in->made */
    struct owned_item *items;
    int count;
};

int owned_store(struct call *c, const struct in *in, int64_t owner_id);
struct in *owned_in(const struct owned_item *item, const char *name);

#endif
