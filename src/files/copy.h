/* Copies contents of files between folders and buckets: backup, restore, export, import, move. */
#ifndef FILES_COPY_H
#define FILES_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Copies up to n bytes from the current offsets of both descriptors, like copy_file_range, but between any
 * two file systems. */
ssize_t copy_bytes(int from, int to, int64_t n);

struct contents; /* files/content.h */

/* Copies all contents durably, except those that are there already. If there are none, makes no folder.
 * What comes out of a bucket is verified. Returns the number of contents, or negative with one line in err.
 * progress may be NULL. */
int contents_copy(const struct contents *from, const struct contents *to,
                  void (*progress)(int done, int total), char *err, size_t err_size);

#endif
