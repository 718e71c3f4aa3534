/* The addresses that a client is registered with. */
#ifndef CORE_CLIENT_URL_H
#define CORE_CLIENT_URL_H

#include "base/arena.h"
#include "base/str.h"

/* Returns NULL, or a sentence that says why the text is not the address of a page: http or https. */
const char *client_page_wrong(struct arena *a, struct str url);

/* Returns NULL, or a sentence that says why codes must not be sent to this address (RFC 9700 section 2.1,
 * RFC 8252 section 7). Codes go to
 * (1) https, (2) http of this computer, for programs that run there, and (3) the scheme of an app that is
 * named like a domain. */
const char *client_callback_wrong(struct arena *a, struct str url);

#endif
