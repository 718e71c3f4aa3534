/* File parts of a request: their names, their contents, their rows. */
#ifndef RES_UPLOAD_H
#define RES_UPLOAD_H

#include "api/call/call.h"
#include "core/desk/file.h"
#include "files/picture.h"

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

/* ---- the picture of a request: a file part, or the id of an own uploaded file (POST /files) -- */

struct picture_form {
    const char *part, *file_id; /* names of the parameters; part NULL: an uploaded file only */
    bool takes_webp;
    int side; /* pixels */
    /* picture_thumbnail or a function like it. */
    int (*make)(const char *path, int side, struct arena *a, const struct picture *p, struct thumbnail *out);
};

struct picture_input {
    const struct picture_form *form;
    struct picture picture; /* the picture that was sent */
    struct str path;        /* of its file */
    struct thumbnail made;  /* data.p NULL: none was sent, or it is wrong */
    const char *wrong;      /* NULL: no error */
};

/* In .prepare, because it waits for the confined process that decides whether a file is a picture. Returns
 * 0 or an error. */
int picture_input_read(struct call *c, const struct picture_form *form, struct picture_input *out);

/* In .check of both parameters: refuses both at once, and a wrong picture. */
int picture_input_check(struct call *c, const struct in *in, const struct picture_input *p);

#endif
