/* The built console and the widget of sites, embedded by tools/embed_bytes.sh (docs/CONSOLE.md,
 * docs/WIDGET.md). */
#ifndef CONSOLE_FILES_H
#define CONSOLE_FILES_H

#include "base/buf.h"
#include "http/http.h"

#define WIDGET_FILE "widget.js"

/* page.html as it is, the files that it loads and widget.js, compressed by gzip. The name of a file that
 * the page loads has a hash of the contents in it, so the bytes of a name never change. */
struct console_file {
    const char *name;
    const unsigned char *bytes;
    size_t size;
};
extern const struct console_file console_files[]; /* ends with name NULL */

const struct console_file *console_file_find(struct str name); /* NULL: there is none */

/* Appends a compressed file to *out, as the client accepts it, and adds the headers that say so. */
void console_file_write(struct http_request *r, const struct console_file *f, struct buf *out);

#endif
