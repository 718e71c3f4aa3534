/* The OAuth 2 server, as the API gets it (struct outside of api/call/api.h). */
#ifndef OAUTH_OAUTH_H
#define OAUTH_OAUTH_H

#include "api/call/api.h"

/* true: replied or deferred */
bool oauth_handle(struct api *api, struct http_request *r);

#endif
