/* The rows of a CSV file as people and organizations: who is there already, and POST or PUT of the resource. */
#ifndef RES_CSV_ROWS_H
#define RES_CSV_ROWS_H

#include "res/csv_cells.h"

/* CSV_UNDONE: the row failed after it had begun to write. The caller undoes the writes of this work, because
 * the list of its changes can't be shortened. */
enum csv_result { CSV_CREATED, CSV_UPDATED, CSV_SKIPPED, CSV_REJECTED, CSV_UNDONE };

/* The work is a copy of w, with its own problems and changes. Its actor is the person who imports. */
void csv_rows_begin(struct csv_rows *x, const struct work *w, const struct csv_columns *columns, bool skips);
/* Returns a csv_result, or a negative error of the server. */
int csv_rows_take(struct csv_rows *x, const struct csv_row *row);

#endif
