/* Events: what entries of the change log mean to those who listen. */
#ifndef LIVE_EVENT_H
#define LIVE_EVENT_H

#include "live/entry.h"
#include "live/subscriptions.h"

enum event_kind {
    EVENT_CREATED,
    EVENT_CHANGED,
    EVENT_POST_CREATED,
    EVENT_POST_CHANGED,
    EVENT_NOTIFIED,
    EVENT_KINDS
};
/* Names of events in frames, and what they say; by enum event_kind. */
struct event_word {
    const char *name, *doc;
    bool is_post; /* its payload has the addresses of a post */
};
extern const struct event_word event_words[EVENT_KINDS];

/* A payload that is the same for several listeners. */
struct event_shown {
    const struct who *to;
    struct str payload; /* p NULL: they are told nothing */
    struct event_shown *next;
};

struct event {
    enum event_kind kind;
    const char *name; /* in frames: "CHANGE" */
    enum live_kind about;
    int64_t object_id, case_id;
    int64_t topic_id;  /* of the channel: the object, or the person or organization of a note; 0: of a list */
    int64_t parent_id; /* of a comment: the article */
    bool is_note;
    const struct entry *first, *last; /* entries of one object */
    struct event_shown *shown;
    bool keeps; /* `shown` holds memory of the arena */
    int64_t team_id, agent_id;
    bool case_read, case_found;
    bool is_list;      /* LIVE_OWN: the whole list of the person object_id has changed */
    int64_t person_id; /* LIVE_OWN: whose it is; 0: not read yet; -1: the notification is gone */
};

/* Makes an event of the first entries of a list, up to the entry with the id `until` (0: none), and moves the list
 * behind them. NULL: they mean nothing here. */
struct event *event_next(struct arena *a, const struct entry **list, int64_t until);

/* Reads the object that a comment, or a note outside a conversation, is on. Returns false if it is gone. */
bool event_place_read(struct hub *h, struct event *e);

/* The payload for a caller: what a GET shows the same caller, in the snapshot of the turn. p NULL: nothing. */
struct str event_payload(struct hub *h, struct event *e, const struct who *who);

/* Reads the team and the agent of the event's conversation. false: there is none. */
bool event_case_read(struct hub *h, struct event *e);

/* LIVE_OWN: the person whose notifications have changed; -1: none. */
int64_t event_person(struct hub *h, struct event *e);

struct str event_view(struct hub *h, int64_t id, int64_t count);

#endif
