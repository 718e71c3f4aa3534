/* The rows of a CSV file as people and organizations: who is there already, and POST or PUT of the resource. */
#ifndef RES_CSV_ROWS_H
#define RES_CSV_ROWS_H

#include "res/csv_cells.h"

/* CSV_UNDONE: the row failed after it had begun to write. The caller undoes the writes of this work, because
 * the list of its changes can't be shortened. */
enum csv_result { CSV_CREATED, CSV_UPDATED, CSV_SKIPPED, CSV_REJECTED, CSV_UNDONE };

/* The work is a copy of w, with its own problems and changes. Its actor is the person who imports. */
void csv_rows_begin(struct csv_rows *x, const struct work *w, const struct csv_columns *columns, bool skips);
/* Reads the cells of a row. Returns false if the row can't be read by the columns: it is CSV_REJECTED. */
bool csv_rows_read(struct csv_rows *x, const struct csv_row *row, struct csv_cells *out);
/* Finds the person or organization. *id 0: none. Fails with problems. Returns 0 or a negative error. */
int csv_rows_find(struct csv_rows *x, const struct csv_cells *cells, int64_t *id);
/* The keys of the row by which csv_rows_find finds. */
void csv_rows_keys(struct csv_rows *x, const struct csv_cells *cells, csv_key_fn *take, void *to);
/* Returns a csv_result, or a negative error of the server. */
int csv_rows_take(struct csv_rows *x, const struct csv_cells *cells);

#endif
