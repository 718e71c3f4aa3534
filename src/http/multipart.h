/* multipart/form-data (RFC 7578) as a stream: bytes in, parts out, whatever the cuts between the writes. Knows no HTTP.
 */
#ifndef HTTP_MULTIPART_H
#define HTTP_MULTIPART_H

#include "base/arena.h"
#include "base/str.h"

struct multipart_part {
    struct str name;     /* empty when the part names none */
    struct str filename; /* without any directory part; p NULL: a field */
    struct str type;     /* Content-Type as sent; p NULL when absent */
    struct str md5;      /* Content-MD5 as sent; p NULL when absent */
    int64_t length;      /* Content-Length of the part; -1 when absent */
};

/* What is told of the parts, in order: begin, any number of data, end. The texts of a part live as long as the arena. A
 * negative answer (-ERR_x) stops the parser, which then answers it too. */
struct multipart_sink {
    int (*begin)(void *ctx, const struct multipart_part *part);
    int (*data)(void *ctx, struct str piece);
    int (*end)(void *ctx);
};

struct multipart;

/* content_type is the header's whole value. NULL when it gives no usable boundary. */
struct multipart *multipart_new(struct arena *a, struct str content_type, const struct multipart_sink *sink, void *ctx);
int multipart_feed(struct multipart *m, struct str piece); /* 0, -ERR_BODY_INVALID, -ERR_PAYLOAD_TOO_LARGE or the sink's */
int multipart_end(struct multipart *m);                    /* no more bytes come: 0 when the form is complete */
const char *multipart_reason(const struct multipart *m);   /* a sentence for the parser's own errors */

/* Parses `value; name=x; other="y"` (RFC 6266, RFC 9110 parameters). Finds one parameter, unquoted; p NULL when absent.
 * With a star in its name it is decoded as RFC 8187 says, UTF-8 only. False when the text is malformed. */
bool header_parameter(struct arena *a, struct str value, struct str name, struct str *out);
struct str filename_of(struct arena *a, struct str disposition); /* filename*, else filename, without directories */

#endif
