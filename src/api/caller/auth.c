/* Authentication.
 *
 * Basic credentials are verified by Argon2id once, in the pool. The result is remembered for a few minutes
 * under a keyed hash of credentials, user agent, address and CSRF mode, with the opened session and the
 * time of the last password change. The next request with them finds its actor by one query on the event
 * loop. That query joins the session with its user, so a changed password, a disabled user or an ended
 * session invalidates the memory at once, in any process. */
#include "api/caller/auth.h"

#include "api/call/machine.h"
#include "api/caller/auth_passkey.h"
#include "api/caller/auth_steps.h"
#include "api/caller/credentials.h"
#include "api/caller/cross_site.h"
#include "api/caller/remembered_login.h"
#include "api/rows/reply.h"
#include "base/limits.h"
#include "core/desk/setting.h"
#include "core/login/auth_token.h"
#include "core/login/factor.h"
#include "core/login/lockout.h"
#include "core/login/password.h"
#include "core/people/proof.h"
#include "core/people/visitor.h"
#include "core/login/remember.h"
#include "core/login/session.h"
#include "core/login/bearer.h"
#include "core/words.h"

#include <inttypes.h>
#include <xxhash.h>

/* ---- sessions -------------------------------------------------------------------------------- */

int auth_session_failed(struct call *c) {
    c->work.actor.rank = ROLE_PUBLIC;
    c->work.actor.kind = ACTOR_NOBODY;
    c->work.actor.user_id = c->work.actor.session_id = 0;
    return fail(&c->work, ERR_SESSION_LOADING_FAILED);
}

/* A caller with a session or a bearer token repeats its reads. The token is in the key, so nobody else's
 * request sends them. */
static void expect_again(struct call *c, struct str token) {
    if (c->method != GET) return;
    uint64_t parts[] = {XXH3_64bits(token.p, token.n), (uint64_t)(uintptr_t)c->route,
                        XXH3_64bits(c->http->query.p, c->http->query.n)};
    db_expect(c->work.conn, XXH3_64bits(parts, sizeof parts), c->var_count ? c->vars[0].id : 0);
}

static int by_session(struct call *c, const struct credentials_given *g, struct session *s) {
    struct str token = g->session;
    int64_t id = session_token_id(token);
    if (id) expect_again(c, token);
    int rc = id ? session_load(&c->work, id, s) : 0;
    if (rc < 0) return rc;
    if (rc == 0 || !secret_eq(token, s->token)) return auth_session_failed(c);
    if (!str_eq(s->user_agent, c->work.actor.user_agent)) return auth_session_failed(c);
    if (g->cookie && !s->csrf_checked) return auth_session_failed(c);
    session_touch(&c->work, s);
    return AUTH_DONE;
}

static int load_cookie(struct work *w, struct http_request *r, struct session *s) {
    struct actor nobody = w->actor;
    struct str token = http_cookie(r, "desk_session");
    int64_t id = session_token_id(token);
    int rc = id ? session_load(w, id, s) : 0;
    if (rc <= 0) return rc;
    if (s->csrf_checked && secret_eq(token, s->token) && str_eq(s->user_agent, user_agent_of(r))) return 1;
    w->actor = nobody;
    return 0;
}

int auth_cookie(struct work *w, struct http_request *r) {
    struct session s;
    int foreign = is_cross_site(w, r);
    return foreign ? (foreign < 0 ? foreign : 0) : load_cookie(w, r, &s);
}

int auth_reader(struct work *w, struct http_request *r, struct str *csrf) {
    struct session s;
    int rc = load_cookie(w, r, &s);
    *csrf = (struct str){0};
    if (rc <= 0) return rc;
    session_touch(w, &s);
    *csrf = str_dup(r->arena, session_csrf(w, &s, r->arena));
    return rc;
}

/* ---- Basic ----------------------------------------------------------------------------------- */

