/* Counts bytes held for requests in progress: in total, for each address and for each person. So no sender can use up
 * the room of others. */
#ifndef HTTP_LEDGER_H
#define HTTP_LEDGER_H

#include "base/address.h"

#include <pthread.h>

/* The sender for whom bytes are held. Bytes of a person count for the address, too. */
struct sender {
    struct address address; /* as address_counted returns it (base/address.h) */
    int64_t person;         /* 0: not known */
};

#define ACCOUNTS 256
struct ledger {
    int64_t most; /* limit in total; one address or person may hold a quarter of it */
    int64_t held;
    pthread_mutex_t lock;
    struct account *accounts[ACCOUNTS];
};

void ledger_open(struct ledger *l, int64_t most);
void ledger_close(struct ledger *l); /* all bytes must have been returned */

/* Takes n bytes. `least` is the size of the largest request: an address or person may hold this much even if it is more
 * than a quarter, and the total limit is at least four times as much. Returns NULL, or a sentence that says why there
 * is no room; then nothing is taken. */
const char *ledger_take(struct ledger *l, const struct sender *who, int64_t n, int64_t least);
int64_t ledger_held(struct ledger *l);
void ledger_return(struct ledger *l, const struct sender *who, int64_t n);

#endif
