/* State shared by the files of the demo while they fill a desk. */
#ifndef CORE_DEMO_FILL_H
#define CORE_DEMO_FILL_H

#include "db/db.h"
#include "demo/text.h"

struct event;

enum { DEMO_FILES = 3 };

struct filling {
    struct db *db;
    /* Password hashes of DEMO_LOGINS people. */
    const struct str *password_hashes;
    void (*progress)(const char *what, int64_t done, int64_t total); /* may be NULL */
    /* The function described in demo.h; may be NULL. */
    int (*keep)(void *arg, struct str bytes, struct str sha256);
    void *keep_arg;
    struct demo_world world;
    struct demo_names names;
    struct arena *arena; /* lives until the desk is full */
    struct buf text, subject, preview;
    struct event *events; /* a heap: the next message of every conversation that has one */
    size_t event_count, event_room;
    /* the last id of a message or note, and of a file */
    int64_t posts, files;
    /* custom fields, options of `product`, a form */
    int64_t order_number, product, products[DEMO_PRODUCTS], form;
    /* Hashes of demo_files; p NULL: not computed yet. */
    struct str sha256[DEMO_FILES];
};

/* Inserts conversation `id`, and before it all messages of earlier conversations up to its time. With the
 * last conversation, inserts all the remaining messages. Call it in the order of ids. So posts are
 * numbered by time, and the posts of one conversation are as far apart in the store as on a desk in use. */
int fill_conversation(struct conn *c, struct filling *f, int64_t id);

int fill_views(struct conn *c, struct filling *f); /* for all staff */
int fill_help_center(struct conn *c, struct filling *f);
int fill_staff(struct conn *c, struct filling *f);
int fill_organization(struct conn *c, struct filling *f, int64_t id);
int fill_customer(struct conn *c, struct filling *f, int64_t number); /* numbers begin at 1 */

#endif
