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
#include "core/change/log.h"
#include "live/topic.h"
#include "live/wire.h"

#define REALTIME_CURSOR "realtime" /* of the cursors in events (api/rows/cursor.h) */

struct topic {
    struct live_name name;
    char *text; /* its name */
    struct subscription *first;
    struct topic *next;


};

/* One socket in one conversation, of this process or another one (presence.h). */
struct meta {
    char process[40]; /* desk->process */
    int64_t number;   /* unique in the process */
    int64_t case_id, user_id;
    unsigned flags, told; /* told: as the listeners know it */
    int version;
    int64_t active_at;              /* milliseconds since 1970 */
    int64_t typing_until, heard_at; /* clock_monotonic */
    bool is_new, gone, gone_told;   /* is_new: the other processes do not know it yet */
    struct meta *next, **at;
};

struct subscription {
    struct peer *peer;
    struct topic *topic;
    char *join_ref;  /* JSON */
    bool cursors;    /* its events have cursors */
    struct meta *meta; /* its presence; NULL: none */
    int64_t count;   /* a view: as last told; -1: not yet */
    struct subscription *next, **at;          /* of the topic */
    struct subscription *peer_next, **peer_at; /* of the peer */
};

#define HUB_BUCKETS 4096

struct hub {
    struct api *api;
    struct wire *wire;
    struct queue notes;
    pthread_t thread;
    _Atomic bool stops, sleeps;
    _Atomic int64_t commits; /* of this process */
    struct topic *buckets[HUB_BUCKETS];
    struct peer *peers;
    int subscriptions;
    struct change_cursor cursor; /* all entries before it were told */
    struct arena *cursor_memory;
    bool follows; /* the cursor is set */
    struct work work; /* of the turn: its snapshot, time and memory */
    struct meta *metas;
    int64_t last_meta, renewed_at;
    int64_t net_at, views_at;
    bool counts_changed; /* counts of views may have */
};

/* hub.c */
struct topic *topic_find(struct hub *h, struct live_name name); /* NULL: nobody listens */
/* Ends a subscription that the peer may not have any more, and tells the peer. */
void subscription_end(struct hub *h, struct subscription *s);
void hub_forget(struct hub *h, struct subscription *s); /* without a word */
/* Sends one event to one peer. payload: a JSON object. cursor p NULL: none. */
void hub_tell(struct hub *h, struct subscription *s, const char *event, struct str payload, struct str cursor);
struct str hub_cursor(struct hub *h, const struct change_cursor *c);
/* feed.c */
struct entry {
    int64_t id, object_id, case_id, changed_at;
    struct str kind, property; /* property p NULL: created or deleted */
    int verb;
    const struct change_cursor *cursor; /* of its page */
    struct entry *next;
};
/* Reads the entries after the cursor that the snapshot sees, at most `most`, and moves the cursor. Returns 1, 0 if
 * the log does not reach back or there are more, or a negative error. */
int feed_read(struct hub *h, struct change_cursor *cursor, int64_t most, struct entry **first);
void feed_tell(struct hub *h, const struct entry *first); /* to all who listen */
/* only to this subscription */
void feed_tell_one(struct hub *h, const struct entry *first, struct subscription *s);
void feed_views(struct hub *h); /* tells the counts of views that have changed */

/* rights.c */
void rights_review(struct hub *h, const struct entry *first); /* after these entries */
void rights_net(struct hub *h);                               /* ended sessions and tokens */

#endif
