#include "oauth/exchange.h"
#include "api/caller/auth.h"
#include "api/caller/rate.h"

#include "api/call/security_headers.h"
#include "api/caller/cross_site.h"
#include "api/caller/limits.h"
#include "api/rows/reply.h"
#include "core/access/scope.h"
#include "core/all/finish.h"
#include "core/login/lockout.h"
#include "core/login/session.h"

#include <inttypes.h>
#include <sodium.h>

#define BASIC_MAX 2048 /* bytes of decoded credentials */

/* ---- the reply ------------------------------------------------------------------------------- */

int exchange_refuse(struct exchange *x, int status, const char *error, const char *description) {
    x->status = status;
    x->error = error;
    x->description = description;
    return EXCHANGE_DONE;
}

static void write_error(struct exchange *x) {
    struct json_writer w;
    x->out.n = 0;
    jw_init(&w, &x->out);
    jw_object(&w);
    jw_key(&w, S("error"));
    jw_str(&w, str_of(x->error));
    jw_key(&w, S("error_description"));
    jw_str(&w, str_of(x->description));
    jw_end(&w);
}

void exchange_end(struct exchange *x, int rc) {
    struct http_request *r = x->http;
    struct str origin = http_header(r, "Origin");
    if (rc < 0)
        exchange_refuse(x, 503, "temporarily_unavailable",
                        "The server can't do this at the moment. Try again in a minute.");
    if (x->error) write_error(x);
    if (x->status == 401)
        http_add_header(r, "WWW-Authenticate", S("Basic realm=\"OAuth client\", charset=\"UTF-8\""));
    if (x->status == 503) http_add_header(r, "Retry-After", S("1"));
    if (x->out.n) http_add_header(r, "Content-Type", S("application/json"));
    http_add_header(r, "Cache-Control", S("no-store"));
    http_add_header(r, "Pragma", S("no-cache"));
    security_headers_add(x->api->desk, r, SECURITY_TEXT);
    limits_headers(&x->limited, r);
    if (origin_listed(x->api->desk, x->arena, origin)) {
        http_add_header(r, "Access-Control-Allow-Origin", origin);
        http_add_header(r, "Access-Control-Expose-Headers", x->api->exposed);
        http_add_header(r, "Vary", S("Origin"));
    }
    reply_count_outside(x->api, r, x->status, x->out.n, "client", x->client.id);
    http_reply(r, x->status, &x->out);
}

/* ---- the store ------------------------------------------------------------------------------- */

struct exchange_turn {
    struct exchange *exchange;
    int (*run)(struct exchange *x);
};

static int exchange_turn_run(struct work *w, void *arg) {
    const struct exchange_turn *t = arg;
    (void)w; /* the exchange has it */
    return t->run(t->exchange);
}

int exchange_read(struct exchange *x, int (*run)(struct exchange *x)) {
    return work_read(&x->work, BUDGET_POOL_MS, exchange_turn_run, &(struct exchange_turn){x, run});
}

int exchange_write(struct exchange *x, int (*run)(struct exchange *x)) {
    return work_write(&x->work, exchange_turn_run, &(struct exchange_turn){x, run});
}

int exchange_write_known(struct exchange *x, int (*known)(struct exchange *x),
                         int (*run)(struct exchange *x)) {
    int rc = exchange_read(x, known);
    return rc <= 0 ? rc : exchange_write(x, run);
}

/* ---- parameters ------------------------------------------------------------------------------ */

struct str exchange_text(const struct exchange *x, const char *name) {
    struct str text = json_member_text(x->given, name);
    return text.n ? text : (struct str){0};
}

