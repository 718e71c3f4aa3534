/* Calls that pages make: a posted form does what a request of the API does.
 *
 * A page names a route, and gives the parameters and the credentials of its visitor. The call runs through
 * all stages of api/call/dispatch.c, so roles, scopes, permissions, origin, CSRF token, rate, validation,
 * limits, idempotency and the change log are those of the API. The page gets the reply as a tree. No page
 * writes rows. */
#ifndef API_CALL_SUBCALL_H
#define API_CALL_SUBCALL_H

#include "api/call/machine.h"

#define INNER_HEADERS 6

struct inner {
    struct pool_task task; /* private; the first member */
    struct api *api;
    struct http_request *http; /* request of the page; it is deferred. The reply is in its memory */
    /* The call. The page sets: */
    enum method method;
    struct str path;         /* below /api/v1: "/conversations" */
    struct str query;        /* raw; p NULL: none */
    struct json *body;       /* an object; NULL: no parameters */
    struct http_file *files; /* parts of the form; NULL: none */
    struct {
        const char *name;
        struct str value;
    } headers[INNER_HEADERS];      /* further headers of this call; inner_header adds one */
    bool stranger;                 /* the session cookie is not sent */
    void (*done)(struct inner *x); /* runs in the pool */
    /* The outcome: */
    int status;
    const struct json *reply; /* the envelope, or the error body; NULL: none */
    struct str set_cookie, retry_after;
    /* the pool is full: `done` runs on a thread that must not wait. It must reply without the store */
    bool crowded;
};

void inner_header(struct inner *x, const char *name, struct str value); /* value p NULL: none */
/* Adds Basic credentials. Returns false, and adds nothing, for a login with a colon: Basic can't carry it,
 * and no address has it. */
bool inner_login(struct inner *x, struct str login, struct str password);
/* Makes the call: from a task of the pool, without an open snapshot. `done` follows, perhaps before it
 * returns. */
void inner_call(struct inner *x);
void inner_end(struct call *c); /* called by call_end: passes the reply to the page */

/* Parts of a reply. They return NULL, p NULL or 0 if it has none. */
const struct json *inner_data(const struct json *reply);
struct str tree_text(const struct json *object, const char *name);
int64_t tree_int(const struct json *object, const char *name);
bool tree_true(const struct json *object, const char *name);
/* The code and the message of the first error. */
struct str inner_code(const struct json *reply);
struct str inner_message(const struct json *reply);
/* The message of the first error about a parameter. */
struct str inner_problem(const struct json *reply, const char *parameter);

#endif
