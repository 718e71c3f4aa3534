/* Headers of replies. A row says when an operation sends the header. A route lists further ones in
 * .headers. */
#include "api/table/describe.h"

static bool is_error(int status) { return status >= 400; }

static bool always(const struct operation *op, int status) { return op != NULL && status != 0; }

static bool has_tag(const struct operation *op, int status) {
    enum method method = op->route->method;
    bool download = op->route->is_download && method == GET;
    return !is_error(status) &&
           (op->reply != NULL || download || operation_bulk(op) || method == PUT || method == DELETE);
}

static bool has_links(const struct operation *op, int status) {
    return status == 200 &&
           (op->route->shape == LIST || op->route->shape == LIST_CURSOR || op->route->also == LIST);
}

static bool is_ranged(const struct operation *op, int status) {
    return op->route->has_ranges && (status == 200 || status == 206);
}

static bool is_part(const struct operation *op, int status) {
    return op && op->route->has_ranges && (status == 206 || status == 416);
}

static bool is_elsewhere(const struct operation *op, int status) {
    return op && op->route->has_ranges && status == 307;
}

/* A request with Basic credentials opens or reuses a session. So does a request for the session itself. */
static bool gives_csrf(const struct operation *op, int status) { return op != NULL && status != 401; }

static bool is_replayed(const struct operation *op, int status) {
    return op->route->method == POST && status < 500 && status != 429;
}

static bool asks_login(const struct operation *op, int status) {
    return op != NULL && (status == 401 || status == 403);
}

static bool asks_to_wait(const struct operation *op, int status) {
    return op != NULL && (status == 429 || status == 503);
}

static bool is_limited(const struct operation *op, int status) { return op != NULL && status != 401; }

static bool is_named(const struct operation *op, int status) {
    (void)op;
    (void)status;
    return false;
}

#define TEXT "{'type': 'string'}"

const struct reply_header reply_headers[] = {
    {"X-API-Version", "{'type': 'string', 'const': '1'}", always, true, "Version of the API: 1."},
    {"X-Request-ID", TEXT, always, true, "Unique id of this request. Quote it when you report a failure."},
    {"traceparent", TEXT, always, true,
     "The trace of the request (W3C Trace Context), with the X-Request-ID as the id of this part, if the "
     "request names one."},
    {"Date-ISO", "{'type': 'string', 'format': 'date-time'}", always, true,
     "Time of the server, in ISO 8601."},
    {"Cache-Control", TEXT, always, false,
     "private, max-age=0, must-revalidate: caches must revalidate with If-None-Match before they use a "
     "copy. The settings of the widget may be kept for a minute."},
    {"X-Content-Type-Options", "{'type': 'string', 'const': 'nosniff'}", always, false, "nosniff."},
    {"Vary", TEXT, always, false, "Request headers that change the reply."},
    {"Content-Encoding", "{'type': 'string', 'const': 'gzip'}", always, false,
     "gzip, if the reply has more than 1 KiB and Accept-Encoding accepts it. A page of another site gets "
     "none."},
    {"ETag", TEXT, has_tag, true, "Hash of the resource, or of the ids of the list."},
    {"Last-Modified", TEXT, has_tag, true, "Time of the last change, if it is known."},
    {"Link", TEXT, has_links, true, "Links to other pages: first, prev, next and last (RFC 8288)."},
    {"X-CSRF-Token", TEXT, gives_csrf, true, "CSRF token of the session. Writes of the session need it."},
    {"Idempotent-Replayed", "{'type': 'string', 'const': 'true'}", is_replayed, true,
     "true: this is the stored reply to the first request with this Idempotency-Key."},
    {"WWW-Authenticate", TEXT, asks_login, false,
     "401: Basic and Bearer. 403: Bearer with insufficient_scope, if a bearer token lacks the scope. "
     "Missing if the request has X-Requested-With."},
    {"Retry-After", "{'type': 'integer'}", asks_to_wait, true,
     "Number of seconds to wait before the next try."},
    {"RateLimit-Policy", TEXT, is_limited, true,
     "Limit of this class of requests, if there is one: \"read\";q=600;w=60 are 600 requests in 60 seconds."},
    {"RateLimit", TEXT, is_limited, true,
     "Rest of the limit: \"read\";r=599;t=1 are 599 requests now, and all again in one second. With 429: t "
     "is Retry-After."},
    {"Accept-Ranges", "{'type': 'string', 'const': 'bytes'}", is_ranged, false,
     "bytes: the request may have a Range."},
    {"Content-Range", TEXT, is_part, true,
     "Part of the file in the reply, like bytes 0-99/1234. With 416 the size of the file: bytes */1234."},
    {"Repr-Digest", TEXT, is_ranged, true,
     "SHA-256 of the whole file (RFC 9530). Compare it with the received "
     "content."},
    {"Content-Disposition", TEXT, is_ranged, true,
     "Name of the file. inline: a browser may show it. attachment: a "
     "browser must save it."},
    {"Location", TEXT, is_elsewhere, false,
     "Address of the file in the object store, for some minutes. It needs no credentials, so do not send "
     "those of the desk there."},
    {"Content-Security-Policy", TEXT, always, false,
     "Forbids scripts and frames, so that an uploaded file never runs as a part of this site."},
    {"Referrer-Policy", TEXT, always, false, "no-referrer: links in a reply do not reveal its address."},
    {"Strict-Transport-Security", TEXT, always, false,
     "Number of seconds for which browsers use only HTTPS, if the desk "
     "has set it."},
    {"X-Request-Token", TEXT, is_named, true,
     "Token for the argument token. It reads this conversation without a "
     "login for 120 seconds."},
    {"X-RememberMe", TEXT, is_named, true,
     "A remember-me token. It opens a new session once, within 30 days."},
    {"X-Logout-URL", TEXT, is_named, true,
     "Address that ends the login at the provider of the session. Open it in the "
     "browser."},
    {"Set-Cookie", TEXT, is_named, false, "desk_session: the session as a cookie for browsers."},
    {"Content-Location", TEXT, is_named, true, "Address of the same resource."},
    {NULL, NULL, NULL, false, NULL},
};

static bool route_names_header(const struct operation *op, const char *name) {
    for (struct str rest = str_of(op->route->headers); rest.p;)
        if (str_eq(str_cut(&rest, ' '), str_of(name))) return true;
    return false;
}

bool reply_header_sent(const struct reply_header *h, const struct operation *op, int status) {
    return h->sent(op, status) || (!is_error(status) && status != 304 && route_names_header(op, h->name));
}
