/* A batch of GET requests to one server, by libcurl, several at a time. Connections stay open between
 * batches. Rules of a connection: outgoing/reach.h; private addresses are allowed, because the operator
 * names the server. A reply that is longer than `most` is refused while it comes in. */
#ifndef OUTGOING_READERS_H
#define OUTGOING_READERS_H

#include "base/buf.h"

struct reading {
    const char *url;
    int file;     /* gets the body of a reply of status 200; -1: `body` gets it */
    int64_t most; /* bytes of the body */
    /* the result */
    int status;             /* 0: there was no whole reply */
    int64_t retry_after_ms; /* -1: the reply names none */
    int64_t size;           /* bytes of the body */
    struct buf body;        /* the caller frees it */
    bool too_long;
    char why[120]; /* of status 0: a sentence without its full stop */
};

struct readers;
/* authorization: the header's value. Returns NULL if memory is short. */
struct readers *readers_open(const char *authorization, int width);
/* Runs all requests of the list. Returns when all have a result. */
void readers_run(struct readers *r, struct reading *list, int count);
void readers_close(struct readers *r);

#endif
