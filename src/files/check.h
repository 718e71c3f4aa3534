/* Checks that the rows of files match the stored contents. */
#ifndef FILES_CHECK_H
#define FILES_CHECK_H

#include "db/db.h"

/* Reads every content; may run beside a running desk. Calls report() with one line for each finding.
 * Returns the number of findings, or an error. progress may be NULL. */
int contents_check(struct conn *c, const char *folder, void (*report)(void *arg, const char *line), void *arg,
                   void (*progress)(int done, int total));

#endif
