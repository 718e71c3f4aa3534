/* The caller behind a peer. The credentials of its handshake are not kept: a session is known by its id, a token by its
 * hash, and the person's role, teams and rights are read again when they may have changed. */
#ifndef LIVE_WHO_H
#define LIVE_WHO_H

#include "base/address.h"
#include "core/login/token_text.h"
#include "work/work.h"

#define WHO_HASH 65    /* 64 hex digits and a NUL */
#define WHO_ORIGIN 280 /* https://, a host name, a port, and a NUL */

enum who_by { WHO_SESSION = 1, WHO_TOKEN, WHO_FINGERPRINT };

struct who {
    enum who_by by;
    enum token_kind token; /* WHO_TOKEN */
    char hash[WHO_HASH];   /* of the token, or the fingerprint */
    char remote[ADDRESS_TEXT];
    char origin[WHO_ORIGIN]; /* of a page with a widget; empty: none */
    struct actor actor;      /* as last read; its texts are the ones above */
};

struct call;
/* The caller of a request that was identified. Returns 1, 0 if the request has no credentials that last longer
 * than it does, or a negative error. */
int who_of_call(struct call *c, struct who *out);

/* Call it after a copy: its texts are its own. */
void who_settle(struct who *who);

/* Reads the actor again, in the snapshot of w->conn. Returns 1, 0 if the session or token has ended, the
 * person may not log in any more, or the brand of a widget does not list its origin any more, or a negative
 * error. */
int who_load(struct work *w, struct who *who);

/* True if both see the same members of each conversation that both may see: staff with the same rights, or one
 * customer or fingerprint twice. */
bool who_sees_as(const struct who *a, const struct who *b);

#endif
