/* Brings what follows the change log up to date. */
#ifndef CORE_ALL_CATCH_UP_H
#define CORE_ALL_CATCH_UP_H

#include "work/work.h"

#define CATCH_UP_MS 2000

/* Indexes the changes committed so far (core/search/follow.h), but begins no further part after CATCH_UP_MS.
 * Call it outside of transactions, not on a writer thread. Returns 1 if there are more, 0, or a negative error. */
int search_catch_up(struct desk *d);

#endif