/* Returns why the body is refused, or NULL. */
static const char *read_body(struct exchange *x) {
    const struct http_request *r = x->http;
    struct str rest = http_header(r, "Content-Type"), type = str_trim(str_cut(&rest, ';'));
    struct json *tree = r->form ? r->form : json_new(x->arena, JSON_OBJECT);
    struct json_error err;
    bool json = str_eqi(type, S("application/json")),
         form = str_eqi(type, S("application/x-www-form-urlencoded"));
    x->given = json_new(x->arena, JSON_OBJECT);
    if (r->query.n) return "Send all parameters in the body. The query of a request is often logged.";
    if (r->body_error) return "The body could not be read.";
    if (r->form == NULL && r->body.n && !json && !form)
        return "Send the body as a form, as JSON or as multipart.";
    if (r->body.n && json && json_parse(x->arena, r->body, &tree, &err) < 0)
        return "The body is not well-formed JSON.";
    if (r->body.n && form && form_parse(x->arena, r->body, &tree, &err) < 0)
        return "The body is not a well-formed form.";
    if (tree->type != JSON_OBJECT) return "Send a JSON object.";
    x->given = tree;
    return NULL;
}

static bool is_ambiguous(const struct exchange *x) {
    static const char *const names[] = {"grant_type",     "code",          "redirect_uri",  "code_verifier",
                                        "client_id",      "client_secret", "refresh_token", "scope",
                                        "username",       "password",      "otp",           "token",
                                        "token_type_hint"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct json *j = json_member(x->given, str_of(names[i]));
        if (j && (j->type != JSON_STRING || j->earlier)) return true;
    }
    return false;
}

/* ---- the client ------------------------------------------------------------------------------ */

struct presented {
    struct str key, secret; /* p NULL: none */
};

/* client_secret_basic: both parts are encoded as in a form (RFC 6749 section 2.3.1). */
static bool read_basic_client(struct exchange *x, struct str sent, struct presented *out) {
    char *text = arena_bytes(x->arena, BASIC_MAX);
    size_t n;
    sent = str_trim(sent);
    if (sodium_base642bin((unsigned char *)text, BASIC_MAX, sent.p, sent.n, NULL, &n, NULL,
                          sodium_base64_VARIANT_ORIGINAL) != 0)
        return false;
    struct str rest = {text, n};
    out->key = form_decode(x->arena, str_cut(&rest, ':'));
    if (rest.n) out->secret = form_decode(x->arena, rest);
    return out->key.n > 0 && utf8_valid(out->key) && !memchr(out->key.p, 0, out->key.n);
}

static bool not_a_client(struct exchange *x, const char *why) {
    return exchange_refuse(x, 401, "invalid_client", why), false;
}
static bool unclear_client(struct exchange *x, const char *why) {
    return exchange_refuse(x, 400, "invalid_request", why), false;
}

/* Some HTTP libraries add a Bearer token to every request, an empty one before the first login. A token
 * can't authenticate a client, so it is ignored if the body names the client. */
static bool names_no_client(const struct presented *in_body, struct str scheme, struct str rest) {
    if (str_trim(scheme).n == 0) return true;
    return str_eqi(scheme, S("Bearer")) && (in_body->key.p || str_trim(rest).n == 0);
}

/* Returns false if the reply is set. */
static bool read_client_given(struct exchange *x, struct presented *out) {
    struct str rest = str_trim(http_header(x->http, "Authorization")), scheme = str_cut(&rest, ' ');
    *out = (struct presented){exchange_text(x, "client_id"), exchange_text(x, "client_secret")};
    struct str key = out->key;
    bool none = names_no_client(out, scheme, rest);
    if (none && key.p == NULL)
        return not_a_client(x, "The client is missing. Send client_id, or Basic credentials of the "
                               "client.");
    if (none) return true;
    if (!str_eqi(scheme, S("Basic")) || rest.p == NULL)
        return not_a_client(x, "Clients authenticate by Basic, or by client_id and client_secret in the "
                               "body.");
    if (out->secret.p) return unclear_client(x, "The client authenticates in two ways. Choose one.");
    if (!read_basic_client(x, rest, out))
        return not_a_client(x, "The Basic credentials are not well-formed.");
    if (key.p == NULL || str_eq(key, out->key)) return true;
    return unclear_client(x, "The client_id in the body is not that of the Basic credentials.");
}

static int authenticate_in(struct exchange *x) {
    const struct presented *p = x->own;
    return client_authenticate(&x->work, p->key, p->secret.p ? p->secret : S(""), &x->client);
}

