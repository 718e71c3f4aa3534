/* The beginning of a call: everything that is read from a request without the store. */
#include "api/caller/credentials.h"
#include "api/call/machine.h"
#include "api/caller/auth.h"
#include "api/caller/cross_site.h"

#include "api/input/input.h"
#include "base/limits.h"
#include "core/access/scope.h"
#include "core/desk/setting.h"
#include "core/desk/widget.h"

#include <endian.h>
#include <inttypes.h>

/* ---- a call ---------------------------------------------------------------------------------- */

#define USER_AGENT 512 /* bytes; the rest is ignored */

struct str user_agent_of(struct http_request *r) {
    struct str sent = http_header(r, "User-Agent");
    if (sent.p == NULL) return S("");
    sent.n = sent.n > USER_AGENT ? USER_AGENT : sent.n;
    return utf8_repaired(r->arena, sent);
}

/* A unique 64-bit id: odd multiples of a counter. */
struct str request_id(struct api *api, struct arena *a) {
    uint64_t id = htobe64(atomic_fetch_add(&api->serial, 1) * 0x9E3779B97F4A7C15u ^ api->serial_mask);
    return str_hex(a, &id, sizeof id);
}

void call_init(struct call *c, struct api *api, struct http_request *r, struct arena *memory) {
    work_init(&c->work, api->desk, memory);
    c->api = api;
    c->http = r;
    c->status = 200;
    c->work.actor.scopes = SCOPES_ALL; /* without credentials no token narrows them */
    c->work.actor.remote = r->remote;
    c->work.actor.user_agent = user_agent_of(r);
    c->query = c->credentials = c->body = json_new(r->arena, JSON_OBJECT);
    c->work.actor.widget_brand_id = widget_brand_of(api->desk, http_header(r, "Origin"));
    c->by_widget = c->work.actor.widget_brand_id && !origin_trusted(api->desk, r);
}

/* ---- query, route and body ------------------------------------------------------------------- */

/* Separates arguments that replace headers. "_token" is not "token", although names are compared without
 * underscores. */
static void set_credentials_apart(struct call *c, const struct json *query) {
    static const char *const names[] = {"_session_id", "_token", "_otp", "_fingerprint_id", "_remember_me"};
    struct json *plain = json_new(c->work.arena, JSON_OBJECT), *apart = json_new(c->work.arena, JSON_OBJECT);
    for (struct json *j = query->first, *next; j; j = next) {
        struct json *to = plain;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (j->name.n && j->name.p[0] == '_' && name_eq(j->name, str_of(names[i]))) to = apart;
        next = j->next;
        j->next = NULL;
        json_append(to, j);
    }
    c->query = plain;
    c->credentials = apart;
}

/* A malformed query is reported with the body, after the credentials. */
void call_read_query(struct call *c) {
    struct json *query;
    struct json_error err;
    c->query = json_new(c->work.arena, JSON_OBJECT);
    if (c->http->query.n == 0) return;
    if (form_parse(c->work.arena, c->http->query, &query, &err) < 0)
        c->bad_query =
            str_fmt(c->work.arena, "The query is not well-formed: %s at byte %zu.", err.reason, err.offset);
    else set_credentials_apart(c, query);
}

static bool method_of(struct str text, enum method *m, bool *head) {
    static const struct word words[] = {{GET, "GET"},       {POST, "POST"}, {PUT, "PUT"},
                                        {DELETE, "DELETE"}, {GET, "HEAD"},  {0}};
    int id = word_id(words, text);
    *head = str_eq(text, S("HEAD"));
    *m = id < 0 ? METHODS : (enum method)id;
    return id >= 0;
}

