#include "core/login/session.h"

#include "base/fold.h"
#include "base/ids.h"
#include "base/slots.h"
#include "core/change/audit.h"
#include "core/desk/setting.h"
#include "core/login/remember.h"
#include "core/login/last_use.h"
#include "core/words.h"
#include "core/access/scope.h"

#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- sessions that this process has read ----------------------------------------------------------
 *
 * Each request reads its session, so that a logout, a changed password and a disabled person count at once.
 * That is a seventh of a small read. In one snapshot the same rows are read again, and requests of a thread
 * share a snapshot until something is committed (db/sqlite_snapshot.c). So what was read is kept under the
 * number of its snapshot. It can't be out of date, because a request in a later snapshot does not find it.
 * On PostgreSQL no snapshot is shared. */
#define KNOWN 64
#define TEXT 256 /* bytes of a text; a session with a longer one is not kept */

struct known {
    int64_t snapshot; /* 0: free */
    struct session session;
    struct actor actor;
    char token[TEXT], user_agent[TEXT], ip_address[TEXT];
};

struct slots *known_sessions_new(void) {
    return slots_new(KNOWN, sizeof(struct known));
}

static struct known *known_lock(struct slots *k, int64_t id, int64_t snapshot) {
    return slots_lock(k, (uint64_t)(id * 31 + snapshot));
}

/* The members that session_load sets. The others belong to the request. */
static void take_actor(struct actor *to, const struct actor *from) {
    to->kind = from->kind;
    to->rank = from->rank;
    to->user_id = from->user_id;
    to->role_id = from->role_id;
    to->session_id = from->session_id;
    to->organization_id = from->organization_id;
    to->case_access = from->case_access;
    to->sees_organization = from->sees_organization;
    to->password_updated_at = from->password_updated_at;
    to->denied = from->denied;
    to->scopes = from->scopes;
    to->csrf_checked = from->csrf_checked;
    to->wrote_at = from->wrote_at;
}

static bool known_session_take(struct work *w, int64_t id, struct session *out) {
    struct slots *k = w->desk->known_sessions;
    int64_t snapshot = k ? db_snapshot(w->conn) : 0;
    if (snapshot == 0) return false;
    const struct known *e = known_lock(k, id, snapshot);
    bool found = e->snapshot == snapshot && e->session.id == id;
    if (found) {
        take_actor(&w->actor, &e->actor);
        *out = e->session;
        out->token = str_dup(w->arena, out->token);
        out->user_agent = str_dup(w->arena, out->user_agent);
        out->ip_address = str_dup(w->arena, out->ip_address);
    }
    slots_unlock(k);
    return found;
}

static struct str keep_text(char room[TEXT], struct str text) {
    memcpy(room, text.p, text.n);
    return (struct str){room, text.n};
}

static void known_session_keep(struct work *w, const struct session *s) {
    struct slots *k = w->desk->known_sessions;
    int64_t snapshot = k ? db_snapshot(w->conn) : 0;
    const struct str *const texts[] = {&s->token, &s->user_agent, &s->ip_address};
    if (snapshot == 0) return;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i]->p == NULL || texts[i]->n > TEXT) return;
    struct known *e = known_lock(k, s->id, snapshot);
    *e = (struct known){.snapshot = snapshot, .session = *s};
    take_actor(&e->actor, &w->actor);
    e->session.token = keep_text(e->token, s->token);
    e->session.user_agent = keep_text(e->user_agent, s->user_agent);
    e->session.ip_address = keep_text(e->ip_address, s->ip_address);
    slots_unlock(k);
}

/* ---- reading ----------------------------------------------------------------------------------- */

QUERY(session_by_id,
      "SELECT " ACTOR_COLUMNS ", s.user_id, s.user_agent, s.ip_address, s.is_csrf_checked, s.created_at, "
      "s.last_activity_at, s.wrote_at, u.logins_version "
      "FROM sessions s JOIN users u ON u.id = s.user_id " OF_ACTOR
      "WHERE s.id = :id AND s.ended_at IS NULL AND " MAY_LOG_IN);
QUERY(sessions_of_ids, "SELECT s.id, s.last_activity_at, r.type FROM sessions s "
                       "JOIN users u ON u.id = s.user_id JOIN roles r ON r.id = u.role_id "
                       "WHERE s.id IN @LIST(:ids) AND s.ended_at IS NULL AND " MAY_LOG_IN " ORDER BY s.id");
