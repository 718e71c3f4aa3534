/* The built console, embedded by tools/embed_bytes.sh (docs/CONSOLE.md). */
#ifndef CONSOLE_FILES_H
#define CONSOLE_FILES_H

#include <stddef.h>

/* page.html as it is, and the files that it loads, compressed by gzip. The name of such a file has a hash of the
 * contents in it, so the bytes of a name never change. */
struct console_file {
    const char *name;
    const unsigned char *bytes;
    size_t size;
};
extern const struct console_file console_files[]; /* ends with name NULL */

#endif
