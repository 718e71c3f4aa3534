#include "oauth/authorize.h"

#include "base/encoding.h"
#include "core/access/scope.h"
#include "core/programs/code.h"
#include "pages/visit.h"

#include <inttypes.h>

#define STATE_MAX \
    4096 /* encoded bytes: replies with longer headers are refused by some proxies and clients */

/* ---- parameters ------------------------------------------------------------------------------ */

/* A parameter; p NULL if it is absent or empty (RFC 6749 section 3.1). */
static struct str asked(const struct json *given, const char *name) {
    struct str text = json_member_text(given, name);
    return text.n ? text : (struct str){0};
}

/* True if the parameter is given twice, or as a list. */
static bool ambiguous(const struct json *given, const char *name) {
    const struct json *j = json_member(given, str_of(name));
    return j && (j->type != JSON_STRING || j->earlier);
}

/* ---- the redirect address -------------------------------------------------------------------- */

/* The part of an address of a program on the person's own machine before its port: it listens on a port
 * that is free (RFC 8252 section 7.3). n 0: it is another address. */
static struct str loopback_of(struct str url) {
    const struct str hosts[] = {S("http://127.0.0.1"), S("http://[::1]")};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        char next = url.n > hosts[i].n ? url.p[hosts[i].n] : '/';
        if (str_starts(url, hosts[i]) && in_set(next, ":/?")) return hosts[i];
    }
    return S("");
}

/* The part behind host and port. p NULL: the port is no number from 1 to 65535. */
static struct str behind_port(struct str url, size_t host) {
    struct str rest = {url.p + host, url.n - host}, port = rest;
    int64_t number;
    if (rest.n == 0 || rest.p[0] != ':') return rest;
    for (port.p++, port.n = 0;
         port.p + port.n < rest.p + rest.n && port.p[port.n] >= '0' && port.p[port.n] <= '9';)
        port.n++;
    if (port.n > 5 || !str_to_int(port, &number) || number < 1 || number > 65535) return (struct str){0};
    return (struct str){port.p + port.n, rest.n - 1 - port.n};
}

static bool redirect_allowed(const struct client *c, struct str wanted) {
    if (str_eq(wanted, c->callback_url)) return true;
    struct str host = loopback_of(c->callback_url);
    if (host.n == 0 || !str_eq(host, loopback_of(wanted))) return false;
    struct str rest = behind_port(wanted, host.n);
    return rest.p && str_eq(rest, behind_port(c->callback_url, host.n));
}

/* Finds client and redirect address. Returns 1, 0 with *why, or a negative error. */
static int read_client(struct work *w, const struct json *given, struct authorization *r, const char **why) {
    struct str key = asked(given, "client_id"), redirect = asked(given, "redirect_uri");
    *why = "The address of this page has no client_id, or several. Start again from the app.";
    if (key.p == NULL || ambiguous(given, "client_id")) return 0;
    int found = client_find(w, key, &r->client);
    if (found < 0) return found;
    *why = "The app that sent you here is not registered at this desk. Ask its author, or an administrator "
           "of the desk.";
    if (!found) return 0;
    *why = "The app has no callback address. An administrator of the desk can add it.";
    if (r->client.callback_url.p == NULL || r->client.callback_url.n == 0) return 0;
    *why = "The app asked to send you to an address that is not its callback address. Nothing was sent "
           "there.";
    if (ambiguous(given, "redirect_uri") || (redirect.p && !redirect_allowed(&r->client, redirect))) return 0;
    r->has_redirect_uri = redirect.p != NULL;
    r->redirect_uri = redirect.p ? redirect : r->client.callback_url;
    return 1;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static bool refuse(struct authorization *r, const char *error, const char *description) {
    r->error = error;
    r->description = description;
    return false;
}

static bool read_type(const struct json *given, struct authorization *r) {
    static const char *const names[] = {"response_type",  "response_mode",         "scope",  "state",
                                        "code_challenge", "code_challenge_method", "prompt", "login_hint"};
    struct str type = asked(given, "response_type"), mode = asked(given, "response_mode");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ambiguous(given, names[i])) return refuse(r, "invalid_request", "A parameter is given twice.");
    if (type.p == NULL)
        return refuse(r, "invalid_request", "response_type is missing. Send response_type=code.");
    if (!str_eq(type, S("code"))) return refuse(r, "unsupported_response_type", "Send response_type=code.");
    if (mode.p && !str_eq(mode, S("query")))
        return refuse(r, "invalid_request", "The only response_mode is query.");
    if (asked(given, "request").p)
        return refuse(r, "request_not_supported", "Send the parameters without request.");
    if (asked(given, "request_uri").p)
        return refuse(r, "request_uri_not_supported", "Send the parameters without request_uri.");
    return true;
}

/* plain is refused, because who reads the request could use the code. */
static bool read_challenge(const struct json *given, struct authorization *r) {
    struct str method = asked(given, "code_challenge_method");
    r->challenge = asked(given, "code_challenge");
    if (r->challenge.p == NULL && method.p) return refuse(r, "invalid_request", "code_challenge is missing.");
    if (r->challenge.p == NULL && r->client.is_public)
        return refuse(r, "invalid_request",
                      "A client without a secret needs PKCE. Send code_challenge and "
                      "code_challenge_method=S256.");
    if (r->challenge.p == NULL) return true;
    if (!str_eq(method, S("S256")))
        return refuse(r, "invalid_request", "The only code_challenge_method is S256.");
    if (!challenge_is(r->challenge))
        return refuse(r, "invalid_request", "code_challenge is not a hash of S256: 43 digits of base64url.");
    return true;
}

