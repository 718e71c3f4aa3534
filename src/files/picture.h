/* Pictures from strangers. No decoder is safe by itself: a GIF of 35 bytes can claim 65535 x 65535 pixels. So the header is read here,
 * by code that allocates nothing, what is too large is refused, and the rest is decoded by a confined process (files/confined.h). */
#ifndef FILES_PICTURE_H
#define FILES_PICTURE_H

#include "base/arena.h"
#include "base/str.h"

enum picture_type { PICTURE_JPEG = 1, PICTURE_PNG, PICTURE_GIF, PICTURE_WEBP };
struct picture {
    enum picture_type type;
    int width, height;
};

/* What a file's header says: 1; 0 when it is none of these, or is broken; -ERR_SERVICE_UNAVAILABLE when it can't be read. */
int picture_look(const char *path, struct picture *out);

/* Makes the middle square of a picture, side x side pixels, as PNG, or as JPEG if the picture is a JPEG. Returns 1, 0
 * if it can't be decoded or exceeds LIMIT_PIXELS, or an error. Waits for a child process, so call it only in the pool. */
int picture_square(const char *path, int side, struct arena *a, const struct picture *p, struct str *out);

/* The size of a picture that is made to fit a box of so many pixels each side. It keeps its shape and is never enlarged. */
struct picture picture_within(const struct picture *p, int box);

struct thumbnail {
    struct str data, type; /* image/jpeg of a JPEG, else image/png */
    int width, height;
};
/* The picture of this size; of an animation the first frame. Returns as picture_square does, and waits as long. */
int picture_thumbnail(const char *path, int box, struct arena *a, const struct picture *p, struct thumbnail *out);

/* That process: `deskd --picture "square SIDE"`, or "within WIDTHxHEIGHT". */
#define PICTURE_ARGUMENT "--picture"
int picture_child(const char *what);

#endif
