/* The rows of a dry run: what a part has made or changed is kept for the parts behind it. */
#ifndef RES_CSV_TRIAL_H
#define RES_CSV_TRIAL_H

#include "res/csv_rows.h"

struct csv_change;

struct csv_trial {
    struct csv_rows *rows;
    int64_t import_id;
    struct str repeats; /* of csv_repeats_read */
    bool has_stored;    /* parts before have stored changes */
    /* of this part */
    struct csv_change *changes, **last;
    int64_t *keys; /* those of the last row that other rows may have */
    int key_count, key_room;
};

void csv_trial_begin(struct csv_trial *t, struct csv_rows *rows, int64_t import_id, struct str repeats,
                     bool has_stored);
/* As csv_rows_take. */
int csv_trial_take(struct csv_trial *t, const struct csv_cells *cells);
/* Stores the changes, behind the undo of the part. Returns 0 or a negative error. */
int csv_trial_store(struct csv_trial *t, struct work *w);

#endif
