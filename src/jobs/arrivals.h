/* Takes mails from the inbox (mail/inbox.h), each in a write of its own. */
#ifndef JOBS_ARRIVALS_H
#define JOBS_ARRIVALS_H

#include "work/work.h"

#include <stdatomic.h>

/* Takes some of the waiting mails. Returns true if there may be more. Mails that the store can't take now stay in the
 * inbox. */
bool arrivals_take(struct desk *d, const atomic_bool *stopping);

#endif
