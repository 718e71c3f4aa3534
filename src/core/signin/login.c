#include "core/signin/login.h"

#include "base/fold.h"
#include "base/ids.h"
#include "core/change/audit.h"
#include "core/login/factor.h"
#include "core/login/session.h"
#include "core/people/authority.h"
#include "core/people/identity.h"
#include "core/people/user.h"
#include "core/signin/url.h"
#include "core/words.h"

#include <inttypes.h>

QUERY(signin_state_use, "INSERT INTO signin_states (state_hash, expires_at) VALUES (:hash, :until) "
                        "ON CONFLICT (state_hash) DO NOTHING");
QUERY(signin_link_owner,
      "SELECT user_id FROM signin_links WHERE provider_id = :provider AND subject = :subject");
QUERY(signin_links_of_person,
      "SELECT COUNT(*) FROM signin_links WHERE provider_id = :provider AND user_id = :user");
QUERY(signin_link_insert,
      "INSERT INTO signin_links (provider_id, subject, user_id, last_used_at, created_at, updated_at) "
      "VALUES (:provider, :subject, :user, :now, :now, :now)");
QUERY(signin_link_used, "UPDATE signin_links SET last_used_at = :now "
                        "WHERE provider_id = :provider AND subject = :subject");
QUERY(signin_person,
      "SELECT u.role_id, r.type, u.is_mfa_enabled, "
      "CASE WHEN " MAY_LOG_IN " THEN 1 ELSE 0 END FROM users u JOIN roles r ON r.id = u.role_id "
      "WHERE u.id = :id");
/* A person who was never asked for the address, but has a password: somebody else may have set it. */
QUERY(signin_unconfirmed,
      "SELECT 1 FROM identity_emails e JOIN users u ON u.id = e.user_id WHERE e.email_key = :key "
      "AND e.is_claim = 0 AND e.is_validated = 0 AND u.password_hash IS NOT NULL");
QUERY(signin_teams_of, "SELECT team_id FROM team_members WHERE user_id = :user ORDER BY team_id");
QUERY(signin_logout_of, "SELECT p.end_session_url, p.client_id FROM sessions s "
                        "JOIN signin_providers p ON p.id = s.signin_provider_id "
                        "WHERE s.id = :id AND p.end_session_url IS NOT NULL");

struct signin_person {
    int64_t role_id, type;
    bool wants_otp, may_log_in;
};

int signin_refused(struct work *w, int64_t provider_id, int64_t user_id, const char *reason) {
    return audit_add(w, &(struct audit_entry){
                            .action = AUDIT_SIGNIN_REFUSED,
                            .object_type = user_id ? "user" : "signin_provider",
                            .object_id = user_id ? user_id : provider_id,
                            .details = str_fmt(w->arena, "{\"reason\":\"%s\",\"provider_id\":%" PRId64 "}",
                                               reason, provider_id)});
}

/* ---- the person ------------------------------------------------------------------------------ */

static int signin_link(struct work *w, const struct signin *s, int64_t user_id) {
    return db_exec(w->conn, &signin_link_insert,
                   BINDS(B_INT("provider", s->provider->id), B_TEXT("subject", s->claims->subject),
                         B_INT("user", user_id), B_INT("now", w->now)));
}

/* The role of a new person, or of one that the provider updates. */
static int64_t wanted_role(const struct signin *s, const struct mapped *m) {
    return m->role_id ? m->role_id : s->provider->role_id;
}

static bool role_fits(const struct provider *p, int64_t type) {
    return type && type <= p->highest_role && (type == ROLE_CUSTOMER ? p->is_for_customers : p->is_for_staff);
}

static int signin_create(struct work *w, struct signin *s, const struct mapped *m) {
    const struct claims *c = s->claims;
    struct user_new n = {.full_name = c->name.n ? c->name : c->email, .email = c->email};
    int64_t type = 0;
    if (!s->provider->creates_people) return s->result = SIGNIN_UNKNOWN, 0;
    n.role_id = wanted_role(s, m);
    TRY(role_type_of(w, n.role_id, &type));
    if (!role_fits(s->provider, type)) { /* a rule that is older than the limit */
        n.role_id = s->provider->role_id;
        TRY(role_type_of(w, n.role_id, &type));
    }
    if (!role_fits(s->provider, type)) return s->result = SIGNIN_RANK, 0;
    TRY(user_create(w, &n, true, &s->user_id));
    return signin_link(w, s, s->user_id);
}

