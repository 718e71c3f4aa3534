/* What narrows a list. The tables say it: a list whose items have ids takes `ids`, one whose items have a legacy_id takes
 * `legacy_ids`, and one that is ordered by id, or whose resource says .keyset, takes `after_id` and `before_id`. An argument
 * that can't narrow a list is refused and never ignored, because its client would take the whole list for the rows it named. */
#ifndef API_NARROWING_H
#define API_NARROWING_H

#include "api/resource.h"
#include "base/arena.h"

/* The arguments of the route's table and those that every list takes, in one table. Allocates in a. */
const struct field *arguments_of(struct arena *a, const struct route *route, const struct resource *reply);

bool route_lists(const struct route *route);                                    /* Returns whether the call reads a list. */
bool route_takes_keys(const struct route *route, const struct resource *reply); /* Returns whether it takes after_id and before_id. */

#endif
