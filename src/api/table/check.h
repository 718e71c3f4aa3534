/* The checks of the tables, at the start of the server: a defect stops the start and is named by resource
 * and member. It never becomes a 500.
 *
 * Checked are references between tables (resources, members, words, settings, permissions, scopes, errors,
 * headers) and the names of values in SQL: each :name is one that the machine binds there. `make dialect`
 * checks that the columns exist. */
#ifndef API_TABLE_CHECK_H
#define API_TABLE_CHECK_H

#include "api/table/resource.h"

/* Each returns true, or false with one line in err. */
bool resource_check(struct arena *a, const struct resource *r, char *err, size_t size);
/* args: of the route, and of every list. */
bool route_check(struct arena *a, const struct resource *home, const struct route *r,
                 const struct field *args, char *err, size_t size);
/* Checks that .visible of the resource binds all values that it names, for each kind of caller. Reads by
 * w->conn. */
bool visible_check(struct work *w, const struct resource *r, char *err, size_t size);

/* The tables that are no resource's: types of resources, permissions, scopes, settings. */
bool tables_check(const struct resource *const *list, char *err, size_t size);

#endif