static void show_session(struct call *c, const struct session *s) {
    c->session_id = session_token(&c->work, s, c->work.arena);
    call_header(c, "X-CSRF-Token", session_csrf(&c->work, s, c->work.arena));
}

/* A session sent with Basic credentials must belong to the same user. */
static int same_user(struct call *c, const struct credentials_given *g, struct session *s) {
    if (g->session.p == NULL) return AUTH_DONE;
    int64_t user = s->user_id;
    TRY(by_session(c, g, s));
    return s->user_id == user ? AUTH_DONE : auth_session_failed(c);
}

/* True for GET /session?remember_me=true. */
static bool to_remember(const struct call *c) {
    const struct json *j = c->route->remembers ? json_named(c->query, S("remember_me")) : NULL;
    return j && (str_eqi(j->text, S("true")) || str_eq(j->text, S("1")));
}

/* False for staff if the desk lets them in by a provider only. Owners keep their passwords: the way in if the
 * provider fails. */
static bool password_allowed(const struct call *c, int rank) {
    return rank <= ROLE_CUSTOMER || rank == ROLE_OWNER ||
           setting_bool(c->work.desk, "security.staff_passwords");
}

/* Authenticates by a remembered password. AUTH_SLOW: the password must be verified. */
static int by_memory(struct call *c, const struct credentials_given *g, struct session *s) {
    unsigned char key[MAC_SIZE];
    remembered_login_key(c, g, key);
    struct remembered_login known = remembered_login_find(c->api, key);
    if (known.session_id == 0) return AUTH_SLOW;
    int rc = session_load(&c->work, known.session_id, s);
    if (rc < 0) return rc;
    bool same = rc == 1 && s->password_updated_at == known.password_updated_at &&
                s->logins_version == known.logins_version;
    bool enough = same && !s->wants_otp && password_allowed(c, c->work.actor.rank) &&
                  !password_expired(c->work.desk, c->work.actor.rank, s->password_updated_at, c->work.now);
    if (!enough) {
        c->work.actor.rank = ROLE_PUBLIC;
        return AUTH_SLOW;
    }
    TRY(same_user(c, g, s));
    session_touch(&c->work, s);
    return AUTH_DONE;
}

/* A token stands for itself: a session that is sent with it is ignored. No browser adds a token by itself,
 * so CSRF is not checked. */
static int by_bearer(struct call *c, struct str token) {
    expect_again(c, token);
    int rc = bearer_load(&c->work, token);
    if (rc) return rc < 0 ? rc : AUTH_DONE;
    c->challenge = S("error=\"invalid_token\"");
    return fail(&c->work, ERR_AUTHENTICATION_FAILED);
}

/* The site of the widget may have named the visitor. */
static int by_fingerprint_of_widget(struct call *c) {
    const struct actor *a = &c->work.actor;
    if (a->widget_brand_id && a->fingerprint.p) TRY(visitor_load(&c->work));
    return AUTH_DONE;
}

int auth_fast(struct call *c) {
    struct credentials_given g;
    struct session s;
    TRY(credentials_read(c, &g));
    if (g.bearer.p) return by_bearer(c, g.bearer);
    if (g.passkey.n) return AUTH_SLOW;
    if (!g.basic && g.session.n) {
        c->by_session = true;
        c->by_cookie = g.cookie;
        TRY(by_session(c, &g, &s));
        return to_remember(c) ? AUTH_SLOW : AUTH_DONE;
    }
    if (!g.basic && (g.token.n || (g.remembered.n && c->route->remembers))) return AUTH_SLOW;
    if (!g.basic) return by_fingerprint_of_widget(c);
    int rc = to_remember(c) ? AUTH_SLOW : by_memory(c, &g, &s);
    if (rc == AUTH_DONE) show_session(c, &s);
    return rc;
}

/* ---- slow path: hash, lock-out, session ------------------------------------------------------ */

static int open_session_in(struct conn *conn, void *arg) {
    struct opening *o = arg;
    o->work->conn = conn;
    return session_open(o->work, o->user_id, o->work->actor.user_agent, o->work->actor.remote, o->csrf,
                        o->method, &o->session_id);
}

