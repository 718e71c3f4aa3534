/* Addresses that strangers wrote and others will follow, and plain text as HTML. */
#ifndef BASE_LINK_H
#define BASE_LINK_H

#include "base/buf.h"

enum {
    LINK_WEB = 1,   /* http, https, with a host */
    LINK_MAIL = 2,  /* mailto */
    LINK_PHONE = 4, /* tel */
};
#define LINK_BYTES 4096 /* bytes of an address; a longer text is not an address */

/* Adds the address as a browser reads it: without blanks at both ends and line breaks within, the scheme
 * in lower case, and blanks, quotes and angle brackets percent-encoded. Returns false and adds nothing if
 * it has another scheme or none, a control character, or a character that changes the direction of the
 * text. Cleaning a clean address changes nothing. */
bool link_clean(struct buf *out, struct str address, unsigned schemes);

/* Attributes of each link in texts of strangers: the page it leads to learns nothing of the page it came
 * from. */
#define LINK_ATTRIBUTES " rel=\"noopener noreferrer nofollow\" target=\"_blank\""

/* Plain text as HTML: escaped, each line break as <br>, http and https addresses as links. The cleaner of
 * HTML (files/html_clean.h) leaves it as it is. */
struct str text_to_html(struct arena *a, struct str text);

#endif
