/* Calls that pages make: a posted form does what a request of the API does.
 *
 * A page names a route, and gives the parameters and the credentials of its visitor. The call runs through
 * all stages of api/call/dispatch.c, so roles, scopes, permissions, origin, CSRF token, rate, validation,
 * limits, idempotency and the change log are those of the API. The page gets the reply as a tree. No page
 * writes rows. */
#ifndef API_CALL_SUBCALL_H
#define API_CALL_SUBCALL_H

#include "api/call/machine.h"

#define SUBCALL_HEADERS 6

struct subcall {
    struct pool_task task;       /* private; the first member */
    void (*end)(struct call *c); /* private: takes the reply of the call, and frees it */
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
    } headers[SUBCALL_HEADERS];      /* further headers of this call; subcall_header adds one */
    bool stranger;                   /* the session cookie is not sent */
    void (*done)(struct subcall *x); /* runs in the pool */
    /* The outcome: */
    int status;
    const struct json *reply;                       /* the envelope, or the error body; NULL: none */
    struct str set_cookie, retry_after, logout_url; /* of headers of the reply */
    /* the pool is full: `done` runs on a thread that must not wait. It must reply without the store */
    bool crowded;
};

void subcall_header(struct subcall *x, const char *name, struct str value); /* value p NULL: none */
/* Adds Basic credentials. Returns false, and adds nothing, for a login with a colon: Basic can't carry it,
 * and no address has it. */
bool subcall_login(struct subcall *x, struct str login, struct str password);
/* Makes the call: from a task of the pool, without an open snapshot. `done` follows, perhaps before it
 * returns. */
void subcall_call(struct subcall *x);

/* Parts of a reply. They return NULL, p NULL or 0 if it has none. */
const struct json *subcall_data(const struct json *reply);
int64_t tree_int(const struct json *object, const char *name);
/* The code and the message of the first error. */
struct str subcall_code(const struct json *reply);
struct str subcall_message(const struct json *reply);
/* The message of the first error about a parameter. */
struct str subcall_problem(const struct json *reply, const char *parameter);

#endif
