/* The authorize page (RFC 6749 section 3.1).
 *
 *     GET ---> request good? --no--> a page that says so (client or address wrong), or LOGIN, then back to the client with the error
 *               | yes                 (without LOGIN if there is a session, or with prompt=none)
 *               +-- session in this browser ----> CONSENT --allow--> grant and code in one write --> back to the client
 *               |                                   | deny ------------------------------------------> back with access_denied
 *               |                                   | not you ---> LOGIN
 *               +-- none, or prompt=login ---> LOGIN --> (CODE) --> the session's cookie, and GET again
 *
 * The login is a call of GET /session, so lock-out, delay, second factor and expiry of passwords are those
 * of the API. Each form has a ticket (authorize.h). The browser's session decides who consents: the write of
 * a consent looks at it again, in the transaction that makes the code. So a logout or a changed password
 * at the same moment leaves no code. */
#include "oauth/authorize.h"

#include "api/caller/auth.h"
#include "api/caller/cross_site.h"
#include "api/table/describe.h"
#include "core/access/scope.h"
#include "core/login/session.h"
#include "core/programs/code.h"
#include "core/words.h"

#define COOKIE "desk_authorize"
#define BROWSER 32 /* hexadecimal digits */

QUERY(authorize_person, "SELECT u.full_name, (SELECT e.email FROM identity_emails e WHERE e.user_id = u.id "
                        "AND e.is_primary = 1) FROM users u WHERE u.id = :id");

/* ---- replies --------------------------------------------------------------------------------- */

static void go_back(struct asking *m, const char *error, const char *description) {
    struct visit *v = m->visit;
    if (error) m->request.error = error, m->request.description = description;
    v->location = authorization_reply(v->api->desk, v->arena, &m->request, m->code);
}

static void not_this_form(struct asking *m) {
    visit_notes(m->visit, 403, "This form has expired", "Go back to the app and start again.");
}

/* A form that follows works in this browser only. A second tab keeps the value of the first. */
static void bind_browser(struct asking *m) {
    struct visit *v = m->visit;
    struct str had = http_cookie(v->http, COOKIE);
    bool good = had.n == BROWSER;
    for (size_t i = 0; i < had.n && good; i++) good = in_set(had.p[i], "0123456789abcdef");
    m->browser = good ? had : random_hex(v->arena, BROWSER / 2);
    v->cookies[0] = str_fmt(v->arena, COOKIE "=%.*s; Path=/; Max-Age=%d; HttpOnly; SameSite=Lax%s", BROWSER,
                            m->browser.p, (int)(TICKET_LIFE / TIME_SECOND),
                            str_starts(v->api->desk->base_url, S("https:")) ? "; Secure" : "");
}

/* ---- the store ------------------------------------------------------------------------------- */

static int load_person(struct asking *m) {
    struct work *w = &m->visit->work;
    struct stmt *row;
    int rc = db_row(w->conn, &authorize_person, BINDS(B_INT("id", w->actor.user_id)), &row);
    if (rc <= 0) return rc;
    m->user_id = w->actor.user_id;
    m->session_id = w->actor.session_id;
    m->is_staff = w->actor.rank >= ROLE_COLLABORATOR;
    m->name = str_dup(w->arena, col_text(row, 0));
    m->email = str_dup(w->arena, col_text(row, 1));
    stmt_end(row);
    return 1;
}

static int read_asking(struct visit *v) {
    struct asking *m = v->prepared;
    struct str csrf;
    int rc = authorization_read(&v->work, v->given, &m->request, &m->problem);
    if (rc <= 0) return rc;
    rc = auth_reader(&v->work, v->http, &csrf);
    if (rc > 0) rc = load_person(m);
    return rc < 0 ? rc : 1;
}

static int read_posted(struct visit *v) {
    struct asking *m = v->prepared;
    struct json *given = json_new(v->arena, JSON_OBJECT);
    struct json_error err;
    int foreign = is_cross_site(&v->work, v->http);
    if (foreign < 0) return foreign;
    m->foreign = foreign > 0;
    if (form_parse(v->arena, m->ticket.query, &given, &err) < 0) return 0;
    int rc = authorization_read(&v->work, given, &m->request, &m->problem);
    if (rc > 0 && m->ticket.error.n) { /* the ticket has only those parameters that were good */
        m->request.error = str_dup(v->arena, m->ticket.error).p;
        m->request.description = str_dup(v->arena, m->ticket.description).p;
    }
    return rc;
}

/* ---- login ----------------------------------------------------------------------------------- */

static void login_refused(struct asking *m) {
    struct visit *v = m->visit;
    int64_t seconds;
    v->status = m->subcall.status;
    if (m->subcall.status != 429) {
        ask_login(m, "Wrong e-mail address or password.");
    } else {
        if (!str_to_int(m->subcall.retry_after, &seconds)) seconds = 60;
        http_add_header(v->http, "Retry-After", m->subcall.retry_after);
        ask_login(m, str_fmt(v->arena, "Too many wrong attempts. Try again in %d minutes.",
                             (int)((seconds + 59) / 60))
                         .p);
    }
}

/* After the login: the request again, now with the session, or its error to the client. Behind a proxy the
 * path of the page may be longer than here. */
static void start_again(struct asking *m) {
    struct visit *v = m->visit;
    v->cookies[1] = m->subcall.set_cookie;
    if (m->request.error) go_back(m, NULL, NULL);
    else
        v->location = STR_CAT(v->arena, url_path(v->api->desk->base_url), v->http->path, S("?"),
                              authorization_query(v->arena, &m->request));
}

