/* Contents of files as one ZIP, made while it is read. Its memory does not depend on the sizes of the files: a file is read in pieces when its
 * turn comes, and stored as it is, because most attachments are compressed already and compressing would cost an event loop 30 seconds of
 * CPU per GiB. Checksums cost a second per GiB. The length is not known before, so the reply is chunked and has no ranges. */
#ifndef FILES_ZIP_H
#define FILES_ZIP_H

#include "base/arena.h"
#include "base/str.h"

struct zip_entry {
    struct str name, sha256; /* any name; it is made safe and unique */
    int64_t size, changed;   /* changed: milliseconds since 1970 */
};
/* Copies the entries. The caller frees it, or gives it to a reply with zip_read and zip_free. */
struct zip *zip_new(const char *folder, const struct zip_entry *entries, int n);
/* Returns 1 to n bytes of the ZIP, 0 at its end, or -1, logged, if a content is missing or has another size. */
int64_t zip_read(void *zip, char *room, size_t n);
void zip_free(void *zip);
int64_t zip_about(const struct zip *z); /* its bytes, about: a little more than it has */

/* The name of a file that is safe to show, to send in a header and to save: its last part without folders, no control characters, none that
 * change the direction of the text, no characters that Windows refuses, at most 200 bytes with its ending kept, valid UTF-8, never empty. */
struct str file_name_safe(struct arena *a, struct str name);
/* The names made unique: a second "a.txt" becomes "a (2).txt". Case counts for nothing, as on most desktops. */
void file_names_unique(struct arena *a, struct str *names, int n);

#endif
