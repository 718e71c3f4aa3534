#include "http/edge.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

#include <errno.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define CROWD 500             /* connections */
#define SPARE_DESCRIPTORS 512 /* for store, files, lingering sockets, loops */

/* ---- connections ----------------------------------------------------------------------------- */

static bool is_exempt(const struct http_server *s, const struct address *a) {
    return is_proxy(s, a) || (address_is_loopback(a) && !s->cap_loopback);
}

static struct conn **bucket(struct http_server *s, const struct address *counted) {
    /* FNV-1a: addresses chosen to collide slow down only this walk, within their limits */
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof *counted; i++) hash = (hash ^ counted->bytes[i]) * 16777619u;
    return &s->by_address[hash % BUCKETS];
}

/* Returns true if the limits allow one more connection. Call it under the lock. */
static bool server_has_room(struct http_server *s, const struct conn *more) {
    int same = 0;
    if (s->count >= s->max_connections) return false;
    if (is_exempt(s, &more->address)) return true;
    for (const struct conn *c = *bucket(s, &more->counted); c && same < s->max_per_address;
         c = c->bucket_next)
        same += memcmp(&more->counted, &c->counted, sizeof c->counted) == 0;
    return same < s->max_per_address;
}

/* Returns false if it is one too many. Then it is not linked. */
static bool conn_link(struct http_server *s, struct conn *c) {
    pthread_mutex_lock(&s->lock);
    bool room = server_has_room(s, c);
    if (room) {
        c->next = s->conns;
        if (c->next) c->next->before = c;
        s->conns = c;
        if (++s->count > s->highest) s->highest = s->count;
    }
    if (room && !is_exempt(s, &c->address)) {
        c->bucket_at = bucket(s, &c->counted);
        c->bucket_next = *c->bucket_at;
        if (c->bucket_next) c->bucket_next->bucket_at = &c->bucket_next;
        *c->bucket_at = c;
    }
    pthread_mutex_unlock(&s->lock);
    return room;
}

/* A crowd has left: its memory is worth returning. Connections that come and go in equal numbers are not
 * counted, because their memory is used again at once. Call it under the lock. */
static void give_back_after_crowd(struct http_server *s) {
    int gone = s->highest - s->count;
    if (gone < CROWD) return;
    memory_freed((size_t)gone * LIMIT_CONNECTION_MEMORY);
    s->highest = s->count;
}

static void conn_unlink(struct http_server *s, struct conn *c) {
    pthread_mutex_lock(&s->lock);
    if (c->before) c->before->next = c->next;
    else s->conns = c->next;
    if (c->next) c->next->before = c->before;
    if (c->bucket_at) {
        *c->bucket_at = c->bucket_next;
        if (c->bucket_next) c->bucket_next->bucket_at = c->bucket_at;
    }
    if (c->unread || c->pending.n) linger(c);
    if (--s->count == 0) pthread_cond_broadcast(&s->emptied);
    give_back_after_crowd(s);
    pthread_mutex_unlock(&s->lock);
}

/* Shuts down a connection that is one too many, before anything is read from it. Its loop then closes it. */
static void conn_refuse(struct http_server *s, struct conn *c) {
    c->surplus = true;
    atomic_fetch_add_explicit(&s->refused, 1, memory_order_relaxed);
    shutdown(c->fd, SHUT_RDWR);
}

