/* What must be on the disk before it is said to be. */
#ifndef BASE_DISK_H
#define BASE_DISK_H

int sync_path(const char *path); /* a file, or the names in a folder: 0, or -1 with errno */

/* Gives a file its name if nothing has it; else -1 with errno EEXIST. Where the file system can't do that in one step, the file
 * has both names for a moment. */
int rename_new(const char *from, const char *to);

#endif
