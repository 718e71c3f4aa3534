/* What must be on the disk before it is said to be. */
#ifndef BASE_DISK_H
#define BASE_DISK_H

int sync_path(const char *path); /* a file, or the names in a folder: 0, or -1 with errno */

#endif
