/* The hub: one thread that knows who listens to what, and reads the change log.
 *
 *     commit ──> change log ──> feed.c: entries after the cursor ──> rights.c: who lost what? ──> events ──> wire
 *                                                                          ^
 *     wire ──> notes: frames of clients, ended sockets ──> hub.c: join, leave, push ──────────────┘
 *
 * A turn of the hub runs in one snapshot of the store. It first reads all entries that the snapshot sees, then
 * takes the joins. So a join that is answered in this turn has missed nothing and repeats nothing: what was
 * committed before the snapshot is what a GET after the reply shows, and what was committed later is an event.
 *
 * Rights. A topic means an object of the API, and a peer may listen to it if a GET of the object by the same
 * caller succeeds (topic_path, api/call/inner_read.h). The changed properties in an event are read by such a
 * GET, too, so an event never has more than a GET. Entries that may take a right away (rights.c) are found
 * before any event of the same turn is sent, so that a commit that takes a right is followed by no event. */
#ifndef LIVE_HUB_H
#define LIVE_HUB_H

#include "api/call/machine.h"
#include "live/peer.h"

struct hub_thread;

struct hub_thread *hub_start(struct api *api);   /* NULL: no thread or descriptor is left */
void hub_stop(struct hub_thread *t, int64_t ms); /* closes all peers within `ms`, and ends the threads */
void hub_free(struct hub_thread *t);             /* after hub_stop, when no thread calls any of these */

/* From any thread. */
void hub_open(struct hub_thread *t, struct peer *p);
void hub_hear(struct hub_thread *t, struct str told); /* by another process: presence.h */
void hub_wake(struct hub_thread *t);                  /* a commit has changed something */
int64_t hub_peers(const struct hub_thread *t);

#endif
