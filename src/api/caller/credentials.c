#include "api/caller/credentials.h"

#include "core/access/stranger.h"

#include <sodium.h>

/* A header and its argument are equivalent. Two different values fail with PARAMETERS_INCONSISTENT. */
static int header_or_argument(struct call *c, const char *header, const char *argument, struct str *out) {
    const struct json *j = json_named(c->credentials, str_of(argument));
    struct str h = http_header(c->http, header), q = j ? j->text : (struct str){0};
    *out = h.n ? h : q.n ? q : (struct str){0};
    if (h.n && q.n && !str_eq(h, q))
        return fail_field(&c->work, ERR_PARAMETERS_INCONSISTENT, str_of(argument), NULL);
    return 0;
}

/* Reads the session from X-Session-ID, _session_id or the cookie. They must not differ. Beside a login the
 * cookie does not count, because its session may have ended. */
static int read_session_token(struct call *c, struct credentials_given *g) {
    struct str cookie = http_cookie(c->http, "desk_session");
    TRY(header_or_argument(c, "X-Session-ID", "_session_id", &g->session));
    if (cookie.n == 0) return 0;
    if (g->session.n && !str_eq(g->session, cookie))
        return fail_field(&c->work, ERR_PARAMETERS_INCONSISTENT, S("_session_id"), NULL);
    if (g->session.n || g->basic || g->bearer.p || g->passkey.n || g->token.n) return 0;
    g->session = cookie;
    g->cookie = g->csrf = true;
    return 0;
}

static int read_basic(struct call *c, struct str encoded, struct basic *out) {
    unsigned char *text = arena_alloc(c->work.arena, encoded.n + 1);
    size_t n;
    encoded = str_trim(encoded);
    if (sodium_base642bin(text, encoded.n + 1, encoded.p, encoded.n, NULL, &n, NULL,
                          sodium_base64_VARIANT_ORIGINAL) != 0)
        return fail(&c->work, ERR_AUTHENTICATION_FAILED);
    struct str rest = {(char *)text, n};
    out->login = str_cut(&rest, ':');
    out->password = rest.p ? rest : S("");
    if (!utf8_valid(out->login) || memchr(text, 0, n)) return fail(&c->work, ERR_AUTHENTICATION_FAILED);
    return 0;
}

/* A header and argument that may be credentials. */
struct credential_name {
    const char *header, *argument;
    unsigned roles; /* routes with these roles accept it; 0: all routes */
};

bool credentials_presented(struct http_request *r, unsigned roles) {
    static const struct credential_name names[] = {{"Authorization", NULL, 0},
                                                   {"X-Session-ID", "_session_id", 0},
                                                   {"Cookie", NULL, 0},
                                                   {"X-Token", "_token", 0},
                                                   {"X-Passkey", NULL, 0},
                                                   {"X-RememberMe", "_remember_me", 0},
                                                   {"X-Fingerprint-ID", "_fingerprint_id", FINGERPRINT}};
    const struct credential_name *end = names + sizeof names / sizeof *names;
    for (const struct credential_name *n = names; n < end; n++)
        if (http_header(r, n->header).p && (n->roles & roles) == n->roles) return true;
    for (struct str rest = r->query; rest.p;) {
        struct str value = str_cut(&rest, '&'), name = form_decode(r->arena, str_cut(&value, '='));
        for (const struct credential_name *n = names; n < end && name.n && name.p[0] == '_'; n++)
            if (n->argument && (n->roles & roles) == n->roles && name_eq(name, str_of(n->argument)))
                return true;
    }
    return false;
}

/* A fingerprint identifies the caller if no other credentials do. With other credentials, it is only
 * stored with new conversations. */
static int read_fingerprint(struct call *c) {
    struct actor *a = &c->work.actor;
    struct str sent;
    TRY(header_or_argument(c, "X-Fingerprint-ID", "_fingerprint_id", &sent));
    a->fingerprint = (struct str){0};
    if (sent.n)
        a->fingerprint =
            c->by_widget ? fingerprint_hash_of_widget(c->work.desk, c->work.arena, sent, a->widget_brand_id)
                         : fingerprint_hash(c->work.desk, c->work.arena, sent);
    a->kind = a->fingerprint.p ? ACTOR_FINGERPRINT : ACTOR_NOBODY; /* other credentials may change it */
    if (sent.n == 0 || a->fingerprint.p) return 0;
    return fail_field(&c->work, ERR_FIELD_INVALID, S("_fingerprint_id"),
                      "A fingerprint is a UUID, like 0b4ae44e-3a2c-4e13-9f5c-1c7f6b7f6f1a.");
}

/* A page of a widget has no credentials but the fingerprint. Its script can't have set a cookie, which is
 * ignored. It can set the others only by intent, so they are refused. */
static int widget_credentials(struct call *c, struct credentials_given *g) {
    static const char *const headers[] = {"Authorization", "X-Session-ID", "X-CSRF-Token", "X-Token",
                                          "X-OTP",         "X-RememberMe", "X-Passkey"};
    static const char *const arguments[] = {"_session_id", "_token", "_otp", "_remember_me"};
    bool more = false;
    *g = (struct credentials_given){0};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        more = more || http_header(c->http, headers[i]).p;
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        more = more || json_named(c->credentials, str_of(arguments[i]));
    if (more)
        return fail_field(&c->work, ERR_PERMISSIONS_DENIED, (struct str){0},
                          "A page of a widget's origin may send X-Fingerprint-ID and no other credentials.");
    c->ambient = false;
    return read_fingerprint(c);
}

int credentials_read(struct call *c, struct credentials_given *g) {
    if (c->by_widget) return widget_credentials(c, g);
    struct str header = http_header(c->http, "Authorization"), rest = header, scheme = str_cut(&rest, ' ');
    *g = (struct credentials_given){.csrf = !str_eqi(str_trim(http_header(c->http, "X-CSRF")), S("false"))};
    TRY(header_or_argument(c, "X-Token", "_token", &g->token));
    TRY(header_or_argument(c, "X-OTP", "_otp", &g->code));
    TRY(read_fingerprint(c));
    TRY(header_or_argument(c, "X-RememberMe", "_remember_me", &g->remembered));
    if (str_eqi(scheme, S("Basic"))) {
        g->basic = true;
        TRY(read_basic(c, rest.p ? rest : S(""), &g->pair));
    } else if (str_eqi(scheme, S("Bearer"))) {
        g->bearer = rest.p && str_trim(rest).n ? str_trim(rest) : (struct str){0};
    } else if (str_trim(header).n) {
        return fail(&c->work, ERR_AUTHENTICATION_FAILED);
    }
    if (!g->basic && g->bearer.p == NULL && c->route->remembers)
        g->passkey = str_trim(http_header(c->http, "X-Passkey"));
    TRY(read_session_token(c, g));
    c->ambient = g->basic || g->cookie;
    return 0;
}
