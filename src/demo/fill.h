/* Between the files of the demo: what filling a desk needs at hand. */
#ifndef CORE_DEMO_FILL_H
#define CORE_DEMO_FILL_H

#include "db/db.h"
#include "demo/text.h"

struct event;

struct filling {
    const struct str *password_hashes;                               /* of DEMO_LOGINS people */
    void (*progress)(const char *what, int64_t done, int64_t total); /* may be NULL */
    struct demo_world world;
    struct demo_names names;
    struct arena *arena; /* of the whole filling */
    struct buf text, subject, preview;
    struct event *events; /* a heap: the next message of every conversation that is still going on */
    size_t event_count, event_room;
    int64_t posts;
};

/* Conversation `id`, and before it all messages of earlier ones that were written by then; with the last one, all the
 * rest. In the order of the ids. Posts are thereby numbered as they were written, and one conversation's lie as far
 * apart in the store as they do on a desk in use. */
int fill_conversation(struct conn *c, struct filling *f, int64_t id);

int fill_staff(struct conn *c, struct filling *f);
int fill_organization(struct conn *c, struct filling *f, int64_t id);
int fill_customer(struct conn *c, struct filling *f, int64_t number); /* 1, 2, ... */

#endif
