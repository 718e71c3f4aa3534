/* Preferences of staff: which events they are notified of, and how. The desk sends the e-mails, and has a list of
 * the notifications on desktops (core/cases/staff_notice.h). Programs on phones read the preferences of the third
 * channel. */
#ifndef CORE_NOTIFICATION_H
#define CORE_NOTIFICATION_H

#include "base/words.h"
#include "work/work.h"

/* The store has the numbers, so append only. NOTIFY_WARNING has no preference of its own: that of NOTIFY_BREACH
 * applies, on desktops only. NOTIFY_REFUSED has none, and is on desktops only. NOTIFY_SURVEY is a survey to
 * a customer, by e-mail only. The API does not show it. */
enum notification_type {
    NOTIFY_CREATED = 1,
    NOTIFY_REPLY,
    NOTIFY_AGENT,
    NOTIFY_TEAM,
    NOTIFY_BREACH,
    NOTIFY_MENTION,
    NOTIFY_TYPES,
    NOTIFY_WARNING = 20, /* an SLA target is about to be missed */
    NOTIFY_REFUSED,      /* a scheduled reply was not sent */
    NOTIFY_SURVEY = 100
};
enum notification_channel { NOTIFY_DESKTOP = 1, NOTIFY_MOBILE, NOTIFY_EMAIL, NOTIFY_CHANNELS };
extern const struct word notification_types[], notification_channels[]; /* as in the API */
extern const struct word notification_events[]; /* types of the list of notifications */

/* Without a preference: everything, but no e-mails about new conversations and about those of a team. */
bool notification_default(enum notification_type type, enum notification_channel channel);

struct notification_preferences {
    bool is_enabled[NOTIFY_TYPES][NOTIFY_CHANNELS];
};
int notification_preferences_read(struct work *w, int64_t user_id, struct notification_preferences *out);
/* The same for several people, in one statement. people: sorted; *out is parallel. */
int notification_preferences_of(struct work *w, const int64_t *people, int count,
                                struct notification_preferences **out);
/* A new conversation is on no list, because it concerns nobody in particular. */
bool notification_enabled(const struct notification_preferences *p, enum notification_type type,
                          enum notification_channel channel);
/* Stores preferences of the actor. A value that is already in force changes nothing. */
int notification_prefer(struct work *w, enum notification_type type, enum notification_channel channel,
                        bool enabled);
/* Returns 1 if the person has enabled it, 0 if not, or a negative error. */
int notification_wanted(struct work *w, int64_t user_id, enum notification_type type,
                        enum notification_channel channel);

/* The secret of the link in a mail that ends such mails to this person. It is a MAC, so it needs no row
 * and never expires: the mail may be old. It is good for nothing else. */
struct str unsubscribe_token(const struct desk *d, struct arena *a, int64_t user_id,
                             enum notification_type type);
/* Finds what a token ends. Returns 1, 0 if it is forged or the person was deleted, or a negative error.
 * Changes nothing. */
int unsubscribe_find(struct work *w, struct str token, int64_t *user_id, enum notification_type *type);
/* Ends these mails in the name of the person. Returns the same. */
int unsubscribe(struct work *w, struct str token);

#endif
