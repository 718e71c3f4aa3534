/* The wire: one thread that reads and writes the sockets of all peers. It knows frames and nothing of their
 * meaning.
 *
 * No peer is waited for. What a peer does not read is kept up to LIMIT_LIVE_UNSENT bytes and for LIVE_STUCK_MS.
 * A peer that exceeds this is told to come back (close code 1013) and dropped: it reads again what it missed
 * by its cursor.
 *
 * Frames of WebSocket are read and written by wslay: masks, fragments, control frames, UTF-8, close codes and
 * the limit of a message. Compression is not offered, so a compressed frame is a protocol error. */
#ifndef LIVE_WIRE_H
#define LIVE_WIRE_H

#include "base/shared.h"
#include "live/peer.h"
#include "live/queue.h"

struct wire;

/* Close codes of RFC 6455 section 7.4.1, and of the IANA registry. */
enum close_code {
    CLOSE_GOING_AWAY = 1001,
    CLOSE_PROTOCOL = 1002,
    CLOSE_UNSUPPORTED = 1003,
    CLOSE_POLICY = 1008,
    CLOSE_RESTART = 1012,  /* the service restarts: come back */
    CLOSE_OVERLOAD = 1013, /* try again later */
};

/* The wire calls these on its thread: a text frame has arrived (the bytes are valid during the call), or the
 * socket is closed, after which the wire has dropped its reference. */
struct wire_events {
    void (*heard)(void *arg, struct peer *p, struct str text);
    void (*gone)(void *arg, struct peer *p);
    void *arg;
};

/* clock: for silence. NULL: no thread or descriptor is left. */
struct wire *wire_start(const struct wire_events *events, const struct clock *clock);
/* Closes all sockets within `ms`, a part at a time, so that their clients do not all come back at once. */
void wire_stop(struct wire *w, int64_t ms);
void wire_free(struct wire *w); /* after it was stopped, when nobody gives orders any more; NULL: nothing */

/* From any thread. The peer has its descriptor and, in `out`, the head of the HTTP reply. */
void wire_open(struct wire *w, struct peer *p);
/* Sends the bytes: the text of one frame, or a part of a stream. */
void wire_send(struct wire *w, struct peer *p, struct shared *bytes);
void wire_close(struct wire *w, struct peer *p, enum close_code code, const char *reason); /* a constant */

int64_t wire_peers(const struct wire *w);

#endif
