/* Checks that the bytes of a connection are well-formed HTTP/1.1 (RFC 9112; RFC 9110 section 5.5).
 *
 * The scanner takes bytes in any pieces, follows one request after the other, heads and bodies, and stops
 * at the first byte that is malformed or exceeds a limit. It keeps no input. Independent of the HTTP
 * library and of sockets. */
#ifndef HTTP_SCAN_H
#define HTTP_SCAN_H

#include "base/str.h"

struct scan {
    int64_t heads; /* number of complete heads */
    int err;       /* 0, or the error of the first refused byte; then the scanner has ended */
    const char *reason;

    /* Private: */
    unsigned char state, field;
    bool trailers, is_1_0, ended;
    unsigned char hosts, lengths, encodings, method_n, start_n, word_n, version_n, digits;
    char method[8], start[8]; /* from the request line: the method and the beginning of the target */
    char word[32];            /* name of a field in lower case, then its value if the scanner reads it */
    uint32_t size, target, fields, cookies, cookie_size, extension;
    int64_t left; /* bytes left of the body or the chunk */
};

/* Returns the number of well-formed bytes: n, or fewer with err and reason set. Removes the extensions of
 * chunks from p, because a recipient ignores those that it does not know (RFC 9112 section 7.1.1), and
 * libmicrohttpd 1.0 refuses them. kept: how many of the well-formed bytes are left. */
size_t scan_feed(struct scan *s, char *p, size_t n, size_t *kept);
bool scan_in_head(const struct scan *s);    /* true: a head has begun and is not complete */
int64_t scan_request(const struct scan *s); /* number of the request that the next byte belongs to, from 1 */

#endif
