/* Bytes that are held for requests under way: in total, for each address and for each person. Nobody may hold so much that there is none
 * left for others. */
#ifndef HTTP_LEDGER_H
#define HTTP_LEDGER_H

#include "base/address.h"

#include <pthread.h>

/* Whom bytes are held for. Both count: bytes of a person count for the address, too. */
struct sender {
    struct address address; /* counted (base/address.h) */
    int64_t person;         /* 0: not known */
};

#define ACCOUNTS 256
struct ledger {
    int64_t most; /* in total; one address or person may hold a quarter of it */
    int64_t held;
    pthread_mutex_t lock;
    struct account *accounts[ACCOUNTS];
};

void ledger_open(struct ledger *l, int64_t most);
void ledger_close(struct ledger *l); /* everything was returned */

/* Takes n bytes. `least` are the bytes of the largest request: an address or person may hold as many even if that is more than a quarter,
 * and four of them may. Returns NULL, or a sentence that says why there is no room; nothing is taken then. */
const char *ledger_take(struct ledger *l, const struct sender *who, int64_t n, int64_t least);
int64_t ledger_held(struct ledger *l);
void ledger_return(struct ledger *l, const struct sender *who, int64_t n);

#endif
