/* Headers that tell browsers what a reply may do: one table for all kinds of replies. */
#ifndef API_CALL_SECURITY_HEADERS_H
#define API_CALL_SECURITY_HEADERS_H

#include "http/http.h"
#include "work/work.h"

enum guard {
    GUARD_API = 1,   /* JSON */
    GUARD_FILE = 2,  /* downloads, whose handlers add their own policy (res/file_content.h), and preflights */
    GUARD_TEXT = 4,  /* texts and JSON outside of the API */
    GUARD_FORM = 8,  /* pages of links and logins, which add their own policy */
    GUARD_DOCS = 16, /* the reference and guides */
    GUARD_SITE = 32, /* pages of the help center */
};
void guard_reply(const struct desk *d, struct http_request *r, enum guard kind);

#endif
