/* A server for tests/http: src/http with a small app that reports its requests.
 *
 *   http_server [name=value ...]      loops head_ms body_ms idle_s per_address connections drain_ms tmp spool memory proxy address
 *                                    header X-Person: the person who sends the body
 *
 * Prints its port, then a line for each event that a test waits for. SIGTERM drains it. Paths:
 *   /begin?ms=N  takes its body after N ms                    /begin?none=1  or takes none
 *   /defer?ms=N  replies from another thread after N ms       /gone    replies when told that its peer is gone
 *   /small       takes a body of 1,000 bytes at most          /none    reads no body
 *   /upload      files to disk       /raw    the body to disk /keep    as upload, and renames the first file to kept
 *   /shared      8 MB that all replies share
 *   /stream?n=N  a body of N that is made while it is sent; with broken=1 it breaks there. Says "closed" when it is closed
 *   /stats       counters            /size?n=N  a body of N   /head    header X-Echo, cookie `a` and the client's
 *                            /size?owner=K is counted for this owner, 503 if it would be too much; &rows=N: with N bytes in its arena
 * address All else replies with method, path, query and body. */
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "http/http.h"
#include "json/json.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct desk {
    struct http_server *server;
    const char *tmp;
    struct shared *shared;
    pthread_mutex_t lock;
    int threads;
};

struct late { /* a reply made by a thread of its own */
    struct http_request *request;
    struct desk *desk;
    int64_t ms;
    _Atomic bool gone;
};

static int64_t number(struct str query, const char *name) {
    struct str rest = query;
    int64_t n = 0;
    while (rest.p) {
        struct str value = str_cut(&rest, '&'), key = str_cut(&value, '=');
        if (str_eq(key, str_of(name)) && str_to_int(value, &n)) return n;
    }
    return 0;
}

static bool is(const struct http_request *r, const char *path) { return str_eq(r->path, str_of(path)); }

static void say(const char *what) {
    printf("%s\n", what);
    fflush(stdout);
}

