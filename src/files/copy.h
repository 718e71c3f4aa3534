/* Copies contents of files from one folder to another, for backup and restore. */
#ifndef FILES_COPY_H
#define FILES_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Copies up to n bytes from the current offsets of both descriptors, like copy_file_range, but between any
 * two file systems. */
ssize_t copy_bytes(int from, int to, int64_t n);

/* Copies all contents durably, except those that are there already. If there are none, makes no folder.
 * Returns the number of contents, or negative with one line in err. progress may be NULL. */
int contents_copy(const char *from, const char *to, void (*progress)(int done, int total), char *err,
                  size_t err_size);

#endif
