/* Paths outside /api/v1: health, metrics, the reference. */
#include "api/call/machine.h"
#include "api/docs/site.h"
#include "api/call/security_headers.h"
#include "live/asyncapi.h"
#include "pages/metrics.h"
#include "pages/outside.h"

static void reply_text(struct api *api, struct http_request *r, int status, const char *type,
                       struct buf *body) {
    http_add_header(r, "Content-Type", str_of(type));
    security_headers_add(api->desk, r, SECURITY_TEXT);
    http_reply(r, status, body);
}

static void asyncapi(struct api *api, struct http_request *r) {
    struct buf b = {0};
    asyncapi_write(api->desk, &b);
    reply_text(api, r, 200, "application/json", &b);
}

static bool store_answers(struct api *api) {
    struct conn *c = db_reader(api->desk->db);
    if (c == NULL || db_read_begin(c, 1000) < 0) return false;
    struct stmt *s;
    bool ok = db_start(c, "SELECT 1", NULL, &s) == 0;
    if (ok) ok = stmt_step(s) == 1, stmt_end(s);
    db_read_end(c);
    return ok;
}

static void healthz(struct api *api, struct http_request *r) {
    struct buf b = {0};
    buf_text(&b, "ok\n");
    reply_text(api, r, 200, "text/plain; charset=utf-8", &b);
}

static void say_ready(struct api *api, struct http_request *r) {
    struct buf b = {0};
    struct db_stats stats;
    bool draining = atomic_load(&api->draining), reads = store_answers(api);
    db_stats(api->desk->db, &stats);
    bool ready = !draining && reads && stats.writable && stats.sound;
    buf_text(&b, ready          ? "ready\n"
                 : draining     ? "draining\n"
                 : !stats.sound ? "the store is damaged: run deskd check\n"
                 : reads        ? "the store takes no writes\n"
                                : "the store can not be read\n");
    reply_text(api, r, ready ? 200 : 503, "text/plain; charset=utf-8", &b);
}

struct question {
    struct pool_task task;
    struct api *api;
    struct http_request *request;
};

static void pool_ready(struct pool_task *t) {
    struct question *q = (struct question *)(void *)t; /* the task is its first member */
    say_ready(q->api, q->request);
}

static void readyz(struct api *api, struct http_request *r) {
    if (!db_blocks(api->desk->db)) {
        say_ready(api, r);
        return;
    }
    struct question *q = ARENA_NEW(r->arena, struct question);
    *q = (struct question){.task = {.run = pool_ready}, .api = api, .request = r};
    http_defer(r);
    if (pool_submit(api->pool, LANE_WORK, &q->task)) return;
    struct buf b = {0};
    buf_text(&b, "the pool is full\n");
    reply_text(api, r, 503, "text/plain; charset=utf-8", &b);
}

static void metrics(struct api *api, struct http_request *r) {
    struct buf b = {0};
    metrics_text(api, &b);
    reply_text(api, r, 200, "text/plain; version=0.0.4; charset=utf-8", &b);
}

bool service_handle(struct api *api, struct http_request *r) {
    static const struct {
        const char *path;
        void (*handle)(struct api *api, struct http_request *r);
    } pages[] = {
        {"/healthz", healthz}, {"/readyz", readyz}, {"/metrics", metrics}, {"/asyncapi.json", asyncapi}};
    if (!str_eq(r->method, S("GET")) && !str_eq(r->method, S("HEAD"))) return false;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        if (!str_eq(r->path, str_of(pages[i].path))) continue;
        pages[i].handle(api, r);
        return true;
    }
    return site_reply(api->site, api->desk, r);
}
