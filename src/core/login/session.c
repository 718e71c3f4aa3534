#include "core/login/session.h"

#include "core/access/scope.h"
#include "core/desk/setting.h"
#include "core/words.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#define ACTOR                                                                                                              \
    "u.role_id, r.type, COALESCE(u.agent_case_access, r.agent_case_access), r.denied, u.organization_id, "                 \
    "CASE WHEN u.organization_case_access = 2 AND o.is_shared = 1 THEN 1 ELSE 0 END, COALESCE(u.password_updated_at, 0), " \
    "u.is_mfa_enabled "
#define OF_ACTOR "JOIN roles r ON r.id = u.role_id LEFT JOIN organizations o ON o.id = u.organization_id "
#define MAY_LOG_IN "u.is_enabled = 1 AND u.deleted_at IS NULL"

QUERY(session_by_id,
      "SELECT " ACTOR
      ", s.user_id, s.user_agent, s.ip_address, s.is_csrf_checked, s.created_at, s.last_activity_at, s.wrote_at, u.logins_version "
      "FROM sessions s JOIN users u ON u.id = s.user_id " OF_ACTOR "WHERE s.id = :id AND s.ended_at IS NULL AND " MAY_LOG_IN);
QUERY(actor_by_id, "SELECT " ACTOR " FROM users u " OF_ACTOR "WHERE u.id = :id AND " MAY_LOG_IN);
QUERY(session_live, "SELECT s.id FROM sessions s WHERE s.user_id = :user AND s.ended_at IS NULL AND s.user_agent = :agent "
                    "AND s.ip_address = :ip AND s.is_csrf_checked = :csrf AND s.last_activity_at > :since AND s.remembered_by IS NULL "
                    "ORDER BY s.id DESC LIMIT 1");
QUERY(session_remembered, "SELECT s.id FROM sessions s WHERE s.remembered_by = :chain AND s.ended_at IS NULL AND s.user_agent = :agent "
                          "AND s.ip_address = :ip AND s.is_csrf_checked = :csrf AND s.created_at >= :since ORDER BY s.id DESC LIMIT 1");
QUERY(session_insert,
      "INSERT INTO sessions (user_id, user_agent, ip_address, is_csrf_checked, remembered_by, created_at, last_activity_at, wrote_at) "
      "VALUES (:user, :agent, :ip, :csrf, CAST(:chain AS BIGINT), :now, :now, :now) RETURNING id");
QUERY(session_mark, "UPDATE sessions SET wrote_at = :now WHERE id = :id AND wrote_at <= :since");
QUERY(session_login, "UPDATE users SET last_logged_in_at = :now, last_activity_at = :now, last_seen_at = :now, "
                     "last_seen_user_agent = :agent, last_seen_ip = :ip WHERE id = :user");
QUERY(session_touch, "UPDATE sessions SET last_activity_at = :now WHERE id = :id AND last_activity_at <= :since");
QUERY(user_touch, "UPDATE users SET last_activity_at = :now, last_seen_at = :now, last_active_at = :now WHERE id = :id "
                  "AND COALESCE(last_activity_at, 0) < :now");
QUERY(session_close, "UPDATE sessions SET ended_at = :now WHERE id = :id AND ended_at IS NULL");
QUERY(sessions_close_all, "UPDATE sessions SET ended_at = :now WHERE user_id IN @LIST(:users) AND ended_at IS NULL");
QUERY(sessions_close, "UPDATE sessions SET ended_at = :now WHERE user_id = :user AND id <> :but AND ended_at IS NULL");

static int64_t idle_life(const struct desk *d, int rank) {
    return TIME_HOUR * setting_int(d, rank > ROLE_CUSTOMER ? "security.session_hours_staff" : "security.session_hours_customers");
}

