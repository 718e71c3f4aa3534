/* The structure of a mail: fields of its headers, and parts of its body. The input is any bytes. GMime's
 * own parser is not used, because it keeps every header and part (80 MB for a megabyte of headers), and
 * because it crashes on nested groups of addresses. Here a header or part costs nothing until it is read. */
#ifndef MAIL_PARTS_H
#define MAIL_PARTS_H

#include "base/arena.h"
#include "base/str.h"

#define PARTS_DEPTH 100 /* nested multiparts that are read */
#define PARTS_MOST 1000 /* parts that are read */
#define PARTS_HEAD \
    65536 /* bytes of the header of one part that are read; ten times as many of the mail's own */
#define PARTS_FIELDS 2000

struct mail_field {
    struct str name, value; /* the value as written, over several lines if it is folded */
};
/* Reads the next field of a header. Skips lines that are not fields, such as the "From " line of
 * mailboxes. Returns false at the end of the header. Then rest is the body, with p NULL at the end of the
 * mail. */
bool field_next(struct str *rest, struct mail_field *f);

struct mail_lines {
    struct str raw;
    uint32_t *dashes; /* offsets of the lines that begin with "--", in order */
    int count;
    bool cut; /* there are more such lines */
};
/* Finds the lines that may separate parts. The mail has at most 4 GiB. */
void lines_find(struct arena *a, struct str raw, struct mail_lines *out);

/* Returns the next part of a multipart body with this boundary: header and body. *at is 0 for the first
 * part, else its value after the last call. p NULL: there is no other. A missing end is the end of the
 * body. */
struct str part_next(const struct mail_lines *l, struct str body, struct str boundary, size_t *at);

#endif
