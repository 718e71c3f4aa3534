/* The audit log: who logged in, who changed access, settings and secrets, who deleted what.
 *
 * An entry is written in the transaction of its act: audit_finish makes entries of typed changes by a
 * table (audit_rows.c), other functions call audit_add. Secrets are recorded by name only.
 *
 *     written (seq NULL) ── audit_chain, after the commit ──> chained (seq, chain) ── audit_prune ──> deleted, an anchor remains
 *
 * Hashes are MACs under a key that is derived from the server key. So a person who can write to the store,
 * but does not have the server key, can neither add an entry, nor change, remove or reorder one, without a
 * finding of audit_verify. An unkeyed chain could be computed anew by everyone who changes a row.
 *   values_hash = MAC(salt, cause, details)     The values stand beside the entry and may be erased: the hash remains.
 *   origin_hash = MAC(salt, ip_address)         The same for the address alone.
 *   entry_hash  = MAC(action, actor, object, time, values_hash, origin_hash)
 *   chain       = MAC(chain before, seq, entry_hash)
 *
 * The order is given after the commit, by one process at a time (a lock of the store that lasts for that
 * transaction). So writes that run side by side do not wait for each other, and seq has no gaps. Until
 * then an entry is protected by entry_hash, but its removal is not noticed; that is about a second.
 *
 * An anchor is a place from which verification begins. audit_prune makes one when it deletes the oldest
 * entries, and audit_rekey when the server key was replaced. Both write an entry whose object is the
 * anchor. An anchor without such an entry is a finding. */
#ifndef CORE_CHANGE_AUDIT_H
#define CORE_CHANGE_AUDIT_H

#include "work/work.h"

/* Stored: append only. The words are audit_actions of res/audit.c. */
enum audit_action {
    AUDIT_LOGIN = 1,
    AUDIT_LOGIN_FAILED,
    AUDIT_LOGIN_LOCKED,
    AUDIT_LOGOUT,
    AUDIT_TOKEN_ISSUED,
    AUDIT_TOKEN_REUSED,
    AUDIT_PASSWORD_CHANGED,
    AUDIT_SECOND_FACTOR_CHANGED,
    AUDIT_STAFF_CREATED,
    AUDIT_USER_ROLE_CHANGED,
    AUDIT_USER_ACCESS_CHANGED,
    AUDIT_USER_ENABLED_CHANGED,
    AUDIT_USER_DELETED,
    AUDIT_USER_PURGED,
    AUDIT_ORGANIZATION_DELETED,
    AUDIT_CASE_DELETED,
    AUDIT_TEAM_DELETED,
    AUDIT_ROLE_CREATED,
    AUDIT_ROLE_CHANGED,
    AUDIT_ROLE_DELETED,
    AUDIT_PERMISSIONS_CHANGED,
    AUDIT_SETTING_CHANGED,
    AUDIT_API_TOKEN_CREATED,
    AUDIT_API_TOKEN_CHANGED,
    AUDIT_API_TOKEN_DELETED,
    AUDIT_EVENT_TOKEN_CREATED,
    AUDIT_EVENT_TOKEN_CHANGED,
    AUDIT_EVENT_TOKEN_DELETED,
    AUDIT_CLIENT_CREATED,
    AUDIT_CLIENT_CHANGED,
    AUDIT_CLIENT_SECRET_CHANGED,
    AUDIT_CLIENT_DELETED,
    AUDIT_GRANT_CREATED,
    AUDIT_GRANT_CHANGED,
    AUDIT_GRANT_DELETED,
    AUDIT_ENDPOINT_CREATED,
    AUDIT_ENDPOINT_CHANGED,
    AUDIT_ENDPOINT_SECRET_CHANGED,
    AUDIT_ENDPOINT_DELETED,
    AUDIT_MAILBOX_CREATED,
    AUDIT_MAILBOX_CHANGED,
    AUDIT_MAILBOX_PASSWORD_CHANGED,
    AUDIT_MAILBOX_DELETED,
    AUDIT_DESK_EXPORTED,
    AUDIT_DESK_IMPORTED,
    AUDIT_PERSON_EXPORTED,
    AUDIT_PERSON_ERASED,
    AUDIT_LOG_PRUNED,
    AUDIT_SERVER_KEY_CHANGED,
    AUDIT_USER_IDENTITIES_CHANGED,
    AUDIT_OBJECT_DELETED, /* an object whose kind has no action of its own */
    AUDIT_BRAND_CREATED,
    AUDIT_BRAND_DOMAIN_CHANGED,
    AUDIT_TAG_CHANGED,
    AUDIT_SIGNIN_REFUSED,
    AUDIT_PROVIDER_CREATED,
    AUDIT_PROVIDER_CHANGED,
    AUDIT_PROVIDER_SECRET_CHANGED,
    AUDIT_PROVIDER_DELETED,
    AUDIT_PASSKEY_ADDED,
    AUDIT_PASSKEY_REMOVED,
    AUDIT_BRAND_WIDGET_CHANGED,
    AUDIT_ACTIONS
};

