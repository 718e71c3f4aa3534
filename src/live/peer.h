/* One long-lived connection. Two threads share it: the wire (wire.h) owns the socket, the hub (hub.h) knows who
 * the peer is and what it listens to. They pass orders and notes to each other, each of which holds a
 * reference; the last reference frees the peer. */
#ifndef LIVE_PEER_H
#define LIVE_PEER_H

#include "base/address.h"
#include "base/buf.h"
#include "live/who.h"

#include <pthread.h>
#include <stdatomic.h>

enum peer_form {
    PEER_SOCKET, /* a WebSocket (RFC 6455) */
    PEER_STREAM, /* Server-Sent Events */
};

struct subscription;
struct wslay_event_context;

struct peer {
    _Atomic int references;
    enum peer_form form;
    int version; /* of the frames of a socket: 1 or 2 */

    /* for the limits (service.c) */
    struct peers *all;
    struct peer *all_next, *all_before;
    int64_t person;         /* 0: nobody is logged in */
    struct address address; /* as counted */
    bool is_limited;        /* its address counts */

    /* the wire's */
    int fd;
    struct wslay_event_context *frames; /* of a socket */
    struct buf out;                     /* bytes before the first frame, or of a stream */
    size_t sent;                        /* of these */
    int64_t heard_at;                   /* clock_steady */
    int64_t stuck_since;                /* clock_monotonic; 0: nothing waits to be sent */
    int64_t tokens_at, tokens;          /* bucket of messages, in thousandths */
    int64_t close_by;                   /* the socket is closed then; 0: it is not closing */
    bool overrun;                       /* it was told to come back, because it reads too slowly */
    bool broken;                        /* its socket is */
    bool pinged, is_watched;            /* is_watched: for room to write */
    _Atomic bool ended;                 /* its socket is closed: the hub does no more work for it */
    struct peer *next, *before;

    /* the hub's */
    struct who who;
    struct str asked, after; /* a stream: the channels that it named, and the cursor that it continues from */
    char *texts;             /* the memory of both */
    struct subscription *subscriptions;
    int subscribed;
    int64_t counted_in; /* the round in which its views were counted */
    int reviews;        /* number of times that its rights were read again */
    struct peer *hub_next, *hub_before;
};

/* The peers of this process, from their admission to their end. */
struct peers {
    pthread_mutex_t lock;
    struct peer *first;
    int count;
};

/* Returns a peer with one reference; NULL: the limits allow no more of them, of the person or of the address. */
struct peer *peer_new(struct peers *all, const struct who *who, enum peer_form form, int version);
void peer_refuse(struct peer *p); /* closes its socket: nobody will serve it */
static inline struct peer *peer_hold(struct peer *p) {
    atomic_fetch_add_explicit(&p->references, 1, memory_order_relaxed);
    return p;
}
void peer_drop(struct peer *p);

#endif
