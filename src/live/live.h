/* Realtime: WebSockets and streams of events (docs/REALTIME.md). */
#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include "api/call/call.h"

struct live;

/* Starts the threads of realtime. NULL: there is no thread or descriptor. Then api->live is NULL, too. */
struct live *live_start(struct api *api);
/* Closes the connections within `ms`, and ends the threads. Call it before http_stop, which waits for calls
 * that still want to give their connection, and live_free after it. */
void live_stop(struct live *l, int64_t ms);
void live_free(struct live *l);

/* Gives the connection of a call to realtime, as the reply of its handler. Returns 0 or fails: without
 * credentials that last, or with too many connections. */
int live_open_socket(struct call *c, int version);
/* channels: names, separated by commas. after: a cursor; p NULL: none. All of them are checked. */
int live_open_stream(struct call *c, struct str channels, struct str after);

int64_t live_connections(const struct live *l);

#endif
