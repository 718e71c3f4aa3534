/* The pages of a login by a provider (OpenID Connect Core 1.0, code flow; RFC 7636, 9207, 9700).
 *
 *     GET /signin/3?to=/agent ──303──▸ provider ──▸ GET /signin/3/callback?code&state ──303──▸ /agent
 *          │ cookie: state, nonce,                     │ token, keys, claims      └ a second factor: form at
 *          │ verifier                                  │ one write (core/signin)    /signin/code, then 303
 *          └ 503: the provider can't be reached        └ refused: a page, and an entry of the audit log
 *
 * Each provider has a callback of its own, so that the code of one provider is never sent to another. The
 * callback is the only GET that opens a session: the provider sends the browser there, and a page of another
 * site can't, because state and cookie belong together. Requests to providers run in LANE_OUTSIDE, where only
 * other logins of this kind wait for them. */
#include "signin/signin.h"

#include "api/call/subcall.h"
#include "api/caller/auth.h"
#include "api/caller/cross_site.h"
#include "api/caller/rate.h"
#include "api/table/describe.h"
#include "base/encoding.h"
#include "base/log.h"
#include "core/all/finish.h"
#include "core/desk/setting.h"
#include "core/login/session.h"
#include "core/signin/login.h"
#include "core/signin/url.h"
#include "pages/template_page.h"
#include "signin/id_token.h"
#include "signin/metadata.h"
#include "signin/ticket.h"

#include <inttypes.h>

#define LOGIN_MS 10000 /* all requests of one login */

struct signing {
    struct visit *visit;
    int64_t provider_id; /* of the path */
    struct provider provider;
    struct signin_ticket ticket;
    struct metadata metadata;
    struct reading reading;
    struct claims claims;
    struct signin login;
    struct str code, access_token, session_cookie;
    const char *refused; /* word of the audit log */
    bool foreign;
};

/* ---- refusals -------------------------------------------------------------------------------- */

static const struct refusal {
    enum signin_result result;
    int status;
    const char *word;
    enum site_word title, text;
} refusals[] = {
    {SIGNIN_REPLAYED, 400, "STATE_USED", WORD_SIGNIN_USED, WORD_SIGNIN_USED_TEXT},
    {SIGNIN_UNVERIFIED, 403, "EMAIL_NOT_VERIFIED", WORD_SIGNIN_UNVERIFIED, WORD_SIGNIN_UNVERIFIED_TEXT},
    {SIGNIN_DOMAIN, 403, "DOMAIN_NOT_ALLOWED", WORD_SIGNIN_DOMAIN, WORD_SIGNIN_DOMAIN_TEXT},
    {SIGNIN_UNKNOWN, 403, "PERSON_UNKNOWN", WORD_SIGNIN_UNKNOWN, WORD_SIGNIN_UNKNOWN_TEXT},
    {SIGNIN_OTHER_LINK, 403, "OTHER_ACCOUNT_LINKED", WORD_SIGNIN_LINKED, WORD_SIGNIN_LINKED_TEXT},
    {SIGNIN_UNCONFIRMED, 403, "ADDRESS_NOT_CONFIRMED", WORD_SIGNIN_UNCONFIRMED, WORD_SIGNIN_UNCONFIRMED_TEXT},
    {SIGNIN_DOOR, 403, "NOT_FOR_THIS_ROLE", WORD_SIGNIN_DOOR, WORD_SIGNIN_DOOR_TEXT},
    {SIGNIN_RANK, 403, "ROLE_TOO_HIGH", WORD_SIGNIN_RANK, WORD_SIGNIN_RANK_TEXT},
    {SIGNIN_DISABLED, 403, "PERSON_DISABLED", WORD_SIGNIN_DISABLED, WORD_SIGNIN_DISABLED_TEXT},
};

/* A customer reads the language of the page to which the login returns. */
static void signin_speak(struct signing *m) {
    struct str rest = m->ticket.to, start = S("/helpcenter/");
    if (!str_starts(rest, start)) return;
    rest = (struct str){rest.p + start.n, rest.n - start.n};
    enum language *l = &m->visit->language;
    *l = language_of_locale(str_cut(&rest, '/'), str_of(language_code(*l)));
}

