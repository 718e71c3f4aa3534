/* A request of a program to the token, revocation or introspection endpoint (RFC 6749, 7009, 7662). It
 * runs in the pool.
 *
 * Parameters come in the body only: as a form, as JSON or as multipart. Clients authenticate by
 * client_secret_basic, client_secret_post or, if they hold no secret, by their client_id. A right secret
 * always passes. Wrong ones are counted like wrong passwords, by (client, address) and by address; then
 * further wrong ones are refused without a write. So a stranger can't lock a client out. */
#ifndef OAUTH_EXCHANGE_H
#define OAUTH_EXCHANGE_H

#include "api/call/subcall.h"
#include "core/login/lockout.h"
#include "core/programs/token.h"

struct exchange {
    struct subcall subcall; /* the first member: the password grant is a call of GET /session */
    struct api *api;
    struct http_request *http;
    struct arena *arena; /* the arena of the request */
    struct work work;
    const struct endpoint *endpoint;
    const struct json *given; /* parameters */
    struct client client;     /* authenticated */
    struct lockout locked;    /* lock-out after wrong secrets */
    void *own;                /* data of the grant */
    struct limited limited;   /* the rate limit that this request counted for */
    /* The reply: */
    int status;
    const char *error, *description; /* error NULL: out */
    struct buf out;                  /* JSON; empty: an empty body */
};

enum {
    EXCHANGE_DONE, /* the reply is set */
    EXCHANGE_LATER /* exchange_end follows, perhaps on another thread */
};

struct endpoint {
    const char *path;
    bool writes;
    /* the client is authenticated. Returns an EXCHANGE_, or a negative error: the store failed */
    int (*run)(struct exchange *x);
};
void exchange_begin(struct api *api, struct http_request *r, const struct endpoint *e);
void exchange_end(struct exchange *x, int rc);

/* A parameter; p NULL if it is absent or empty (RFC 6749 section 3.2). */
struct str exchange_text(const struct exchange *x, const char *name);
/* Sets the reply to an error; returns EXCHANGE_DONE. */
int exchange_refuse(struct exchange *x, int status, const char *error, const char *description);
/* Run a read in a snapshot or a write, with work.conn set. Return the result of `run`, or a negative
 * error. */
int exchange_read(struct exchange *x, int (*run)(struct exchange *x));
int exchange_write(struct exchange *x, int (*run)(struct exchange *x));
/* Runs the write only if the read `known` returns 1; otherwise returns 0 or the error. Anybody may send
 * made-up tokens in the name of a public client, so these do not get a turn of the writer. */
int exchange_write_known(struct exchange *x, int (*known)(struct exchange *x),
                         int (*run)(struct exchange *x));

int run_token(struct exchange *x);      /* grants.c */
int run_revoke(struct exchange *x);     /* grants.c */
int run_introspect(struct exchange *x); /* grants.c */

#endif
