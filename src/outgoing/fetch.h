/* One HTTP request whose reply is read, by libcurl: for JSON of identity providers. It blocks the thread
 * for at most timeout_ms, so it runs where nothing else waits (LANE_OUTSIDE). Its connection follows the
 * rules of outgoing/reach.h. A reply that is longer than `most` is refused while it comes in. */
#ifndef OUTGOING_FETCH_H
#define OUTGOING_FETCH_H

#include "base/arena.h"
#include "base/str.h"

#include <stdatomic.h>
#include <stdint.h>

struct fetch {
    struct str url;
    struct str form;          /* the body of a POST; p NULL: GET */
    struct str authorization; /* the header; p NULL: none */
    bool private_allowed;
    int64_t timeout_ms;
    size_t most;                 /* bytes of the body */
    const atomic_bool *stopping; /* true ends the request; NULL: nothing does */
};

struct fetched {
    int status; /* 0: there was no whole reply */
    struct str body;
    struct str why; /* of status 0: a sentence */
};
void fetch_run(struct arena *a, const struct fetch *f, struct fetched *out);

#endif
