/* Contents of files: FOLDER/ab/ab12... (the 64 hex digits of the SHA-256), each stored once. */
#ifndef FILES_CONTENT_H
#define FILES_CONTENT_H

#include "work/work.h"

/* Makes the folder and its subfolders if they are missing. Returns 0, or negative with one line that says
 * what to do. */
int contents_open(const char *folder, char *err, size_t err_size);
/* the folder that receives uploads, on the same file system */
struct str contents_tmp(struct arena *a, const char *folder);

struct str content_path(struct arena *a, const char *folder, struct str sha256);
/* Reads a content. Returns NULL if its bytes have this size and this SHA-256, else what is wrong, as the
 * end of a sentence. */
const char *content_fault(struct arena *a, const char *folder, struct str sha256, int64_t size);
/* Stores the bytes of the temporary file `from`, which has this SHA-256, durably. A content that is there
 * already is read first, and replaced if it is damaged. The temporary file stays. Waits for the disk, so
 * call it in the pool, before the write that inserts the row. Returns 0, or -ERR_SERVICE_UNAVAILABLE,
 * logged. */
int content_keep(struct arena *a, const char *folder, struct str sha256, const char *from, int64_t size);
/* The same without waiting for the disk, for an import of many contents. It calls contents_synced before its
 * COMMIT. */
int content_lay(struct arena *a, const char *folder, struct str sha256, const char *from, int64_t size);
int contents_synced(
    const char *folder); /* Returns 0, or -1 with errno. A folder that is missing is synced. */
/* Call it in that write, before the row is inserted. Makes sure that the content is there when the write
 * is committed. */
int content_hold(struct work *w, struct str sha256, const char *from, int64_t size);

/* Removes those of these contents that no row refers to. Waits for writes. Returns 0, or an error. */
int contents_drop(struct desk *d, const struct str *contents, int n);

/* Lists the contents in subfolder `nth` of CONTENT_FOLDERS. Returns the number of names (in the arena), or
 * -1 with errno. */
#define CONTENT_FOLDERS 256
int contents_listed(struct arena *a, const char *folder, int nth, struct str **contents);
/* ms since the last upload of this content; -1: not there */
int64_t content_age(struct arena *a, const char *folder, struct str sha256);
/* removes temporary files that a crash left */
void contents_tidy(const char *folder);

/* Keeps contents from being removed until the returned descriptor is closed. Waits for another backup.
 * Returns -1 with errno on failure. */
int contents_guard(const char *folder);

#endif
