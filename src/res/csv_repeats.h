/* The keys that several rows of a CSV file have: addresses, numbers, names and ids in other systems. */
#ifndef RES_CSV_REPEATS_H
#define RES_CSV_REPEATS_H

#include "res/csv_cells.h"

#include <stdatomic.h>

/* Reads the whole file from the place on, outside of transactions. Memory: 8 bytes for each key, at most 32
 * MiB. Returns bits for csv_repeats_have, in w's arena. p NULL: no key repeats. n 0: `stopping` is true. A
 * file that can't be read on ends there. */
struct str csv_repeats_read(struct work *w, struct csv_reader *r, const struct csv_columns *columns,
                            const atomic_bool *stopping);
/* Returns true if several rows have the key, or seldom if only one has it. */
bool csv_repeats_have(struct str repeats, int64_t key);

#endif
