#ifndef LIVE_ADDRESS_H
#define LIVE_ADDRESS_H

#include "api/call/api.h"

/* /socket/websocket becomes a call of GET /realtime/socket. Returns false: the API answers it. A handler of
 * struct outside. */
bool socket_handle(struct api *api, struct http_request *r);

#endif
