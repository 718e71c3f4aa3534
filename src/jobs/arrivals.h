/* Takes mails that came in from the inbox (mail/inbox.h), each in a write of its own. */
#ifndef JOBS_ARRIVALS_H
#define JOBS_ARRIVALS_H

#include "work/work.h"

#include <stdatomic.h>

/* Some of those that wait; true: there may be more. What the store refuses for now waits on. */
bool arrivals_take(struct desk *d, const atomic_bool *stopping);

#endif
