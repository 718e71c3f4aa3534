/* Messages of staff as mails: who gets them, and what is in them. */
#ifndef CORE_MESSAGE_MAIL_H
#define CORE_MESSAGE_MAIL_H

#include "core/cases/case.h"

/* Reads the requester's primary address. Returns 1, 0 if there is none, or a negative error. */
int message_mail_address(struct work *w, int64_t requester_id, struct str *address);

/* Queues the mails of a message: one to the requester's address, if there is one and the actor is somebody
 * else, and one to each address in `cc`. Addresses that are equal get one mail. The owners of the
 * addresses in `cc` become participants. An address without an owner gets a new customer. The caller has
 * locked the conversation and checked the addresses. Returns the number of queued mails or a negative
 * error. */
int message_mail_send(struct work *w, const struct case_now *c, int64_t message_id, const struct str *cc,
                      int count);

struct mail_attachment {
    struct str name, type, sha256, content_id; /* content_id: the HTML shows it; p NULL: it does not */
    int64_t size;
    struct str line; /* name and address; only callers who see the message can open it */
};

struct message_mail {
    struct str subject, author, text, html; /* html: safe */
    struct mail_attachment *files;
    int file_count;
};
/* Reads a message for its mail. Returns 1, 0 if it was deleted, or a negative error. */
int message_mail_load(struct work *w, int64_t message_id, struct message_mail *out);

#endif
