/* Sessions (the caller's identity and its lifetime), logins, and recorded activity. */
#ifndef CORE_SESSION_H
#define CORE_SESSION_H

#include "work/work.h"

/* ---- sessions -------------------------------------------------------------------------------- */

struct session {
    int64_t id, user_id, created_at, last_activity_at, password_updated_at, logins_version;
    struct str user_agent, ip_address;
    struct str token; /* session_token */
    bool csrf_checked;
    bool wants_otp; /* the user has a second factor: a password alone opens no further session */
};

/* Sessions that this process has read (base/slots.h). NULL: no memory. */
struct slots *known_sessions_new(void);

/* Loads the actor of a live session in one query. Returns 1, or 0 if the session is unknown, ended or idle
 * too long, or its user is disabled. */
int session_load(struct work *w, int64_t id, struct session *out);

/* Keeps those of the ids whose sessions are not live any more. Returns their number, or a negative error. */
int sessions_gone(struct work *w, int64_t *ids, int n);

/* loads the actor of a user authenticated without a session; 0, or fails */
int actor_load(struct work *w, int64_t user_id);

/* The texts that a client keeps are derived from the row by a keyed MAC, so that any process can compute
 * them again. */
struct str session_token(const struct work *w, const struct session *s, struct arena *a);
struct str session_csrf(const struct work *w, const struct session *s, struct arena *a);
int64_t session_token_id(struct str token); /* the id of the token's row, not yet verified; 0: malformed */

/* Finds a live session of this user, user agent, address and mode. *id is 0 if there is none. */
int session_find(struct work *w, int64_t user_id, struct str user_agent, struct str ip, bool csrf_checked,
                 int64_t *id);
/* method: how the person logged in, for the audit log. */
int session_open(struct work *w, int64_t user_id, struct str user_agent, struct str ip, bool csrf_checked,
                 const char *method, int64_t *id);
int session_open_remembered(struct work *w, int64_t user_id, int64_t chain_id, bool csrf_checked,
                            int64_t *id); /* a new session of this chain */
/* a new session, also if the client has one: each such login is an entry of the audit log */
int session_open_new(struct work *w, int64_t user_id, bool csrf_checked, const char *method, int64_t *id);
/* a new session of a person whom a provider has named (core/signin) */
int session_open_signed_in(struct work *w, int64_t user_id, int64_t provider_id, const char *method,
                           int64_t *id);
/* The cookie of a browser's session. */
struct str session_cookie(const struct work *w, const struct session *s, struct arena *a);
/* Called at the end of a write: stores when the session last wrote, at most once a second, so that its
 * reads see the write (db_replica). */
int session_wrote(struct work *w);
int session_renew(struct work *w, int64_t id); /* writes at most once a minute */
/* the session was used by a read: core/login/last_use.h */
void session_touch(struct work *w, const struct session *s);
/* ends the session of the actor and its remember-me chains */
int session_logout(struct work *w);
int sessions_end_all(struct work *w, struct str users); /* users: JSON array of ids */
/* all sessions of a user except `but` (0: none) */
int sessions_end(struct work *w, int64_t user_id, int64_t but);

/* ---- logins ---------------------------------------------------------------------------------- */

struct login {
    int64_t user_id, password_updated_at, logins_version;
    int rank;
    bool wants_otp;
    struct str hash; /* p NULL: no such login, or no password */
};
int login_find(struct work *w, struct str email, struct login *out); /* returns 0 also if there is none */

/* ---- the actor of a person, as columns of a query that finds credentials --------------------- */

/* The first columns of such a query. u is the person. */
#define ACTOR_COLUMNS                                                                            \
    "u.role_id, r.type, COALESCE(u.agent_case_access, r.agent_case_access), "                    \
    "r.denied, u.organization_id, CASE WHEN u.organization_case_access = 2 AND o.is_shared = 1 " \
    "THEN 1 ELSE 0 END, COALESCE(u.password_updated_at, 0), u.is_mfa_enabled "
#define ACTOR_COLUMN_COUNT 8
#define OF_ACTOR "JOIN roles r ON r.id = u.role_id LEFT JOIN organizations o ON o.id = u.organization_id "
#define MAY_LOG_IN "u.is_enabled = 1 AND u.deleted_at IS NULL"

/* Reads these columns. The actor gets all scopes, but neither its kind nor the ids of the person and the
 * session. */
void actor_read(struct actor *a, struct stmt *row);

#endif
