/* Durable changes of files and folders. */
#ifndef BASE_DISK_H
#define BASE_DISK_H

int sync_path(const char *path); /* fsync of a file or a folder: returns 0, or -1 with errno */

/* Renames a file if the new name is free. Returns 0, or -1 with errno (EEXIST: the name is taken). If the file system
 * can't do that in one step, the file has both names for a moment. */
int rename_new(const char *from, const char *to);

#endif
