/* Contents of files, each stored once under its SHA-256: in a folder, or in a bucket of an object store
 * (remote.h). Both have the names ab/ab12... (the 64 hex digits). */
#ifndef FILES_CONTENT_H
#define FILES_CONTENT_H

#include "files/place.h"
#include "work/work.h"

/* Makes the folder and its subfolders if they are missing. Returns 0, or negative with one line that says
 * what to do. */
int contents_open(const struct contents *k, char *err, size_t err_size);
bool contents_there(const struct contents *k); /* false: the folder is missing */
/* the folder or the bucket, for messages */
const char *contents_name(struct arena *a, const struct contents *k);

/* False if the content must be fetched from the bucket before its file is opened. Does not wait for the
 * network. A content of a folder is always here, or missing for good. */
bool content_is_here(struct arena *a, const struct contents *k, struct str sha256, int64_t size);
/* Makes it so. Waits for the network, so never call it on an event loop or in a write. size -1: not known.
 * The file stays for 15 minutes at least. Returns 0, also if there is no such content, or
 * -ERR_SERVICE_UNAVAILABLE, logged. */
int content_fetch(struct arena *a, const struct contents *k, struct str sha256, int64_t size);
/* Reads a content. Returns NULL if its bytes have this size and this SHA-256, else what is wrong, as the
 * end of a sentence. */
const char *content_fault(struct arena *a, const struct contents *k, struct str sha256, int64_t size);
/* Stores the bytes of the temporary file `from`, which has this SHA-256, durably. A content that is there
 * already is read first, and replaced if it is damaged. The temporary file stays. Waits for the disk, so
 * call it in the pool, before the write that inserts the row. Returns 0, or -ERR_SERVICE_UNAVAILABLE,
 * logged. */
int content_keep(struct arena *a, const struct contents *k, struct str sha256, const char *from,
                 int64_t size);
/* The same without waiting for the disk, for an import of many contents. It calls contents_synced before its
 * COMMIT. */
int content_lay(struct arena *a, const struct contents *k, struct str sha256, const char *from, int64_t size);
/* Returns 0, or -1 with errno. A folder that is missing is synced. */
int contents_synced(const struct contents *k);
/* Call it in that write, before the row is inserted. Makes sure that the content is there when the write
 * is committed. */
int content_hold(struct work *w, struct str sha256, const char *from, int64_t size);

/* Removes those of these contents that no row refers to. Waits for writes. Returns 0, or an error. */
int contents_drop(struct desk *d, const struct str *contents, int n);

/* Lists the contents in subfolder `nth` of CONTENT_FOLDERS. Returns the number of names (in the arena), or
 * -1 with errno. */
int contents_listed(struct arena *a, const struct contents *k, int nth, struct str **contents);
/* ms since the last upload of this content into the folder; -1: not there */
int64_t content_age(struct arena *a, const struct contents *k, struct str sha256);
/* removes temporary files that a crash left */
void contents_tidy(const struct contents *k);

#endif
