/* Topics: what a peer can listen to.
 *
 *     presence-<installation>@v1_cases_<id>            a conversation
 *     presence-<installation>@v1_users_<id>            a person
 *     presence-<installation>@v1_organizations_<id>    an organization
 *     presence-<installation>@v1_views_<id>            the count of a view
 *     presence-<installation>@v1_inbox                 all conversations that the caller sees
 *     presence-<installation>@v1_comments              comments on all articles that the caller sees
 *     user_presence-<installation>@<40 hex>           whether a person is online
 *     user_notifications-<installation>@<hash>         the caller's own notifications
 *
 * The installation is desk->installation. Each topic has one spelling. */
#ifndef LIVE_TOPIC_H
#define LIVE_TOPIC_H

#include "api/call/machine.h"
#include "live/who.h"

enum live_kind {
    LIVE_CASE,
    LIVE_USER,
    LIVE_ORGANIZATION,
    LIVE_VIEW,
    LIVE_INBOX,
    LIVE_OWN,
    LIVE_PERSON,
    LIVE_COMMENTS,
    LIVE_KINDS
};

/* The kinds of objects whose channel has the id of the object; ends with name NULL. */
struct live_object {
    const char *name; /* in names of channels: "cases" */
    enum live_kind kind;
    const char *path; /* of the route whose GET decides who may listen: "/cases/:id" */
    const char *about;
};
extern const struct live_object live_objects[];

struct live_name {
    enum live_kind kind;
    int64_t id; /* 0: the topic has none. LIVE_OWN: the person */
};

/* Finds what a name means to this caller. Returns 1, 0 if it is no topic (or the own topic of somebody else), or
 * a negative error. In the snapshot of w->conn. */
int topic_parse(struct work *w, const struct who *who, struct str name, struct live_name *out);

/* The route whose GET shows the object of the topic to this caller: "/cases/23". What the caller may know of
 * the topic is what this GET shows (api/call/inner_read.h). */
struct str topic_path(struct arena *a, struct live_name t, const struct who *who);

/* Returns 1 if the caller may listen: that GET succeeds in the snapshot of w->conn. 0 if not, or a negative
 * error. */
int topic_is_heard(struct api *api, struct work *w, const struct who *who, struct live_name t);

#endif
