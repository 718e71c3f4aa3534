/* The end of a call: adds headers to the reply, and sends it. */
#include "api/caller/limits.h"
#include "api/caller/cross_site.h"
#include "api/call/machine.h"

#include "api/call/compress.h"
#include "api/table/describe.h"
#include "api/call/security_headers.h"
#include "api/call/subcall.h"
#include "api/call/trace.h"
#include "api/rows/reply.h"
#include "base/limits.h"
#include "base/log.h"
#include "core/desk/setting.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- headers --------------------------------------------------------------------------------- */

/* Headers of every reply, downloads and pages included. */
static void every_header(struct call *c) {
    char when[TIME_ISO_SIZE];
    http_add_header(c->http, "X-API-Version", S("1"));
    http_add_header(c->http, "Date-ISO", (struct str){when, time_iso(when, c->work.now)});
    http_add_header(c->http, "X-Request-ID", c->request_id);
    trace_return(c->http, c->request_id);
}

static bool header_set(const struct call *c, const char *name) {
    const struct header *h = c->headers;
    while (h && strcmp(h->name, name) != 0) h = h->next;
    return h != NULL;
}

static void common_headers(struct call *c) {
    struct http_request *r = c->http;
    if (c->status != 304) http_add_header(r, "Content-Type", S("application/json"));
    if (!header_set(c, "Cache-Control"))
        http_add_header(r, "Cache-Control", S("private, max-age=0, must-revalidate"));
    if (c->status == 429 && c->retry_after)
        http_add_header(r, "Retry-After", str_fmt(c->work.arena, "%" PRId64, c->retry_after));
    if (c->status == 503) http_add_header(r, "Retry-After", S("1"));
    http_add_header(r, "Vary", S("Authorization, Accept, Accept-Encoding, X-Options, X-Requested-With"));
}

static void validators(struct call *c) {
    char when[TIME_HTTP_SIZE];
    if (c->etag.p) http_add_header(c->http, "ETag", STR_CAT(c->work.arena, S("\""), c->etag, S("\"")));
    if (c->etag.p && c->modified)
        http_add_header(c->http, "Last-Modified", (struct str){when, time_http(when, c->modified)});
}

/* A 403 has a challenge if the scopes of a bearer token do not suffice (RFC 6750 section 3). */
static void challenge(struct call *c) {
    bool narrow = c->status == 403 && c->challenge.p;
    if ((c->status != 401 && !narrow) || http_header(c->http, "X-Requested-With").p) return;
    if (!narrow) http_add_header(c->http, "WWW-Authenticate", S("Basic realm=\"deskd\", charset=\"UTF-8\""));
    struct str more = c->challenge.p ? STR_CAT(c->work.arena, S(", "), c->challenge) : S("");
    http_add_header(c->http, "WWW-Authenticate", STR_CAT(c->work.arena, S("Bearer realm=\"deskd\""), more));
}

struct str exposed_headers(struct arena *a) {
    struct buf names = {0};
    for (const struct reply_header *h = reply_headers; h->name; h++)
        if (h->exposed) buf_fmt(&names, "%s%s", names.n ? ", " : "", h->name);
    return buf_take(&names, a);
}

/* True if a page of a widget calls an operation that is for such pages. An error that comes before the
 * routing counts for the address. */
static bool widget_may_read(const struct call *c) {
    if (!c->by_widget) return false;
    return c->route ? (c->route->roles & WIDGET) != 0 : router_widget_methods(&c->api->router, c).n > 0;
}

static void cors(struct call *c) {
    struct str origin = http_header(c->http, "Origin");
    if (origin.n == 0) return;
    if (widget_may_read(c)) {
        http_add_header(c->http, "Vary", S("Origin"));
        http_add_header(c->http, "Access-Control-Allow-Origin", origin);
        http_add_header(c->http, "Access-Control-Expose-Headers", c->api->exposed);
        return;
    }
    struct str allowed = setting_text(c->work.desk, "security.cors_origins", c->work.arena);
    bool named = origin_listed(c->work.desk, c->work.arena, origin), any = false;
    for (struct str rest = allowed; rest.p;) any = any || str_eq(str_trim(str_cut(&rest, ' ')), S("*"));
    http_add_header(c->http, "Vary", S("Origin"));
    if (!named && !any) return;
    http_add_header(c->http, "Access-Control-Allow-Origin", named ? origin : S("*"));
    /* never for all origins */
    if (named) http_add_header(c->http, "Access-Control-Allow-Credentials", S("true"));
    http_add_header(c->http, "Access-Control-Expose-Headers", c->api->exposed);
}