static void *begin_later(void *arg) {
    struct late *l = arg;
    struct desk *d = l->desk;
    struct http_plan plan = {.body = number(l->request->query, "none") ? HTTP_BODY_NONE : HTTP_BODY_MEMORY,
                             .limit = 1000};
    nanosleep(&(struct timespec){.tv_nsec = l->ms * 1000000}, NULL);
    http_begun(l->request, &plan);
    pthread_mutex_lock(&d->lock);
    d->threads--;
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

static void start_thread(struct desk *d, struct http_request *r, int64_t ms, void *(*run)(void *late)) {
    pthread_t thread;
    struct late *l = ARENA_NEW(r->arena, struct late);
    l->request = r;
    l->desk = d;
    l->ms = ms;
    if (run != begin_later) r->app = l;
    pthread_mutex_lock(&d->lock);
    d->threads++;
    pthread_mutex_unlock(&d->lock);
    http_defer(r);
    if (pthread_create(&thread, NULL, run, l)) abort();
    pthread_detach(thread);
}

static void begin(void *ctx, struct http_request *r, struct http_plan *plan) {
    struct str person = http_header(r, "X-Person");
    if (person.n) str_to_int(person, &plan->person);
    if (is(r, "/begin") && r->has_body) start_thread(ctx, r, number(r->query, "ms"), begin_later);
    if (is(r, "/small")) plan->limit = 1000;
    if (is(r, "/none")) plan->body = HTTP_BODY_NONE;
    if (is(r, "/upload") || is(r, "/keep")) plan->body = HTTP_BODY_UPLOAD, plan->file_limit = 100000;
    if (is(r, "/raw")) plan->body = HTTP_BODY_FILE, plan->file_limit = 100000;
}

static void write_form(struct buf *out, const struct http_request *r) {
    struct json_writer w;
    jw_init(&w, out);
    jw_json(&w, r->form);
    buf_char(out, '\n');
}

static void write_files(struct buf *out, const struct http_request *r) {
    for (const struct http_file *f = r->files; f; f = f->next) {
        buf_fmt(out, "file %.*s %.*s ", (int)f->field.n, f->field.p ? f->field.p : "", (int)f->filename.n,
                f->filename.p ? f->filename.p : "");
        buf_fmt(out, "%.*s %lld ", (int)f->type.n, f->type.p ? f->type.p : "", (long long)f->size);
        buf_str(out, str_hex(r->arena, f->md5, 16));
        buf_fmt(out, " %s\n", f->path.p ? f->path.p : "-");
    }
}

static void write_stats(struct buf *out, struct desk *d) {
    struct http_stats s;
    pthread_mutex_lock(&d->lock); /* requests may come before http_start has returned */
    http_stats(d->server, &s);
    pthread_mutex_unlock(&d->lock);
    buf_fmt(out, "connections %lld requests %lld refused %lld timed_out %lld held %lld\n",
            (long long)s.connections, (long long)s.requests, (long long)s.refused, (long long)s.timed_out,
            (long long)(s.spooled + s.bodies));
}

static void echo(struct buf *out, const struct http_request *r) {
    buf_fmt(out, "%.*s %.*s", (int)r->method.n, r->method.p, (int)r->path.n, r->path.p);
    if (r->query.p) buf_fmt(out, "?%.*s", (int)r->query.n, r->query.p);
    buf_char(out, '\n');
    buf_str(out, r->body);
}

struct made {
    int64_t left;
    bool broken;
};

static int64_t read_made(void *ctx, char *room, size_t n) {
    struct made *m = ctx;
    size_t some = m->left < (int64_t)n ? (size_t)m->left : n;
    if (some == 0) return m->broken ? -1 : 0;
    memset(room, 'm', some);
    m->left -= (int64_t)some;
    return (int64_t)some;
}

static void close_made(void *ctx) {
    free(ctx);
    say("closed");
}

static void reply_made(struct http_request *r) {
    struct made *m = malloc(sizeof *m);
    if (m == NULL) abort();
    *m = (struct made){number(r->query, "n"), number(r->query, "broken")};
    char *wide = arena_alloc(r->arena, (size_t)number(r->query, "wide") + 1);
    memset(wide, 'w', (size_t)number(r->query, "wide"));
    http_add_header(r, "X-Wide", str_of(wide));
    http_reply_stream(r, 200, &(struct http_stream){read_made, close_made, m, m->left});
}

static void reply(struct desk *d, struct http_request *r) {
    struct buf out = {0};
    if (is(r, "/shared")) {
        http_reply_shared(r, 200, d->shared);
        return;
    }
    if (is(r, "/stream")) {
        reply_made(r);
        return;
    }
    int status = 200;
    http_add_header(r, "Content-Type", S("text/plain"));
    if (r->body_error) {
        status = error_info(r->body_error)->status;
        buf_fmt(&out, "%s %s\n", error_info(r->body_error)->code, r->body_reason);
    } else if (is(r, "/stats")) {
        write_stats(&out, d);
    } else if (is(r, "/loop")) {
        buf_fmt(&out, "%d\n", (int)gettid());
    } else if (is(r, "/size") && number(r->query, "owner") &&
               !http_hold(r, number(r->query, "owner"), (size_t)number(r->query, "n"),
                          number(r->query, "always"))) {
        status = 503;
    } else if (is(r, "/size")) {
        size_t n = (size_t)number(r->query, "n");
        for (int64_t made = 0; made < number(r->query, "rows"); made += 1000) arena_alloc(r->arena, 1000);
        buf_reserve(&out, n);
        memset(out.p, 'x', n);
        out.n = n;
        char *wide = arena_alloc(r->arena, (size_t)number(r->query, "wide") + 1);
        memset(wide, 'w', (size_t)number(r->query, "wide"));
        http_add_header(r, "X-Wide", str_of(wide));
    } else if (is(r, "/head")) {
        struct str x = http_header(r, "x-echo"), cookie = http_cookie(r, "a");
        buf_fmt(&out, "%.*s|%.*s|%.*s\n", (int)x.n, x.p ? x.p : "", (int)cookie.n, cookie.p ? cookie.p : "",
                (int)r->remote.n, r->remote.p);
        http_add_header(r, "X-Broken", S("a\r\nX-Split: b"));
    } else {
        echo(&out, r);
    }
    if (r->form) write_form(&out, r);
    write_files(&out, r);
    if (is(r, "/keep") && r->files) rename(r->files->path.p, str_fmt(r->arena, "%s/kept", d->tmp).p);
    http_reply(r, status, &out);
}

static struct shared *shared_of_size(size_t n) {
    struct buf b = {0};
    buf_reserve(&b, n);
    memset(b.p, 's', n);
    b.n = n;
    return shared_new(&b);
}

static void *reply_later(void *arg) {
    struct late *l = arg;
    struct desk *d = l->desk;
    for (int64_t waited = 0; l->ms < 0 ? !atomic_load(&l->gone) : waited < l->ms; waited += 5)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    reply(d, l->request);
    pthread_mutex_lock(&d->lock);
    d->threads--;
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

static void handle(void *ctx, struct http_request *r) {
    struct desk *d = ctx;
    bool waits = is(r, "/gone");
    if (!waits && !is(r, "/defer")) {
        reply(d, r);
        return;
    }
    start_thread(d, r, waits ? -1 : number(r->query, "ms"), reply_later);
    say("deferred");
}

static void gone(void *ctx, struct http_request *r) {
    struct late *l = r->app;
    (void)ctx;
    if (l == NULL) return; /* before its body */
    say("gone");
    atomic_store(&l->gone, true);
}

static void end(void *ctx, struct http_request *r) {
    (void)ctx;
    if (r->app) say("end");
}

static void refuse(void *ctx, struct http_request *r, int err, const char *reason) {
    struct buf out = {0};
    const struct error_info *info = error_info(err);
    (void)ctx;
    http_add_header(r, "Content-Type", S("application/json"));
    buf_fmt(&out, "{\"status\":%d,\"errors\":[{\"code\":\"%s\",\"message\":\"%s\"}]}", info->status,
            info->code, reason);
    http_reply(r, info->status, &out);
}

struct options {
    struct http_config http;
    struct str proxies[2];
    int drain_ms;
};

static void option(struct options *o, struct str word) {
    struct str value = word, name = str_cut(&value, '=');
    int64_t n = 0;
    str_to_int(value, &n);
    if (str_eq(name, S("loops"))) o->http.loops = (int)n;
    if (str_eq(name, S("head_ms"))) o->http.head_deadline_ms = (int)n;
    if (str_eq(name, S("body_ms"))) o->http.body_deadline_ms = (int)n;
    if (str_eq(name, S("idle_s"))) o->http.idle_s = (int)n;
    if (str_eq(name, S("per_address"))) o->http.max_per_address = (int)n;
    if (str_eq(name, S("connections"))) o->http.max_connections = (int)n;
    if (str_eq(name, S("drain_ms"))) o->drain_ms = (int)n;
    if (str_eq(name, S("tmp"))) o->http.tmp_dir = value.p;
    if (str_eq(name, S("held"))) o->http.held_bytes = n;
    if (str_eq(name, S("held_each"))) o->http.held_bytes_each = n;
    if (str_eq(name, S("spool"))) o->http.spool_bytes = n;
    if (str_eq(name, S("memory"))) o->http.memory_bytes = n;
    if (str_eq(name, S("address"))) o->http.address = value.p;
    if (str_eq(name, S("proxy"))) o->proxies[0] = value, o->http.proxies = o->proxies;
}

int main(int argc, char **argv) {
    static const struct http_app app = {
        .begin = begin, .handle = handle, .end = end, .refuse = refuse, .gone = gone};
    struct options o = {.http = {.address = "127.0.0.1", .loops = 2, .tmp_dir = "/tmp"}, .drain_ms = 3000};
    struct desk d = {0};
    char err[256];
    int sig;
    sigset_t stop;
    memory_policy();
    for (int i = 1; i < argc; i++) option(&o, str_of(argv[i]));
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGINT);
    pthread_sigmask(SIG_BLOCK, &stop, NULL);
    pthread_mutex_init(&d.lock, NULL);
    d.tmp = o.http.tmp_dir;
    d.shared = shared_of_size(8 << 20);
    pthread_mutex_lock(&d.lock);
    d.server = http_start(&o.http, &app, &d, err, sizeof err);
    pthread_mutex_unlock(&d.lock);
    if (d.server == NULL) {
        fprintf(stderr, "%s\n", err);
        return 1;
    }
    printf("port %d\n", http_port(d.server));
    fflush(stdout);
    sigwait(&stop, &sig);
    say("draining");
    http_stop(d.server, o.drain_ms);
    say("stopped");
    for (int left = 1; left;) { /* a detached thread may still run after its reply */
        pthread_mutex_lock(&d.lock);
        left = d.threads;
        pthread_mutex_unlock(&d.lock);
    }
    shared_drop(d.shared);
    return 0;
}