QUERY(actor_by_id, "SELECT " ACTOR_COLUMNS " FROM users u " OF_ACTOR "WHERE u.id = :id AND " MAY_LOG_IN);
QUERY(session_live,
      "SELECT s.id FROM sessions s "
      "WHERE s.user_id = :user AND s.ended_at IS NULL AND s.user_agent = :agent AND s.ip_address = :ip "
      "AND s.is_csrf_checked = :csrf AND s.last_activity_at > :since AND s.remembered_by IS NULL "
      "AND s.signin_provider_id IS NULL ORDER BY s.id DESC LIMIT 1");
QUERY(session_remembered, "SELECT s.id FROM sessions s "
                          "WHERE s.remembered_by = :chain AND s.ended_at IS NULL AND s.user_agent = :agent "
                          "AND s.ip_address = :ip AND s.is_csrf_checked = :csrf AND s.created_at >= :since "
                          "ORDER BY s.id DESC LIMIT 1");
QUERY(session_insert,
      "INSERT INTO sessions (user_id, user_agent, ip_address, is_csrf_checked, remembered_by, "
      "created_at, last_activity_at, wrote_at) "
      "VALUES (:user, :agent, :ip, :csrf, CAST(:chain AS BIGINT), :now, :now, :now) "
      "@RETURN_ID@");
QUERY(session_mark, "UPDATE sessions SET wrote_at = :now WHERE id = :id AND wrote_at <= :since");
QUERY(session_login,
      "UPDATE users SET last_logged_in_at = :now, last_activity_at = :now, last_seen_at = :now, "
      "last_seen_user_agent = :agent, last_seen_ip = :ip "
      "WHERE id = :user");
QUERY(session_close, "UPDATE sessions SET ended_at = :now WHERE id = :id AND ended_at IS NULL");
QUERY(sessions_close_all,
      "UPDATE sessions SET ended_at = :now WHERE user_id IN @LIST(:users) AND ended_at IS NULL");
QUERY(sessions_close,
      "UPDATE sessions SET ended_at = :now WHERE user_id = :user AND id <> :but AND ended_at IS NULL");

static int64_t idle_life(const struct desk *d, int rank) {
    return TIME_HOUR * setting_int(d, rank > ROLE_CUSTOMER ? "security.session_hours_staff"
                                                           : "security.session_hours_customers");
}

static void session_read_row(struct work *w, struct stmt *row, int64_t id, struct session *s) {
    struct actor *a = &w->actor;
    actor_read(a, row);
    *s = (struct session){.id = id, .wants_otp = col_int(row, 7) != 0, .user_id = col_int(row, 8)};
    s->user_agent = str_dup(w->arena, col_text(row, 9));
    s->ip_address = str_dup(w->arena, col_text(row, 10));
    s->csrf_checked = col_int(row, 11) != 0;
    s->created_at = col_int(row, 12);
    s->last_activity_at = col_int(row, 13);
    s->password_updated_at = a->password_updated_at;
    a->kind = ACTOR_PERSON;
    a->user_id = s->user_id;
    a->session_id = id;
    a->csrf_checked = s->csrf_checked;
    a->wrote_at = col_int(row, 14);
    s->logins_version = col_int(row, 15);
}

int actor_load(struct work *w, int64_t user_id) {
    struct stmt *row;
    int rc = db_row(w->conn, &actor_by_id, BINDS(B_INT("id", user_id)), &row);
    if (rc <= 0) return rc < 0 ? rc : fail(w, ERR_AUTHENTICATION_FAILED);
    actor_read(&w->actor, row);
    w->actor.kind = ACTOR_PERSON;
    w->actor.user_id = user_id;
    stmt_end(row);
    return 0;
}

static bool session_idles(const struct work *w, int64_t id, int64_t last_activity_at, int rank) {
    int64_t touched = gathered_at(w->desk, &session_uses, id),
            last = touched > last_activity_at ? touched : last_activity_at;
    return w->now - last > idle_life(w->desk, rank);
}

static int session_read(struct work *w, int64_t id, struct session *out) {
    struct stmt *row;
    if (known_session_take(w, id, out)) return 1;
    int rc = db_row(w->conn, &session_by_id, BINDS(B_INT("id", id)), &row);
    if (rc <= 0) return rc;
    session_read_row(w, row, id, out);
    stmt_end(row);
    out->token = session_token(w, out, w->arena);
    known_session_keep(w, out);
    return 1;
}

int session_load(struct work *w, int64_t id, struct session *out) {
    struct actor before = w->actor;
    int rc = session_read(w, id, out);
    if (rc <= 0) return rc;
    if (!session_idles(w, id, out->last_activity_at, w->actor.rank)) return 1;
    w->actor = before;
    return 0;
}

