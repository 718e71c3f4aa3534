/* Delayed continuations: of logins after failures, and of refusals by a full queue. */
#ifndef API_CALL_DELAY_H
#define API_CALL_DELAY_H

#include <stdbool.h>
#include <stdint.h>

struct delay {
    void (*over)(struct delay *t); /* runs on the timer's thread; must not block */
    uint64_t key;                  /* the number of delays with one key is limited; 0: not */
    int64_t due;
    struct delay *next;
};
struct delays;
struct delays *delays_new(int most); /* most: delays at one time */
void delays_end(struct delays *d);   /* ends all delays now; no new ones are accepted */
void delays_free(struct delays *d);
bool delay(struct delays *d, struct delay *t, uint64_t key, int ms); /* false: too many delays */

#endif
