/* The site that a request comes from. */
#ifndef API_CALLER_CROSS_SITE_H
#define API_CALLER_CROSS_SITE_H

#include "http/http.h"
#include "work/work.h"

/* Returns 1 if the browser's headers name a page of another site as the source, 0 if not, or a negative
 * error. */
int is_cross_site(struct work *w, const struct http_request *r);
/* true: the base URL's, or one of security.cors_origins */
bool origin_listed(const struct desk *d, struct arena *a, struct str origin);
/* True if the Origin of a request is trusted like a page of the desk: that of the request's Host, the base
 * URL's, or one of security.cors_origins. */
bool origin_trusted(const struct desk *d, const struct http_request *r);

#endif