/* The address counts for its person if (1) the provider states it as verified, (2) it is of a listed domain,
 * and (3) the desk has proof of it, too, or the person has no password that somebody else may have set. */
static int signin_by_address(struct work *w, struct signin *s, const struct mapped *m, bool *made) {
    const struct claims *c = s->claims;
    struct str key = email_valid(c->email) ? identity_key(w, IDENTITY_EMAIL, c->email) : (struct str){0};
    int64_t one = 0, links = 0;
    if (key.n == 0 || !c->email_verified) return s->result = SIGNIN_UNVERIFIED, 0;
    if (!provider_admits_address(s->provider, w->arena, c->email)) return s->result = SIGNIN_DOMAIN, 0;
    TRY(customer_lock(w, key));
    int found = identity_owner(w, IDENTITY_EMAIL, c->email, &s->user_id);
    if (found < 0) return found;
    if (found == 0) {
        *made = true;
        return signin_create(w, s, m);
    }
    TRY(db_int(w->conn, &signin_unconfirmed, BINDS(B_TEXT("key", key)), &one));
    if (one) return s->result = SIGNIN_UNCONFIRMED, 0;
    TRY(db_int(w->conn, &signin_links_of_person,
               BINDS(B_INT("provider", s->provider->id), B_INT("user", s->user_id)), &links));
    if (links) return s->result = SIGNIN_OTHER_LINK, 0;
    return 0;
}

static int signin_person_read(struct work *w, int64_t id, struct signin_person *out) {
    struct stmt *row;
    int rc = db_row(w->conn, &signin_person, BINDS(B_INT("id", id)), &row);
    *out = (struct signin_person){0};
    if (rc <= 0) return rc;
    *out =
        (struct signin_person){col_int(row, 0), col_int(row, 1), col_int(row, 2) != 0, col_int(row, 3) != 0};
    stmt_end(row);
    return 1;
}

/* 0: nothing speaks against the login. */
static enum signin_result person_refused(const struct provider *p, const struct signin_person *u) {
    bool customer = u->type == ROLE_CUSTOMER;
    if (!u->may_log_in) return SIGNIN_DISABLED;
    if (u->type > p->highest_role) return SIGNIN_RANK;
    return (customer ? p->is_for_customers : p->is_for_staff) ? 0 : SIGNIN_DOOR;
}

/* ---- role and teams -------------------------------------------------------------------------- */

static int signin_set_role(struct work *w, const struct signin *s, const struct mapped *m,
                           const struct signin_person *u) {
    int64_t role = wanted_role(s, m), type = 0;
    TRY(role_type_of(w, role, &type));
    if (role == u->role_id || u->type == ROLE_OWNER || !role_fits(s->provider, type)) return 0;
    return user_change(w, s->user_id, &(struct user_change){.set = USER_ROLE, .role_id = role});
}

/* Teams that no rule names stay. */
static int signin_set_teams(struct work *w, const struct signin *s, const struct mapped *m) {
    int n = 0, room = 0, rc;
    bool differs = false;
    int64_t *ids = NULL;
    if (m->team_count + m->other_count == 0) return 0;
    DB_ROWS(rc, w->conn, &signin_teams_of, BINDS(B_INT("user", s->user_id)), row) {
        int64_t id = col_int(row, 0);
        bool wanted = ids_have(m->team_ids, m->team_count, id);
        bool leaves = !wanted && ids_have(m->other_team_ids, m->other_count, id);
        differs = differs || leaves;
        ids = arena_more(w->arena, ids, n, &room, sizeof *ids);
        if (!leaves) ids[n++] = id;
    }
    TRY(rc);
    for (int i = 0; i < m->team_count; i++) {
        if (ids_have(ids, n, m->team_ids[i])) continue;
        ids = arena_more(w->arena, ids, n, &room, sizeof *ids);
        ids[n++] = m->team_ids[i];
        differs = true;
    }
    return differs ? user_join_teams(w, s->user_id, json_ids(w->arena, ids, (size_t)n)) : 0;
}

/* A person of a role above the limit was refused before. */
static int signin_update(struct work *w, const struct signin *s, const struct mapped *m, bool made,
                         struct signin_person *u) {
    if (!made && !s->provider->updates_people) return 0;
    if (!made) TRY(signin_set_role(w, s, m, u));
    return u->type > ROLE_CUSTOMER ? signin_set_teams(w, s, m) : 0;
}

