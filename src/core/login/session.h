/* Sessions (the caller's identity and its lifetime), logins, and recorded activity. */
#ifndef CORE_SESSION_H
#define CORE_SESSION_H

#include "work/work.h"

/* ---- sessions --------------------------------------------------------------------------------------------- */

struct session {
    int64_t id, user_id, created_at, last_activity_at, password_updated_at, logins_version;
    struct str user_agent, ip_address;
    bool csrf_checked;
    bool wants_otp; /* the user has a second factor: a password alone opens no further session */
};

/* Loads the actor of a live session in one query. Returns 1, or 0 if the session is unknown, ended or idle too long, or its user is
 * disabled. */
int session_load(struct work *w, int64_t id, struct session *out);

int actor_load(struct work *w, int64_t user_id); /* loads the actor of a user authenticated without a session; 0, or fails */

/* The texts that a client keeps are derived from the row by a keyed MAC, so that any process can compute them again. */
struct str session_token(const struct work *w, const struct session *s, struct arena *a);
struct str session_csrf(const struct work *w, const struct session *s, struct arena *a);
int64_t session_token_id(struct str token); /* the id of the token's row, not yet verified; 0: malformed */

/* Finds a live session of this user, user agent, address and mode. *id is 0 if there is none. */
int session_find(struct work *w, int64_t user_id, struct str user_agent, struct str ip, bool csrf_checked, int64_t *id);
/* method: how the person logged in, for the audit log. */
int session_open(struct work *w, int64_t user_id, struct str user_agent, struct str ip, bool csrf_checked, const char *method, int64_t *id);
int session_open_remembered(struct work *w, int64_t user_id, int64_t chain_id, bool csrf_checked,
                            int64_t *id); /* a new session of this chain */
/* Called at the end of a write: stores when the session last wrote, at most once a second, so that its reads see the write (db_replica). */
int session_wrote(struct work *w);
int session_renew(struct work *w, int64_t id);               /* writes at most once a minute */
void session_touch(struct work *w, const struct session *s); /* the session was used by a read: core/login/touches.h */
int session_end(struct work *w, int64_t id);
int session_logout(struct work *w);                             /* ends the session of the actor and its remember-me chains */
int sessions_end_all(struct work *w, struct str users);         /* users: JSON array of ids */
int sessions_end(struct work *w, int64_t user_id, int64_t but); /* all sessions of a user except `but` (0: none) */

/* ---- logins ----------------------------------------------------------------------------------------------- */

#define LOGIN_FAILURES_KEPT (15 * TIME_MINUTE)

struct login {
    int64_t user_id, password_updated_at, logins_version;
    int rank;
    bool wants_otp;
    struct str hash; /* p NULL: no such login, or no password */
};
int login_find(struct work *w, struct str email, struct login *out); /* returns 0 also if there is none */
/* The name under which guesses of another secret than a login's password are counted, where the functions below take an e-mail address. It contains a
 * colon, which no login has (RFC 7617 section 2). So nobody uses up the tries of another secret by a login with its name. */
struct str guessed_name(struct arena *a, const char *secret, struct str of);
/* Returns the seconds until the lock ends, or 0. Ten failures within 15 minutes lock (1) an account for one address and (2) an address. */
int login_locked(struct work *w, struct str email);
/* The same within a write. Guesses from one address wait for each other until the write ends. */
int login_guard(struct work *w, struct str email);
/* The same for one-time passwords. Failures of an account are counted together for all addresses. */
int code_guard(struct work *w, struct str name);
/* Counts a failure and returns 0. *attempt: its number, from 1 to LOGIN_FAILURES, for this account and address in the last 15 minutes.
 * If the account or address is locked by now, counts nothing and returns the seconds. */
#define LOGIN_FAILURES 10
int login_failed_note(struct work *w, struct str email, int64_t user_id, int *attempt); /* user_id 0: there is no such account */
/* Writes failures of complete minutes to the audit log. The failures of one person within a minute are one entry, those of unknown accounts
 * too, so that a flood can't fill the store. login_failures_wait returns 1 if there are such failures. */
int login_failures_audit(struct work *w);
int login_failures_wait(struct conn *c, int64_t now);
int login_failures_forget(struct work *w, struct str email); /* deletes the failures of this account; returns their number, or an error */
/* Milliseconds that a login waits before its password is checked, at most LOGIN_DELAY_MAX_MS. key: identifies the account. */
#define LOGIN_DELAY_MAX_MS 4000
int login_delay(struct work *w, struct str email, uint64_t *key);

/* Checks the length. *least: the minimum number of characters for this rank. Returns 0, or -ERR_FIELD_INVALID without fail(). */
int password_rule(const struct desk *d, int rank, struct str password, int64_t *least);

#endif
