/* A work: one transaction, one arena, one actor, one moment in time, one list of what went wrong.
 *
 * HTTP requests, jobs, and later mail and rules all make a work and call the same domain functions. What a work changes in
 * memory waits in its after-commit list: a work may be run again, and only the COMMIT makes it true. */
#ifndef WORK_WORK_H
#define WORK_WORK_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "base/str.h"
#include "db/db.h"

struct settings;
struct touches;

/* What a process has once. Made by main, read by all. */
struct desk {
    struct db *db;
    struct clock clock;
    struct str base_url;     /* no slash at its end */
    struct str host;         /* of the base URL */
    const char *files;       /* folder of contents: files/content.h */
    struct str installation; /* 64 hex digits: names of realtime channels */
    struct str process;      /* of this run of the program: which entries of the outbox are its own */
    struct str inbox;        /* the folder that mail comes in by (mail/inbox.h); p NULL: none */
    struct key session_key, csrf_key, request_key, account_key, idempotency_key, factor_key, remember_key, link_key, mail_key, setting_key,
        fingerprint_key, pseudonym_key, picture_key;
    struct key credential_key;    /* of this process alone: what the credential cache is keyed by */
    struct settings *settings;    /* what the desk decides: core/desk/setting.h */
    struct touches *touches;      /* activity gathered in memory: core/login/session.h */
    int cascade_rows;             /* that one write takes: core/change/cascade.h; 0: LIMIT_CASCADE */
    void (*wake_jobs)(void *arg); /* a job was committed */
    void *wake_arg;
};

/* Who acts. TOKEN is a program that acts for a person, with fewer scopes (no such token is issued yet). SYSTEM is a job, RULE an automatic rule
 * (there are none yet), MAIL a mail that came in. The change log stores the numbers: append only. */
enum actor_kind { ACTOR_NOBODY, ACTOR_PERSON, ACTOR_FINGERPRINT, ACTOR_TOKEN, ACTOR_SYSTEM, ACTOR_RULE, ACTOR_MAIL };

/* rank is an enum role_type of core/words.h; 0 is nobody. */
struct actor {
    enum actor_kind kind;
    struct str cause; /* why the server acts, for the trail: "Trigger: Escalate". p NULL: a caller's request */
    int rank;
    int64_t user_id, role_id, session_id, organization_id;
    int case_access;             /* enum case_access: staff */
    bool sees_organization;      /* customers: their organization's conversations too */
    int64_t password_updated_at; /* 0: no password */
    uint64_t denied;             /* bits of permissions that are off */
    uint32_t scopes;             /* bits of scopes that are granted: core/access/scope.h */
    int64_t token_case_id;       /* nobody, but shown this one conversation */
    struct str
        fingerprint; /* keyed hash of the one that was sent (core/access/stranger.h); p NULL: none. Without login it admits the caller */
    struct str remote, user_agent;
    bool csrf_checked; /* the session wants X-CSRF-Token on writes */
    int64_t wrote_at;  /* when the session last wrote, to a second; kept where processes share a store */
};

struct problem {
    enum error code;
    struct str parameter, pointer, message; /* p NULL: none; the code's own message */
    const char *const *parameters;          /* ANY_FIELD_REQUIRED: the names; ends with NULL */
    struct problem *next;
};

struct notice {
    const char *level; /* NOTICE, WARNING */
    struct str message;
    struct notice *next;
};

struct after {
    void (*run)(struct desk *d, void *arg);
    void *arg; /* in the work's arena */
    struct after *next;
};

struct changes;     /* core/change/change.h */
struct watched;     /* core/change/watch.h */
struct case_counts; /* core/cases/case_count.h */

struct work {
    struct desk *desk;
    struct arena *arena;
    struct conn *conn;
    struct actor actor;
    int64_t now;
    struct problem *problems, *last_problem;
    int problem_count;
    struct notice *notices, *last_notice;
    struct after *afters, *last_after;
    struct changes *changes;    /* NULL: none */
    struct watched *watched;    /* objects whose state before the work is known */
    struct case_counts *counts; /* differences of counters, to be written when the work finishes */
    bool finished;              /* work_finish has run: nothing may change any more */
};

void work_init(struct work *w, struct desk *d, struct arena *a);
/* Forgets what a run left, so that the work can be run again. */
void work_rewind(struct work *w);

/* fail: says once, where it is known, what went wrong, and returns -code. Input errors are gathered: call it for each. */
int fail(struct work *w, enum error code);
int fail_field(struct work *w, enum error code, struct str parameter, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* RESOURCE_ACTION_NOT_AVAILABLE: the message names the state and the alternative. */
int fail_state(struct work *w, const char *fmt, ...) __attribute__((format(printf, 2, 3), nonnull(2)));
int fail_at(struct work *w, enum error code, struct str parameter, struct str pointer, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
static inline bool failed(const struct work *w) { return w->problems != NULL; }
/* The first problem's code, or ERR_NONE. */
static inline enum error failure(const struct work *w) { return w->problems ? w->problems->code : ERR_NONE; }

void notice(struct work *w, const char *level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void after_commit(struct work *w, void (*run)(struct desk *d, void *arg), void *arg);
void work_committed(struct work *w); /* runs the after-commit list */

#endif