/* ---- callers who prove a former login -------------------------------------------------------- */

/* Returns 1 and the guess of a remembered device of this account, or 0. */
static int device_guess(struct call *c, const struct credentials_given *g, struct guess *out) {
    int64_t user_id, chain_id;
    struct login l;
    int rc = g->remembered.n ? remember_look(&c->work, g->remembered, &user_id, &chain_id) : 0;
    if (rc <= 0) return rc;
    TRY(login_find(&c->work, g->pair.login, &l));
    if (l.user_id != user_id) return 0;
    *out = (struct guess){
        GUESS_DEVICE, guessed_name(c->work.arena, "device", str_fmt(c->work.arena, "%" PRId64, chain_id))};
    return 1;
}

/* Uses a code before the password. Accounts that don't exist or have no second factor are treated like a
 * wrong code. */
static int early_code_in(struct conn *conn, void *arg) {
    struct opening *o = arg;
    o->work->conn = conn;
    o->taken = false;
    int rc = login_guard(o->work, &o->guess, &o->locked);
    if (rc == 0 && o->user_id) rc = factor_take(o->work, o->user_id, o->code);
    o->taken = rc == 1 && o->locked.seconds == 0;
    return rc ? rc : login_failed_note(o->work, &o->guess, o->user_id, &o->attempt, &o->locked);
}

/* Returns 1 and a guess that is not locked if the code is right, 0 if not. */
static int early_code(struct call *c, const struct credentials_given *g, struct guess *out) {
    struct guess guess = {GUESS_EARLY_CODE, guessed_name(c->work.arena, "early code", g->pair.login)};
    struct opening o = {.work = &c->work, .guess = guess, .code = g->code};
    struct login l;
    TRY(auth_refuse_locked(c, &guess));
    TRY(login_find(&c->work, g->pair.login, &l));
    o.user_id = l.wants_otp ? l.user_id : 0;
    TRY(auth_on_writer(c, early_code_in, &o));
    c->code_taken = o.taken;
    if (o.taken) *out = guess;
    return o.taken;
}

/* Chooses how the guess of a password counts, and refuses it if it is locked. */
static int login_guess(struct call *c, const struct credentials_given *g, struct guess *out) {
    struct lockout l;
    *out = (struct guess){GUESS_PASSWORD, g->pair.login};
    int proven = device_guess(c, g, out), locked = proven < 0 ? proven : login_locked(&c->work, out, &l);
    if (locked <= 0) return locked;
    int passed = !proven && g->code.n ? early_code(c, g, out) : 0;
    return passed ? (passed < 0 ? passed : 0) : auth_refused_locked(c, &l);
}

int auth_delay(struct call *c, uint64_t *key) {
    struct credentials_given g;
    struct guess guess;
    TRY(credentials_read(c, &g));
    if (!g.basic) return 0;
    guess = (struct guess){GUESS_PASSWORD, g.pair.login};
    int proven = device_guess(c, &g, &guess);
    TRY(proven);
    if (proven || g.code.n == 0) TRY(auth_refuse_locked(c, &guess)); /* a code is judged in the pool */
    return proven ? 0 : login_delay(&c->work, g.pair.login, key);
}

/* Codes, tokens and passwords that are not remembered are used when the body has arrived. Before it, an
 * unknown token and a locked login are refused. */
int auth_before_body(struct call *c) {
    struct credentials_given g;
    struct auth_token t;
    uint64_t key;
    int rc = auth_fast(c);
    if (rc != AUTH_SLOW) return rc;
    TRY(credentials_read(c, &g));
    TRY(auth_delay(c, &key));
    int found = !g.basic && g.token.n ? auth_token_find(&c->work, g.token, &t) : 1;
    if (found <= 0) return found < 0 ? found : fail(&c->work, ERR_AUTHENTICATION_FAILED);
    return AUTH_SLOW;
}

