/* A work: one transaction, one arena, one actor, one moment in time, one list of problems.
 *
 * HTTP requests, jobs and mail make a work and call the same domain functions. A work may be run again,
 * and only its COMMIT makes its changes true. So it changes memory only in its after-commit list. */
#ifndef WORK_WORK_H
#define WORK_WORK_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "base/str.h"
#include "db/db.h"

#include <stdatomic.h>

struct settings;
struct view_counts;
struct gathering;
struct lags;
struct slots;
struct sent;
struct lmtp_counts;
struct contents;
struct calendars;
struct clock_cache;
struct rule_cache;
struct generations;
struct field_catalogue;
struct cascade_row;
struct widgets;
struct unstored;
struct case_now;
struct work;

/* The installation. A process has one. main makes it, all threads read it. */
struct desk {
    struct db *db;
    struct clock clock;
    struct str base_url;          /* without a slash at its end */
    struct str host;              /* host of the base URL */
    const struct contents *files; /* contents of files: files/content.h; NULL: none */
    struct str installation;      /* 64 hex digits: part of the names of realtime channels */
    struct str process;           /* id of this run of the program, stored in its entries of the outbox */
    const char *folder;           /* the data folder; NULL: the desk is in a database */
    const char *audit_mark;       /* the file of the end of the audit log: core/change/audit_mark.h */
    struct str inbox;             /* the folder where mail comes in (mail/inbox.h); p NULL: none */
    struct key session_key, csrf_key, request_key, account_key, idempotency_key, factor_key, remember_key,
        link_key, mail_key, setting_key, endpoint_key, fingerprint_key, pseudonym_key, picture_key, token_key,
        program_key, audit_key, cursor_key, widget_key;
    /* the end of the audit log, as last written to that file, and its first bits */
    _Atomic int64_t audit_seq;
    _Atomic int64_t audit_bits;
    /* Processes that serve this desk, as last counted: core/desk/processes.h; 0: not counted. */
    _Atomic int64_t processes;
    struct key credential_key;   /* key of the credential cache, for this process only */
    struct settings *settings;   /* values of all settings: core/desk/setting.h */
    struct gathering *gathering; /* facts that reads leave behind: core/desk/gather.h; NULL: none are kept */
    /* counts of views kept in memory: core/cases/view_count.h; NULL: none are kept */
    struct view_counts *view_counts;
    struct slots *people_totals; /* core/people/people_total.h; NULL: none are kept */
    /* business hours kept in memory: core/time/calendars.h; NULL: none are kept */
    struct calendars *calendars;
    /* settings that clocks depend on: core/sla/clock_settings.h; NULL: none are kept */
    struct clock_cache *clock_cache;
    struct field_catalogue *fields; /* core/fields/field_catalogue.h; NULL: none is kept */
    struct rule_cache *rules;       /* compiled rules: core/rules/rule_cache.h; NULL: no rule runs */
    /* core/rules/sla_match.h, for what stands left of rules; NULL: SLAs are decided at the end of a work */
    int (*sla_of_new)(struct work *w, const struct case_now *c, int64_t *version_id);
    struct slots *kept_values;    /* core/desk/kept_value.h; NULL: none are kept */
    struct slots *known_sessions; /* core/login/session.h; NULL: none are kept */
    struct widgets *widgets;      /* origins of widgets: core/desk/widget.h; NULL: there are none */
    /* Generations of the help center: core/helpcenter/generation.h; NULL: no page is kept. */
    struct generations *generations;
    const struct cascade_row
        *cascades; /* core/all/cascades.h; NULL: this desk writes nothing that cascades */
    /* rows that one write of a cascade changes: core/desk/cascade.h; 0: LIMIT_CASCADE */
    int cascade_rows;
    /* texts with its rarest word that a search examines: core/search/find.c; 0: LIMIT_SEARCH_FOUND */
    int search_texts;
    int exact_durations; /* fewer durations of a report are read one by one; 0: LIMIT_EXACT_DURATIONS */
    /* changes of texts that this process has committed since it last brought the search index up to date:
     * core/search/follow.h */
    _Atomic int64_t unindexed;
    void (*_Atomic wake_jobs)(void *arg); /* called after a job was committed; set after its arg */
    void *wake_arg;
    /* called after a delivery to an endpoint was committed: outgoing/sender.h */
    void (*_Atomic wake_sender)(void *arg);
    void *wake_sender_arg;
    /* called after changes were committed: live/live.h; NULL: nobody listens */
    void (*_Atomic wake_live)(void *arg);
    void *wake_live_arg;
    struct lmtp_counts *mails; /* counters of mails by LMTP: mail/lmtp_session.h; NULL: none comes in so */
    struct sent *sent;         /* counters of deliveries: outgoing/sender.h; NULL: nothing is sent */
    struct unstored *unstored; /* tokens that wait for the store: mail/unstored.h; NULL: none are kept */
    struct lags *lags;         /* what waits: core/desk/lags.h; NULL: no jobs run */
};

