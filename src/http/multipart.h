/* A streaming parser for multipart/form-data (RFC 7578). The result does not depend on how the input is cut.
 * Independent of HTTP. */
#ifndef HTTP_MULTIPART_H
#define HTTP_MULTIPART_H

#include "base/arena.h"
#include "base/str.h"

struct multipart_part {
    struct str name;     /* empty: the part has no name */
    struct str filename; /* without folders; p NULL: a field */
    struct str type;     /* Content-Type as sent; p NULL: absent */
    struct str md5;      /* Content-MD5 as sent; p NULL: absent */
    int64_t length;      /* Content-Length of the part; -1: absent */
};

/* Receives the parts, in order: begin, any number of data, end. The texts of a part live as long as the
 * arena. A negative result (-ERR_x) stops the parser, which returns it. */
struct multipart_sink {
    int (*begin)(void *ctx, const struct multipart_part *part);
    int (*data)(void *ctx, struct str piece);
    int (*end)(void *ctx);
};

struct multipart;

/* content_type: the whole value of the header. Returns NULL if it has no usable boundary. */
struct multipart *multipart_new(struct arena *a, struct str content_type, const struct multipart_sink *sink,
                                void *ctx);
/* returns 0, -ERR_BODY_INVALID, -ERR_PAYLOAD_TOO_LARGE or the sink's error */
int multipart_feed(struct multipart *m, struct str piece);
/* call it after the last byte: returns 0 if the form is complete, else an error */
int multipart_end(struct multipart *m);
const char *multipart_reason(const struct multipart *m); /* a sentence for the parser's own errors */

/* Parses `value; name=x; other="y"` (RFC 6266, RFC 9110 parameters). Writes the value of one parameter,
 * unquoted; p NULL: absent. A name that ends in a star is decoded by RFC 8187, UTF-8 only. Returns false
 * if the text is malformed. */
bool header_parameter(struct arena *a, struct str value, struct str name, struct str *out);
/* filename*, else filename, without folders */
struct str filename_of(struct arena *a, struct str disposition);

#endif