static struct guess client_guess(struct exchange *x) {
    const struct presented *p = x->own;
    return (struct guess){GUESS_SECRET, guessed_name(x->arena, "client",
                                                     p->key.n > 100 ? (struct str){p->key.p, 100} : p->key)};
}

static int locked_in(struct exchange *x) {
    struct guess g = client_guess(x);
    return login_locked(&x->work, &g, &x->locked);
}

static int count_in(struct exchange *x) {
    struct guess g = client_guess(x);
    int attempt;
    return login_failed_note(&x->work, &g, 0, &attempt, &x->locked);
}

/* A wrong secret or an unknown client. */
static int client_refused(struct exchange *x) {
    int locked = exchange_read(x, locked_in);
    if (locked == 0) locked = exchange_write(x, count_in);
    if (locked < 0) return locked;
    if (locked == 0)
        return exchange_refuse(x, 401, "invalid_client", "The client is not known, or its secret is wrong.");
    http_add_header(x->http, "Retry-After", str_fmt(x->arena, "%d", x->locked.seconds));
    return exchange_refuse(x, 429, "invalid_client", lockout_says(x->arena, &x->locked).p);
}

/* Returns 1 if the client is authenticated, 0 if the reply is set, or a negative error. */
static int authenticate(struct exchange *x) {
    struct presented *p = ARENA_NEW(x->arena, struct presented);
    x->own = p;
    if (!read_client_given(x, p)) return 0;
    int rc = exchange_read(x, authenticate_in);
    if (rc == 0) rc = client_refused(x);
    return rc;
}

/* Anybody can pretend to be a public client, so its requests count as writes without login. Those of other
 * clients count for the client. Returns 0, the seconds to wait, or a negative error. */
static int64_t count_client(struct exchange *x) {
    const struct client *c = &x->client;
    if (!c->is_public) return limits_client(&x->limited, x->api, c->id, x->endpoint->writes);
    int64_t seconds = rate_form(x->api, x->http->remote, x->work.now);
    return seconds ? seconds : limits_form(&x->limited, x->api, &x->work.actor);
}

/* Returns 1, 0 if the reply is set, or a negative error. */
static int admit_client(struct exchange *x) {
    int64_t seconds = count_client(x);
    if (seconds <= 0) return seconds < 0 ? (int)seconds : 1;
    http_add_header(x->http, "Retry-After", str_fmt(x->arena, "%" PRId64, seconds));
    exchange_refuse(x, 429, "temporarily_unavailable",
                    "Too many requests. Retry-After says when the next one is possible.");
    return 0;
}

/* ---- the request ----------------------------------------------------------------------------- */

static int exchange_go(struct exchange *x) {
    const char *why = read_body(x);
    if (why)
        return exchange_refuse(x, x->http->body_error == ERR_PAYLOAD_TOO_LARGE ? 413 : 400, "invalid_request",
                               why);
    if (is_ambiguous(x))
        return exchange_refuse(x, 400, "invalid_request", "A parameter is given twice, or is not a text.");
    int rc = authenticate(x);
    if (rc > 0) rc = admit_client(x);
    if (rc <= 0) return rc < 0 ? rc : EXCHANGE_DONE;
    x->own = NULL;
    return x->endpoint->run(x);
}

static void exchange_run(struct pool_task *t) {
    struct exchange *x = (struct exchange *)(void *)t; /* the task is the first member of its first member */
    int rc = exchange_go(x);
    if (rc != EXCHANGE_LATER) exchange_end(x, rc);
}

void exchange_begin(struct api *api, struct http_request *r, const struct endpoint *e) {
    struct exchange *x = ARENA_NEW(r->arena, struct exchange);
    *x = (struct exchange){.api = api, .http = r, .arena = r->arena, .endpoint = e, .status = 200};
    work_init(&x->work, api->desk, r->arena);
    x->work.actor.remote = r->remote;
    x->work.actor.user_agent = user_agent_of(r);
    x->subcall.task = (struct pool_task){.run = exchange_run, .whose = address_sharer(r->remote)};
    http_defer(r);
    if (!pool_submit(api->pool, LANE_WORK, &x->subcall.task)) exchange_end(x, -ERR_SERVICE_UNAVAILABLE);
}
