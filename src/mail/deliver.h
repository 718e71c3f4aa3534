/* The job that sends a queued letter: core/letters/letter.h. */
#ifndef MAIL_DELIVER_H
#define MAIL_DELIVER_H

#include "core/desk/job.h"

#include <stdatomic.h>

#define MAIL_AT_ONCE 4 /* mails that are sent at the same time */

/* runs outside of transactions */
void *mail_deliver(struct work *w, const struct job *j, const atomic_bool *stopping);
int mail_settle(struct work *w, const struct job *j); /* stores the result */

#endif
