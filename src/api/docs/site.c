#include "api/docs/site.h"

#include "api/docs/openapi.h"
#include "api/call/security_headers.h"
#include "api/call/gzip.h"
#include "api/rows/reply.h"
#include "base/limits.h"
#include "base/random.h"

#include <pthread.h>
#include <stdlib.h>

enum kind {
    PAGE_OPENAPI,
    PAGE_CHAPTER,
    PAGE_ERROR,
    PAGE_TEXT, /* a file of docs/guides or docs/site */
    PAGE_STYLE
};

struct docs_page {
    enum kind kind;
    const char *path;
    const void *what;     /* a resource, an error or a file */
    struct shared *bytes; /* NULL: not built yet */
    /* the same by gzip; NULL: it would not be shorter. A page is the same for everybody and holds no
     * secret */
    struct shared *packed;
    char etag[33];
};

struct site {
    struct arena *arena;
    pthread_mutex_t lock; /* protects bytes and etag until they are built */
    struct docs_page *pages;
    int count, room;
};

/* ---- list of pages --------------------------------------------------------------------------- */

static void add_page(struct site *s, enum kind kind, const char *path, const void *what) {
    if (s->count == s->room) {
        struct docs_page *more = arena_array(s->arena, (size_t)s->room * 2 + 64, sizeof *more);
        if (s->count) memcpy(more, s->pages, (size_t)s->count * sizeof *more);
        s->pages = more;
        s->room = s->room * 2 + 64;
    }
    s->pages[s->count++] = (struct docs_page){.kind = kind, .path = path, .what = what};
}

static bool path_ends(const char *path, const char *end) {
    size_t n = strlen(path), m = strlen(end);
    return n > m && strcmp(path + n - m, end) == 0;
}

/* "site/errors.html" is the page /docs/errors, and "site/index.html" the first one. */
static void add_file(struct site *s, const struct docs_file *f) {
    struct str slug = guide_slug(f);
    const char *own = f->name + strlen("site/");
    if (slug.p) {
        add_page(s, PAGE_TEXT, str_fmt(s->arena, "/docs/%.*s", (int)slug.n, slug.p).p, f);
    } else if (!path_ends(f->name, ".html")) {
        add_page(s, PAGE_STYLE, str_fmt(s->arena, "/docs/%s", own).p, f);
    } else if (strcmp(own, "index.html") == 0) {
        add_page(s, PAGE_TEXT, "/docs", f);
        add_page(s, PAGE_TEXT, "/docs/", f);
    } else if (strcmp(own, "frame.html") != 0) {
        add_page(s, PAGE_TEXT, str_fmt(s->arena, "/docs/%.*s", (int)(strlen(own) - strlen(".html")), own).p,
                 f);
    }
}

struct site *site_new(void) {
    struct arena *a = arena_new();
    struct site *s = ARENA_NEW(a, struct site);
    *s = (struct site){.arena = a};
    pthread_mutex_init(&s->lock, NULL);
    add_page(s, PAGE_OPENAPI, "/openapi.json", NULL);
    for (const struct docs_file *f = docs_files; f->name; f++) add_file(s, f);
    for (const struct resource *const *r = resources; *r; r++)
        if (docs_has_chapter(*r))
            add_page(s, PAGE_CHAPTER, str_fmt(a, "/docs/reference/%s", (*r)->type).p, *r);
    for (int err = 1; err < ERR_COUNT; err++)
        add_page(s, PAGE_ERROR, str_fmt(a, "/docs/errors/%s", error_info(err)->code).p, error_info(err));
    return s;
}

void site_free(struct site *s) {
    if (s == NULL) return;
    for (int i = 0; i < s->count; i++) shared_drop(s->pages[i].bytes), shared_drop(s->pages[i].packed);
    pthread_mutex_destroy(&s->lock);
    arena_free(s->arena);
}

/* ---- one page -------------------------------------------------------------------------------- */

static void docs_write_text(struct docs_view *v, struct buf *main, const struct docs_file *f) {
    struct str rest = str_of(f->text);
    v->title = str_cut(&rest, '\n');
    docs_fill(main, rest, docs_marks, v);
}

static void site_write_page(struct buf *out, struct str base_url, const struct docs_page *p) {
    struct manual m;
    struct docs_view v = {.m = &m, .path = p->path};
    struct buf main = {0};
    const struct resource *chapter = p->what;
    const struct error_info *error = p->what;
    manual_open(&m, base_url);
    if (p->kind == PAGE_TEXT) {
        docs_write_text(&v, &main, p->what);
    } else if (p->kind == PAGE_CHAPTER) {
        v.title = str_of(chapter->title ? chapter->title : chapter->type);
        docs_chapter(&main, &m, chapter);
    } else {
        v.title = str_of(error->code);
        docs_error(&main, &m, error);
    }
    v.main = buf_view(&main);
    docs_write(out, &v);
    buf_free(&main);
    manual_close(&m);
}

static void site_write(struct buf *out, struct str base_url, const struct docs_page *p) {
    if (p->kind == PAGE_OPENAPI) openapi_write(out, base_url);
    else if (p->kind == PAGE_STYLE) buf_text(out, ((const struct docs_file *)p->what)->text);
    else site_write_page(out, base_url, p);
}

static struct shared *packed_page(const struct buf *page) {
    struct buf copy = {0};
    buf_str(&copy, buf_view(page));
    if (page->n > LIMIT_PLAIN_REPLY && gzip_body(&copy, NULL, 0)) return shared_new(&copy);
    buf_free(&copy);
    return NULL;
}

static void build(struct site *s, struct str base_url, struct docs_page *p) {
    struct buf out = {0};
    struct tag t;
    pthread_mutex_lock(&s->lock);
    if (p->bytes == NULL) {
        site_write(&out, base_url, p);
        tag_init(&t);
        tag_text(&t, buf_view(&out));
        tag_end(&t, p->etag);
        p->packed = packed_page(&out);
        p->bytes = shared_new(&out);
    }
    pthread_mutex_unlock(&s->lock);
}

static const char *content_type_of_path(const char *path) {
    if (path_ends(path, ".json")) return "application/json";
    return path_ends(path, ".css") ? "text/css; charset=utf-8" : "text/html; charset=utf-8";
}

static void send_page(const struct desk *d, struct http_request *r, const struct docs_page *p) {
    struct str tag = str_of(p->etag);
    security_headers_add(d, r, SECURITY_DOCS);
    http_add_header(r, "Cache-Control", S("public, max-age=0, must-revalidate"));
    http_add_header(r, "ETag", STR_CAT(r->arena, S("\""), tag, S("\"")));
    http_add_header(r, "Vary", S("Accept-Encoding"));
    if (tag_listed(http_header(r, "If-None-Match"), tag)) {
        http_reply(r, 304, &(struct buf){0});
        return;
    }
    http_add_header(r, "Content-Type", str_of(content_type_of_path(p->path)));
    bool packed = p->packed && coding_accepted(http_header(r, "Accept-Encoding"));
    if (packed) http_add_header(r, "Content-Encoding", S("gzip"));
    http_reply_shared(r, 200, packed ? p->packed : p->bytes);
}

bool site_reply(struct site *s, const struct desk *d, struct http_request *r) {
    for (int i = 0; i < s->count; i++) {
        if (!str_eq(r->path, str_of(s->pages[i].path))) continue;
        build(s, d->base_url, &s->pages[i]);
        send_page(d, r, &s->pages[i]);
        return true;
    }
    return false;
}
