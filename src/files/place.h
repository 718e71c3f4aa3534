/* The place of contents of files: a folder, or a bucket with a folder of copies. Both name a content
 * ab/ab12... (the 64 hex digits of its SHA-256). */
#ifndef FILES_PLACE_H
#define FILES_PLACE_H

#include "base/arena.h"
#include "base/str.h"

struct remote;

/* The place of contents. */
struct contents {
    const char *folder;    /* contents and uploads under way; with a bucket, copies of contents and uploads */
    struct remote *remote; /* the bucket; NULL: the folder */
    /* downloads are sent to an address of the bucket that is valid for so many seconds; 0: they are not */
    int64_t presigned;
};

/* the folder that receives uploads, on the same file system */
struct str contents_tmp(struct arena *a, const struct contents *k);
/* The file with the content, if it is here: see content_is_here. */
struct str content_path(struct arena *a, const struct contents *k, struct str sha256);
/* Lists the contents in subfolder `nth` of the folder. Returns the number of names (in the arena), or -1
 * with errno. */
#define CONTENT_FOLDERS 256
int folder_listed(struct arena *a, const struct contents *k, int nth, struct str **contents);

int contents_lock_open(struct arena *a, const struct contents *k); /* the file of the locks below, or -1 */
/* Keeps contents from being removed until the returned descriptor is closed. Waits for another backup.
 * Returns -1 with errno on failure. */
int contents_guard(const struct contents *k);
/* The same for one that removes contents: others may have it, too. Returns -1 while a backup runs. */
int contents_share(const struct contents *k);

#endif
