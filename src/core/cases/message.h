/* Messages of conversations, and read markers. */
#ifndef CORE_MESSAGE_H
#define CORE_MESSAGE_H

#include "core/cases/case.h"

struct message_new {
    struct str contents, client_id, metadata, creator_name; /* p NULL: none */
    /* clean HTML, and what it was before; p NULL: the message was written as plain text */
    struct str html, original;
    int64_t creator_id, mailbox_id; /* mailbox_id: 0: it did not come by mail */
    const int64_t *files;           /* attached, in this order: core/cases/attachment.h */
    int file_count;
    int source, channel; /* 0: not given; the channel is the conversation's then */
};

/* The values that follow from the conversation before the message, its author and the actor. */
struct message_facts {
    bool by_requester, by_staff;
    bool staff;    /* by staff, and not by the requester */
    bool opens;    /* the first message of a conversation that it opens */
    bool is_reply; /* of staff */
    int status, channel;
};
struct message_facts message_facts(const struct work *w, const struct case_now *c,
                                   const struct message_new *m);

/* Posts a message, and updates the conversation's status, last reply and read marker. If the same creator
 * already used the client_id in this conversation, only sets *id to that message.
 * -ERR_RESOURCE_ACTION_NOT_AVAILABLE if the conversation is closed. The row of a conversation that the message
 * opens has these values already, with the id of the message (core/cases/case_new.c). */
int message_post(struct work *w, struct case_now *c, const struct message_new *m, int64_t *id);

/* The actor has read all messages of the conversation: moves their read marker. The status of messages stays. */
int messages_read(struct work *w, int64_t case_id);
/* The newest message is unread for the actor: moves their read marker to the message before it. */
int messages_unread(struct work *w, int64_t case_id);
/* Advances SENT -> DELIVERED -> SEEN; a step back does nothing. SEEN moves the actor's read marker and
 * marks all earlier messages too. */
int message_set_status(struct work *w, int64_t case_id, int64_t message_id, enum message_status status);

/* Rejects a message that is still SENT, because its mail did not arrive. Other messages stay as they are. */
int message_reject(struct work *w, int64_t message_id, enum reject_type type, struct str reason);

/* The beginning of a text, as one line. */
struct str message_preview(struct arena *a, struct str contents);

/* The HTML that a message or a note was given as, before it was cleaned. Only the clean HTML is shown. The
 * original is kept because cleaning loses parts of it that a later version may be able to show. It is
 * deleted with its post. */
/* Keeps the original of a message or note, in place of an earlier one. html: p NULL: the post was written
 * as plain text, and has none. */
int original_keep(struct work *w, int64_t post_id, struct str html);

#endif