/* ---- the login ------------------------------------------------------------------------------- */

static int signin_open(struct work *w, struct signin *s, const char *method) {
    s->result = SIGNIN_OPENED;
    return session_open_signed_in(w, s->user_id, s->provider->id, method, &s->session_id);
}

/* Finds or makes the person. Sets s->result if the login is refused. */
static int signin_find(struct work *w, struct signin *s, const struct mapped *m, bool *made) {
    const struct bind *link = BINDS(B_INT("provider", s->provider->id), B_TEXT("subject", s->claims->subject),
                                    B_INT("now", w->now));
    struct signin_person u;
    int linked = db_int(w->conn, &signin_link_owner, link, &s->user_id);
    if (linked < 0) return linked;
    if (linked == 0) TRY(signin_by_address(w, s, m, made));
    if (s->result) return 0;
    TRY(signin_person_read(w, s->user_id, &u));
    s->is_staff = u.type > ROLE_CUSTOMER;
    s->result = person_refused(s->provider, &u);
    if (s->result || *made) return 0;
    if (linked) return db_exec(w->conn, &signin_link_used, link);
    return signin_link(w, s, s->user_id);
}

int signin_state_take(struct work *w, struct str state, int64_t until) {
    return db_exec(
        w->conn, &signin_state_use,
        BINDS(B_TEXT("hash", mac_hex(w->arena, &w->desk->link_key, state)), B_INT("until", until)));
}

int signin_login(struct work *w, struct signin *s) {
    struct signin_person u = {0};
    struct mapped m;
    bool made = false;
    s->result = 0;
    s->user_id = 0;
    w->actor.cause = STR_CAT(w->arena, S("Sign-in: "), s->provider->name);
    int fresh = signin_state_take(w, s->state, s->until);
    TRY(fresh);
    if (fresh == 0) return s->result = SIGNIN_REPLAYED, 0;
    TRY(db_lock(w->conn, str_fmt(w->arena, "signin:%" PRId64 ":%s", s->provider->id,
                                 str_dup(w->arena, s->claims->subject).p)));
    TRY(provider_map(w, s->provider, s->claims, &m));
    TRY(signin_find(w, s, &m, &made));
    if (s->result) return 0;
    TRY(signin_person_read(w, s->user_id, &u));
    TRY(signin_update(w, s, &m, made, &u));
    TRY(signin_person_read(w, s->user_id, &u));
    s->result = person_refused(s->provider, &u); /* the role may be another one now */
    if (s->result) return 0;
    s->is_staff = u.type > ROLE_CUSTOMER;
    if (u.wants_otp && !s->provider->counts_as_two_factors) return s->result = SIGNIN_CODE, 0;
    return signin_open(w, s, "OPENID_CONNECT");
}

int signin_by_code(struct work *w, struct signin *s, struct str code) {
    struct signin_person u;
    struct guess guess = {GUESS_CODE,
                          guessed_name(w->arena, "code", str_fmt(w->arena, "%" PRId64, s->user_id))};
    int attempt;
    TRY(signin_person_read(w, s->user_id, &u));
    s->is_staff = u.type > ROLE_CUSTOMER;
    s->result = person_refused(s->provider, &u);
    if (s->result) return 0;
    int locked = login_guard(w, &guess, &s->locked);
    if (locked) return s->result = SIGNIN_LOCKED, locked < 0 ? locked : 0;
    int taken = factor_take(w, s->user_id, code);
    TRY(taken);
    if (taken) return signin_open(w, s, "OPENID_CONNECT_AND_CODE");
    s->result = SIGNIN_WRONG_CODE;
    int counted = login_failed_note(w, &guess, s->user_id, &attempt, &s->locked);
    return counted < 0 ? counted : 0;
}

int signin_logout_url(struct work *w, int64_t session_id, struct str *url) {
    struct stmt *row;
    *url = (struct str){0};
    int rc = db_row(w->conn, &signin_logout_of, BINDS(B_INT("id", session_id)), &row);
    if (rc <= 0) return rc;
    struct str base = str_dup(w->arena, col_text(row, 0)), client = str_dup(w->arena, col_text(row, 1));
    stmt_end(row);
    const struct url_pair pairs[] = {
        {"client_id", client},
        {"post_logout_redirect_uri", STR_CAT(w->arena, w->desk->base_url, S(SIGNIN_LOGGED_OUT))},
        {NULL, {0}}};
    *url = url_with(w->arena, base, pairs);
    return 0;
}
