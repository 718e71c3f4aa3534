/* Checks that the rows of files match the stored contents. */
#ifndef FILES_CHECK_H
#define FILES_CHECK_H

#include "db/db.h"

struct contents; /* files/content.h */

struct contents_checking {
    const struct contents *contents;
    bool deep;      /* reads the contents of a bucket, too, which cost what a download costs */
    bool only_rows; /* does not look for contents without a row */
    void (*report)(void *arg, const char *line); /* called for each finding */
    void *arg;
    void (*progress)(int done, int total); /* may be NULL */
};

/* Reads every content of a folder. Of a bucket, compares the list of its objects, with their sizes. May run
 * beside a running desk. Returns the number of findings, or an error. */
int contents_check(struct conn *c, const struct contents_checking *how);

struct content_rows { /* a content that rows refer to */
    struct str sha256;
    int64_t size, largest; /* they differ if a row is wrong */
    int64_t file_id;       /* the first of its files */
};
/* Reads the contents of subfolder `nth` of CONTENT_FOLDERS by the rows of files, in the order of their
 * hashes. Returns their number, or an error. */
int contents_of_rows(struct conn *c, struct arena *a, int nth, struct content_rows **out);

#endif
