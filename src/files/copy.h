/* Contents of files from one folder to another: backups, and back. */
#ifndef FILES_COPY_H
#define FILES_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Up to n bytes, from where both descriptors stand; as copy_file_range, between any two file systems. */
ssize_t copy_bytes(int from, int to, int64_t n);

/* All of a folder, durably; what stands there already stays. Where there is nothing to copy, nothing is made. Returns how
 * many there are, or negative and one line in err. progress may be NULL. */
int contents_copy(const char *from, const char *to, void (*progress)(int done, int total), char *err, size_t err_size);

#endif