static void say_refused(struct signing *m, int status, enum site_word title, enum site_word text) {
    struct visit *v = m->visit;
    signin_speak(m);
    v->cookies[0] = signin_ticket_cookie(v->api->desk, v->arena, NULL);
    v->cookies[1] = (struct str){0};
    v->location = (struct str){0};
    visit_notes(v, status, SAY(v, title), SAY(v, text));
    if (m->provider_id == 0) return;
    struct str path = url_path(v->api->desk->base_url);
    v->link =
        str_fmt(v->arena, "%.*s/signin/%" PRId64 "%s%s", (int)path.n, path.p, m->provider_id,
                m->ticket.to.n ? "?to=" : "", m->ticket.to.n ? url_encoded(v->arena, m->ticket.to).p : "");
    v->link_text = SAY(v, WORD_BEGIN_AGAIN);
}

static int write_refused(struct visit *v) {
    struct signing *m = v->prepared;
    v->work.actor.cause = (struct str){0};
    return signin_refused(&v->work, m->provider_id, m->login.user_id, m->refused);
}

/* A refusal that a provider or a person caused: the audit log has it. */
static void signin_refuse(struct signing *m, const char *word, int status, enum site_word title,
                          enum site_word text) {
    m->refused = word;
    if (m->reading.why.p) log_often(LOG_WARN, "logins by a provider", "sign-in: %s", m->reading.why.p);
    if (visit_write(m->visit, write_refused) < 0) visit_failed(m->visit);
    else say_refused(m, status, title, text);
}

static void refuse_result(struct signing *m) {
    for (const struct refusal *r = refusals; r < refusals + sizeof refusals / sizeof *refusals; r++)
        if (r->result == m->login.result) signin_refuse(m, r->word, r->status, r->title, r->text);
}

static void provider_failed(struct signing *m) {
    signin_refuse(m, "PROVIDER_FAILED", 502, WORD_SIGNIN_FAILED, WORD_SIGNIN_FAILED_TEXT);
}

static void stale(struct signing *m) { say_refused(m, 400, WORD_SIGNIN_STALE, WORD_SIGNIN_STALE_TEXT); }

/* ---- the provider ---------------------------------------------------------------------------- */

static int read_provider(struct visit *v) {
    struct signing *m = v->prepared;
    int rc = provider_load(&v->work, m->provider_id, &m->provider);
    return rc > 0 && !m->provider.is_enabled ? 0 : rc;
}

/* Returns false if the reply is set. */
static bool provider_ready(struct signing *m) {
    struct visit *v = m->visit;
    int rc = visit_read(v, read_provider);
    m->reading =
        (struct reading){.work = &v->work,
                         .memory = v->api->cfg.signin,
                         .provider = &m->provider,
                         .private_allowed = setting_bool(v->api->desk, "signin.allow_private_addresses"),
                         .until = clock_monotonic() + LOGIN_MS,
                         .stopping = &v->api->draining};
    if (rc > 0) return true;
    m->provider_id = 0;
    if (rc < 0) visit_failed(v);
    else say_refused(m, 404, WORD_SIGNIN_GONE, WORD_SIGNIN_GONE_TEXT);
    return false;
}

static struct str callback_url(struct signing *m) {
    const struct desk *d = m->visit->api->desk;
    return str_fmt(m->visit->arena, "%.*s/signin/%" PRId64 "/callback", (int)d->base_url.n, d->base_url.p,
                   m->provider_id);
}

/* ---- the beginning --------------------------------------------------------------------------- */

static void signin_begin(struct signing *m) {
    struct visit *v = m->visit;
    struct arena *a = v->arena;
    struct str to = visit_text(v, "to");
    if (signin_path_is_local(to)) m->ticket.to = to;
    if (!provider_ready(m)) return;
    if (!metadata_read(&m->reading, &m->metadata)) {
        log_often(LOG_WARN, "logins by a provider", "sign-in: %s", m->reading.why.p);
        say_refused(m, 503, WORD_SIGNIN_AWAY, WORD_SIGNIN_AWAY_TEXT);
        return;
    }
    struct signin_ticket *t = &m->ticket;
    *t = (struct signin_ticket){
        SIGNIN_ASKED,      v->work.now + SIGNIN_LIFE, v->work.now,       m->provider_id,         0,
        random_hex(a, 32), random_hex(a, 32),         random_hex(a, 32), t->to.p ? t->to : S("")};
    const struct url_pair pairs[] = {{"response_type", S("code")},
                                     {"client_id", m->provider.client_id},
                                     {"redirect_uri", callback_url(m)},
                                     {"scope", m->provider.scopes},
                                     {"state", t->state},
                                     {"nonce", t->nonce},
                                     {"code_challenge", pkce_challenge(a, t->verifier)},
                                     {"code_challenge_method", S("S256")},
                                     {NULL, {0}}};
    v->location = url_with(a, m->metadata.authorization, pairs);
    v->cookies[0] = signin_ticket_cookie(v->api->desk, a, t);
}

