/* Which rows the actor sees, as SQL. */
#ifndef API_VISIBLE_H
#define API_VISIBLE_H

#include "api/call.h"

struct bind path_bind(const struct path_var *var);    /* for a condition over the path's variables */
void sql_and(struct buf *sql, const char *condition); /* " AND condition" */
/* Which rows the actor sees: as .visible says, or those of the parents it sees (.within). A resource with neither shows none. */
void view_visible(struct work *w, const struct resource *r, struct branches *out);
/* The condition of visibility and existence, as " AND ..."; its binds are in b. */
void view_condition(struct call *c, const struct resource *r, struct branches *b, struct buf *sql);

/* Whether the actor may see the row; 1, 0 or error. */
int api_visible(struct call *c, const struct resource *r, int64_t id);
/* The same of a row that meets two more conditions; NULL: none. `further` is over the path's variables. */
int visible_row(struct call *c, const struct resource *r, int64_t id, const char *alive, const char *further);

#endif