struct change_author;

struct audit_entry {
    enum audit_action action;
    int64_t actor_id; /* 0: the actor of the work. Set it where the work has no actor yet: at logins */
    const char *object_type;
    int64_t object_id;              /* 0: none */
    struct str details;             /* JSON object; p NULL: none */
    struct str ip_address;          /* p NULL: that of the work's actor */
    const struct change_author *by; /* a rule that acts in the work; NULL: none (core/change/change.h) */
};

/* Writes an entry in this transaction. Returns 0 or a negative error. Does nothing if the desk has no key:
 * in a demo, and in programs of tests. */
int audit_add(struct work *w, const struct audit_entry *e);
int audit_finish(struct work *w); /* the finisher */

void audit_key_derive(struct key *out, const struct key *server); /* desk->audit_key from the server key */

/* ---- the chain (audit_chain.c) --------------------------------------------------------------- */

#define AUDIT_CHAINED_AT_ONCE 200

/* Gives up to AUDIT_CHAINED_AT_ONCE open entries their places. Returns their number, or a negative error. */
int audit_chain(struct work *w);
int audit_waits(struct conn *c); /* 1: an entry is not chained yet */

/* 1: the oldest entry is not newer than `before`. */
int audit_is_older(struct conn *c, int64_t before);
/* Deletes up to `most` of the oldest entries, if they are not newer than `before`. Returns their number,
 * or a negative error. */
int audit_prune(struct work *w, int64_t before, int64_t most);

/* The server key was replaced: chains what is open and begins verification anew behind it. */
int audit_rekey(struct work *w);

/* Erases the values of entries about these people and their tokens and grants, and the addresses from
 * which they acted. users: JSON array. Returns 0 or a negative error. */
int audit_values_erase(struct work *w, struct str users);

/* Verifies everything. key NULL: without the hashes. Reports like desk_check (core/all/check.h). */
int audit_verify(struct conn *c, const struct key *key, void (*report)(void *arg, const char *line),
                 void *arg);

/* Writes an entry of an operator's command, in its write: no request and no desk are there. */
struct audit_command {
    int64_t now, user_id; /* user_id: the person that the entry is about; 0: none */
    const struct key *audit_key;
    enum audit_action action;
    struct str command; /* "deskd export" */
};
int audit_command(struct conn *c, const struct audit_command *of); /* returns 0 or a negative error */

/* The hash of an entry covers these values. audit.c and audit_chain.c use them. */
struct audit_hashed {
    int64_t action, actor_id, actor_kind, object_id, happened_at;
    struct str object_type, values_hash, origin_hash;
};
struct str audit_values_hash(struct arena *a, const struct key *k, struct str salt, struct str cause,
                             struct str details);
struct str audit_origin_hash(struct arena *a, const struct key *k, struct str salt, struct str ip);
struct str audit_entry_hash(struct arena *a, const struct key *k, const struct audit_hashed *e);
struct str audit_chain_hash(struct arena *a, const struct key *k, struct str before, int64_t seq,
                            struct str entry_hash);

#endif
