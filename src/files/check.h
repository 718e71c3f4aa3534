/* Checks that the rows of files match the stored contents. */
#ifndef FILES_CHECK_H
#define FILES_CHECK_H

#include "db/db.h"

struct contents; /* files/content.h */

struct contents_checking {
    const struct contents *contents;
    bool deep; /* reads the contents of a bucket, too, which cost what a download costs */
    void (*report)(void *arg, const char *line); /* called for each finding */
    void *arg;
    void (*progress)(int done, int total); /* may be NULL */
};

/* Reads every content of a folder. Of a bucket, compares the list of its objects, with their sizes. May run
 * beside a running desk. Returns the number of findings, or an error. */
int contents_check(struct conn *c, const struct contents_checking *how);

#endif