static bool read_scopes(const struct json *given, struct authorization *r) {
    struct str text = asked(given, "scope");
    for (struct str rest = text; rest.p;) {
        struct str name = str_cut(&rest, ' ');
        if (name.n && !scope_parse(name, &r->scopes))
            return refuse(r, "invalid_scope", "A scope is not known to this desk.");
    }
    if (r->scopes == 0) r->scopes = r->client.scopes;
    if (r->scopes == 0)
        return refuse(r, "invalid_scope", "The client has no scopes. An admin gives it some.");
    if (scopes_within(r->scopes, r->client.scopes) == r->scopes) return true;
    return refuse(r, "invalid_scope", "The client may not ask for all of these scopes.");
}

static void read_prompt(const struct json *given, struct authorization *r) {
    for (struct str rest = asked(given, "prompt"); rest.p;) {
        struct str word = str_cut(&rest, ' ');
        if (str_eq(word, S("none"))) r->prompt = PROMPT_NONE;
        if (str_eq(word, S("login")) || str_eq(word, S("select_account"))) r->prompt = PROMPT_LOGIN;
    }
    r->login_hint = asked(given, "login_hint");
}

int authorization_read(struct work *w, const struct json *given, struct authorization *out,
                       const char **why) {
    *out = (struct authorization){0};
    int rc = read_client(w, given, out, why);
    if (rc <= 0) return rc;
    out->state = ambiguous(given, "state") ? (struct str){0} : asked(given, "state");
    *why = "The app sent a state that is too long. Its author must shorten it to 4096 encoded bytes.";
    if (out->state.n && url_encoded(w->arena, out->state).n > STATE_MAX) return 0;
    read_prompt(given, out); /* decides what happens with an error of the others, too */
    if (!read_type(given, out) || !read_challenge(given, out) || !read_scopes(given, out)) return 1;
    if (out->prompt == PROMPT_NONE)
        refuse(out, "interaction_required", "The person must always agree. Send no prompt=none.");
    return 1;
}

/* ---- output ---------------------------------------------------------------------------------- */

static struct str with_pair(struct arena *a, struct str query, const char *name, struct str value) {
    if (value.p == NULL) return query;
    return STR_CAT(a, query, query.n ? S("&") : S(""), str_of(name), S("="), url_encoded(a, value));
}

struct str authorization_query(struct arena *a, const struct authorization *r) {
    struct str q = with_pair(a, S("response_type=code"), "client_id", r->client.key);
    if (r->has_redirect_uri) q = with_pair(a, q, "redirect_uri", r->redirect_uri);
    q = with_pair(a, q, "scope", scopes_text(a, r->scopes));
    q = with_pair(a, q, "state", r->state);
    q = with_pair(a, q, "code_challenge", r->challenge);
    return r->challenge.p ? with_pair(a, q, "code_challenge_method", S("S256")) : q;
}

struct str authorization_reply(const struct desk *d, struct arena *a, const struct authorization *r,
                               struct str code) {
    struct str q = with_pair(a, S(""), "code", code);
    if (code.p == NULL) q = with_pair(a, q, "error", str_of(r->error));
    if (code.p == NULL && r->description) q = with_pair(a, q, "error_description", str_of(r->description));
    q = with_pair(a, q, "state", r->state);
    q = with_pair(a, q, "iss", d->base_url);
    return STR_CAT(a, r->redirect_uri, memchr(r->redirect_uri.p, '?', r->redirect_uri.n) ? S("&") : S("?"),
                   q);
}

/* ---- tickets --------------------------------------------------------------------------------- */

static struct key ticket_key(const struct desk *d) {
    struct key k;
    key_derive(&k, &d->program_key, "tickets of the authorize page");
    return k;
}

struct str ticket_seal(const struct desk *d, struct arena *a, const struct ticket *t) {
    struct key k = ticket_key(d);
    struct str numbers = str_fmt(a, "%d\n%" PRId64 "\n%" PRId64 "\n%" PRId64 "\n", (int)t->step, t->until,
                                 t->user_id, t->session_id);
    return seal_text(a, &k,
                     STR_CAT(a, numbers, t->browser, S("\n"), t->auth_token, S("\n"), t->error, S("\n"),
                             t->description, S("\n"), t->query));
}

bool ticket_open(const struct desk *d, struct arena *a, struct str text, int64_t now, struct ticket *out) {
    struct key k = ticket_key(d);
    struct str rest = text.n ? seal_text_open(a, &k, text) : (struct str){0};
    int64_t step;
    *out = (struct ticket){0};
    if (rest.p == NULL || !str_to_int(str_cut(&rest, '\n'), &step) ||
        !str_to_int(str_cut(&rest, '\n'), &out->until))
        return false;
    if (!str_to_int(str_cut(&rest, '\n'), &out->user_id) ||
        !str_to_int(str_cut(&rest, '\n'), &out->session_id))
        return false;
    out->step = (enum ticket_step)step;
    out->browser = str_cut(&rest, '\n');
    out->auth_token = str_cut(&rest, '\n');
    out->error = str_cut(&rest, '\n');
    out->description = str_cut(&rest, '\n');
    out->query = rest.p ? rest : S("");
    return out->until > now;
}
