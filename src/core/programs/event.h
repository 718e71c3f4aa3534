/* Events that other systems report of people. */
#ifndef CORE_EVENT_H
#define CORE_EVENT_H

#include "work/work.h"

/* The identities of an event, in the order in which they are compared. Stored in events.identity_kind, so
 * append only. */
enum event_identity {
    EVENT_EMAIL = 1,
    EVENT_PHONE,
    EVENT_TWITTER,
    EVENT_FACEBOOK,
    EVENT_EXTERNAL,
    EVENT_IDENTITIES
};

struct event_person {
    /* for a new person; p NULL: the first identity serves as the name */
    struct str full_name;
    struct str identities[EVENT_IDENTITIES]; /* p NULL: not given; valid: event_identity_valid */
    struct str external_app;                 /* given with EVENT_EXTERNAL */
};

struct event_new {
    struct str event, properties; /* properties: a JSON object */
    int64_t triggered_at;
    struct event_person person;
};

/* True if the text is an identity of this kind. */
bool event_identity_valid(struct work *w, enum event_identity kind, struct str text);

/* Stores events, all or none, in their order. Each belongs to the first owner of one of its identities, in
 * the order above. If none has an owner, a customer is created with all of them. Claims have no owner.
 * Concurrent writes with one new identity create one person. *first_id: the id of the first event. */
int events_add(struct work *w, int64_t token_id, const struct event_new *list, int count, int64_t *first_id);

#endif
