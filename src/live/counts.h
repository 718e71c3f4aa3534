/* Counts of views. A count may take hundreds of milliseconds, so the pool runs it, one at a time, and no event
 * waits for it. A round counts for each peer that listens to views; it begins if conversations have changed. */
#ifndef LIVE_COUNTS_H
#define LIVE_COUNTS_H

#include "live/subscriptions.h"

/* In a turn: tells the counts that the pool has found, and begins the next ones if they are due. */
void counts_follow(struct hub *h);
int counts_wait_ms(const struct hub *h, int most); /* until the next one is due, up to `most` */
void counts_end(struct hub *h);                    /* waits for the pool */

#endif
