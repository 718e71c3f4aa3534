/* The OAuth 2 server (docs/PROGRAMS.md): its paths, outside of /api/v1, and its metadata (RFC 8414).
 *
 * The authorize page (authorize.c) is a page of pages/template_page.h: login, second factor and consent,
 * as forms without script. The other endpoints (exchange.h) answer programs in JSON. */
#include "oauth/oauth.h"

#include "api/call/security_headers.h"
#include "api/caller/cross_site.h"
#include "api/table/describe.h"
#include "core/access/scope.h"
#include "core/desk/setting.h"
#include "oauth/authorize.h"
#include "oauth/exchange.h"

#define METADATA S("/.well-known/oauth-authorization-server")

/* ---- metadata -------------------------------------------------------------------------------- */

static struct str oauth_url(const struct desk *d, struct arena *a, const char *path) {
    return STR_CAT(a, d->base_url, str_of(path));
}

static void write_names(struct json_writer *w, const char *name, const char *const *values) {
    jw_key(w, str_of(name));
    jw_array(w);
    for (; *values; values++) jw_str(w, str_of(*values));
    jw_end(w);
}
#define LIST_OF(w, name, ...) write_names(w, name, (const char *const[]){__VA_ARGS__, NULL})

static void write_address(struct json_writer *w, const struct desk *d, struct arena *a, const char *name,
                          const char *path) {
    jw_key(w, str_of(name));
    jw_str(w, oauth_url(d, a, path));
}

static void write_scope_names(struct json_writer *w) {
    jw_key(w, S("scopes_supported"));
    jw_array(w);
    for (const struct scope *s = scopes; s->name; s++) {
        JW_CAT(w, str_of(s->name), S(":read"));
        JW_CAT(w, str_of(s->name), S(":write"));
    }
    jw_end(w);
}

static void write_metadata(struct buf *out, const struct desk *d, struct arena *a) {
    struct json_writer w;
    jw_init(&w, out);
    jw_object(&w);
    write_address(&w, d, a, "issuer", "");
    write_address(&w, d, a, "authorization_endpoint", OAUTH_AUTHORIZE);
    write_address(&w, d, a, "token_endpoint", OAUTH_TOKEN);
    write_address(&w, d, a, "revocation_endpoint", "/oauth/revoke");
    write_address(&w, d, a, "introspection_endpoint", "/oauth/introspect");
    write_address(&w, d, a, "service_documentation", "/docs");
    write_scope_names(&w);
    LIST_OF(&w, "response_types_supported", "code");
    LIST_OF(&w, "response_modes_supported", "query");
    LIST_OF(&w, "grant_types_supported", "authorization_code", "refresh_token", "client_credentials",
            "password");
    LIST_OF(&w, "token_endpoint_auth_methods_supported", "client_secret_basic", "client_secret_post", "none");
    LIST_OF(&w, "revocation_endpoint_auth_methods_supported", "client_secret_basic", "client_secret_post",
            "none");
    LIST_OF(&w, "introspection_endpoint_auth_methods_supported", "client_secret_basic", "client_secret_post");
    LIST_OF(&w, "code_challenge_methods_supported", "S256");
    jw_key(&w, S("authorization_response_iss_parameter_supported"));
    jw_bool(&w, true);
    jw_end(&w);
}

static void reply_metadata(struct api *api, struct http_request *r) {
    struct buf out = {0};
    write_metadata(&out, api->desk, r->arena);
    http_add_header(r, "Content-Type", S("application/json"));
    http_add_header(r, "Cache-Control", S("public, max-age=3600"));
    security_headers_add(api->desk, r, SECURITY_TEXT);
    http_add_header(r, "Access-Control-Allow-Origin", S("*")); /* it is the same for everybody */
    reply_count_outside(api, r, 200, out.n, "user", 0);
    http_reply(r, 200, &out);
}

/* The metadata of an issuer with a path stands at the well-known path, followed by that path (RFC 8414
 * section 3.1). A proxy may or may not remove it. */
static bool is_metadata(const struct desk *d, struct str path) {
    struct str known = METADATA;
    if (!str_starts(path, known)) return false;
    struct str rest = {path.p + known.n, path.n - known.n};
    return rest.n == 0 || str_eq(rest, url_path(d->base_url));
}

/* ---- paths ----------------------------------------------------------------------------------- */

static const struct page authorize_pages[] = {
    {.path = OAUTH_AUTHORIZE, .show = authorize_page, .ends = true},
    {.path = "/oauth/token/authorize", .show = authorize_page, .ends = true},
    {0}};

static const struct endpoint oauth_endpoints[] = {{OAUTH_TOKEN, true, run_token},
                                                  {"/oauth/revoke", true, run_revoke},
                                                  {"/oauth/introspect", false, run_introspect},
                                                  {0}};

static void reply_allow(struct api *api, struct http_request *r, const char *allow) {
    bool asks = str_eq(r->method, S("OPTIONS"));
    struct str origin = http_header(r, "Origin");
    struct buf out = {0};
    http_add_header(r, "Allow", str_of(allow));
    if (asks && origin_listed(api->desk, r->arena, origin)) {
        http_add_header(r, "Access-Control-Allow-Origin", origin);
        http_add_header(r, "Access-Control-Allow-Methods", str_of(allow));
        http_add_header(r, "Access-Control-Allow-Headers", S("Authorization, Content-Type"));
        http_add_header(r, "Access-Control-Max-Age",
                        setting_text(api->desk, "security.cors_max_age_seconds", r->arena));
        http_add_header(r, "Vary", S("Origin"));
    }
    if (!asks)
        buf_text(&out, "{\"error\":\"invalid_request\",\"error_description\":\"The method is not allowed "
                       "here. See the header Allow.\"}");
    if (!asks) http_add_header(r, "Content-Type", S("application/json"));
    security_headers_add(api->desk, r, asks ? SECURITY_FILE : SECURITY_TEXT);
    int status = asks ? 204 : 405;
    reply_count_outside(api, r, status, out.n, "user", 0);
    http_reply(r, status, &out);
}

bool oauth_handle(struct api *api, struct http_request *r) {
    bool get = str_eq(r->method, S("GET")) || str_eq(r->method, S("HEAD")),
         post = str_eq(r->method, S("POST"));
    for (const struct page *p = authorize_pages; p->path; p++) {
        if (!str_eq(r->path, str_of(p->path))) continue;
        if (get || post) visit_begin(api, r, p, post);
        else reply_allow(api, r, "GET, HEAD, POST");
        return true;
    }
    for (const struct endpoint *e = oauth_endpoints; e->path; e++) {
        if (!str_eq(r->path, str_of(e->path))) continue;
        if (post) exchange_begin(api, r, e);
        else reply_allow(api, r, "POST");
        return true;
    }
    if (!get || !is_metadata(api->desk, r->path)) return false;
    reply_metadata(api, r);
    return true;
}
