/* Brings what follows the change log up to date. */
#ifndef CORE_ALL_CATCH_UP_H
#define CORE_ALL_CATCH_UP_H

#include "work/work.h"

#define CATCH_UP_MS 2000

/* Indexes the changes committed so far (core/search/follow.h), but begins no further part after CATCH_UP_MS.
 * Call it outside of transactions, not on a writer thread. Returns 1 if there are more, 0, or a negative error. */
int search_catch_up(struct desk *d);
/* The same for reports (core/reports/follow.h). `most`: milliseconds. */
int report_catch_up_for(struct desk *d, int64_t most);
int report_catch_up(struct desk *d); /* for CATCH_UP_MS */

/* The derived tables of the schema (db/db.h): all that follows. */
extern const struct db_derived derived_tables[];

#endif
