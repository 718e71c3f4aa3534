/* The steps of a login that its ways share. All run in the pool. */
#ifndef API_CALLER_AUTH_STEPS_H
#define API_CALLER_AUTH_STEPS_H

#include "api/call/call.h"
#include "core/login/auth_token.h"
#include "core/login/lockout.h"

/* A write of a login. */
struct opening {
    struct work *work;
    struct guess guess;
    struct str token, code, successor;
    enum auth_step step;
    const char *method; /* for a login: the method that session_open gets */
    int64_t user_id, session_id, token_id;
    struct lockout locked;
    int attempt; /* number of the counted failure */
    bool csrf, taken;
};

/* Runs a write on the writer, between two snapshots of the call. */
int auth_on_writer(struct call *c, int (*run)(struct conn *conn, void *arg), void *arg);

/* Fails with AUTHENTICATION_LOCKED if this guess is locked, else returns 0. */
int auth_refuse_locked(struct call *c, const struct guess *g);
/* Both fail with AUTHENTICATION_LOCKED. why: a sentence. */
int auth_refused_for(struct call *c, int seconds, struct str why);
int auth_refused_locked(struct call *c, const struct lockout *l);
/* A write: counts a failure. arg: an opening with work, guess and user_id, which gets locked and attempt. */
int auth_count_failure_in(struct conn *conn, void *arg);
/* Counts a wrong guess, and fails with AUTHENTICATION_FAILED or AUTHENTICATION_LOCKED. why: a sentence. */
int auth_wrong(struct call *c, const struct guess *g, int64_t user_id, const char *why);

/* Fails a login whose password was correct but which needs another step. The reply names the step and has
 * the token that continues the login. */
int auth_next_step(struct call *c, enum auth_step step, int64_t user_id);

#endif