int sessions_gone(struct work *w, int64_t *ids, int n) {
    int live = 0, gone = 0, rc;
    int64_t *lives = arena_array(w->arena, (size_t)n + 1, sizeof *lives);
    struct str list = json_ids(w->arena, ids, (size_t)n);
    DB_ROWS(rc, w->conn, &sessions_of_ids, BINDS(B_TEXT("ids", list)), row)
    if (!session_idles(w, col_int(row, 0), col_int(row, 1), (int)col_int(row, 2)))
        lives[live++] = col_int(row, 0);
    TRY(rc);
    for (int i = 0; i < n; i++)
        if (bsearch(&ids[i], lives, (size_t)live, sizeof *lives, id_compare) == NULL) ids[gone++] = ids[i];
    return gone;
}

/* "<id>.<40 hex>": the id finds the row, the MAC over id, user and creation time authenticates it. */
static struct str derived(const struct key *k, const struct session *s, struct arena *a) {
    char id[INT_TEXT], user[INT_TEXT], born[INT_TEXT];
    struct str hex = mac_hex(a, k,
                             STR_CAT(a, str_int(id, s->id), S("."), str_int(user, s->user_id), S("."),
                                     str_int(born, s->created_at)));
    return (struct str){hex.p, 40};
}

struct str session_token(const struct work *w, const struct session *s, struct arena *a) {
    char id[INT_TEXT];
    return STR_CAT(a, str_int(id, s->id), S("."), derived(&w->desk->session_key, s, a));
}

struct str session_cookie(const struct work *w, const struct session *s, struct arena *a) {
    bool secure = str_starts(w->desk->base_url, S("https:"));
    return str_fmt(a, "desk_session=%s; Path=/; HttpOnly; SameSite=Lax%s", session_token(w, s, a).p,
                   secure ? "; Secure" : "");
}

struct str session_csrf(const struct work *w, const struct session *s, struct arena *a) {
    return derived(&w->desk->csrf_key, s, a);
}

int64_t session_token_id(struct str token) {
    int64_t id;
    return str_to_int(str_cut(&token, '.'), &id) && id > 0 && token.n == 40 ? id : 0;
}

int session_find(struct work *w, int64_t user_id, struct str user_agent, struct str ip, bool csrf_checked,
                 int64_t *id) {
    *id = 0;
    /* The lifetime of staff sessions: a session about to end is not reused. */
    int64_t since = w->now - TIME_HOUR * setting_int(w->desk, "security.session_hours_staff");
    return db_int(w->conn, &session_live,
                  BINDS(B_INT("user", user_id), B_TEXT("agent", user_agent), B_TEXT("ip", ip),
                        B_INT("csrf", csrf_checked), B_INT("since", since)),
                  id);
}

static int audit_login(struct work *w, int64_t user_id, const char *method) {
    return audit_add(w, &(struct audit_entry){.action = AUDIT_LOGIN,
                                              .actor_id = user_id,
                                              .object_type = "user",
                                              .object_id = user_id,
                                              .details = str_fmt(w->arena, "{\"method\":\"%s\"}", method)});
}

int session_open(struct work *w, int64_t user_id, struct str user_agent, struct str ip, bool csrf_checked,
                 const char *method, int64_t *id) {
    const struct bind *binds = BINDS(B_INT("user", user_id), B_TEXT("agent", user_agent), B_TEXT("ip", ip),
                                     B_INT("csrf", csrf_checked), B_INT("now", w->now), B_NULL("chain"));
    TRY(db_lock(w->conn, str_fmt(w->arena, "session:%" PRId64, user_id)));
    TRY(session_find(w, user_id, user_agent, ip, csrf_checked, id));
    if (*id) return 0; /* a concurrent request of the same client opened it */
    TRY(db_later(w->conn, &session_login, binds));
    TRY(audit_login(w, user_id, method));
    return db_insert(w->conn, &session_insert, binds, id);
}

int session_open_remembered(struct work *w, int64_t user_id, int64_t chain_id, bool csrf_checked,
                            int64_t *id) {
    const struct bind *binds =
        BINDS(B_INT("user", user_id), B_TEXT("agent", w->actor.user_agent), B_TEXT("ip", w->actor.remote),
              B_INT("csrf", csrf_checked), B_INT("chain", chain_id), B_INT("since", w->now - TIME_MINUTE),
              B_INT("now", w->now));
    int rc = db_int(w->conn, &session_remembered, binds, id);
    if (rc) return rc < 0 ? rc : 0; /* the retry of a client that lost the reply */
    TRY(db_later(w->conn, &session_login, binds));
    TRY(audit_login(w, user_id, "REMEMBER_ME"));
    return db_insert(w->conn, &session_insert, binds, id);
}

