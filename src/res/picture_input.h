/* The picture of a request: a file part, or the id of an own uploaded file (POST /files). */
#ifndef RES_PICTURE_INPUT_H
#define RES_PICTURE_INPUT_H

#include "api/call/call.h"
#include "files/picture.h"

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
    struct thumbnail made;  /* data.p NULL: none was sent, or it is wrong */
    const char *wrong;      /* NULL: no error */
};

/* In .prepare, because it waits for the confined process that decides whether a file is a picture. Returns
 * 0 or an error. */
int picture_input_read(struct call *c, const struct picture_form *form, struct picture_input *out);

/* In .check of both parameters: refuses both at once, and a wrong picture. */
int picture_input_check(struct call *c, const struct in *in, const struct picture_input *p);

#endif
