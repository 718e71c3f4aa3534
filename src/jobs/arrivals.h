/* Takes mails from the inbox (mail/inbox.h), each in a write of its own, on a thread of its own. */
#ifndef JOBS_ARRIVALS_H
#define JOBS_ARRIVALS_H

#include "work/work.h"

struct arrivals;
/* Starts the thread. Sets *out to NULL if the desk has no inbox. Returns 0, or -1 if no thread can be started. */
int arrivals_start(struct desk *d, struct arrivals **out);
void arrivals_stop(struct arrivals *r); /* waits for the mail that is being taken; NULL: nothing */

#endif
