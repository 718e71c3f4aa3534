/* Durable changes of files and folders. */
#ifndef BASE_DISK_H
#define BASE_DISK_H

#include <stdbool.h>
#include <stdio.h>

int sync_path(const char *path); /* fsync of a file or a folder: returns 0, or -1 with errno */

/* Renames a file if the new name is free. Returns 0, or -1 with errno (EEXIST: the name is taken). If the
 * file system can't do that in one step, the file has both names for a moment. */
int rename_new(const char *from, const char *to);

/* Opens a file for reading, if it is a regular file and no symbolic link. Does not wait for a writer of a
 * FIFO. Returns the descriptor, or -1 with the reason: "it is a symbolic link". */
int plain_open(const char *path, const char **why);
/* The same for a stream. */
FILE *plain_stream(const char *path, const char **why);
/* Returns whether the path is a folder and no symbolic link. */
bool is_plain_folder(const char *path);

#endif