/* The kind of an actor. TOKEN is a program that acts for a person, with the scopes of its token
 * (core/login/bearer.h). SYSTEM is a job, RULE a trigger or a monitor that acts in a work, MAIL a mail
 * that came in, WEBHOOK another system that reports an event. The change log stores the numbers, so append
 * only. */
enum actor_kind {
    ACTOR_NOBODY,
    ACTOR_PERSON,
    ACTOR_FINGERPRINT,
    ACTOR_TOKEN,
    ACTOR_SYSTEM,
    ACTOR_RULE,
    ACTOR_MAIL,
    ACTOR_WEBHOOK
};

/* rank is an enum role_type of core/words.h. 0 is nobody. */
struct actor {
    enum actor_kind kind;
    struct str
        cause; /* the reason if the server acts by itself, for the trail: "Trigger: Escalate". p NULL: a request of a caller */
    int rank;
    int64_t user_id, role_id, session_id, organization_id;
    int case_access;             /* staff: an enum case_access */
    bool sees_organization;      /* customers: they also see the conversations of their organization */
    int64_t password_updated_at; /* milliseconds since 1970; 0: no password */
    uint64_t denied;             /* bits of the permissions that are off */
    uint32_t scopes;             /* bits of the scopes that are granted: core/access/scope.h */
    int64_t client_id;           /* ACTOR_TOKEN: the OAuth client; 0: an API token */
    int64_t token_case_id;       /* a caller without login who may see this one conversation */
    bool acts_alone;             /* ACTOR_TOKEN: the client acts for itself, without a grant of a person */
    int64_t event_token_id;      /* WEBHOOK: its event token (core/programs/event_token.h) */
    /* keyed hash of X-Fingerprint-ID (core/access/stranger.h); p NULL: none. Without login it admits the
     * caller */
    struct str fingerprint;
    /* the page of another site that calls shows the widget of this brand, and gets nothing of others
     * (core/desk/widget.h); 0: no such page */
    int64_t widget_brand_id;
    struct str device; /* the fingerprint of this page alone; p NULL: no page of a widget calls */
    /* the customer whom the site has signed in (core/people/visitor.h), with the name that it gave; 0:
     * nobody */
    int64_t visitor_id;
    struct str visitor_name;
    struct str remote, user_agent;
    bool csrf_checked; /* writes of this session need X-CSRF-Token */
    int64_t wrote_at;  /* last write of the session, in steps of a second; kept if processes share a store */
};

struct problem {
    enum error code;
    struct str parameter, pointer, message; /* p NULL: no parameter, no pointer, the code's own message */
    /* ANY_FIELD_REQUIRED: the names, ended by NULL; members of the object at `pointer` */
    const char *const *parameters;
    struct problem *next;
};

struct notice {
    const char *level; /* NOTICE, WARNING */
    struct str message;
    struct notice *next;
};

