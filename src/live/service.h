/* The peers of this process: limits, and the way from a call to the hub. */
#ifndef LIVE_SERVICE_H
#define LIVE_SERVICE_H

#include "live/hub.h"
#include "live/live.h"

/* A peer that the hub will not serve: closes its socket. */
void peer_refuse(struct peer *p);

/* hub.c */
struct hub *hub_start(struct api *api); /* NULL: no thread or descriptor is left */
void hub_stop(struct hub *h, int64_t ms); /* ends its threads and those of the wire */
void hub_free(struct hub *h);
void hub_open(struct hub *h, struct peer *p); /* from any thread */
void hub_hear(struct hub *h, struct str told); /* by another process: presence.h */
void hub_wake(struct hub *h);                 /* a commit has changed something */
struct wire *hub_wire(const struct hub *h);

#endif