static void read_actor(struct actor *a, struct stmt *row) {
    a->role_id = col_int(row, 0);
    a->rank = (int)col_int(row, 1);
    a->case_access = (int)col_int(row, 2);
    a->denied = (uint64_t)col_int(row, 3);
    a->organization_id = col_int(row, 4);
    a->sees_organization = col_int(row, 5) != 0;
    a->password_updated_at = col_int(row, 6);
    a->scopes = SCOPES_ALL;
}

static void session_read_row(struct work *w, struct stmt *row, int64_t id, struct session *s) {
    struct actor *a = &w->actor;
    read_actor(a, row);
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
    read_actor(&w->actor, row);
    w->actor.kind = ACTOR_PERSON;
    w->actor.user_id = user_id;
    stmt_end(row);
    return 0;
}

int session_load(struct work *w, int64_t id, struct session *out) {
    struct stmt *row;
    struct actor before = w->actor;
    int rc = db_row(w->conn, &session_by_id, BINDS(B_INT("id", id)), &row);
    if (rc <= 0) return rc;
    session_read_row(w, row, id, out);
    stmt_end(row);
    int64_t touched = touched_at(w->desk, id), last = touched > out->last_activity_at ? touched : out->last_activity_at;
    if (w->now - last <= idle_life(w->desk, w->actor.rank)) return 1;
    w->actor = before;
    return 0;
}

/* "<id>.<40 hex>": the id finds the row, the MAC over id, user and creation time authenticates it. */
static struct str derived(const struct key *k, const struct session *s, struct arena *a) {
    char id[INT_TEXT], user[INT_TEXT], born[INT_TEXT];
    struct str hex = mac_hex(a, k, STR_CAT(a, str_int(id, s->id), S("."), str_int(user, s->user_id), S("."), str_int(born, s->created_at)));
    return (struct str){hex.p, 40};
}

struct str session_token(const struct work *w, const struct session *s, struct arena *a) {
    char id[INT_TEXT];
    return STR_CAT(a, str_int(id, s->id), S("."), derived(&w->desk->session_key, s, a));
}

struct str session_csrf(const struct work *w, const struct session *s, struct arena *a) {
    return derived(&w->desk->csrf_key, s, a);
}

int64_t session_token_id(struct str token) {
    int64_t id;
    return str_to_int(str_cut(&token, '.'), &id) && id > 0 && token.n == 40 ? id : 0;
}

int session_find(struct work *w, int64_t user_id, struct str user_agent, struct str ip, bool csrf_checked, int64_t *id) {
    *id = 0;
    /* The lifetime of staff sessions: a session about to end is not reused. */
    int64_t since = w->now - TIME_HOUR * setting_int(w->desk, "security.session_hours_staff");
    return db_int(
        w->conn, &session_live,
        BINDS(B_INT("user", user_id), B_TEXT("agent", user_agent), B_TEXT("ip", ip), B_INT("csrf", csrf_checked), B_INT("since", since)),
        id);
}

int session_open(struct work *w, int64_t user_id, struct str user_agent, struct str ip, bool csrf_checked, int64_t *id) {
    const struct bind *binds = BINDS(B_INT("user", user_id), B_TEXT("agent", user_agent), B_TEXT("ip", ip), B_INT("csrf", csrf_checked),
                                     B_INT("now", w->now), B_NULL("chain"));
    TRY(db_lock(w->conn, str_fmt(w->arena, "session:%" PRId64, user_id)));
    TRY(session_find(w, user_id, user_agent, ip, csrf_checked, id));
    if (*id) return 0; /* a concurrent request of the same client opened it */
    TRY(db_exec(w->conn, &session_login, binds));
    return db_insert(w->conn, &session_insert, binds, id);
}

int session_open_remembered(struct work *w, int64_t user_id, int64_t chain_id, bool csrf_checked, int64_t *id) {
    const struct bind *binds =
        BINDS(B_INT("user", user_id), B_TEXT("agent", w->actor.user_agent), B_TEXT("ip", w->actor.remote), B_INT("csrf", csrf_checked),
              B_INT("chain", chain_id), B_INT("since", w->now - TIME_MINUTE), B_INT("now", w->now));
    int rc = db_int(w->conn, &session_remembered, binds, id);
    if (rc) return rc < 0 ? rc : 0; /* the retry of a client that lost the reply */
    TRY(db_exec(w->conn, &session_login, binds));
    return db_insert(w->conn, &session_insert, binds, id);
}

