/* Organizations in a CSV file. */
#ifndef RES_CSV_ORGANIZATIONS_H
#define RES_CSV_ORGANIZATIONS_H

#include "res/csv_cells.h"

/* *id: of the row that is there; 0: none. Both fail with problems. Return 0 or a negative error. */
int csv_organization_find(struct csv_rows *x, const struct csv_cells *cells, int64_t *id);
int csv_organization_body(struct csv_rows *x, const struct csv_cells *cells, int64_t id, struct json *body);
void csv_organization_keys(struct csv_rows *x, const struct csv_cells *cells, csv_key_fn *take, void *to);

#endif
