/* The generation of the help center: a number that changes with each change of what callers without login
 * see on its pages. The essay is in generation.c. */
#ifndef CORE_HELP_CENTER_GENERATION_H
#define CORE_HELP_CENTER_GENERATION_H

#include "work/work.h"

extern const struct db_tracked_table help_center_tables[]; /* db_config.tracked */
const struct query *help_center_change(void);              /* db_config.on_change */

struct generations;
struct generations *generations_new(void); /* NULL: no memory */
void generations_free(struct generations *g);

/* Returns the number of the present state of the help center. A result of a snapshot that begins after
 * this call may be kept under the number. 0: it is unknown in this process; use help_center_generation_in. */
int64_t help_center_generation(const struct desk *d);
/* The same for the snapshot of w->conn: call it first in the snapshot. Sets *out to 0 if nothing may be
 * kept. Returns 0, or a negative error. */
int help_center_generation_in(struct work *w, int64_t *out);

#endif
