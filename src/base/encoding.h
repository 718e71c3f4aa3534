/* Bytes as text for headers and addresses. */
#ifndef BASE_ENCODING_H
#define BASE_ENCODING_H

#include "base/arena.h"
#include "base/str.h"

/* Base64 with padding (RFC 4648 section 4). */
struct str base64_encode(struct arena *a, struct str bytes);
/* Base64url without padding (RFC 4648 section 5). */
struct str base64url_encode(struct arena *a, const void *bytes, size_t n);
/* p NULL: the text is no Base64url without padding. */
struct str base64url_decode(struct arena *a, struct str text);

/* The value of the header Authorization (RFC 7617). The user has no colon. */
struct str basic_credentials(struct arena *a, struct str user, struct str password);

/* A text as one segment of a path, or as one name or value of a query (RFC 3986 section 2). */
struct str url_encoded(struct arena *a, struct str text);

#endif
