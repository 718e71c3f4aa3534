/* Visibility of rows as SQL. */
#ifndef API_ROWS_VISIBLE_H
#define API_ROWS_VISIBLE_H

#include "api/call/call.h"

struct bind path_bind(const struct path_var *var); /* binds a path variable for a condition */
/* The beginnings of statements over the rows of a resource, as this read or write may use them. */
const struct selects *view_selects(struct work *w, const struct layout *layout);
void sql_and(struct buf *sql, const char *condition); /* " AND condition" */
/* The visible rows: by .visible, or the rows of visible parents (.within). A resource with neither shows
 * none. */
void view_visible(struct work *w, const struct resource *r, struct branches *out);
/* Appends the branches as one condition on a row. It is a CASE, which keeps engines from using the branches to find
 * rows. */
void branches_condition(const struct branches *b, struct buf *sql);
/* Appends the condition of visibility and existence, as " AND ..."; its binds are in b. */
void view_condition(struct call *c, const struct resource *r, struct branches *b, struct buf *sql);

int api_of(struct call *c); /* checks the parent: 404 unless the actor sees it */
/* The same without a statement for a caller who sees all conversations. The handler then loads the
 * conversation first, and answers 404 for a state that the parent does not show. */
int api_of_case(struct call *c);
/* Returns 1 if the actor may see the row, 0 if not, or a negative error. */
int api_visible(struct call *c, const struct resource *r, int64_t id);
/* The message for an id that is absent or that the caller may not see. It names the type, and the list of
 * its rows if the caller may read it. */
const char *api_absent(struct call *c, const char *type);
/* The same for a row that meets two more conditions (NULL: none). `further` is over the path's variables. */
int visible_row(struct call *c, const struct resource *r, int64_t id, const char *alive, const char *further);

#endif
