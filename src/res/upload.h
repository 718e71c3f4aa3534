/* File parts of a request: their names, their contents, their rows. */
#ifndef RES_UPLOAD_H
#define RES_UPLOAD_H

#include "api/call/call.h"
#include "core/desk/file.h"

struct upload {
    const struct http_file *file;
    struct file_new row;
};
struct uploads {
    struct upload *list;
    int count;
    int64_t bytes;
};

/* Reads one file of the request. Reports its problems. */
void upload_read(struct call *c, const struct http_file *f, struct upload *u);
/* Reads all files of the request. Reports the problems of all of them. Returns 0, or an error if the call
 * has any problem. */
int uploads_read(struct call *c, struct uploads *out);
/* In .prepare, because it waits for the disk: stores the contents durably. Sets c->pictures. */
int uploads_keep(struct call *c, const struct uploads *u);
/* In the write: inserts their rows. ids: room for u->count. */
int uploads_create(struct call *c, const struct uploads *u, int64_t *ids);

#endif
