#ifndef CONSOLE_WIDGET_H
#define CONSOLE_WIDGET_H

#include "api/call/api.h"

/* Replies to /widget.js, also without the console. A handler of struct outside. */
bool widget_handle(struct api *api, struct http_request *r);

#endif
