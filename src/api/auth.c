/* Who calls (completions.md section 4).
 *
 * Basic credentials are verified by Argon2id once, in the pool; what was proven is remembered for a few minutes under a keyed hash
 * of the credentials, the agent, the address and the CSRF mode, with the session that was opened and the moment the password was
 * last changed. The next request with them finds its actor by one query on the event loop. That query joins the session with its
 * user, so a changed password, a disabled user or an ended session ends the memory at once, in whatever process it happened. */
#include "api/machine.h"
#include "api/reply.h"
#include "base/limits.h"
#include "core/permission.h"
#include "core/session.h"
#include "core/words.h"

#include <inttypes.h>
#include <sodium.h>

#define REMEMBER (5 * TIME_MINUTE)

struct basic {
    struct str login, password;
};

struct credentials_given {
    bool basic, bearer;
    struct basic pair;
    struct str session; /* token; p NULL: none */
    bool cookie;        /* it came as the cookie */
    bool csrf;          /* X-CSRF: false was not sent */
};

/* ---- what was sent ------------------------------------------------------------------------------------------ */

/* An argument of this server's own: its name begins with an underscore ("_token" is not "token"). */
static struct str special(const struct call *c, const char *name) {
    for (const struct json *j = c->query->first; j; j = j->next)
        if (j->name.n && j->name.p[0] == '_' && name_eq(j->name, str_of(name)) && j->type == JSON_STRING) return j->text;
    return (struct str){0};
}

/* A header and its argument mean the same; two values: PARAMETERS_INCONSISTENT. */
static int either(struct call *c, const char *header, const char *argument, struct str *out) {
    struct str h = http_header(c->http, header), q = special(c, argument);
    *out = h.n ? h : q.n ? q : (struct str){0};
    if (h.n && q.n && !str_eq(h, q)) return fail_field(&c->work, ERR_PARAMETERS_INCONSISTENT, str_of(argument), NULL);
    return 0;
}

/* The session: X-Session-ID, _session_id or the cookie, which must not differ. */
static int read_session_token(struct call *c, struct credentials_given *g) {
    struct str cookie = http_cookie(c->http, "desk_session");
    TRY(either(c, "X-Session-ID", "_session_id", &g->session));
    if (cookie.n == 0) return 0;
    if (g->session.n && !str_eq(g->session, cookie)) return fail_field(&c->work, ERR_PARAMETERS_INCONSISTENT, S("_session_id"), NULL);
    if (g->session.n || g->basic || g->bearer) return 0;
    g->session = cookie;
    g->cookie = g->csrf = true;
    return 0;
}

static int read_basic(struct call *c, struct str encoded, struct basic *out) {
    unsigned char *text = arena_alloc(c->work.arena, encoded.n + 1);
    size_t n;
    encoded = str_trim(encoded);
    if (sodium_base642bin(text, encoded.n + 1, encoded.p, encoded.n, NULL, &n, NULL, sodium_base64_VARIANT_ORIGINAL) != 0)
        return fail(&c->work, ERR_AUTHENTICATION_FAILED);
    struct str rest = {(char *)text, n};
    out->login = str_cut(&rest, ':');
    out->password = rest.p ? rest : S("");
    if (!utf8_valid(out->login) || memchr(text, 0, n)) return fail(&c->work, ERR_AUTHENTICATION_FAILED);
    return 0;
}

static int read_credentials(struct call *c, struct credentials_given *g) {
    struct str header = http_header(c->http, "Authorization"), rest = header, scheme = str_cut(&rest, ' ');
    struct str token, code, fingerprint, remembered;
    *g = (struct credentials_given){.csrf = !str_eqi(str_trim(http_header(c->http, "X-CSRF")), S("false"))};
    TRY(either(c, "X-Token", "_token", &token));
    TRY(either(c, "X-OTP", "_otp", &code));
    TRY(either(c, "X-Fingerprint-ID", "_fingerprint_id", &fingerprint));
    TRY(either(c, "X-RememberMe", "_remember_me", &remembered));
    if (str_eqi(scheme, S("Basic"))) {
        g->basic = true;
        TRY(read_basic(c, rest.p ? rest : S(""), &g->pair));
    } else if (str_eqi(scheme, S("Bearer"))) {
        g->bearer = rest.p && str_trim(rest).n;
    } else if (str_trim(header).n) {
        return fail(&c->work, ERR_AUTHENTICATION_FAILED);
    }
    return read_session_token(c, g);
}

/* ---- sessions ------------------------------------------------------------------------------------------------ */

static int session_failed(struct call *c) {
    c->work.actor.rank = ROLE_PUBLIC;
    c->work.actor.user_id = c->work.actor.session_id = 0;
    return fail(&c->work, ERR_SESSION_LOADING_FAILED);
}