int auth_crowded(struct call *c) {
    int seconds = (LOGIN_DELAY_MAX_MS + 999) / 1000;
    return auth_refused_for(c, seconds,
                            str_fmt(c->work.arena,
                                    "Too many logins to this account are waiting. Try again in %d "
                                    "seconds.",
                                    seconds));
}

/* Verifies one password at a time, because a hash needs 19 MiB and a core. Holds no snapshot meanwhile. */
static int hash_in_turn(struct call *c, struct str hash, struct str password, bool *right) {
    db_read_end(c->work.conn);
    pthread_mutex_lock(&c->api->hashing);
    *right = password.n <= LIMIT_PASSWORD && password_verify(hash, password);
    pthread_mutex_unlock(&c->api->hashing);
    atomic_fetch_add(&c->api->metrics.hashes, 1);
    return db_read_begin(c->work.conn, BUDGET_POOL_MS);
}

/* Judges a guess after its hash, when other guesses may have failed, in this process or another. A correct
 * guess counts if fewer than ten wrong ones were counted before it. At most ten callers learn that their
 * guess was wrong. */
static int judge_password(struct call *c, const struct guess *g, int64_t user_id, bool right, int *attempt) {
    struct opening o = {.work = &c->work, .guess = *g, .user_id = user_id};
    if (right) return auth_refuse_locked(c, g);
    TRY(auth_on_writer(c, auth_count_failure_in, &o));
    *attempt = o.attempt;
    return o.locked.seconds ? auth_refused_locked(c, &o.locked) : 0;
}

static int verify_password(struct call *c, const struct credentials_given *g, struct login *l) {
    bool right;
    int attempt = 0;
    struct guess guess;
    TRY(login_guess(c, g, &guess));
    TRY(login_find(&c->work, g->pair.login, l));
    TRY(hash_in_turn(c, l->hash, g->pair.password, &right));
    TRY(judge_password(c, &guess, l->user_id, right, &attempt));
    if (right) return 0;
    c->notification =
        str_fmt(c->work.arena, "Invalid email or password (attempt: %d/%d)", attempt, LOGIN_FAILURES);
    return fail(&c->work, ERR_AUTHENTICATION_FAILED);
}

/* ---- logins with several steps --------------------------------------------------------------- */

/* Uses the code, and the token that came with it. Counts a wrong code for both. Guesses of one person's
 * codes are serialised, so a code counts if fewer than ten wrong ones were counted before it. */
static int check_code_in(struct conn *conn, void *arg) {
    struct opening *o = arg;
    o->work->conn = conn;
    o->taken = false;
    int locked = login_guard(o->work, &o->guess, &o->locked);
    if (locked) return locked;
    int taken = factor_take(o->work, o->user_id, o->code);
    if (taken == 1 && o->token_id) taken = auth_token_use(o->work, o->token_id);
    TRY(taken);
    o->taken = taken == 1;
    if (o->taken) return 0;
    TRY(login_failed_note(o->work, &o->guess, o->user_id, &o->attempt, &o->locked));
    return o->token_id ? auth_token_miss(o->work, o->token_id) : 0;
}

static struct guess guess_of_person(struct call *c, enum guess_of of, const char *secret, int64_t user_id) {
    return (struct guess){of,
                          guessed_name(c->work.arena, secret, str_fmt(c->work.arena, "%" PRId64, user_id))};
}

/* Wrong codes are counted like wrong passwords. */
static int take_code(struct call *c, struct str code, int64_t user_id, int64_t token_id) {
    struct guess guess = guess_of_person(c, GUESS_CODE, "code", user_id);
    struct opening o = {
        .work = &c->work, .guess = guess, .user_id = user_id, .code = code, .token_id = token_id};
    TRY(auth_refuse_locked(c, &guess));
    TRY(auth_on_writer(c, check_code_in, &o));
    if (o.locked.seconds) return auth_refused_locked(c, &o.locked);
    c->code_taken = o.taken;
    return o.taken ? 0 : fail(&c->work, ERR_AUTHENTICATION_FAILED);
}