QUERY(session_from_provider, "UPDATE sessions SET signin_provider_id = :provider WHERE id = :id");

int session_open_new(struct work *w, int64_t user_id, bool csrf_checked, const char *method, int64_t *id) {
    const struct bind *binds =
        BINDS(B_INT("user", user_id), B_TEXT("agent", w->actor.user_agent), B_TEXT("ip", w->actor.remote),
              B_INT("csrf", csrf_checked), B_NULL("chain"), B_INT("now", w->now));
    TRY(db_later(w->conn, &session_login, binds));
    TRY(audit_login(w, user_id, method));
    return db_insert(w->conn, &session_insert, binds, id);
}

int session_open_signed_in(struct work *w, int64_t user_id, int64_t provider_id, const char *method,
                           int64_t *id) {
    TRY(session_open_new(w, user_id, true, method, id));
    return db_exec(w->conn, &session_from_provider, BINDS(B_INT("id", *id), B_INT("provider", provider_id)));
}

int session_wrote(struct work *w) {
    /* later than w->now if the write had to wait; the commit follows now */
    int64_t now = clock_now(&w->desk->clock);
    if (!db_shared(w->desk->db) || w->actor.session_id == 0 || now - w->actor.wrote_at < TIME_SECOND)
        return 0;
    return db_later(
        w->conn, &session_mark,
        BINDS(B_INT("id", w->actor.session_id), B_INT("now", now), B_INT("since", now - TIME_SECOND)));
}

QUERY(session_extend,
      "UPDATE sessions SET last_activity_at = :at WHERE id = :id AND last_activity_at <= :since");

int session_renew(struct work *w, int64_t id) {
    return db_exec(w->conn, &session_extend,
                   BINDS(B_INT("id", id), B_INT("at", w->now), B_INT("since", w->now - TIME_MINUTE)));
}

void session_touch(struct work *w, const struct session *s) {
    last_use(w, &session_uses, s->id, s->last_activity_at);
    last_use(w, &person_uses, s->user_id, s->last_activity_at);
}

static int session_end(struct work *w, int64_t id) {
    return db_exec(w->conn, &session_close, BINDS(B_INT("id", id), B_INT("now", w->now)));
}

int session_logout(struct work *w) {
    TRY(remember_forget(w, w->actor.session_id));
    TRY(session_end(w, w->actor.session_id));
    return audit_add(w, &(struct audit_entry){
                            .action = AUDIT_LOGOUT, .object_type = "user", .object_id = w->actor.user_id});
}

int sessions_end(struct work *w, int64_t user_id, int64_t but) {
    return db_exec(w->conn, &sessions_close,
                   BINDS(B_INT("user", user_id), B_INT("but", but), B_INT("now", w->now)));
}

int sessions_end_all(struct work *w, struct str users) {
    return db_exec(w->conn, &sessions_close_all, BINDS(B_TEXT("users", users), B_INT("now", w->now)));
}

void actor_read(struct actor *a, struct stmt *row) {
    a->role_id = col_int(row, 0);
    a->rank = (int)col_int(row, 1);
    a->case_access = (int)col_int(row, 2);
    a->denied = (uint64_t)col_int(row, 3);
    a->organization_id = col_int(row, 4);
    a->sees_organization = col_int(row, 5) != 0;
    a->password_updated_at = col_int(row, 6);
    a->scopes = SCOPES_ALL;
}

/* ---- logins by e-mail and password; core/login/lockout.h has their lock-out --------------------- */

QUERY(login_by_email,
      "SELECT u.id, u.password_hash, COALESCE(u.password_updated_at, 0), u.role_type, "
      "u.is_mfa_enabled, u.logins_version FROM identity_emails e "
      "JOIN users u ON u.id = e.user_id "
      "WHERE e.email_key = :email AND e.is_claim = 0 AND u.is_enabled = 1 AND u.deleted_at IS NULL");

int login_find(struct work *w, struct str email, struct login *out) {
    struct stmt *row;
    *out = (struct login){0};
    int rc = db_row(w->conn, &login_by_email, BINDS(B_TEXT("email", email_key(w->arena, email))), &row);
    if (rc <= 0) return rc;
    *out = (struct login){.user_id = col_int(row, 0),
                          .password_updated_at = col_int(row, 2),
                          .rank = (int)col_int(row, 3),
                          .wants_otp = col_int(row, 4) != 0,
                          .logins_version = col_int(row, 5),
                          .hash = str_dup(w->arena, col_text(row, 1))};
    stmt_end(row);
    return 0;
}
