/* Rights that a change or the end of a login takes away. */
#ifndef LIVE_RIGHTS_H
#define LIVE_RIGHTS_H

#include "live/entry.h"
#include "live/subscriptions.h"

void rights_review(struct hub *h, const struct entry *first); /* after these entries */
void rights_net(struct hub *h);                               /* ended sessions and tokens */

#endif