int auth_code(struct call *c, struct str code) {
    return c->code_taken ? 0 : take_code(c, code, c->work.actor.user_id, 0);
}

/* Opens or reuses the session of a complete login, if the password has not changed since it was verified. */
static int open_session(struct call *c, const struct credentials_given *g, int64_t user_id,
                        int64_t password_updated_at, struct session *s) {
    const char *method = c->code_taken ? "PASSWORD_AND_CODE" : "PASSWORD";
    struct opening o = {.work = &c->work, .user_id = user_id, .csrf = g->csrf, .method = method};
    TRY(session_find(&c->work, o.user_id, c->work.actor.user_agent, c->work.actor.remote, g->csrf,
                     &o.session_id));
    if (o.session_id == 0) TRY(auth_on_writer(c, open_session_in, &o));
    int rc = session_load(&c->work, o.session_id, s);
    bool opened = rc == 1 && s->password_updated_at == password_updated_at;
    return rc < 0 ? rc : opened ? 0 : fail(&c->work, ERR_AUTHENTICATION_FAILED);
}

static int by_password(struct call *c, const struct credentials_given *g, struct session *s) {
    struct login l;
    unsigned char key[MAC_SIZE];
    /* another request may have verified the password while this one waited */
    int known = to_remember(c) ? AUTH_SLOW : by_memory(c, g, s);
    if (known != AUTH_SLOW) return known;
    TRY(verify_password(c, g, &l));
    if (!password_allowed(c, l.rank))
        return fail_field(
            &c->work, ERR_AUTHENTICATION_FAILED, (struct str){0},
            "Staff log in by a provider or a passkey here, not by password. Use a button of the "
            "login page; programs use an API token.");
    if (l.wants_otp && g->code.n == 0) return auth_next_step(c, STEP_OTP, l.user_id);
    if (l.wants_otp && !c->code_taken) TRY(take_code(c, g->code, l.user_id, 0));
    if (password_expired(c->work.desk, l.rank, l.password_updated_at, c->work.now))
        return auth_next_step(c, STEP_PASSWORD, l.user_id);
    TRY(open_session(c, g, l.user_id, l.password_updated_at, s));
    remembered_login_key(c, g, key);
    /* Remembers the session of these credentials, not one that was sent with them. If logins_version
     * changed, the address may be gone. */
    if (s->logins_version == l.logins_version) remembered_login_keep(c->api, key, s);
    return same_user(c, g, s);
}

/* A mailed link replaces the password that it may change. */
static int by_link(struct call *c, struct str hash) {
    struct link l;
    int rank, rc = c->route->roles & NEW_PASSWORD ? password_link_find(&c->work, hash, &l, &rank) : 0;
    if (rc <= 0) return rc < 0 ? rc : fail(&c->work, ERR_AUTHENTICATION_FAILED);
    c->password_link = hash;
    return actor_load(&c->work, l.user_id);
}

/* A token allows one thing: a code and then a session, or a new password on its route. */
static int by_token(struct call *c, const struct credentials_given *g, struct session *s) {
    struct auth_token t;
    int rc = auth_token_find(&c->work, g->token, &t);
    if (rc <= 0) return rc < 0 ? rc : by_link(c, g->token);
    bool done = t.step == STEP_OTP ? g->code.n > 0 : (c->route->roles & NEW_PASSWORD) != 0;
    if (!done) {
        c->auth_token = g->token;
        return fail(&c->work, t.step == STEP_OTP ? ERR_OTP_EXPECTED : ERR_CREDENTIAL_EXPIRED);
    }
    if (t.step == STEP_PASSWORD) {
        c->auth_token_id = t.id;
        return actor_load(&c->work, t.user_id);
    }
    TRY(actor_load(&c->work, t.user_id)); /* before the code, because a changed password deletes the token */
    int64_t version = c->work.actor.password_updated_at;
    TRY(take_code(c, g->code, t.user_id, t.id));
    if (password_expired(c->work.desk, c->work.actor.rank, c->work.actor.password_updated_at, c->work.now))
        return auth_next_step(c, STEP_PASSWORD, t.user_id);
    return open_session(c, g, t.user_id, version, s);
}

