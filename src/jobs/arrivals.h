/* Takes mails from the inbox (mail/inbox.h), each in a write of its own, on threads of its own. */
#ifndef JOBS_ARRIVALS_H
#define JOBS_ARRIVALS_H

#include "work/work.h"

struct arrivals;
/* Starts the threads. Sets *out to NULL if the desk has no inbox. Returns 0, or -1 if they can't be
 * started. */
int arrivals_start(struct desk *d, struct arrivals **out);
void arrivals_stop(struct arrivals *r); /* waits for the mails that are being taken; NULL: nothing */

#endif
