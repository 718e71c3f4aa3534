/* Delivery reports: a mail server reports by mail that it could not deliver a letter that it had accepted
 * (RFC 3461 to 3464, 6533).
 *
 * The input is hostile, because anyone who has the address can write to it. So a report is read flat, in
 * one pass over its lines, in no more memory than its result: the parts of the outermost multipart, the
 * fields of two of them. Its nesting and its number of parts and headers make no difference. GMime's own
 * parser is not used: it keeps every header and part (80 MB for a megabyte of headers), and 3.2.13 crashes
 * by a stack overflow on a header of nested groups ("To: g:g:g:..." of 500 KB). Only its parsers of a
 * content type and of a transfer encoding are used. */
#ifndef MAIL_REPORT_H
#define MAIL_REPORT_H

#include "core/mail/incoming.h"

enum report_verdict {
    REPORT_READ,
    REPORT_NONE,    /* a mail, but not a delivery report (RFC 3464) */
    REPORT_NO_MAIL, /* not a mail as a mail server passes it on */
};
enum report_verdict report_read(struct arena *a, struct str mail, struct report *out);

#endif
