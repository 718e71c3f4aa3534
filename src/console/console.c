/* Serves the console of staff: one page at every address below /agent, and its files. The page is the same for
 * everybody and holds nothing of the desk. Its script logs in and reads by the API, like any other program.
 *
 *     /agent, /agent/...        the page; its script reads the rest of the address
 *     /agent/files/NAME-HASH.x  a file, which browsers keep for ever
 *
 * The ETag of the page changes with each version of the console. So an open console finds a new version by a HEAD
 * of its own address. */
#include "console/console.h"
#include "console/files.h"

#include "api/call/gzip.h"
#include "api/call/machine.h"
#include "api/call/security_headers.h"
#include "api/rows/reply.h"
#include "api/table/describe.h"
#include "base/html.h"
#include "base/random.h"

#define ZLIB_CONST /* next_in is read only */
#include <zlib.h>

#define PAGE "page.html"
#define MARK "{prefix}"       /* in the page: the path at which a proxy serves the desk */
#define GZIP_WINDOW (16 + 15) /* a gzip header, and the largest window */

const struct console_file *console_file_find(struct str name) {
    for (const struct console_file *f = console_files; f->name; f++)
        if (str_eq(name, str_of(f->name))) return f;
    return NULL;
}

static void console_send(struct api *api, struct http_request *r, int status, struct buf *body) {
    security_headers_add(api->desk, r, SECURITY_CONSOLE);
    reply_count_outside(api, r, status, body->n, "user", 0);
    http_reply(r, status, body);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Writes the file as it was before gzip, for a client that does not accept gzip. */
static void console_file_unpack(const struct console_file *f, struct buf *out) {
    char room[16 * 1024];
    z_stream z = {.next_in = f->bytes, .avail_in = (uInt)f->size};
    int rc = inflateInit2(&z, GZIP_WINDOW);
    while (rc == Z_OK) {
        z.next_out = (Bytef *)room;
        z.avail_out = sizeof room;
        rc = inflate(&z, Z_NO_FLUSH);
        buf_str(out, (struct str){room, sizeof room - z.avail_out});
    }
    inflateEnd(&z);
}

static const char *console_file_type(const char *name) {
    static const struct {
        const char *end, *type;
    } types[] = {{".js", "text/javascript; charset=utf-8"},
                 {".css", "text/css; charset=utf-8"},
                 {".svg", "image/svg+xml"}};
    const char *end = strrchr(name, '.');
    for (size_t i = 0; end && i < sizeof types / sizeof *types; i++)
        if (strcmp(end, types[i].end) == 0) return types[i].type;
    return "application/octet-stream";
}

void console_file_write(struct http_request *r, const struct console_file *f, struct buf *out) {
    http_add_header(r, "Content-Type", str_of(console_file_type(f->name)));
    if (coding_accepted(http_header(r, "Accept-Encoding"))) {
        http_add_header(r, "Content-Encoding", S("gzip"));
        buf_str(out, (struct str){(const char *)f->bytes, f->size});
    } else {
        console_file_unpack(f, out);
    }
}

static void console_send_file(struct api *api, struct http_request *r, const struct console_file *f) {
    struct buf out = {0};
    http_add_header(r, "Cache-Control", S("public, max-age=31536000, immutable"));
    http_add_header(r, "Vary", S("Accept-Encoding"));
    console_file_write(r, f, &out);
    console_send(api, r, 200, &out);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void console_fill_page(const struct desk *d, struct str page, struct buf *out) {
    struct str prefix = url_path(d->base_url);
    for (const char *at; (at = memmem(page.p, page.n, MARK, strlen(MARK)));) {
        buf_str(out, (struct str){page.p, (size_t)(at - page.p)});
        html_text(out, prefix);
        page.n -= (size_t)(at - page.p) + strlen(MARK);
        page.p = at + strlen(MARK);
    }
    buf_str(out, page);
}

static void console_send_page(struct api *api, struct http_request *r, const struct console_file *f) {
    struct buf out = {0};
    struct tag t;
    char tag[33];
    console_fill_page(api->desk, (struct str){(const char *)f->bytes, f->size}, &out);
    tag_init(&t);
    tag_text(&t, buf_view(&out));
    tag_end(&t, tag);
    http_add_header(r, "Cache-Control", S("private, max-age=0, must-revalidate"));
    http_add_header(r, "ETag", str_fmt(r->arena, "\"%s\"", tag));
    if (tag_listed(http_header(r, "If-None-Match"), str_of(tag))) {
        buf_free(&out);
        console_send(api, r, 304, &out);
        return;
    }
    http_add_header(r, "Content-Type", S("text/html; charset=utf-8"));
    console_send(api, r, 200, &out);
}

bool console_handle(struct api *api, struct http_request *r) {
    struct str path = r->path, files = S("/agent/files/");
    const struct console_file *page = console_file_find(S(PAGE));
    bool below = str_starts(path, S("/agent/")),
         get = str_eq(r->method, S("GET")) || str_eq(r->method, S("HEAD"));
    if (!api->cfg.console || !get || (!below && !str_eq(path, S("/agent")))) return false;
    if (!str_starts(path, files)) {
        console_send_page(api, r, page);
        return true;
    }
    const struct console_file *f = console_file_find((struct str){path.p + files.n, path.n - files.n});
    if (f == NULL || f == page || str_eq(str_of(f->name), S(WIDGET_FILE))) return false;
    console_send_file(api, r, f);
    return true;
}
