/* The job that sends a queued letter: core/letter.h. */
#ifndef MAIL_DELIVER_H
#define MAIL_DELIVER_H

#include "core/desk/job.h"

#include <stdatomic.h>

#define MAIL_AT_ONCE 4 /* mails under way at the same time */

void *mail_deliver(struct work *w, const struct job *j, const atomic_bool *stopping); /* outside any transaction */
int mail_settle(struct work *w, const struct job *j);                                 /* writes down what came of it */

#endif
