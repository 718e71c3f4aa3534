/* The subscriptions of peers to topics. Only the thread of the hub (hub.h) uses it. */
#ifndef LIVE_SUBSCRIPTIONS_H
#define LIVE_SUBSCRIPTIONS_H

#include "api/call/machine.h"
#include "core/change/log.h"
#include "live/topic.h"
#include "live/wire.h"

struct topic {
    struct live_name name;
    char *text; /* its name */
    struct subscription *first;
    struct topic *next;
};

/* A place in the events of a client. */
struct live_place {
    struct change_cursor cursor;
    /* Not 0: of the event after the cursor, which ends with the entry `part`, the client has received the frames
     * in channels of kinds up to `kind`. */
    int64_t part;
    enum live_kind kind;
};

/* One socket in one conversation or of one person, of this process or another one (presence.h). */
struct meta {
    char process[40];    /* desk->process */
    int64_t number;      /* unique in the process */
    struct live_name of; /* the conversation, or the person */
    int64_t user_id;
    unsigned flags, told; /* told: as the listeners know it */
    int version, told_version;
    int64_t active_at, active_told; /* milliseconds since 1970 */
    int64_t typing_until, heard_at; /* clock_steady */
    bool is_new, gone, gone_told;   /* is_new: the other processes do not know it yet */
    struct meta *next, **at;
};

struct subscription {
    struct peer *peer;
    struct topic *topic;
    char *join_ref;                            /* JSON */
    bool cursors;                              /* its events have cursors */
    bool listens;                              /* it is told who is present, and is not present itself */
    struct meta *meta;                         /* its presence; NULL: none */
    int64_t count;                             /* a view: as last told; -1: not yet */
    struct subscription *next, **at;           /* of the topic */
    struct subscription *peer_next, **peer_at; /* of the peer */
};

/* A count of views for one peer, on the pool (counts.h). */
struct count {
    struct pool_task task; /* the first member */
    struct hub *hub;
    struct peer *peer; /* holds a reference; NULL: nothing is counted */
    struct who who;    /* of the turn that began it */
    int reviews;       /* peer->reviews then */
    struct view_count *found;
    int n;
    int64_t took;
    _Atomic bool done;
};

#define HUB_BUCKETS 4096

struct hub {
    struct api *api;
    struct wire *wire;
    struct topic *buckets[HUB_BUCKETS];
    struct peer *peers;
    int peer_count;
    struct change_cursor cursor; /* all entries before it were told */
    struct arena *cursor_memory;
    bool follows;     /* the cursor is set */
    struct work work; /* of the turn: its snapshot, time and memory */
    struct meta *metas;
    int64_t last_meta, renewed_at;
    int64_t net_at;
    struct queue *notes; /* its bell ends the pause between turns */
    struct count count;
    bool counts_changed;     /* those of views may have since the round began */
    int64_t round, round_at; /* number and beginning of the round that counts views */
    int64_t counts_at;       /* no count before this */
    int views_heard;         /* number of subscriptions to views */
};

struct topic *topic_find(struct hub *h, struct live_name name); /* NULL: nobody listens */
/* The subscription of a peer to the topic with this name; NULL: none. */
struct subscription *subscription_of(const struct peer *p, struct str topic);
/* text: the name of the topic. join_ref: JSON. */
struct subscription *subscribe(struct hub *h, struct peer *p, struct live_name name, struct str text,
                               struct str join_ref);
void unsubscribe_peer(struct hub *h, struct subscription *s); /* without a word */
/* Ends a subscription that the peer may not have any more, and tells the peer. */
void subscription_end(struct hub *h, struct subscription *s);

/* Sends bytes, and takes over their memory. */
void hub_send(struct hub *h, struct peer *p, struct buf *bytes);
/* Sends one event to one peer. payload: a JSON object. cursor p NULL: none. */
void hub_tell(struct hub *h, struct subscription *s, const char *event, struct str payload,
              struct str cursor);
struct str hub_place(struct hub *h, const struct live_place *at); /* as text, for clients */
/* Reads such a text, in the memory of w. false: this desk did not make it. */
bool place_given(struct work *w, struct str text, struct live_place *out);

#endif