int auth_hash(struct call *c, struct str password, struct str *hash) {
    db_read_end(c->work.conn);
    pthread_mutex_lock(&c->api->hashing);
    *hash = password_hash(c->work.arena, password);
    pthread_mutex_unlock(&c->api->hashing);
    atomic_fetch_add(&c->api->metrics.hashes, 1);
    return db_read_begin(c->work.conn, BUDGET_POOL_MS);
}

int auth_guess(struct call *c, struct str hash, struct str password, bool *right) {
    struct guess guess = guess_of_person(c, GUESS_OWN_PASSWORD, "password", c->work.actor.user_id);
    TRY(auth_refuse_locked(c, &guess));
    int attempt;
    TRY(hash_in_turn(c, hash, password, right));
    return judge_password(c, &guess, c->work.actor.user_id, *right, &attempt);
}

/* ---- remember-me ----------------------------------------------------------------------------- */

static int write_remembered(struct conn *conn, void *arg) {
    struct opening *o = arg;
    struct remembered r;
    o->work->conn = conn;
    int rc = remember_take(o->work, o->token, &r);
    if (rc <= 0) return rc;
    o->taken = true;
    o->successor = r.successor;
    o->user_id = r.user_id;
    return session_open_remembered(o->work, r.user_id, r.chain_id, o->csrf, &o->session_id);
}

static int by_remembered(struct call *c, const struct credentials_given *g, struct session *s) {
    struct opening o = {.work = &c->work, .token = g->remembered, .csrf = g->csrf};
    TRY(auth_on_writer(c, write_remembered, &o));
    int rc = o.taken ? session_load(&c->work, o.session_id, s) : 0;
    if (rc <= 0) return rc < 0 ? rc : fail(&c->work, ERR_AUTHENTICATION_FAILED);
    /* No token for a new password is issued here, because the remember-me token may be stolen. A caller
     * who has the expired password logs in with it. */
    if (password_expired(c->work.desk, c->work.actor.rank, s->password_updated_at, c->work.now))
        return fail(&c->work, ERR_AUTHENTICATION_FAILED);
    call_header(c, "X-RememberMe", o.successor);
    return 0;
}

static int write_chain(struct conn *conn, void *arg) {
    struct opening *o = arg;
    o->work->conn = conn;
    int begun = remember_begin(o->work, o->user_id, o->session_id, &o->token);
    o->taken = begun == 1;
    return begun;
}

static int begin_remembering(struct call *c, const struct session *s) {
    struct opening o = {.work = &c->work, .user_id = s->user_id, .session_id = s->id};
    TRY(auth_on_writer(c, write_chain, &o));
    if (!o.taken) return auth_session_failed(c);
    call_header(c, "X-RememberMe", o.token);
    return 0;
}

int auth_slow(struct call *c) {
    struct credentials_given g;
    struct session s = {0};
    TRY(credentials_read(c, &g));
    bool chained = !g.basic && g.session.n == 0 && g.token.n == 0 && g.passkey.n == 0;
    if (g.basic) TRY(by_password(c, &g, &s));
    else if (g.passkey.n) TRY(auth_passkey(c, &g, &s));
    else if (g.session.n) TRY(by_session(c, &g, &s));
    else if (g.token.n) TRY(by_token(c, &g, &s));
    else TRY(by_remembered(c, &g, &s));
    if (s.id == 0) return AUTH_DONE; /* admitted to one request, without a session */
    if (to_remember(c) && !chained) TRY(begin_remembering(c, &s));
    if (!c->by_session) show_session(c, &s);
    return AUTH_DONE;
}
