/* Contents of files: FOLDER/ab/ab12...(the 64 hex digits of its SHA-256), each kept once. */
#ifndef FILES_CONTENT_H
#define FILES_CONTENT_H

#include "work/work.h"

/* Makes the folder and what is in it where they are not there. On error writes one line that says what to do; negative. */
int contents_open(const char *folder, char *err, size_t err_size);
struct str contents_tmp(struct arena *a, const char *folder); /* where uploads are received: on the same file system */

struct str content_path(struct arena *a, const char *folder, struct str sha256);
/* Reads a content. Returns NULL if its bytes have this size and the SHA-256 that is its name, or what is wrong with it, as
 * the end of a sentence. */
const char *content_fault(struct arena *a, const char *folder, struct str sha256, int64_t size);
/* Keeps what is in the temporary file `from`, whose SHA-256 this is, durably: 0, or -ERR_SERVICE_UNAVAILABLE, logged. A
 * content that is there already is read first, and replaced if it is damaged. The temporary file stays. Waits for the disk: in
 * the pool, before the write that makes the row. */
int content_keep(struct arena *a, const char *folder, struct str sha256, const char *from, int64_t size);
/* In that write, before the row: the content will be there when the write is committed. */
int content_hold(struct work *w, struct str sha256, const char *from, int64_t size);

/* Removes those of these contents that no row names. Waits for writes. */
int contents_drop(struct desk *d, const struct str *contents, int n);

/* What stands in one of the CONTENT_FOLDERS subfolders: names of contents, in the arena; how many, or -1 with errno. */
#define CONTENT_FOLDERS 256
int contents_listed(struct arena *a, const char *folder, int nth, struct str **contents);
int64_t content_age(struct arena *a, const char *folder, struct str sha256); /* ms since it was uploaded last; -1: not there */
void contents_tidy(const char *folder);                                      /* removes temporary files that a crash left */

/* While it is held, no content is removed; of two backups the second waits here. A descriptor to close, or -1 with errno. */
int contents_guard(const char *folder);

#endif
