/* gzip for replies. api/call/compress.h says which replies are compressed, and which parts of them stay
 * as they are. */
#ifndef API_CALL_GZIP_H
#define API_CALL_GZIP_H

#include "base/buf.h"

bool coding_accepted(struct str accept_encoding); /* true if the header Accept-Encoding accepts gzip */

/* A part of a body that must stay as it is. */
struct plain_part {
    size_t at, n;
};
/* Replaces the body by its compressed form. parts: in their order, without overlap. Returns false if it
 * was not possible: the body stays. */
bool gzip_body(struct buf *body, const struct plain_part *parts, int count);

#endif