static void on_connection(void *cls, struct MHD_Connection *library, void **context,
                          enum MHD_ConnectionNotificationCode what) {
    struct loop *l = cls;
    struct http_server *s = l->server;
    struct conn *c = *context;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        atomic_fetch_sub(&l->connections, 1);
        intake_close(l, c);
        if (c->surplus) pthread_cond_broadcast(&s->emptied);
        else conn_unlink(s, c);
        buf_free(&c->pending);
        free(c);
        return;
    }
    c = calloc(1, sizeof *c);
    if (c == NULL) abort();
    c->server = s;
    c->fd = MHD_get_connection_info(library, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    c->address =
        address_of(MHD_get_connection_info(library, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr);
    c->counted = address_counted(c->address);
    address_text(&c->address, c->remote);
    conn_phase(c, PHASE_IDLE, s->head_ms);
    *context = c;
    intake_open(l, c);
    if (!conn_link(s, c)) conn_refuse(s, c);
}

/* ---- start ----------------------------------------------------------------------------------- */

/* The app routes on the raw target, so nothing is decoded here. */
static size_t keep_escapes(void *cls, struct MHD_Connection *library, char *text) {
    (void)cls, (void)library;
    return strlen(text);
}

static void log_library(void *cls, const char *fmt, va_list args) {
    char line[512];
    (void)cls;
    vsnprintf(line, sizeof line, fmt, args);
    log_debug("http library: %s", line);
}

/* Raises the soft limit of descriptors to what the connections need, or lowers the number of connections
 * to what it allows. */
static void fit_descriptors(struct http_server *s) {
    struct rlimit r;
    rlim_t need = (rlim_t)s->max_connections + SPARE_DESCRIPTORS;
    if (getrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur >= need) return;
    r.rlim_cur = r.rlim_max < need ? r.rlim_max : need;
    setrlimit(RLIMIT_NOFILE, &r);
    if (r.rlim_cur >= need) return;
    s->max_connections =
        r.rlim_cur > 2 * SPARE_DESCRIPTORS ? (int)(r.rlim_cur - SPARE_DESCRIPTORS) : (int)r.rlim_cur / 2;
    log_warn("at most %d connections: the limit of open files is %llu", s->max_connections,
             (unsigned long long)r.rlim_cur);
}

static int64_t configured_or(int64_t value, int64_t otherwise) { return value ? value : otherwise; }

static bool configure(struct http_server *s, const struct http_config *cfg, char *err, size_t err_size) {
    s->head_ms = configured_or(cfg->head_deadline_ms, DEADLINE_HEAD_MS);
    s->body_ms = configured_or(cfg->body_deadline_ms, DEADLINE_BODY_MS);
    s->idle_ms = configured_or(cfg->idle_s, IDLE_KEEPALIVE_S) * TIME_SECOND;
    s->max_connections = (int)configured_or(cfg->max_connections, LIMIT_CONNECTIONS);
    s->max_per_address = (int)configured_or(cfg->max_per_address, LIMIT_CONNECTIONS_PER_ADDRESS);
    s->cap_loopback = cfg->max_per_address != 0;
    s->folder.path = strdup(cfg->tmp_dir ? cfg->tmp_dir : "/tmp");
    int64_t files = configured_or(cfg->spool_bytes, LIMIT_SPOOLED),
            memory = configured_or(cfg->memory_bytes, LIMIT_BODIES);
    ledger_open(&s->replies, configured_or(cfg->held_bytes, LIMIT_HELD),
                configured_or(cfg->held_bytes_each, LIMIT_HELD_EACH));
    ledger_open(&s->folder.held, files, files / 4);
    ledger_open(&s->memory, memory, memory / 4);
    for (const struct str *p = cfg->proxies; p && p->p; p++) s->proxy_count++;
    s->proxies = calloc(s->proxy_count + 1, sizeof *s->proxies);
    s->loop_count = cfg->loops > 1 ? cfg->loops : 1;
    s->loops = calloc((size_t)s->loop_count, sizeof *s->loops);
    if (s->folder.path == NULL || s->proxies == NULL || s->loops == NULL) abort();
    for (size_t i = 0; i < s->proxy_count; i++) {
        if (network_parse(cfg->proxies[i], &s->proxies[i])) continue;
        snprintf(err, err_size, "the trusted proxy %.*s is not a numeric address or network",
                 (int)cfg->proxies[i].n, cfg->proxies[i].p);
        return false;
    }
    fit_descriptors(s);
    return true;
}

/* One daemon of the library for each loop, because its own pool of loops does not let us choose the loop of a
 * connection (accept.c). */
static bool start_loop(struct http_server *s, struct loop *l) {
    /* TURBO: it reads before it calls epoll, and leaves the shutdown before a close to us (deadline.c,
     * lingering). */
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO | MHD_ALLOW_SUSPEND_RESUME |
                     MHD_USE_ERROR_LOG | MHD_USE_NO_LISTEN_SOCKET;
    l->server = s;
    l->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, on_request, s, MHD_OPTION_EXTERNAL_LOGGER, log_library, NULL,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)LIMIT_CONNECTION_MEMORY, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)(s->max_connections + SPARE_DESCRIPTORS), MHD_OPTION_CONNECTION_TIMEOUT, 0u,
        MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_URI_LOG_CALLBACK, on_request_line, s,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_NOTIFY_CONNECTION, on_connection, l,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, s, MHD_OPTION_END);
    return l->daemon != NULL;
}

