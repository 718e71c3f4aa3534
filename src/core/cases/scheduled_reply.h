/* Scheduled replies: replies and notes that are posted at a time (docs/CONVERSATIONS.md, "Scheduled
 * replies").
 *
 * A row has the parameters of a request that was checked when it came. At its time the runner makes this
 * request again in the name of its author (jobs/scheduled.h). The row and the post change in one write, so a
 * reply is posted once:
 *
 *     waits ---- the time comes: the row is deleted, the reply is posted
 *       |  \
 *       |   the request is refused: the row keeps the reason, and its author is notified
 *       |                                  |
 *       +---- edited, sent at once or cancelled by a request ----+
 *
 * Each change is a change of the property scheduled_reply of the conversation. */
#ifndef CORE_SCHEDULED_REPLY_H
#define CORE_SCHEDULED_REPLY_H

#include "work/work.h"

#define SCHEDULED_REFUSED_KEPT (90 * TIME_DAY) /* after the refusal */

struct scheduled_reply {
    int64_t id, case_id, creator_id, send_at;
    bool is_note, is_html, is_refused;
    struct str client_id;    /* p NULL: none */
    struct str content_text; /* as it will be shown */
    struct str parameters;   /* a JSON object */
};

/* Locks and reads the row. Returns 1, 0 if there is none, or a negative error. */
int scheduled_reply_lock(struct work *w, int64_t id, struct scheduled_reply *out);
/* Returns 1 and sets *id if the actor has scheduled a reply with this client_id in the conversation, 0, or a
 * negative error. */
int scheduled_reply_of_client(struct work *w, int64_t case_id, struct str client_id, int64_t *id);

/* Stores a reply of the actor; sets its id and its author. files: a JSON array of the actor's files, which
 * do not expire before it. Fails with RESOURCE_ACTION_NOT_AVAILABLE if the actor has LIMIT_SCHEDULED. */
int scheduled_reply_add(struct work *w, struct scheduled_reply *s, struct str files);
/* Gives it another time, and other parameters. A refused one waits again. */
int scheduled_reply_move(struct work *w, struct scheduled_reply *s, int64_t send_at, struct str parameters);
int scheduled_reply_drop(struct work *w, const struct scheduled_reply *s);

/* Keeps the reason why it was not posted, a JSON object, and notifies its author. reason: the same as a
 * text. */
int scheduled_reply_refuse(struct work *w, const struct scheduled_reply *s, struct str refusal,
                           struct str reason);
extern const char scheduled_reply_refused[]; /* the property; its new number is the author */

struct scheduled_due {
    int64_t id, case_id;
};
/* Reads those that are due, the oldest first, at most `most`. Returns their number. */
int scheduled_replies_due(struct work *w, int most, struct scheduled_due **out);

#endif