bool accepts(struct str accept, struct str type) {
    size_t main = (size_t)((const char *)memchr(type.p, '/', type.n) - type.p) + 1;
    struct str any = {type.p, main};
    bool named = false;
    for (struct str rest = accept; rest.p;) {
        struct str item = str_cut(&rest, ','), weight = item, range = str_trim(str_cut(&weight, ';'));
        bool none = false;
        if (range.n == 0) continue;
        named = true;
        while (weight.p) {
            struct str p = str_trim(str_cut(&weight, ';'));
            none = none || str_eqi(p, S("q=0")) || str_eqi(p, S("q=0.0")) || str_eqi(p, S("q=0.00")) ||
                   str_eqi(p, S("q=0.000"));
        }
        bool all = range.n == main + 1 && range.p[main] == '*' && str_eqi((struct str){range.p, main}, any);
        if (!none && (all || str_eqi(range, S("*/*")) || str_eqi(range, type))) return true;
    }
    return !named;
}

/* The messages say what the caller got wrong: the address, or only the method. */
static int refuse_route(struct call *c, int rc, struct str allow) {
    const char *base = "/api/v1/";
    struct str nearest, none = {0}, path = c->http->path;
    while (str_starts(path, S("//"))) path.p++, path.n--;
    if (rc == -ERR_METHOD_NOT_SUPPORTED)
        return fail_field(&c->work, ERR_METHOD_NOT_SUPPORTED, none,
                          "This address does not support the method. It supports %s.", allow.p);
    if (!str_starts(path, str_of(base)))
        return fail_field(&c->work, ERR_RESOURCE_NOT_FOUND, none,
                          "There is nothing at this address. Addresses of the API begin with "
                          "%s.",
                          base);
    if (router_nearest(&c->api->router, c->work.arena, c->method, path, &nearest))
        return fail_field(&c->work, ERR_RESOURCE_NOT_FOUND, none,
                          "There is no operation at this address. Did you mean %s?", nearest.p);
    return fail_field(&c->work, ERR_RESOURCE_NOT_FOUND, none,
                      "There is no operation at this address. /docs lists all operations.");
}

int call_route(struct call *c) {
    struct str allow;
    call_read_query(c);
    bool known = method_of(c->http->method, &c->method, &c->head);
    int rc = router_match(&c->api->router, c, c->method, c->http->path, &allow);
    arguments_read(c);
    if (rc == -ERR_METHOD_NOT_SUPPORTED || (rc < 0 && !known && allow.n)) call_header(c, "Allow", allow);
    if (rc < 0) return refuse_route(c, rc, allow);
    struct str accept = http_header(c->http, "Accept");
    bool admits =
        accepts(accept, S("application/json")) || (c->route->has_csv && accepts(accept, S("text/csv")));
    if (!admits && !c->route->is_download) return fail(&c->work, ERR_NOT_ACCEPTABLE);
    return 0;
}

/* The request headers that a page of a widget may send. */
#define WIDGET_HEADERS                                                                           \
    "X-Fingerprint-ID, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-Options, " \
    "X-Requested-With"

static void preflight_allow(struct call *c, struct str methods, struct str headers) {
    call_header(c, "Access-Control-Allow-Methods", methods);
    call_header(c, "Access-Control-Allow-Headers", headers);
    call_header(
        c, "Access-Control-Max-Age",
        str_fmt(c->work.arena, "%" PRId64, setting_int(c->work.desk, "security.cors_max_age_seconds")));
}

void call_preflight(struct call *c) {
    struct str allow, shown = c->by_widget ? router_widget_methods(&c->api->router, c) : (struct str){0};
    router_match(&c->api->router, c, METHODS, c->http->path, &allow);
    c->raw = true;
    c->status = allow.n ? 204 : 404;
    if (allow.n) call_header(c, "Allow", allow);
    if (shown.n) preflight_allow(c, shown, S(WIDGET_HEADERS));
    else if (allow.n && http_header(c->http, "Origin").n)
        preflight_allow(c, allow, http_header(c->http, "Access-Control-Request-Headers"));
}

static int refuse_type(struct call *c, struct str type) {
    return fail_field(
        &c->work, ERR_UNSUPPORTED_MEDIA_TYPE, (struct str){0},
        "%s%.*s%s Send application/json, application/x-www-form-urlencoded or multipart/form-data, in the "
        "header Content-Type.",
        type.n ? "Bodies of the type `" : "The request has a body without a type.",
        type.n > 100 ? 100 : (int)type.n, type.p, type.n ? "` are not supported." : "");
}

