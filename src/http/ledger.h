/* Bytes that are held for callers: bodies under way, replies that wait for their readers. They are counted
 * in total, for each address and for each person, because nobody may hold so much that there is none left
 * for others. */
#ifndef HTTP_LEDGER_H
#define HTTP_LEDGER_H

#include "base/address.h"

#include <pthread.h>

/* The caller for whom bytes are held. Bytes of a person count for the address, too, unless person_alone. */
struct sender {
    struct address address; /* as address_counted returns it (base/address.h) */
    int64_t person;         /* 0: not known */
    bool person_alone;
};

#define ACCOUNTS 256
struct ledger {
    int64_t most; /* maximum number of bytes in total */
    int64_t each; /* maximum number of bytes of one address or person */
    int64_t held;
    pthread_mutex_t lock;
    struct account *accounts[ACCOUNTS];
};

enum ledger_full { LEDGER_ROOM, LEDGER_TOTAL, LEDGER_ADDRESS, LEDGER_PERSON };

void ledger_open(struct ledger *l, int64_t most, int64_t each);
void ledger_close(struct ledger *l); /* everything was returned */

/* Takes n bytes if there is room. `least` are the bytes of the largest request: one address or person may
 * always hold as many, and the total may be four times as many. Returns LEDGER_ROOM, or the limit that is
 * reached; nothing is taken then. */
enum ledger_full ledger_take(struct ledger *l, const struct sender *who, int64_t n, int64_t least);
/* Takes n bytes without regard to the limits. */
void ledger_add(struct ledger *l, const struct sender *who, int64_t n);
void ledger_return(struct ledger *l, const struct sender *who, int64_t n);
int64_t ledger_held(struct ledger *l);

#endif
