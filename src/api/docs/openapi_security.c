/* Credentials in the OpenAPI document: the schemes, and those that each operation accepts. */
#include "api/docs/openapi.h"

#include "core/access/scope.h"
#include "core/programs/client.h"

/* ---- schemes --------------------------------------------------------------------------------- */

static const struct {
    const char *name, *scheme; /* scheme: for put_json */
} schemes[] = {
    {"basic", "{'type': 'http', 'scheme': 'basic', 'description': 'E-mail address and password.'}"},
    {"session", "{'type': 'apiKey', 'in': 'header', 'name': 'X-Session-ID', 'description': 'A session of "
                "GET /session. It is bound to the User-Agent.'}"},
    {"csrf", "{'type': 'apiKey', 'in': 'header', 'name': 'X-CSRF-Token', 'description': 'The token that "
             "came with the session: POST, PUT and DELETE need it.'}"},
    {"bearer",
     "{'type': 'http', 'scheme': 'bearer', 'description': 'An OAuth access token or an API token. x-scope "
     "is the scope that it needs. x-scope-items has the scopes of which the items need one, too. Without "
     "x-scope any token suffices, but POST /files needs any scope with :write.'}"},
    {"fingerprint", "{'type': 'apiKey', 'in': 'header', 'name': 'X-Fingerprint-ID', 'description': 'A UUID "
                    "that the client chose. It shows the conversations that were created with it.'}"},
    {"request_token", "{'type': 'apiKey', 'in': 'query', 'name': 'token', 'description': 'The "
                      "X-Request-Token of a conversation. It expires after 120 seconds.'}"},
    {"auth_token", "{'type': 'apiKey', 'in': 'header', 'name': 'X-Token', 'description': 'The auth_token of "
                   "the reply OTP_EXPECTED or CREDENTIAL_EXPIRED to a login.'}"},
    {"otp", "{'type': 'apiKey', 'in': 'header', 'name': 'X-OTP', 'description': 'The code of the "
            "authenticator, or a recovery code, after OTP_EXPECTED.'}"},
};

static void put_level(struct json_writer *w, const char *name, const char *level, const char *rights) {
    struct buf b = {0};
    buf_fmt(&b, "%s:%s", name, level);
    jw_key_raw(w, buf_view(&b));
    jw_str(w, str_of(rights));
    buf_free(&b);
}

static void put_scope_texts(struct json_writer *w) {
    put_key(w, "scopes");
    jw_object(w);
    for (const struct scope *s = scopes; s->name; s++) {
        put_level(w, s->name, "read", s->reads);
        put_level(w, s->name, "write", s->writes);
    }
    jw_end(w);
}

static void put_url(struct json_writer *w, const struct manual *m, const char *name, const char *path) {
    put_text(w, name, STR_CAT(m->arena, m->base_url, str_of(path)).p);
}

/* The password grant is not listed: a client has it only if an admin marked it, and new clients should use
 * a code (RFC 9700 section 2.4). */
static void put_flows(struct json_writer *w, const struct manual *m) {
    put_key(w, "flows");
    jw_object(w);
    put_key(w, "authorizationCode");
    jw_object(w);
    put_url(w, m, "authorizationUrl", OAUTH_AUTHORIZE);
    put_url(w, m, "tokenUrl", OAUTH_TOKEN);
    put_url(w, m, "refreshUrl", OAUTH_TOKEN);
    put_scope_texts(w);
    jw_end(w);
    put_key(w, "clientCredentials");
    jw_object(w);
    put_url(w, m, "tokenUrl", OAUTH_TOKEN);
    put_scope_texts(w);
    jw_end(w);
    jw_end(w);
}

static void put_oauth2(struct json_writer *w, const struct manual *m) {
    put_key(w, "oauth2");
    jw_object(w);
    put_text(w, "type", "oauth2");
    put_text(w, "description",
             "An OAuth access token, sent as a bearer token. Without a scope in its list, an operation "
             "accepts every token. A write scope includes the read scope. A client without a secret needs "
             "PKCE (S256).");
    put_flows(w, m);
    jw_end(w);
}

void openapi_security_schemes(struct json_writer *w, const struct manual *m) {
    jw_object(w);
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        put_member(w, schemes[i].name, schemes[i].scheme);
    put_oauth2(w, m);
    jw_end(w);
}

/* ---- operations ------------------------------------------------------------------------------ */

/* p NULL or n 0: no such scope. Without both, every token suffices. */
static void put_oauth2_scopes(struct json_writer *w, struct str scope, struct str items) {
    jw_object(w);
    put_key(w, "oauth2");
    jw_array(w);
    if (scope.n) jw_str(w, scope);
    if (items.n) jw_str(w, items);
    jw_end(w);
    jw_end(w);
}

/* The scopes that suffice together, once for each scope that the items may have. */
static void put_oauth2_items(struct json_writer *w, const struct operation *op, struct str scope) {
    const char *items = route_is_open(op->route) ? NULL : operation_items(op);
    struct buf b = {0};
    if (items == NULL) put_oauth2_scopes(w, scope, (struct str){0});
    for (struct str rest = str_of(items); rest.n; b.n = 0) {
        struct str name = str_cut(&rest, ' ');
        buf_fmt(&b, "%.*s:read", (int)name.n, name.p);
        put_oauth2_scopes(w, scope, buf_view(&b));
    }
    buf_free(&b);
}

/* The scope of the operation, or each of several that suffice alone. */
static void put_oauth2_ways(struct json_writer *w, const struct operation *op) {
    const char *bearer = operation_bearer(op);
    struct buf b = {0};
    if (bearer_is_scope(bearer)) buf_fmt(&b, "%s:%s", bearer, route_reads(op->route) ? "read" : "write");
    if (!str_eq(str_of(bearer), S(BEARER_WRITES))) put_oauth2_items(w, op, buf_view(&b));
    for (const struct scope *s = scopes; s->name && str_eq(str_of(bearer), S(BEARER_WRITES)); s++) {
        b.n = 0;
        buf_fmt(&b, "%s:write", s->name);
        put_oauth2_items(w, op, buf_view(&b));
    }
    buf_free(&b);
}

void openapi_security(struct json_writer *w, const struct operation *op) {
    unsigned roles = op->route->roles;
    put_key(w, "security");
    jw_array(w);
    put_json(w, "{'basic': []}");
    put_json(w, operation_writes(op) ? "{'session': [], 'csrf': []}" : "{'session': []}");
    if (operation_bearer(op)) {
        put_json(w, "{'bearer': []}");
        put_oauth2_ways(w, op);
    }
    if (roles & FINGERPRINT) put_json(w, "{'fingerprint': []}");
    if (roles & TOKEN) put_json(w, "{'request_token': []}");
    if (roles & NEW_PASSWORD) put_json(w, "{'auth_token': []}");
    put_json(w, "{'auth_token': [], 'otp': []}");
    if (roles & 1) put_json(w, "{}");
    jw_end(w);
}
