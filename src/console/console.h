#ifndef CONSOLE_CONSOLE_H
#define CONSOLE_CONSOLE_H

#include "api/call/api.h"

/* Replies to /agent and all paths below it. A handler of struct outside. */
bool console_handle(struct api *api, struct http_request *r);

#endif