/* Parses the body by its type. Returns 0 with *tree NULL if there is nothing to parse, or an error if the
 * method uses the body. */
static int parse_body(struct call *c, bool counts, struct json **tree) {
    struct http_request *r = c->http;
    struct json_error err;
    struct str rest = http_header(r, "Content-Type"), essence = str_trim(str_cut(&rest, ';'));
    bool json = str_eqi(essence, S("application/json")),
         form = str_eqi(essence, S("application/x-www-form-urlencoded"));
    *tree = r->form;
    if (*tree || r->body.n == 0) return 0;
    if (!json && !form) return counts ? refuse_type(c, essence) : 0;
    int rc = json ? json_parse(c->work.arena, r->body, tree, &err)
                  : form_parse(c->work.arena, r->body, tree, &err);
    if (rc >= 0) return 0;
    *tree = NULL;
    if (!counts) return 0;
    return fail_field(&c->work, ERR_BODY_INVALID, (struct str){0},
                      "The body is not well-formed: %s at byte %zu.", err.reason, err.offset);
}

int call_read_body(struct call *c) {
    const struct http_request *r = c->http;
    struct json *tree;
    bool counts = c->method == POST || c->method == PUT; /* on DELETE it is only read for ids */
    c->body = json_new(c->work.arena, JSON_OBJECT);
    if (c->bad_query.p) return fail_field(&c->work, ERR_BODY_INVALID, (struct str){0}, "%s", c->bad_query.p);
    if (r->body_error && counts)
        return fail_field(&c->work, (enum error)r->body_error, (struct str){0}, r->body_reason ? "%s" : NULL,
                          r->body_reason);
    TRY(parse_body(c, counts, &tree));
    if (tree == NULL || (tree->type == JSON_ARRAY && tree->count == 0)) return 0; /* [] means no parameters */
    if (tree->type != JSON_OBJECT)
        return fail_field(&c->work, ERR_BODY_INVALID, (struct str){0}, "The body must be an object.");
    c->body = tree;
    return 0;
}

/* ---- before the body is received ------------------------------------------------------------- */

static struct call *routed(const struct api *api, struct http_request *r, enum method m) {
    struct call *c = ARENA_NEW(r->arena, struct call);
    struct str allow;
    c->work.arena = r->arena;
    c->method = m;
    return router_match(&api->router, c, m, r->path, &allow) < 0 ? NULL : c;
}

/* True if an empty body is a file of no bytes, because a header describes a file. Otherwise it means no
 * parameters. */
static bool describes_file(const struct http_request *r, struct str type) {
    return (type.n && !str_eqi(type, S("multipart/form-data"))) || http_header(r, "Content-Disposition").p;
}

enum http_body call_body(const struct api *api, struct http_request *r, struct call **upload) {
    struct str rest = http_header(r, "Content-Type"), type = str_trim(str_cut(&rest, ';'));
    enum method m;
    bool head;
    *upload = NULL;
    if (str_eqi(type, S("application/json")) || str_eqi(type, S("application/x-www-form-urlencoded")))
        return HTTP_BODY_MEMORY;
    if (!method_of(r->method, &m, &head) || m == GET) return HTTP_BODY_MEMORY;
    struct call *c = routed(api, r, m);
    if (c == NULL || c->route->body == PARAMETERS) return HTTP_BODY_MEMORY;
    if (!(c->route->roles & 1) && !credentials_presented(r, c->route->roles)) return HTTP_BODY_NONE;
    *upload = c;
    if (c->route->body != RAW_FILE) return HTTP_BODY_UPLOAD;
    return r->has_body || describes_file(r, type) ? HTTP_BODY_FILE : HTTP_BODY_MEMORY;
}

int call_snapshot(struct call *c, int budget_ms) {
    c->work.conn = db_reader(c->work.desk->db);
    return c->work.conn ? db_read_begin(c->work.conn, budget_ms) : -ERR_SERVICE_UNAVAILABLE;
}
