/* Arguments that narrow a list, derived from the tables. A list whose items have ids takes `ids`; one
 * whose items have a legacy_id takes `legacy_ids`; one that is ordered by id, or whose resource has
 * .keyset, takes `after_id` and `before_id`. An argument that can't narrow a list is refused, not ignored,
 * because the client would take the whole list for the rows it asked for.
 *
 * A resource's own list is its first list without a variable in the path: GET /users. A nested list of the
 * same resource takes all arguments of it, too: GET /teams/:id/members?role=. Arguments with .filter work
 * at once. If the handler of the own list applies others, that of the nested list does so, too;
 * api/narrowing.test.mjs tries each. */
#ifndef API_TABLE_LIST_ARGUMENTS_H
#define API_TABLE_LIST_ARGUMENTS_H

#include "api/table/resource.h"
#include "base/arena.h"

/* The arguments of the route, those of the own list of the rows, and those of every list, in one table.
 * Allocates in a. */
const struct field *arguments_of(struct arena *a, const struct route *route, const struct resource *reply);

/* The argument legacy_ids as every list takes it, for a list that combines it with others in its own way
 * (EITHER). */
#define LEGACY_IDS(given_flags)                                                     \
    {                                                                               \
        "legacy_ids", F_TEXTS, given_flags,                                         \
            .filter = "t.legacy_id IN @TEXTS(:legacy_ids)",                         \
            .doc = "Only items with one of these ids in the system that they were " \
                   "imported from."                                                 \
    }

/* true if the route reads a list */
bool route_lists(const struct route *route);
/* true if it takes after_id and before_id */
bool route_takes_keys(const struct route *route, const struct resource *reply);

#endif
