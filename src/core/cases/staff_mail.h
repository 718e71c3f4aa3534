/* Mails that notify staff of a change. */
#ifndef CORE_STAFF_MAIL_H
#define CORE_STAFF_MAIL_H

#include "core/cases/message_mail.h"
#include "core/cases/notice.h"

/* Queues the mail of one person, if the person has enabled one. notices: those of the person, in the order of the
 * changes. */
int staff_mail_queue(struct work *w, const struct notification_preferences *p,
                     const struct staff_notice *notices, int count);

/* Reads the conversation for a mail that is about to be sent. said: the id of the message or note in it;
 * 0: none. author: the person who caused it; 0: none. Returns 1, 0 if the reader may not see the
 * conversation any more, or a negative error. */
int staff_mail_load(struct work *w, int64_t case_id, int64_t reader, int64_t said, int64_t author,
                    struct message_mail *out);

#endif