/* ---- the token ------------------------------------------------------------------------------- */

/* Exchanges the code. Returns the ID token; p NULL: there is none. */
static struct str token_of_code(struct signing *m) {
    struct arena *a = m->visit->arena;
    const struct provider *p = &m->provider;
    bool in_body = p->secret.n && m->metadata.secret_in_body;
    const struct url_pair pairs[] = {{"grant_type", S("authorization_code")},
                                     {"code", m->code},
                                     {"redirect_uri", callback_url(m)},
                                     {"code_verifier", m->ticket.verifier},
                                     {"client_id", p->client_id},
                                     {"client_secret", in_body ? p->secret : (struct str){0}},
                                     {NULL, {0}}};
    const struct json *reply;
    int status;
    struct str authorization = p->secret.n && !in_body ? basic_credentials(a, url_encoded(a, p->client_id),
                                                                           url_encoded(a, p->secret))
                                                       : (struct str){0};
    if (!reading_fetch(&m->reading, m->metadata.token, url_form(a, pairs), authorization, &status, &reply))
        return (struct str){0};
    struct str token = json_member_text(reply, "id_token");
    m->access_token = json_member_text(reply, "access_token");
    if (status == 200 && token.n) return token;
    m->reading.why =
        str_fmt(a, "%s: The server answered %d without an ID token.", m->metadata.token.p, status);
    return (struct str){0};
}

/* Claims that the ID token lacks. The subject must be the same (section 5.3.4). */
static bool read_userinfo(struct signing *m) {
    struct arena *a = m->visit->arena;
    const struct json *reply;
    int status;
    if (json_member(m->claims.token, S("email")) || !m->metadata.userinfo.p || !m->access_token.n)
        return true;
    if (!reading_fetch(&m->reading, m->metadata.userinfo, (struct str){0},
                       STR_CAT(a, S("Bearer "), m->access_token), &status, &reply))
        return false;
    if (status != 200 || !str_eq(json_member_text(reply, "sub"), json_member_text(m->claims.token, "sub"))) {
        m->reading.why = str_fmt(a, "%s: The server answered %d, or names another person.",
                                 m->metadata.userinfo.p, status);
        return false;
    }
    m->claims.userinfo = reply;
    return true;
}

static struct str claim_line(struct signing *m, const char *name, int64_t most) {
    const struct json *j = claims_named(&m->claims, str_of(name));
    struct str text = j && j->type == JSON_STRING ? str_trim(j->text) : (struct str){0};
    return text.n && text_wrong(m->visit->arena, text, most, true) == NULL ? text : (struct str){0};
}

static void read_claims(struct signing *m) {
    const struct json *verified = claims_named(&m->claims, S("email_verified"));
    m->claims.subject = json_member_text(m->claims.token, "sub");
    m->claims.email = claim_line(m, "email", 255);
    m->claims.name = claim_line(m, "name", 255);
    m->claims.email_verified = verified && verified->type == JSON_TRUE;
}

static void token_refused(struct signing *m, enum token_fault fault) {
    m->reading.why = str_fmt(m->visit->arena, "%s: the ID token was refused: %s", m->provider.issuer.p,
                             token_fault_words[fault]);
    signin_refuse(m, token_fault_words[fault], 403, WORD_SIGNIN_REFUSED,
                  fault == TOKEN_TIME ? WORD_SIGNIN_CLOCKS_TEXT : WORD_SIGNIN_REFUSED_TEXT);
}

