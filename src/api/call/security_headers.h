/* Headers that tell browsers what a reply may do: one table for all kinds of replies. */
#ifndef API_CALL_SECURITY_HEADERS_H
#define API_CALL_SECURITY_HEADERS_H

#include "http/http.h"
#include "work/work.h"

enum security_kind {
    SECURITY_API = 1, /* JSON */
    SECURITY_FILE =
        2, /* downloads, whose handlers add their own policy (res/file_content.h), and preflights */
    SECURITY_TEXT = 4,     /* texts and JSON outside of the API */
    SECURITY_FORM = 8,     /* pages of links and logins, which add their own policy */
    SECURITY_DOCS = 16,    /* the reference and guides */
    SECURITY_SITE = 32,    /* pages of the help center */
    SECURITY_CONSOLE = 64, /* the console of staff */
};
void security_headers_add(const struct desk *d, struct http_request *r, enum security_kind kind);

#endif