static void login_outcome(struct asking *m) {
    struct visit *v = m->visit;
    struct str code = subcall_code(m->subcall.reply);
    if (m->subcall.crowded || m->subcall.status >= 500) {
        visit_failed(v);
    } else if (m->subcall.status == 200) {
        start_again(m);
    } else if (str_eq(code, S("OTP_EXPECTED"))) {
        ask_code(m, json_member_text(m->subcall.reply, "auth_token"), NULL);
    } else if (str_eq(code, S("CREDENTIAL_EXPIRED"))) {
        visit_notes(v, 403, "Your password has expired",
                    "Set a new password in the help center or in your desk. Then start again from the app.");
    } else if (m->ticket.step == TICKET_CODE && m->subcall.status == 401) {
        v->status = 401;
        ask_code(m, m->ticket.auth_token,
                 "Wrong code. Wait for the next one. After several wrong codes, "
                 "start again from the app.");
    } else {
        login_refused(m);
    }
}

static void login_called(struct subcall *x) {
    struct asking *m = (struct asking *)(void *)x; /* the call is its first member */
    login_outcome(m);
    visit_end(m->visit);
}

/* Calls GET /session as a stranger: a session that the browser has does not count. Returns false if no
 * call was made. */
static bool log_in(struct asking *m) {
    struct visit *v = m->visit;
    struct subcall *x = &m->subcall;
    *x = (struct subcall){.api = v->api,
                          .http = v->http,
                          .method = GET,
                          .path = S("/session"),
                          .stranger = true,
                          .done = login_called};
    subcall_header(x, "Accept", S("application/json"));
    if (m->ticket.step == TICKET_CODE) {
        subcall_header(x, "X-Token", m->ticket.auth_token);
        subcall_header(x, "X-OTP", str_trim(visit_text(v, "code")));
    } else if (!subcall_login(x, str_trim(visit_text(v, "email")), visit_text(v, "password"))) {
        x->status = 401;
        return login_refused(m), false;
    }
    subcall_call(x);
    return true;
}

/* ---- consent --------------------------------------------------------------------------------- */

/* Returns 1, or 0 if the session is another one by now, of whatever person. */
static int write_consent(struct visit *v) {
    struct asking *m = v->prepared;
    struct work *w = &v->work;
    struct code_terms t = {.scopes = m->request.scopes, .challenge = m->request.challenge};
    TRY(token_lock(w, m->ticket.user_id));
    w->actor =
        (struct actor){.scopes = SCOPES_ALL, .remote = v->http->remote, .user_agent = user_agent_of(v->http)};
    int rc = auth_cookie(w, v->http);
    if (rc <= 0 || w->actor.session_id != m->ticket.session_id) return rc < 0 ? rc : 0;
    if (m->request.has_redirect_uri) t.redirect_uri = m->request.redirect_uri;
    TRY(grant_give(w, m->ticket.user_id, &m->request.client, m->request.scopes, &t.grant_id));
    TRY(code_make(w, &t, &m->code));
    return 1;
}

static void consent_allow(struct asking *m) {
    struct visit *v = m->visit;
    int rc = visit_write(v, write_consent);
    if (rc > 0) go_back(m, NULL, NULL);
    else if (rc == 0) not_this_form(m);
    else visit_failed(v);
}

static void answer_consent(struct asking *m) {
    struct str choice = visit_text(m->visit, "do");
    if (str_eq(choice, S("allow"))) consent_allow(m);
    else if (str_eq(choice, S("deny"))) go_back(m, "access_denied", "The person refused access.");
    else ask_login(m, NULL); /* the person logs in as somebody else */
}

/* ---- the page -------------------------------------------------------------------------------- */

static void dead_request(struct asking *m) {
    visit_notes(m->visit, 400, "This link does not work", m->problem);
}

/* A wrong request leads away only if the person is logged in, or asked for no page. Otherwise a link to
 * this desk would bring anybody to the address of a client (RFC 9700 section 4.11.2). */
static bool error_goes_back(const struct asking *m) {
    return m->request.error && (m->user_id || m->request.prompt == PROMPT_NONE);
}

static void show_request(struct asking *m) {
    int rc = visit_read(m->visit, read_asking);
    bind_browser(m);
    if (rc < 0) visit_failed(m->visit);
    else if (rc == 0) dead_request(m);
    else if (error_goes_back(m)) go_back(m, NULL, NULL);
    else if (m->user_id && m->request.prompt != PROMPT_LOGIN) ask_consent(m);
    else ask_login(m, NULL);
}

/* Returns true if a call was made that ends the visit. */
static bool take_form(struct asking *m) {
    struct visit *v = m->visit;
    struct str cookie = http_cookie(v->http, COOKIE);
    bool opened = ticket_open(v->api->desk, v->arena, visit_text(v, "ticket"), v->work.now, &m->ticket);
    if (!opened || cookie.n != BROWSER || !secret_eq(cookie, m->ticket.browser))
        return not_this_form(m), false;
    int rc = visit_read(v, read_posted);
    bind_browser(m);
    if (rc < 0) visit_failed(v);
    else if (m->foreign) not_this_form(m);
    else if (rc == 0) dead_request(m);
    else if (m->ticket.step == TICKET_CONSENT && m->request.error) go_back(m, NULL, NULL);
    else if (m->ticket.step == TICKET_CONSENT) answer_consent(m);
    else return log_in(m);
    return false;
}

void authorize_page(struct visit *v) {
    struct asking *m = ARENA_NEW(v->arena, struct asking);
    *m = (struct asking){.visit = v, .problem = "The address of this page is not complete."};
    v->prepared = m;
    if (v->posted && take_form(m)) return;
    if (!v->posted) show_request(m);
    visit_end(v);
}
