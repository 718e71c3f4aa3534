/* The feed: from entries of the change log to those who listen. */
#ifndef LIVE_FEED_H
#define LIVE_FEED_H

#include "live/entry.h"
#include "live/subscriptions.h"

/* Reads the entries after the cursor that the snapshot sees, at most `most`, and moves the cursor. Returns 1, 0 if
 * the log does not reach back or there are more, or a negative error. */
int feed_read(struct hub *h, struct change_cursor *cursor, int64_t most, struct entry **first);
void feed_tell(struct hub *h, const struct entry *first); /* to all who listen */
/* Only to this peer, in the order of feed_tell, because the client comes back with the place of the last frame that
 * it has received. from: that place, after which the entries follow. only: the subscription; NULL: all of the peer. */
void feed_tell_one(struct hub *h, const struct entry *first, const struct live_place *from, struct peer *p,
                   const struct subscription *only);

#endif
