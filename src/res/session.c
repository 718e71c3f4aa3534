#include "core/login/session.h"

#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "core/login/remember.h"
#include "core/signin/login.h"
#include "core/words.h"

#include <inttypes.h>

static const struct field session_fields[] = {
    {"id", F_TEXT, READONLY | NULLABLE | SECRET,
     .doc = "Value for the header X-Session-ID. Null for the anonymous session, and with a bearer token.",
     .example = "\"7.0f1e2d\""},
    {"portal", F_TEXT, READONLY, .doc = "Portal in which the session was opened.", .example = "\"API\""},
    {"ip_address", F_TEXT, READONLY, .doc = "IP address that opened the session.",
     .example = "\"127.0.0.1\""},
    {"user_agent", F_TEXT, READONLY,
     .doc = "User agent that opened the session. The session is bound to it."},
    {"instance_id", F_TEXT, READONLY, .doc = "Id of the installation."},
    {"instance_name", F_TEXT, READONLY, .doc = "Host name of the installation.",
     .example = "\"desk.example.com\""},
    {"user", F_REF, READONLY, .ref = "user", .doc = "Person who is logged in. Null if nobody is."},
    {"status", F_TEXT, READONLY, .doc = "ONLINE.", .example = "\"ONLINE\""},
    {"last_activity_at", F_TIME, READONLY, .doc = "Time of the last use."},
    {"created_at", F_TIME, READONLY, .doc = "Time of creation."},
    {0},
};

static struct value session_text(struct str s) {
    return (struct value){.type = s.p ? V_TEXT : V_NULL, .s = s};
}
static struct value session_number(int64_t v) { return (struct value){.type = V_INT, .i = v}; }

static struct row *session_row(struct call *c, const struct session *s) {
    struct arena *a = c->work.arena;
    const struct desk *d = c->work.desk;
    struct row *row = ARENA_NEW(a, struct row);
    row->layout = layout_of(c->resource);
    row->cells = arena_array(a, sizeof session_fields / sizeof *session_fields, sizeof *row->cells);
    *row_cell(row, "id") = s ? session_text(session_token(&c->work, s, a)) : session_text((struct str){0});
    *row_cell(row, "portal") = session_text(S("API"));
    *row_cell(row, "ip_address") = session_text(s ? s->ip_address : c->work.actor.remote);
    *row_cell(row, "user_agent") = session_text(s ? s->user_agent : c->work.actor.user_agent);
    *row_cell(row, "instance_id") =
        session_text((struct str){d->installation.p, d->installation.n < 16 ? d->installation.n : 16});
    *row_cell(row, "instance_name") = session_text(d->host);
    /* a bearer token has no session */
    if (c->work.actor.user_id) *row_cell(row, "user") = session_number(c->work.actor.user_id);
    *row_cell(row, "status") = session_text(S("ONLINE"));
    *row_cell(row, "last_activity_at") = session_number(s ? s->last_activity_at : c->work.now);
    *row_cell(row, "created_at") = session_number(s ? s->created_at : c->work.now);
    return row;
}

/* The only place in the API that sets the cookie: for a login, or again for the same session. It is never set
 * (1) for a session that an attacker may have put into a link (fixation), (2) for a session without CSRF
 * checks. */
static void set_cookie(struct call *c, const struct session *s) {
    if (!s->csrf_checked || (c->by_session && !c->by_cookie)) return;
    call_header(c, "Set-Cookie", session_cookie(&c->work, s, c->work.arena));
}

static int get_session(struct call *c) {
    struct view *v;
    struct session s;
    TRY(api_input(c));
    int live = c->work.actor.session_id ? session_load(&c->work, c->work.actor.session_id, &s) : 0;
    if (live < 0) return live;
    v = view_new(c);
    struct row *row = session_row(c, live ? &s : NULL);
    TRY(view_follow(v, row));
    if (live) set_cookie(c, &s);
    if (live && c->by_session) call_header(c, "X-CSRF-Token", session_csrf(&c->work, &s, c->work.arena));
    if (live && c->session_id.p == NULL) c->session_id = session_token(&c->work, &s, c->work.arena);
    return envelope_row(v, row);
}

static int put_session_ack(struct call *c) {
    TRY(api_input(c));
    TRY(session_renew(&c->work, c->work.actor.session_id));
    return api_reply(c);
}

static int delete_session(struct call *c) {
    struct str url;
    TRY(api_input(c));
    TRY(signin_logout_url(&c->work, c->work.actor.session_id, &url));
    if (url.p) call_header(c, "X-Logout-URL", url);
    TRY(session_logout(&c->work));
    c->session_id = (struct str){0};
    return api_reply(c);
}

static const struct field read_args[] = {
    {"remember_me", F_BOOL, .initial = "0",
     .doc = "True: the header X-RememberMe of the reply has a remember-me "
            "token."},
    {0},
};

static const struct route session_routes[] = {
    {GET, "/session", PUBLIC, "", ONE, get_session, .args = read_args, .remembers = true,
     .headers = "X-RememberMe Set-Cookie", .summary = "Get the session, or log in",
     .doc = "With Basic credentials, the server opens a session or finds the one there is. Without "
            "credentials, the reply is the anonymous session. With remember_me=true, the header "
            "X-RememberMe of the reply is a token that works for 30 days. Send it once in the same header, "
            "without credentials: it opens a new session, and the reply replaces it with a new token. If a "
            "used token is sent again, all sessions that it opened end."},
    {PUT, "/session/ack", ALL, "", NONE, put_session_ack, .summary = "Renew the session",
     .doc = "The time of use is written at most once a minute."},
    {DELETE, "/session", ALL, "", NONE, delete_session, .headers = "X-Logout-URL",
     .summary = "End the session",
     .doc = "If a provider (OpenID Connect) opened the session, X-Logout-URL is the address that ends the "
            "login there, too."},
    {0},
};

const struct resource session_resource = {.type = "session",
                                          .scope = "",
                                          .title = "Sessions",
                                          .doc = "Sessions of logged-in people.",
                                          .fields = session_fields,
                                          .routes = session_routes};
