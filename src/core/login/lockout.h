/* Failed logins and other guesses of secrets: how they are counted, locked out and slowed down. lockout.c
 * has the essay. */
#ifndef CORE_LOCKOUT_H
#define CORE_LOCKOUT_H

#include "work/work.h"

#define LOGIN_FAILURES_KEPT (15 * TIME_MINUTE)
/* Number of failures in these minutes that lock an account for an address. */
#define LOGIN_FAILURES 10
#define LOGIN_FAILURES_OF_ADDRESS 100 /* number of failures that lock an address for all accounts */

enum guess_of {
    GUESS_PASSWORD,     /* password of an account, from a caller without other proof */
    GUESS_SECRET,       /* secret of an OAuth client */
    GUESS_OWN_PASSWORD, /* password of the account, from the holder of a session */
    GUESS_CODE,         /* code of a second factor; the password was right */
    GUESS_DEVICE,       /* password of an account, from a remembered device of the account */
    /* Code of a second factor from a caller who is locked out, and the password after a right one. */
    GUESS_EARLY_CODE,
    GUESS_PASSKEY, /* passkey of an account */
};

/* name: the typed e-mail address, or a guessed_name. */
struct guess {
    enum guess_of of;
    struct str name;
};

struct lockout {
    int seconds; /* seconds until the lock-out ends */
    const char *what;
};

/* The name under which guesses of another secret than a login's password are counted. It contains a colon,
 * which no login has (RFC 7617 section 2). So nobody uses up the tries of another secret by a login with
 * its name. */
struct str guessed_name(struct arena *a, const char *secret, struct str of);
/* Returns 1 and the lock-out if this guess is locked, 0 if not. */
int login_locked(struct work *w, const struct guess *g, struct lockout *out);
/* The same within a write. Guesses that count together wait for each other until the write ends. */
int login_guard(struct work *w, const struct guess *g, struct lockout *out);
/* One or two sentences: what is locked, and for how long. */
struct str lockout_says(struct arena *a, const struct lockout *l);
/* Counts a failure and returns 0. *attempt: its number, from 1 to LOGIN_FAILURES, for this name and
 * address in the last 15 minutes. If the guess is locked by now, counts nothing and returns 1 and the
 * lock-out. user_id 0: there is no such account. */
int login_failed_note(struct work *w, const struct guess *g, int64_t user_id, int *attempt,
                      struct lockout *out);
/* deletes the failures of this account; returns their number, or an error */
int login_failures_forget(struct work *w, struct str email);

/* Writes failures of complete minutes to the audit log. The failures of one person within a minute are one
 * entry, those of unknown accounts too, so that a flood can't fill the store. login_failures_wait returns
 * 1 if there are such failures. */
int login_failures_audit(struct work *w);
int login_failures_wait(struct conn *c, int64_t now);

/* Milliseconds that a login waits before its password is checked, at most LOGIN_DELAY_MAX_MS. key:
 * identifies the account. */
#define LOGIN_DELAY_MAX_MS 4000
int login_delay(struct work *w, struct str email, uint64_t *key);

#endif