/* Fills m->claims. Returns false if the reply is set. */
static bool claims_proved(struct signing *m) {
    struct visit *v = m->visit;
    const struct json *jwks;
    if (!metadata_read(&m->reading, &m->metadata)) return provider_failed(m), false;
    struct str iss = visit_text(v, "iss");
    if ((iss.n || m->metadata.names_itself) && !str_eq(iss, m->provider.issuer))
        return token_refused(m, TOKEN_ISSUER), false;
    struct str token = token_of_code(m);
    if (token.p == NULL || !metadata_keys(&m->reading, &m->metadata, false, &jwks))
        return provider_failed(m), false;
    const struct token_terms terms = {.issuer = m->provider.issuer,
                                      .client_id = m->provider.client_id,
                                      .nonce = m->ticket.nonce,
                                      .access_token = m->access_token.n ? m->access_token : (struct str){0},
                                      .now = v->work.now,
                                      .begun = m->ticket.begun};
    enum token_fault fault = id_token_check(v->arena, token, jwks, &terms, &m->claims.token);
    if (fault == TOKEN_KEY_UNKNOWN) {
        if (!metadata_keys(&m->reading, &m->metadata, true, &jwks)) return provider_failed(m), false;
        fault = id_token_check(v->arena, token, jwks, &terms, &m->claims.token);
    }
    if (fault != TOKEN_GOOD) return token_refused(m, fault), false;
    if (!read_userinfo(m)) return provider_failed(m), false;
    read_claims(m);
    return true;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The cookie of the new session. The writes of this work stay those of nobody. */
static int make_cookie(struct work *w, struct signing *m) {
    struct session s;
    struct actor before = w->actor;
    if (m->login.result != SIGNIN_OPENED) return 0;
    int rc = session_load(w, m->login.session_id, &s);
    w->actor = before;
    if (rc <= 0) return rc < 0 ? rc : fail(w, ERR_AUTHENTICATION_FAILED);
    m->session_cookie = session_cookie(w, &s, w->arena);
    return 0;
}

static int write_login(struct visit *v) {
    struct signing *m = v->prepared;
    m->login = (struct signin){
        .provider = &m->provider, .claims = &m->claims, .state = m->ticket.state, .until = m->ticket.until};
    TRY(signin_login(&v->work, &m->login));
    TRY(provider_says_logout(&v->work, &m->provider, m->metadata.end_session));
    return make_cookie(&v->work, m);
}

static void go_in(struct signing *m) {
    struct visit *v = m->visit;
    struct str to = m->ticket.to.n ? m->ticket.to : m->login.is_staff ? S("/agent") : S("/");
    v->cookies[0] = signin_ticket_cookie(v->api->desk, v->arena, NULL);
    v->cookies[1] = m->session_cookie;
    v->location = STR_CAT(v->arena, url_path(v->api->desk->base_url), to);
}

/* wrong: the problem; NULL: none */
static void show_signin_code(struct signing *m, const char *wrong) {
    struct visit *v = m->visit;
    visit_notes(v, v->status, SAY(v, WORD_SECOND_STEP), NULL);
    buf_text(&v->form, "<form method=\"post\" action=\"");
    html(&v->form, "%s/signin/code\">\n", str_dup(v->arena, url_path(v->api->desk->base_url)).p);
    visit_asks_code(v, wrong);
}

static void refuse_signin_code(struct signing *m) {
    struct visit *v = m->visit;
    int seconds = m->login.locked.seconds;
    bool locked = m->login.result == SIGNIN_LOCKED;
    v->status = locked ? 429 : 401;
    if (locked) http_add_header(v->http, "Retry-After", str_fmt(v->arena, "%d", seconds));
    show_signin_code(m, locked ? str_fmt(v->arena, "%s %d", SAY(v, WORD_LOCKED), (seconds + 59) / 60).p
                               : SAY(v, WORD_WRONG_CODE));
}

static void signin_end(struct signing *m) {
    struct visit *v = m->visit;
    if (m->login.result == SIGNIN_OPENED) {
        go_in(m);
    } else if (m->login.result == SIGNIN_CODE) {
        struct signin_ticket t = m->ticket;
        t.step = SIGNIN_WANTS_CODE;
        t.user_id = m->login.user_id;
        t.until = v->work.now + SIGNIN_LIFE;
        t.state = t.nonce = t.verifier = S("");
        v->cookies[0] = signin_ticket_cookie(v->api->desk, v->arena, &t);
        v->location = STR_CAT(v->arena, url_path(v->api->desk->base_url), S("/signin/code"));
    } else {
        refuse_result(m);
    }
}

/* Returns false if the reply is set. */
static bool ticket_ready(struct signing *m, enum signin_step step) {
    struct visit *v = m->visit;
    struct str cookie = http_cookie(v->http, SIGNIN_COOKIE);
    bool good = signin_ticket_read(v->api->desk, v->arena, cookie, v->work.now, &m->ticket);
    if (good && m->ticket.step == step) return true;
    m->ticket.to = S("");
    return stale(m), false;
}

static void signin_callback(struct signing *m) {
    struct visit *v = m->visit;
    struct str error = visit_text(v, "error"), state = visit_text(v, "state");
    if (!ticket_ready(m, SIGNIN_ASKED)) return;
    if (m->ticket.provider_id != m->provider_id || state.n == 0 || !secret_eq(state, m->ticket.state)) {
        stale(m);
        return;
    }
    m->code = visit_text(v, "code");
    int64_t wait = rate_form(v->api, v->http->remote, v->work.now);
    if (wait) {
        if (wait < 0) visit_failed(v);
        else visit_notes(v, 429, SAY(v, WORD_TOO_MANY), SAY(v, WORD_TRY_IN_A_MINUTE));
        return;
    }
    if (!provider_ready(m)) return;
    if (error.n || m->code.n == 0) {
        signin_refuse(m, "PROVIDER_REFUSED", 403, WORD_SIGNIN_CANCELLED, WORD_SIGNIN_CANCELLED_TEXT);
        return;
    }
    if (!claims_proved(m)) return;
    if (visit_write(v, write_login) < 0) visit_failed(v);
    else signin_end(m);
}

/* ---- the second factor ----------------------------------------------------------------------- */

static int read_foreign(struct visit *v) {
    struct signing *m = v->prepared;
    int foreign = is_cross_site(&v->work, v->http);
    m->foreign = foreign > 0;
    return foreign < 0 ? foreign : read_provider(v);
}

static int write_signin_code(struct visit *v) {
    struct signing *m = v->prepared;
    m->login = (struct signin){.provider = &m->provider, .user_id = m->ticket.user_id};
    v->work.actor.cause = (struct str){0};
    TRY(signin_by_code(&v->work, &m->login, str_trim(visit_text(v, "code"))));
    return make_cookie(&v->work, m);
}

static void signin_code(struct signing *m) {
    struct visit *v = m->visit;
    if (!ticket_ready(m, SIGNIN_WANTS_CODE)) return;
    m->provider_id = m->ticket.provider_id;
    signin_speak(m);
    if (!v->posted) {
        show_signin_code(m, NULL);
        return;
    }
    int rc = visit_read(v, read_foreign);
    if (rc < 0) visit_failed(v);
    else if (rc == 0 || m->foreign) stale(m);
    else if (visit_write(v, write_signin_code) < 0) visit_failed(v);
    else if (m->login.result == SIGNIN_WRONG_CODE || m->login.result == SIGNIN_LOCKED) refuse_signin_code(m);
    else signin_end(m);
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* After the logout at the provider, which returns the state: the path of the page to log in at. */
static void signin_out(struct signing *m) {
    struct visit *v = m->visit;
    struct str state = visit_text(v, "state");
    m->ticket.to = signin_path_is_local(state) ? state : S("/agent");
    signin_speak(m);
    visit_notes(v, 200, SAY(v, WORD_SIGNED_OUT), SAY(v, WORD_SIGNED_OUT_TEXT));
    v->link = STR_CAT(v->arena, url_path(v->api->desk->base_url), m->ticket.to);
    v->link_text = SAY(v, WORD_LOG_IN_AGAIN);
}

/* "3" or "3/callback", behind /signin/. */
static void show_signin(struct visit *v) {
    struct signing *m = ARENA_NEW(v->arena, struct signing);
    struct str rest = {v->http->path.p + strlen("/signin/"), v->http->path.n - strlen("/signin/")};
    bool is_code = str_eq(rest, S("code")), is_out = str_eq(rest, S("out"));
    *m = (struct signing){.visit = v, .ticket.to = S("")};
    v->work.actor.user_agent = user_agent_of(v->http);
    v->prepared = m;
    if (is_code) signin_code(m);
    else if (is_out) signin_out(m);
    else if (!str_to_int(str_cut(&rest, '/'), &m->provider_id)) stale(m);
    else if (rest.p) signin_callback(m);
    else signin_begin(m);
}

static const struct page outside_page = {
    .path = "/signin/", .show = show_signin, .outside = true, .translated = true};
static const struct page inside_page = {.path = "/signin/code", .show = show_signin, .translated = true};

static bool is_provider_path(struct str rest) {
    int64_t id;
    return str_to_int(str_cut(&rest, '/'), &id) && id > 0 && (rest.p == NULL || str_eq(rest, S("callback")));
}

bool signin_handle(struct api *api, struct http_request *r) {
    struct str start = S("/signin/"), path = r->path;
    bool get = str_eq(r->method, S("GET")) || str_eq(r->method, S("HEAD")),
         post = str_eq(r->method, S("POST"));
    if (api->cfg.signin == NULL || !str_starts(path, start)) return false;
    struct str rest = {path.p + start.n, path.n - start.n};
    bool inside = str_eq(rest, S("code")) || (get && str_eq(rest, S("out")));
    if (inside && (get || post)) visit_begin(api, r, &inside_page, post);
    else if (str_eq(r->method, S("GET")) && is_provider_path(rest)) visit_begin(api, r, &outside_page, false);
    else return false;
    return true;
}
