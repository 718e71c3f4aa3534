/* Is what arrives on a connection well-formed HTTP/1.1? (RFC 9112; RFC 9110 section 5.5)
 *
 * A scanner of bytes, in any pieces. It follows requests one behind the other, heads and bodies, refuses what is malformed or over a
 * limit at the first byte that makes it so, and keeps no bytes. Knows no HTTP library and no sockets. */
#ifndef HTTP_SCAN_H
#define HTTP_SCAN_H

#include "base/str.h"

struct scan {
    int64_t heads; /* complete ones */
    int err;       /* 0, or the error of the first byte that was not accepted; the scanner is done then */
    const char *reason;

    /* The rest is the scanner's own. */
    unsigned char state, field;
    bool trailers, is_1_0, ended;
    unsigned char hosts, lengths, encodings, method_n, start_n, word_n, version_n, digits;
    char method[8], start[8]; /* of the request line: the method and the beginning of the target */
    char word[32];            /* the name of a field in lower case, then its value if the scanner reads it */
    uint32_t size, target, fields, cookies, cookie_size, extension;
    int64_t left; /* bytes of the body or of the chunk */
};

/* Returns how many bytes are well-formed: n, or fewer, and then err and reason are set. */
size_t scan_feed(struct scan *s, const char *p, size_t n);
bool scan_in_head(const struct scan *s);    /* a head has begun and is not complete */
int64_t scan_request(const struct scan *s); /* the number, from 1 on, of the request that the next byte belongs to */

#endif
