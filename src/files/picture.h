/* Pictures from strangers. No decoder is safe by itself: a GIF of 35 bytes can claim 65535 x 65535 pixels. So the header is read here,
 * by code that allocates nothing, what is too large is refused, and the rest is decoded by a process of its own with little memory, little
 * time and nothing to write but its answer. */
#ifndef FILES_PICTURE_H
#define FILES_PICTURE_H

#include "base/arena.h"
#include "base/str.h"

enum picture_type { PICTURE_JPEG = 1, PICTURE_PNG, PICTURE_GIF };
struct picture {
    enum picture_type type;
    int width, height;
};

/* What a file's header says: 1; 0 when it is none of the three, or is broken; -ERR_SERVICE_UNAVAILABLE when it can't be read. */
int picture_look(const char *path, struct picture *out);

/* The middle square of a picture, side x side, as PNG, of a JPEG as JPEG: 1; 0 when it can't be decoded or is over LIMIT_PIXELS; or error.
 * Waits for a child process: in the pool alone. */
int picture_square(const char *path, int side, struct arena *a, const struct picture *p, struct str *out);

/* That process: `deskd --picture SIDE`, a picture on standard input, the answer on standard output. */
#define PICTURE_ARGUMENT "--picture"
int picture_child(const char *side);

/* From now on this process may read standard input, write standard output, ask for memory and end. All else kills it with SIGSYS. Returns
 * false if the kernel takes no filter. */
bool picture_confine(void);
#define PICTURE_UNCONFINED 3 /* exit status: there is no filter, so nothing was decoded */

#endif