static int by_session(struct call *c, const struct credentials_given *g, struct session *s) {
    struct str token = g->session;
    int64_t id = session_token_id(token);
    int rc = id ? session_load(&c->work, id, s) : 0;
    if (rc < 0) return rc;
    if (rc == 0 || !secret_eq(token, session_token(&c->work, s, c->work.arena))) return session_failed(c);
    if (!str_eq(s->user_agent, c->work.actor.user_agent)) return session_failed(c);
    if (g->cookie && !s->csrf_checked) return session_failed(c);
    touch(c->work.desk, s, c->work.now);
    return AUTH_DONE;
}

/* ---- Basic --------------------------------------------------------------------------------------------------- */

static void credential_key(struct call *c, const struct credentials_given *g, unsigned char key[MAC_SIZE]) {
    const struct actor *a = &c->work.actor;
    struct buf b = {0};
    const struct str parts[] = {g->pair.login, g->pair.password, a->user_agent, a->remote, g->csrf ? S("1") : S("0")};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        buf_int(&b, (int64_t)parts[i].n);
        buf_char(&b, ':');
        buf_str(&b, parts[i]);
    }
    mac(key, &c->work.desk->credential_key, buf_view(&b));
    sodium_memzero(b.p, b.n);
    buf_free(&b);
}

static struct credential *place_of(struct credentials *m, const unsigned char key[MAC_SIZE]) {
    size_t at;
    memcpy(&at, key, sizeof at);
    return &m->place[at % CREDENTIALS];
}

static struct credential remembered(struct api *api, const unsigned char key[MAC_SIZE]) {
    struct credential found = {0};
    pthread_mutex_lock(&api->credentials.lock);
    const struct credential *p = place_of(&api->credentials, key);
    if (p->until > clock_monotonic() && sodium_memcmp(p->key, key, MAC_SIZE) == 0) found = *p;
    pthread_mutex_unlock(&api->credentials.lock);
    return found;
}

static void remember(struct api *api, const unsigned char key[MAC_SIZE], const struct session *s) {
    struct credential m = {.session_id = s->id, .password_updated_at = s->password_updated_at, .until = clock_monotonic() + REMEMBER};
    memcpy(m.key, key, MAC_SIZE);
    pthread_mutex_lock(&api->credentials.lock);
    *place_of(&api->credentials, key) = m;
    pthread_mutex_unlock(&api->credentials.lock);
}

static void show_session(struct call *c, const struct session *s) {
    c->session_id = session_token(&c->work, s, c->work.arena);
    call_header(c, "X-CSRF-Token", session_csrf(&c->work, s, c->work.arena));
}

/* A session sent along with Basic credentials must be of the same user. */
static int same_user(struct call *c, const struct credentials_given *g, struct session *s) {
    if (g->session.p == NULL) return AUTH_DONE;
    int64_t user = s->user_id;
    TRY(by_session(c, g, s));
    return s->user_id == user ? AUTH_DONE : session_failed(c);
}

int auth_fast(struct call *c) {
    struct credentials_given g;
    struct session s;
    unsigned char key[MAC_SIZE];
    TRY(read_credentials(c, &g));
    if (g.bearer) return fail(&c->work, ERR_AUTHENTICATION_FAILED); /* no token was ever issued: OAuth is yet to come */
    if (!g.basic) {
        if (g.session.p == NULL) return AUTH_DONE;
        c->by_session = true;
        c->by_cookie = g.cookie;
        return by_session(c, &g, &s);
    }
    credential_key(c, &g, key);
    struct credential known = remembered(c->api, key);
    if (known.session_id == 0) return AUTH_SLOW;
    int rc = session_load(&c->work, known.session_id, &s);
    if (rc < 0) return rc;
    if (rc == 0 || s.password_updated_at != known.password_updated_at) {
        c->work.actor.rank = ROLE_PUBLIC;
        return AUTH_SLOW;
    }
    TRY(same_user(c, &g, &s));
    touch(c->work.desk, &s, c->work.now);
    show_session(c, &s);
    return AUTH_DONE;
}

/* ---- the slow way: hash, lock-out, session -------------------------------------------------------------------- */

struct opening {
    struct work *work;
    struct str login;
    int64_t user_id, session_id;
    bool csrf;
};

static int write_failure(struct conn *conn, void *arg) {
    struct opening *o = arg;
    o->work->conn = conn;
    return login_failed_note(o->work, o->login);
}

static int write_session(struct conn *conn, void *arg) {
    struct opening *o = arg;
    o->work->conn = conn;
    return session_open(o->work, o->user_id, o->work->actor.user_agent, o->work->actor.remote, o->csrf, &o->session_id);
}

static int on_writer(struct call *c, int (*run)(struct conn *conn, void *arg), struct opening *o) {
    struct conn *reader = c->work.conn;
    int rc;
    db_read_end(reader); /* what is written now must be seen by what is read next */
    rc = db_write(c->work.desk->db, run, o);
    c->work.conn = reader;
    int again = db_read_begin(reader, BUDGET_POOL_MS);
    return rc < 0 ? rc : again;
}

static int refuse_locked(struct call *c, struct str login) {
    int rc = login_locked(&c->work, login);
    if (rc <= 0) return rc;
    call_header(c, "Retry-After", str_fmt(c->work.arena, "%d", rc));
    return fail(&c->work, ERR_AUTHENTICATION_LOCKED);
}