/* AJAX mode: the tag of everything rendered. */
static void ajax_tag(struct call *c) {
    struct tag t;
    char hex[33];
    if (!c->options.ajax || c->method != GET || c->status != 200 || c->etag.p == NULL) return;
    tag_init(&t);
    tag_text(&t, S("ajax"));
    tag_text(&t, buf_view(&c->out));
    tag_end(&t, hex);
    c->etag = str_dup(c->work.arena, str_of(hex));
    c->modified = 0; /* the last change of everything rendered is unknown */
    int rc = conditional(c);
    if (rc < 0) reply_error(c, rc);
}

static void add_headers(struct call *c) {
    every_header(c);
    security_headers_add(c->work.desk, c->http, c->raw ? SECURITY_FILE : SECURITY_API);
    if (!c->raw) {
        common_headers(c);
        challenge(c);
    }
    validators(c);
    limits_headers(&c->limited, c->http);
    cors(c);
    for (const struct header *x = c->headers; x; x = x->next) http_add_header(c->http, x->name, x->value);
}

/* ---- sending --------------------------------------------------------------------------------- */

void download_drop(struct call *c) {
    if (c->download) close(c->download->fd);
    c->download = NULL;
    if (c->stream) c->stream->close(c->stream->ctx);
    c->stream = NULL;
    if (c->taking) c->taking->drop(c->taking->ctx);
    c->taking = NULL;
}

static bool is_read(const struct call *c) { return c->method == GET || (c->route && route_reads(c->route)); }

/* Bytes of memory of a ZIP in progress (files/zip.c), with the block of the library. */
#define STREAM_MEMORY (256 * 1024)

/* Accounts for a reply that may wait long for its reader. The reply to a write is never refused, because
 * the write has happened. */
static int hold_reply(struct call *c) {
    if (c->head || c->subcall ||
        http_hold(c->http, c->work.actor.user_id, c->stream ? STREAM_MEMORY : c->out.n, !is_read(c)))
        return 0;
    log_often(LOG_WARN, "refused replies",
              "replies that wait for slow readers hold as many bytes as they may: "
              "a read was refused");
    return fail_field(&c->work, ERR_SERVICE_UNAVAILABLE, (struct str){0},
                      "Too many replies wait to be read. Read your open replies or close their connections, "
                      "and try again.");
}

static int compare_parts(const void *x, const void *y) {
    const struct plain_part *a = x, *b = y;
    return (a->at > b->at) - (a->at < b->at);
}

/* The parts of the reply that stay as they are, in their order, in the memory of the request. */
static const struct plain_part *plain_parts(const struct call *c, int *count) {
    const struct span *lists[] = {c->secrets, c->plain};
    int n = 0;
    for (int i = 0; i < 2; i++)
        for (const struct span *s = lists[i]; s; s = s->next) n++;
    struct plain_part *parts = arena_array(c->http->arena, (size_t)n + 1, sizeof *parts);
    for (int i = 0; i < 2; i++)
        for (const struct span *s = lists[i]; s; s = s->next)
            parts[(*count)++] = (struct plain_part){s->at, s->n};
    qsort(parts, (size_t)n, sizeof *parts, compare_parts);
    return parts;
}

/* Frees the work's memory first, because its rows are many times larger than the reply, which waits for
 * its reader. */
static void send_reply(struct call *c) {
    struct buf body = c->out;
    struct http_request *r = c->http;
    const struct download *d = c->download;
    struct download file = d ? *d : (struct download){0};
    struct http_stream stream = c->stream ? *c->stream : (struct http_stream){0};
    struct http_taking taking = c->taking ? *c->taking : (struct http_taking){0};
    int status = c->status, count = 0;
    bool compress = compress_wanted(c),
         here = is_read(c) && (body.n <= LIMIT_PACKED_HERE || http_is_deferred(r));
    const struct plain_part *parts = compress ? plain_parts(c, &count) : NULL;
    struct api *api = c->api;
    uint64_t whose = call_sharer(c);
    arena_free(c->work.arena);
    if (compress) compress_and_send(api, r, status, body, parts, count, here, whose);
    else if (d) http_reply_file(r, status, file.fd, file.at, file.n);
    else if (stream.read) http_reply_stream(r, status, &stream);
    else if (taking.take) http_give(r, status, &taking);
    else http_reply(r, status, &body);
}

void call_send(struct call *c, struct header *before, int64_t began, int rc) {
    if (rc >= 0 && (rc = hold_reply(c)) < 0) c->headers = before;
    if (rc < 0) {
        download_drop(c);
        reply_error(c, rc);
    } else if (!c->raw) {
        ajax_tag(c);
    }
    if (c->status == 304) c->headers = before, limits_unchanged(&c->limited, c->api);
    if (c->status == 304 || c->status == 204) c->out.n = 0;
    if (c->subcall == NULL) add_headers(c);
    reply_count_call(c, clock_micros() - began);
    if (c->subcall) c->subcall->end(c);
    else send_reply(c);
}
