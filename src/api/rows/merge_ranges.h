/* Merging of index ranges. */
#ifndef API_ROWS_MERGE_RANGES_H
#define API_ROWS_MERGE_RANGES_H

#include "db/db.h"

#define MERGE_MOST 32 /* ranges */

/* Reads rows of several queries in one order. Each query selects (id, key), both numbers, in the order
 * (key, id), descending or not. A row of several queries counts once. Skips `offset` rows and stores up to
 * `limit` ids. Steps each query only as far as the page needs. Returns the number of ids, or a negative
 * error. */
int merge_ranges(struct conn *c, const char *const *queries, int count, const struct bind *binds,
                 bool descending, int64_t offset, int64_t limit, int64_t *ids);

#endif
