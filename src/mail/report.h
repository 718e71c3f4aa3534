/* Delivery reports: what a mail server says by mail of a letter that it took and could not deliver (RFC 3461 to 3464, 6533).
 *
 * What comes is hostile: whoever knows an address may write to it. So nothing is built of it. A report is read flat, in one
 * pass over its lines, in no more memory than what is kept of it: the parts of the outermost multipart, the fields of two of
 * them. How deep the rest is nested and how many parts and headers it has makes no difference. GMime's own parser is not for
 * this: it keeps every header and part (80 MB of a megabyte of headers), and 3.2.13 ends the process by a stack overflow on
 * a header of nested groups ("To: g:g:g:..." of 500 KB). Its readers of a content type and of a transfer encoding are used. */
#ifndef MAIL_REPORT_H
#define MAIL_REPORT_H

#include "base/arena.h"
#include "base/str.h"

/* Texts are printable ASCII on one line, of bounded length; p NULL: not said. */
struct report_recipient {
    bool failed;                /* its Action; what was delayed, delivered, relayed or expanded did not fail */
    struct str original, final; /* addresses, without their type */
    struct str status;          /* "5.1.1" */
    struct str diagnostic;      /* "smtp; 550 5.1.1 unknown user" */
    struct report_recipient *next;
};

struct report {
    struct str message_id; /* of the letter that is returned, without angle brackets */
    struct report_recipient *recipients;
};

enum report_verdict {
    REPORT_READ,
    REPORT_NONE,    /* a mail, but no delivery report in the sense of RFC 3464 */
    REPORT_NO_MAIL, /* nothing that a mail server hands on */
};
enum report_verdict report_read(struct arena *a, struct str mail, struct report *out);

#endif