static void stop_loops(struct http_server *s) {
    for (int i = 0; i < s->loop_count && s->loops[i].daemon; i++) MHD_stop_daemon(s->loops[i].daemon);
}

/* Threads started here block all signals, because main handles SIGTERM. */
static bool start_threads(struct http_server *s) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool swept = sweeper_start(s), ok = swept;
    for (int i = 0; ok && i < s->loop_count; i++) ok = start_loop(s, &s->loops[i]);
    ok = ok && acceptor_start(s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!ok) stop_loops(s);
    if (!ok && swept) sweeper_stop(s);
    return ok;
}

static void init_locks(struct http_server *s) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->wait_lock, NULL);
    pthread_cond_init(&s->wake, &monotonic);
    pthread_cond_init(&s->emptied, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static void server_free(struct http_server *s) {
    if (s->listener >= 0) close(s->listener);
    pthread_cond_destroy(&s->emptied);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->wait_lock);
    pthread_mutex_destroy(&s->lock);
    for (int i = 0; s->loops && i < s->loop_count; i++) free(s->loops[i].by_fd);
    free(s->loops);
    free(s->proxies);
    if (s->folder.path) ledger_close(&s->folder.held), ledger_close(&s->memory), ledger_close(&s->replies);
    free((char *)(uintptr_t)s->folder.path);
    free(s);
}

struct http_server *http_start(const struct http_config *cfg, const struct http_app *app, void *ctx,
                               char *err, size_t err_size) {
    struct http_server *s = calloc(1, sizeof *s);
    if (s == NULL || sodium_init() < 0) abort();
    s->app = *app;
    s->ctx = ctx;
    s->listener = -1;
    init_locks(s);
    if (!intake_works()) {
        snprintf(err, err_size,
                 "the HTTP library does not read through this program: its symbol `recv` is "
                 "not exported");
    } else if (configure(s, cfg, err, err_size)) {
        s->listener = listener_open(cfg->address, cfg->port, &s->port, err, err_size);
        if (s->listener >= 0 && cfg->bound) cfg->bound(cfg->bound_arg, s->port);
        if (s->listener >= 0 && start_threads(s)) return s;
        if (s->listener >= 0) snprintf(err, err_size, "the HTTP library can't be started");
    }
    server_free(s);
    return NULL;
}

int http_port(const struct http_server *s) { return s->port; }

void http_stats(const struct http_server *s, struct http_stats *out) {
    struct http_server *mine = (struct http_server *)(uintptr_t)s;
    pthread_mutex_lock(&mine->lock);
    out->connections = s->count;
    pthread_mutex_unlock(&mine->lock);
    out->held = ledger_held(&mine->replies);
    out->spooled = ledger_held(&mine->folder.held);
    out->bodies = ledger_held(&mine->memory);
    out->requests = atomic_load(&s->requests);
    out->refused = atomic_load(&s->refused);
    out->timed_out = atomic_load(&s->timed_out);
}

/* ---- stop ------------------------------------------------------------------------------------ */

/* Returns the number of connections given to loops, started or not. A connection that its loop can't start
 * is counted. */
static int given_to_loops(const struct http_server *s) {
    int n = 0;
    for (int i = 0; i < s->loop_count; i++) n += atomic_load(&s->loops[i].connections);
    return n;
}

/* Returns true if no connection is left. A loop must not be stopped before its connections have started,
 * because a request of theirs might be deferred then, and the library aborts. */
static bool wait_empty(struct http_server *s, int64_t ms) {
    struct timespec until;
    int late = 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&s->lock);
    pthread_cond_signal(&s->wake);
    while ((s->count || given_to_loops(s)) && late != ETIMEDOUT)
        late = pthread_cond_timedwait(&s->emptied, &s->lock, &until);
    bool empty = s->count == 0;
    pthread_mutex_unlock(&s->lock);
    return empty;
}

void http_stop(struct http_server *s, int drain_ms) {
    atomic_store(&s->draining, true);
    acceptor_stop(s);
    if (!wait_empty(s, drain_ms)) {
        atomic_store(&s->hurry, true);
        while (!wait_empty(s, 5000)) log_warn("stopping: requests are still in progress");
    }
    stop_loops(s);
    sweeper_stop(s);
    server_free(s);
}
