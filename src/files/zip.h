/* Writes contents of files as one ZIP while it is read. Its memory does not depend on the sizes of the
 * files, because each file is read in pieces. Files are stored uncompressed, because most attachments are
 * compressed already, and compression would cost an event loop 30 seconds of CPU per GiB. Checksums cost a
 * second per GiB. The length is not known in advance, so the reply is chunked and has no ranges. */
#ifndef FILES_ZIP_H
#define FILES_ZIP_H

#include "base/arena.h"
#include "base/str.h"

struct contents; /* files/content.h */

struct zip_entry {
    struct str name, sha256; /* any name; zip_new makes it safe and unique */
    int64_t size, changed;   /* changed: milliseconds since 1970 */
    /* in place of a content: the next `size` bytes of this open file; 0: none. The entries share one, in
     * their order */
    int fd;
};
/* Copies the entries. zip_free closes the open file. The caller frees it, or gives it to a reply with
 * zip_read and zip_free. */
struct zip *zip_new(const struct contents *from, const struct zip_entry *entries, int n);
/* Returns 1 to n bytes of the ZIP, 0 at its end, or -1, logged, if a content is missing or has another
 * size. */
int64_t zip_read(void *zip, char *room, size_t n);
void zip_free(void *zip);
int64_t zip_about(const struct zip *z); /* upper estimate of the bytes of the ZIP */

/* Returns a name that is safe to show, to send in a header and to save. It is the last part of the path,
 * without control characters, characters that change the direction of text, or characters that Windows
 * refuses. It has 1 to 200 bytes of valid UTF-8 and keeps its extension. */
struct str file_name_safe(struct arena *a, struct str name);
/* Returns the name without the characters that change the direction of the text. It may be empty. */
struct str file_name_without_directions(struct arena *a, struct str name);
/* Makes the names unique: a second "a.txt" becomes "a (2).txt". Names are compared without case, as on
 * most desktops. */
void file_names_unique(struct arena *a, struct str *names, int n);

#endif
