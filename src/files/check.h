/* Whether rows of files and their contents agree. */
#ifndef FILES_CHECK_H
#define FILES_CHECK_H

#include "db/db.h"

/* Reads every content; also beside a running desk. One line a finding to report(); how many, or error. progress may be NULL. */
int contents_check(struct conn *c, const char *folder, void (*report)(void *arg, const char *line), void *arg,
                   void (*progress)(int done, int total));

#endif