int session_wrote(struct work *w) {
    int64_t now = clock_now(&w->desk->clock); /* later than w->now if the write had to wait; the commit follows now */
    if (!db_shared(w->desk->db) || w->actor.session_id == 0 || now - w->actor.wrote_at < TIME_SECOND) return 0;
    return db_exec(w->conn, &session_mark, BINDS(B_INT("id", w->actor.session_id), B_INT("now", now), B_INT("since", now - TIME_SECOND)));
}

int session_renew(struct work *w, int64_t id) {
    return db_exec(w->conn, &session_touch, BINDS(B_INT("id", id), B_INT("now", w->now), B_INT("since", w->now - TIME_MINUTE)));
}

int session_end(struct work *w, int64_t id) { return db_exec(w->conn, &session_close, BINDS(B_INT("id", id), B_INT("now", w->now))); }

int sessions_end(struct work *w, int64_t user_id, int64_t but) {
    return db_exec(w->conn, &sessions_close, BINDS(B_INT("user", user_id), B_INT("but", but), B_INT("now", w->now)));
}

int sessions_end_all(struct work *w, struct str users) {
    return db_exec(w->conn, &sessions_close_all, BINDS(B_TEXT("users", users), B_INT("now", w->now)));
}

/* ---- activity --------------------------------------------------------------------------------------------- */

#define TOUCHES 4096 /* slots; sessions that share a slot are written at a later flush */

struct touch {
    int64_t session_id, user_id, at;
};
struct touches {
    pthread_mutex_t lock;
    struct touch place[TOUCHES];
};

struct touches *touches_new(void) {
    struct touches *t = calloc(1, sizeof *t);
    if (t) pthread_mutex_init(&t->lock, NULL);
    return t;
}

void touches_free(struct touches *t) {
    if (t == NULL) return;
    pthread_mutex_destroy(&t->lock);
    free(t);
}

void touch(struct desk *d, const struct session *s, int64_t now) {
    struct touch *p = &d->touches->place[s->id % TOUCHES];
    if (now - s->last_activity_at < TIME_MINUTE) return;
    pthread_mutex_lock(&d->touches->lock);
    if (p->session_id == 0 || p->session_id == s->id) *p = (struct touch){s->id, s->user_id, now};
    pthread_mutex_unlock(&d->touches->lock);
}

int64_t touched_at(struct desk *d, int64_t session_id) {
    pthread_mutex_lock(&d->touches->lock);
    const struct touch *p = &d->touches->place[session_id % TOUCHES];
    int64_t at = p->session_id == session_id ? p->at : 0;
    pthread_mutex_unlock(&d->touches->lock);
    return at;
}

static int write_touches(struct conn *c, void *arg) {
    const struct touch *list = arg;
    for (; list->session_id; list++) {
        TRY(db_exec(c, &session_touch,
                    BINDS(B_INT("id", list->session_id), B_INT("now", list->at), B_INT("since", list->at - TIME_MINUTE))));
        TRY(db_exec(c, &user_touch, BINDS(B_INT("id", list->user_id), B_INT("now", list->at))));
    }
    return 0;
}

int touches_flush(struct desk *d) {
    struct arena *a = arena_new();
    struct touch *list = arena_array(a, TOUCHES + 1, sizeof *list);
    size_t n = 0;
    pthread_mutex_lock(&d->touches->lock);
    for (size_t i = 0; i < TOUCHES; i++)
        if (d->touches->place[i].session_id) list[n++] = d->touches->place[i];
    memset(d->touches->place, 0, sizeof d->touches->place);
    pthread_mutex_unlock(&d->touches->lock);
    int rc = n ? db_write(d->db, write_touches, list) : 0;
    arena_free(a);
    return rc;
}