/* One's turn to hash. Where many threads wait for it, those before may have failed meanwhile: a new snapshot shows it, and
 * none is held while waiting. */
static int hash_in_turn(struct call *c, const struct credentials_given *g, const struct login *l, bool *match) {
    bool many = db_blocks(c->work.desk->db);
    int rc = 0;
    if (many) db_read_end(c->work.conn);
    pthread_mutex_lock(&c->api->hashing);
    if (many) rc = db_read_begin(c->work.conn, BUDGET_POOL_MS);
    if (many && rc >= 0) rc = refuse_locked(c, g->pair.login);
    *match = rc >= 0 && g->pair.password.n <= 1024 && password_verify(l->hash, g->pair.password);
    pthread_mutex_unlock(&c->api->hashing);
    atomic_fetch_add(&c->api->metrics.hashes, rc >= 0 ? 1 : 0);
    return rc;
}

static int verify(struct call *c, const struct credentials_given *g, struct login *l) {
    bool match;
    TRY(refuse_locked(c, g->pair.login));
    TRY(login_find(&c->work, g->pair.login, l));
    TRY(hash_in_turn(c, g, l, &match));
    if (match) return 0;
    TRY(on_writer(c, write_failure, &(struct opening){.work = &c->work, .login = g->pair.login}));
    return fail(&c->work, ERR_AUTHENTICATION_FAILED);
}

int auth_slow(struct call *c) {
    struct credentials_given g;
    struct login l;
    struct session s;
    unsigned char key[MAC_SIZE];
    TRY(read_credentials(c, &g));
    TRY(verify(c, &g, &l));
    struct opening o = {.work = &c->work, .user_id = l.user_id, .csrf = g.csrf};
    TRY(session_find(&c->work, o.user_id, c->work.actor.user_agent, c->work.actor.remote, g.csrf, &o.session_id));
    if (o.session_id == 0) TRY(on_writer(c, write_session, &o));
    int rc = session_load(&c->work, o.session_id, &s);
    if (rc < 0) return rc;
    if (rc == 0 || s.password_updated_at != l.password_updated_at) return fail(&c->work, ERR_AUTHENTICATION_FAILED);
    credential_key(c, &g, key);
    remember(c->api, key, &s); /* the session of these credentials, whatever other one was sent along */
    TRY(same_user(c, &g, &s));
    show_session(c, &s);
    return AUTH_DONE;
}

/* ---- admission ------------------------------------------------------------------------------------------------ */

int auth_csrf(struct call *c) {
    const struct actor *a = &c->work.actor;
    struct session s;
    if (!c->by_session || !a->csrf_checked || c->method == GET) return 0;
    int rc = session_load(&c->work, a->session_id, &s);
    if (rc <= 0) return rc < 0 ? rc : session_failed(c);
    struct str sent = http_header(c->http, "X-CSRF-Token");
    if (sent.p && secret_eq(sent, session_csrf(&c->work, &s, c->work.arena))) return 0;
    return fail(&c->work, ERR_CSRF_FAILED);
}

/* Writes of callers without login: so many a minute and address. */
int64_t rate_over(struct api *api, struct str remote, int64_t now) {
    uint64_t address;
    unsigned char hash[MAC_SIZE];
    int64_t minute = now / TIME_MINUTE;
    if (api->cfg.public_writes_a_minute == 0) return 0;
    mac(hash, &api->desk->credential_key, remote);
    memcpy(&address, hash, sizeof address);
    pthread_mutex_lock(&api->rates.lock);
    struct rate *r = &api->rates.place[address % RATES];
    if (r->address != address || r->minute != minute) *r = (struct rate){address, minute, 0};
    bool over = ++r->count > api->cfg.public_writes_a_minute;
    pthread_mutex_unlock(&api->rates.lock);
    return over ? ((minute + 1) * TIME_MINUTE - now) / TIME_SECOND + 1 : 0;
}

static int admit_rate(struct call *c) {
    if (c->work.actor.rank != ROLE_PUBLIC || c->method == GET) return 0;
    int64_t wait = rate_over(c->api, c->work.actor.remote, c->work.now);
    if (wait == 0) return 0;
    call_header(c, "Retry-After", str_fmt(c->work.arena, "%" PRId64, wait));
    return fail(&c->work, ERR_RATE_LIMIT_REACHED);
}

int auth_admit(struct call *c) {
    const struct actor *a = &c->work.actor;
    const struct route *r = c->route;
    bool by_token = r->roles & TOKEN && json_member(c->query, S("token"));
    if (!(r->roles & 1u << a->rank) && !by_token) return fail(&c->work, a->rank ? ERR_PERMISSIONS_DENIED : ERR_AUTHORIZATION_REQUIRED);
    if (r->permission && a->rank && !permitted(a, r->permission)) return fail(&c->work, ERR_PERMISSIONS_DENIED);
    return admit_rate(c);
}
