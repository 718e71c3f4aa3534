/* Copies contents of files between places, each a folder or a bucket: backup, restore, export, import and
 * move. */
#ifndef FILES_COPY_H
#define FILES_COPY_H

#include "db/db.h"

#include <sys/types.h>

/* Copies up to n bytes from the current offsets of both descriptors, like copy_file_range, but between any
 * two file systems. */
ssize_t copy_bytes(int from, int to, int64_t n);

struct contents; /* files/content.h */

/* ---- all contents of a place ----------------------------------------------------------------- */

/* Copies all contents durably, except those that are there already. If there are none, makes no folder.
 * What comes out of a bucket is verified. Stops at the first failure. Returns the number of contents, or
 * negative with one line in err. progress may be NULL. */
int contents_copy(const struct contents *from, const struct contents *to,
                  void (*progress)(int done, int total), char *err, size_t err_size);

/* ---- the contents that rows name ------------------------------------------------------------- */

struct carrying {
    const struct contents *from, *to;
    void (*report)(void *arg, const char *line); /* called for each content that can't be carried */
    void *arg;
    void (*progress)(int64_t done, int64_t total); /* counts contents; may be NULL */
};

struct carried {
    int64_t contents, bytes; /* of all files, each counted once */
    int64_t sent, found;     /* contents that were carried now, and those that the target had */
    int64_t failed;
};

/* Prepares the target: makes a folder, or looks at a bucket that another desk must not have. Returns 0, or
 * negative with one line in err. */
int carry_open(struct conn *c, const struct contents *to, char *err, size_t err_size);

/* Carries what the target does not have with the right size, and verifies its SHA-256. May run beside a
 * running desk, and again after it was interrupted. Returns 0, also if contents failed, or an error if the
 * rows can't be read. Stops after CARRY_FAILURES failures. */
#define CARRY_FAILURES 10
int contents_carry(struct conn *c, const struct carrying *how, struct carried *out);

#endif
