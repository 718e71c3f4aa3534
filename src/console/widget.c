/* Serves the widget of sites, one script at one address (docs/WIDGET.md). It is the same for everybody and
 * holds nothing of the desk: it reads settings and conversations by the API.
 *
 * Pages of other sites load it, so its policy is cross-origin. The address stays the same for all versions:
 * browsers use a copy for five minutes, then ask by the ETag, and show the copy meanwhile. */
#include "console/widget.h"
#include "console/files.h"

#include "api/call/machine.h"
#include "api/call/security_headers.h"
#include "api/rows/reply.h"
#include "base/random.h"

#define CACHING "public, max-age=300, stale-while-revalidate=86400"

bool widget_handle(struct api *api, struct http_request *r) {
    const struct console_file *f = console_file_find(S(WIDGET_FILE));
    struct buf out = {0};
    struct tag t;
    char tag[33];
    bool get = str_eq(r->method, S("GET")) || str_eq(r->method, S("HEAD"));
    if (f == NULL || !get || !str_eq(r->path, S("/" WIDGET_FILE))) return false;
    tag_init(&t);
    tag_text(&t, (struct str){(const char *)f->bytes, f->size});
    tag_end(&t, tag);
    int status = tag_listed(http_header(r, "If-None-Match"), str_of(tag)) ? 304 : 200;
    http_add_header(r, "Cache-Control", S(CACHING));
    http_add_header(r, "ETag", str_fmt(r->arena, "W/\"%s\"", tag)); /* weak: the same with gzip and without */
    http_add_header(r, "Vary", S("Accept-Encoding"));
    http_add_header(r, "Cross-Origin-Resource-Policy", S("cross-origin"));
    if (status == 200) console_file_write(r, f, &out);
    security_headers_add(api->desk, r, SECURITY_TEXT);
    reply_count_outside(api, r, status, out.n, "user", 0);
    http_reply(r, status, &out);
    return true;
}
