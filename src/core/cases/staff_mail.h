/* Mails that notify staff of a change. The rules are in staff_mail.c. */
#ifndef CORE_STAFF_MAIL_H
#define CORE_STAFF_MAIL_H

#include "core/cases/message_mail.h"

/* The finisher: queues the mails about the changes of this work. It comes after rules and clocks. */
int staff_mails_finish(struct work *w);

/* Reads the conversation for a mail that is about to be sent. said: the id of the message or note in it;
 * 0: none. author: the person who caused it; 0: none. Returns 1, 0 if the reader may not see the
 * conversation any more, or a negative error. */
int staff_mail_load(struct work *w, int64_t case_id, int64_t reader, int64_t said, int64_t author,
                    struct message_mail *out);

#endif
