/* Logins and sessions: who a caller is, for how long, and what is remembered of their activity. */
#ifndef CORE_SESSION_H
#define CORE_SESSION_H

#include "work/work.h"

/* ---- sessions --------------------------------------------------------------------------------------------- */

struct session {
    int64_t id, user_id, created_at, last_activity_at, password_updated_at, logins_version;
    struct str user_agent, ip_address;
    bool csrf_checked;
    bool wants_otp; /* its user has a second factor: a password alone opens no other */
};

/* Loads the actor of a live session: 1, or 0 when there is none (unknown, ended, idle too long, its user disabled). One query. */
int session_load(struct work *w, int64_t id, struct session *out);

int actor_load(struct work *w, int64_t user_id); /* the actor of a user who proved enough without a session: 0, or fails */

/* The texts a client holds are derived from the row by a keyed MAC, so that any process can give them again. */
struct str session_token(const struct work *w, const struct session *s, struct arena *a);
struct str session_csrf(const struct work *w, const struct session *s, struct arena *a);
int64_t session_token_id(struct str token); /* the row a token speaks of, still unproven; 0: no token */

/* A live session of this user, agent, address and mode: its id, or 0. */
int session_find(struct work *w, int64_t user_id, struct str user_agent, struct str ip, bool csrf_checked, int64_t *id);
int session_open(struct work *w, int64_t user_id, struct str user_agent, struct str ip, bool csrf_checked, int64_t *id);
int session_open_remembered(struct work *w, int64_t user_id, int64_t chain_id, bool csrf_checked,
                            int64_t *id); /* a new one, of this chain */
/* The last thing of a write: marks that its session wrote, at most once a second, so that its reads find it (db_replica). */
int session_wrote(struct work *w);
int session_renew(struct work *w, int64_t id); /* at most one write a minute */
int session_end(struct work *w, int64_t id);
int sessions_end_all(struct work *w, struct str users);         /* of these people, a JSON array */
int sessions_end(struct work *w, int64_t user_id, int64_t but); /* all of a user; but: one that stays, or 0 */

/* ---- logins ----------------------------------------------------------------------------------------------- */

#define LOGIN_FAILURES_KEPT (15 * TIME_MINUTE)

struct login {
    int64_t user_id, password_updated_at, logins_version;
    int rank;
    bool wants_otp;
    struct str hash; /* p NULL: no such login, or it has no password */
};
int login_find(struct work *w, struct str email, struct login *out); /* 0 also when there is none */
/* Ten failures in 15 minutes of one account from one address, or of one address: the seconds until the lock ends, or 0. */
int login_locked(struct work *w, struct str email);
/* The same in a write, where guesses of this address wait for each other until it ends. */
int login_guard(struct work *w, struct str email);
/* The same of one-time passwords, whose failures count together wherever they came from. */
int code_guard(struct work *w, struct str name);
/* Counts a failure and returns 0. *attempt: its number, from 1 to LOGIN_FAILURES, of this account and address in the last
 * 15 minutes. If it is locked by now, counts nothing and returns the seconds. */
#define LOGIN_FAILURES 10
int login_failed_note(struct work *w, struct str email, int *attempt);
/* How many milliseconds a login is to wait before its password is looked at, up to LOGIN_DELAY_MAX_MS; key: the account's. */
#define LOGIN_DELAY_MAX_MS 4000
int login_delay(struct work *w, struct str email, uint64_t *key);

/* The shortest password a person of this rank may have, in characters; 0 when it will do, else -ERR_FIELD_INVALID without fail(). */
int password_rule(const struct desk *d, int rank, struct str password, int64_t *least);

/* ---- activity --------------------------------------------------------------------------------------------- */

/* A read never writes: that someone was here is gathered in memory and written in batches by the clock. */
struct touches *touches_new(void);
void touches_free(struct touches *t);
void touch(struct desk *d, const struct session *s, int64_t now); /* at most once a minute a session */
int64_t touched_at(struct desk *d, int64_t session_id);           /* 0: not since the last flush */
int touches_flush(struct desk *d);

#endif
