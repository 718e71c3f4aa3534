/* Logins by providers of OpenID Connect (docs/OPERATIONS.md "Sign-in"). */
#ifndef SIGNIN_SIGNIN_H
#define SIGNIN_SIGNIN_H

#include "api/call/api.h"

/* true: replied or deferred */
bool signin_handle(struct api *api, struct http_request *r);

#endif