struct after {
    void (*run)(struct desk *d, void *arg);
    void *arg; /* in the arena of the work */
    struct after *next;
};

struct changes;     /* core/change/change.h */
struct object_diff; /* core/change/object_diff.h */
struct case_totals; /* core/cases/case_total.h */
struct clocks;      /* core/sla/clocks.h */
struct sla_warnings;
struct sla_decided;

/* Problems and notices that are known before it is their turn. */
struct findings {
    struct problem *problems;
    struct notice *notices;
};

struct work {
    struct desk *desk;
    struct arena *arena;
    struct conn *conn;
    struct actor actor;
    int64_t now;
    /* Channel and event of this change: enum rule_channel and rule_event of core/words.h; 0: API,
     * none. */
    int channel, event;
    struct problem *problems, *last_problem;
    int problem_count;
    struct notice *notices, *last_notice;
    struct after *afters, *last_after;
    struct changes *changes;           /* NULL: no changes */
    struct object_diff *diffs;         /* objects whose state before the work was read */
    struct case_totals *totals;        /* differences of counters; work_finish writes them */
    struct clocks *clocks;             /* conversations whose SLA clocks are computed again, and breaches */
    struct sla_warnings *sla_warnings; /* core/sla/sla_warning.h */
    struct sla_decided *sla_decided;   /* core/cases/case.h */
    bool silent;                       /* an import of the past: staff are told nothing */
    int64_t fields_changed;            /* memo of core/fields/field_catalogue.c; 0: not read yet */
    int64_t rules_generation;          /* memo of core/rules/rule_cache.c; 0: not read yet */
    struct str phone_region;           /* memo of core/people/identity.c; p NULL: not read yet */
    bool finished;                     /* work_finish has run: nothing may change any more */
};

void work_init(struct work *w, struct desk *d, struct arena *a);
/* Forgets what a run has collected for its end, because the store has taken it back. Problems and notices
 * stay. */
void work_forget(struct work *w);
/* Forgets the results of a run, so that the work can be run again. */
void work_rewind(struct work *w);

/* Records a problem and returns -code. Call it once, where the cause is known. Input errors are gathered:
 * call it for each. */
int fail(struct work *w, enum error code);

/* Hands on the error of a read, and fails with RESOURCE_NOT_FOUND if it has found no row (0). */
#define TRY_FOUND(w, expr)                                                                   \
    do {                                                                                     \
        int found_rc = (expr);                                                               \
        if (found_rc <= 0) return found_rc < 0 ? found_rc : fail(w, ERR_RESOURCE_NOT_FOUND); \
    } while (0)

int fail_field(struct work *w, enum error code, struct str parameter, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Records RESOURCE_ACTION_NOT_AVAILABLE. The message names the state and the alternative. */
int fail_state(struct work *w, const char *fmt, ...) __attribute__((format(printf, 2, 3), nonnull(2)));
/* Records ANY_FIELD_REQUIRED. names: ended by NULL, members of the object at `pointer`; pointer.p NULL:
 * parameters of the request. */
int fail_any(struct work *w, struct str pointer, const char *const *names);
int fail_at(struct work *w, enum error code, struct str parameter, struct str pointer, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
static inline bool failed(const struct work *w) { return w->problems != NULL; }
/* Returns the code of the first problem, or ERR_NONE. */
static inline enum error failure(const struct work *w) { return w->problems ? w->problems->code : ERR_NONE; }

void notice(struct work *w, const char *level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
struct findings work_set_aside(struct work *w); /* takes all problems and notices away */
/* adds copies of them; returns the first problem, negative, or 0 */
int work_put_back(struct work *w, const struct findings *found);
void after_commit(struct work *w, void (*run)(struct desk *d, void *arg), void *arg);
/* there is something for the finishers. A finisher with a list of its own adds it here */
bool work_collected(const struct work *w);
/* runs the after-commit list; aborts if changes were committed without work_finish */
void work_committed(struct work *w);

#endif
