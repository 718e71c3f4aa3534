/* The values that an erasure looks for in rows of others (docs/PROGRAMS.md, "Erasure"): addresses, numbers
 * and names that the person has or had. */
#ifndef CORE_ERASE_VALUES_H
#define CORE_ERASE_VALUES_H

#include "work/work.h"

/* Begins a value that is looked for in a text without what stands between the digits of a number
 * (@CLOSED_UP). */
#define ERASURE_DIGITS "tel:"

/* Fills erasure_values for a person. Call it before a purge, which deletes what it reads. Returns 0 or a
 * negative error. */
int erasure_values_gather(struct work *w, int64_t user_id);

#endif
