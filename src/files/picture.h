/* Uploaded pictures. No decoder is safe by itself: a GIF of 35 bytes can claim 65535 x 65535 pixels. So
 * (1) the header is read here, by code that allocates nothing, (2) a picture that is too large is refused,
 * and (3) a confined process decodes the rest (files/confined.h). */
#ifndef FILES_PICTURE_H
#define FILES_PICTURE_H

#include "base/arena.h"
#include "base/str.h"

enum picture_type { PICTURE_JPEG = 1, PICTURE_PNG, PICTURE_GIF, PICTURE_WEBP };
struct picture {
    enum picture_type type;
    int width, height;
};

/* Reads the header of a file. Returns 1, 0 if it is not a valid header of these types, or
 * -ERR_SERVICE_UNAVAILABLE if it can't be read. */
int picture_look(const char *path, struct picture *out);

/* Makes the middle square of a picture, side x side pixels, as PNG, or as JPEG if the picture is a JPEG.
 * Returns 1, 0 if it can't be decoded or exceeds LIMIT_PIXELS, or an error. Waits for a child process, so
 * call it only in the pool. */
int picture_square(const char *path, int side, struct arena *a, const struct picture *p, struct str *out);

/* Returns the size of a picture that fits a box of `box` x `box` pixels. It keeps the proportions and
 * never enlarges. */
struct picture picture_within(const struct picture *p, int box);

#define THUMBNAIL_BOX 200                           /* pixels */
struct str thumbnail_type(const struct picture *p); /* image/jpeg for a JPEG, else image/png */

struct thumbnail {
    struct str data, type;
    int width, height;
};
/* Makes the picture of this size, from the first frame of an animation. Returns like picture_square, and
 * waits as long. */
int picture_thumbnail(const char *path, int box, struct arena *a, const struct picture *p,
                      struct thumbnail *out);

/* The same, but a GIF that fits the box stays a GIF: its first frame, not scaled. */
int picture_logo(const char *path, int box, struct arena *a, const struct picture *p, struct thumbnail *out);

/* Makes a JPEG that is `width` pixels wide, or as wide as the picture if that is less. Of a picture that is
 * higher than three quarters of its width, it has the middle. Transparent parts become black. Returns like
 * picture_square, and waits as long. */
int picture_banner(const char *path, int width, struct arena *a, const struct picture *p,
                   struct thumbnail *out);

/* The process: `deskd --picture "square SIDE"`, "within WIDTHxHEIGHT", "banner WIDTHxHEIGHT", or "frame SIDE"
 * for the first frame of a GIF as a GIF. */
#define PICTURE_ARGUMENT "--picture"
int picture_child(const char *what);

#endif
