#include "http/edge.h"

#include "base/clock.h"

#include <assert.h>
#include <sys/socket.h>
#include <unistd.h>

static struct conn *conn_of(struct MHD_Connection *library) {
    return MHD_get_connection_info(library, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* Called with the raw request target, before the library splits it. The library would store each argument
 * of the query as a record in the memory of the connection, and a list of 200 ids would not fit. So a NUL
 * behind the question mark hides the query until the head is complete (show_query). The target is in the
 * library's own writable buffer, which does not move until the request is completed. */
void *on_request_line(void *cls, const char *uri, struct MHD_Connection *library) {
    struct conn *c = conn_of(library);
    (void)cls;
    c->target = (char *)(uintptr_t)(uri ? uri : "");
    c->target_n = strlen(c->target);
    c->question = memchr(c->target, '?', c->target_n);
    if (c->question) {
        c->behind_question = c->question[1];
        c->question[1] = '\0';
    }
    return NULL;
}

static void show_query(struct conn *c) {
    if (c->question == NULL) return;
    c->question[0] = '?';
    c->question[1] = c->behind_question;
}

/* RFC 9112 section 3.2.2: only the path of an absolute target counts. */
static void read_target(struct http_request *r, const struct conn *c) {
    struct str t = {c->target, c->target_n};
    if (t.n && *t.p != '/' && *t.p != '*') {
        const char *authority = (const char *)memchr(t.p, ':', t.n) + 3, *end = t.p + t.n;
        const char *path = authority + strcspn(authority, "/?");
        t = (struct str){path, (size_t)(end - path)};
    }
    r->path = str_cut(&t, '?');
    r->query = t;
    if (r->path.n == 0) r->path = S("/");
}

bool is_proxy(const struct http_server *s, const struct address *a) {
    for (size_t i = 0; i < s->proxy_count; i++)
        if (network_has(&s->proxies[i], a)) return true;
    return false;
}

/* Walks back over one X-Forwarded-For from its end. Returns false if the address of the client is found. */
static bool walk_back(const struct http_server *s, struct str list, struct address *at) {
    int64_t port; /* some proxies write it; it has no meaning here */
    while (list.n && is_proxy(s, at)) {
        size_t begin = list.n;
        struct address next;
        while (begin && list.p[begin - 1] != ',') begin--;
        struct str one = str_trim((struct str){list.p + begin, list.n - begin});
        if (!address_parse(one, &next) && !address_port_parse(one, &next, &port)) return false;
        *at = next;
        list.n = begin ? begin - 1 : 0;
    }
    return is_proxy(s, at);
}

/* Each trusted proxy vouches for the one address that it wrote, in a field of its own or at the end of the
 * field it received. Addresses before the first one that is not a trusted proxy are unverified, and
 * ignored. */
static struct str read_remote(const struct edge *e) {
    struct address at = e->conn->address;
    char text[ADDRESS_TEXT];
    bool more = e->server->proxy_count > 0 && is_proxy(e->server, &at);
    if (!more) return str_of(e->conn->remote);
    for (size_t i = e->head_n; more && i-- > 0;)
        if (str_eqi(e->head[i].name, S("X-Forwarded-For")))
            more = walk_back(e->server, e->head[i].value, &at);
    address_text(&at, text);
    return str_dup(e->r.arena, str_of(text));
}

/* ---- malformed requests ----------------------------------------------------------------------- */

void refusal_write(struct conn *c, int err, const char *reason) {
    struct edge *e = edge_new(c);
    c->refused = true;
    e->r.method = e->r.path = S("");
    e->close = true;
    atomic_fetch_add_explicit(&c->server->refused, 1, memory_order_relaxed);
    response_refuse(e, err, reason);
    response_write(e);
    buf_free(&e->reply);
    arena_free(e->r.arena);
}

/* The scanner refused a byte. Returns true if the byte belongs to the request that the library reads now. */
bool is_current(const struct conn *c) { return scan_request(&c->scan) == c->completed + 1; }

bool refusal_is_due(const struct conn *c) { return c->scan.err && !c->refused && is_current(c); }

/* ---- from the head to the app ---------------------------------------------------------------- */

/* Extends the deadline of a body. It has body_ms, and longer as long as it kept MIN_BODY_RATE over the
 * last body_ms. The window is divided into slots of time. The deadline is the moment at which the slots
 * that hold enough bytes leave the window. Without enough bytes the deadline stays. So a fast start gives
 * no time to send nothing later. */
static void body_deadline(struct edge *e, size_t n) {
    int64_t window = e->server->body_ms, width = window / BODY_SLOTS + 1, now = clock_monotonic() / width,
            sum = 0;
    for (int64_t i = e->slot + 1; i <= now && i <= e->slot + BODY_SLOTS; i++) e->arrived[i % BODY_SLOTS] = 0;
    e->slot = now;
    e->arrived[now % BODY_SLOTS] += (int64_t)n;
    for (int64_t i = now; i > now - BODY_SLOTS; i--) {
        sum += e->arrived[i % BODY_SLOTS];
        if (sum < window * MIN_BODY_RATE / 1000) continue;
        int64_t until = (i + 1) * width + window;
        if (until > e->body_began + window)
            atomic_store_explicit(&e->conn->deadline, until, memory_order_relaxed);
        return;
    }
}

/* Passes on the reply if it is ready. A deferred request comes here again after it was resumed. */
static enum MHD_Result answer(struct edge *e, bool within_body) {
    if (!atomic_load_explicit(&e->ready, memory_order_acquire)) return MHD_YES;
    return within_body ? response_write(e) : response_queue(e);
}

/* After handle() a deferred request belongs to the other thread until the library resumes it. */
static enum MHD_Result run_handle(struct edge *e, bool within_body) {
    e->handled = true;
    conn_phase(e->conn, PHASE_WORK, 0);
    e->server->app.handle(e->server->ctx, &e->r);
    return e->deferred ? MHD_YES : answer(e, within_body);
}

/* Refuses a request whose body was found malformed when it was read together with earlier requests. */
static enum MHD_Result request_refuse(struct edge *e) {
    struct conn *c = e->conn;
    atomic_fetch_add_explicit(&c->server->refused, 1, memory_order_relaxed);
    c->refused = c->unread = e->close = true;
    response_refuse(e, c->scan.err, c->scan.reason);
    enum MHD_Result result = response_queue(e);
    buf_free(&e->reply);
    arena_free(e->r.arena);
    return result;
}

/* Decides whether the body is read, and where to. Returns false if it is not read: the app replies now,
 * and the connection closes. */
static bool prepare_body(struct edge *e) {
    struct http_request *r = &e->r;
    struct stores stores = {&e->server->folder, &e->server->memory};
    if (e->plan.body == HTTP_BODY_NONE) return false;
    struct str encoding = http_header(r, "Content-Encoding");
    if (encoding.n && !str_eqi(encoding, S("identity"))) {
        r->body_error = ERR_UNSUPPORTED_MEDIA_TYPE;
        r->body_reason = "Content-Encoding is not supported. Send the body without one.";
        return false;
    }
    e->body = body_new(r, &e->plan, http_header(r, "Content-Type"), stores);
    if (e->body == NULL) return false;
    if (e->framing.length > body_limit(e->body)) {
        r->body_error = ERR_PAYLOAD_TOO_LARGE;
        r->body_reason = "The body is too large.";
        return false;
    }
    e->body_began = clock_monotonic();
    conn_phase(e->conn, PHASE_BODY, e->server->body_ms);
    return true;
}

/* Called when the plan is made. */
static enum MHD_Result begin_body(struct edge *e) {
    bool is_file = e->plan.body == HTTP_BODY_FILE; /* a file may be empty */
    if ((!e->framing.has_body && !is_file) || prepare_body(e)) return MHD_YES;
    e->conn->unread = e->close = true;
    return run_handle(e, false);
}

/* begin() has deferred the request. The library calls this again after it was resumed. */
static enum MHD_Result on_decided(struct edge *e) {
    if (!atomic_load_explicit(&e->decided, memory_order_acquire)) return MHD_YES;
    e->undecided = e->deferred = false;
    return begin_body(e);
}

struct edge *edge_new(struct conn *c) {
    struct arena *arena = arena_new();
    struct edge *e = ARENA_NEW(arena, struct edge);
    e->r.arena = arena;
    e->server = c->server;
    e->conn = c;
    e->reply_last = &e->reply_head;
    e->file = -1;
    e->r.started = c->started;
    e->r.remote = str_of(c->remote);
    return e;
}

struct http_request *http_alone(struct arena *a, struct str method, struct str path, struct str query,
                                struct str remote) {
    struct edge *e = ARENA_NEW(a, struct edge);
    e->r = (struct http_request){.arena = a,
                                 .method = method,
                                 .path = path,
                                 .query = query,
                                 .remote = remote,
                                 .body = S(""),
                                 .started = clock_monotonic()};
    e->reply_last = &e->reply_head;
    e->file = -1;
    e->head = arena_array(a, HTTP_INNER_HEADERS, sizeof *e->head);
    return &e->r;
}

struct http_request *http_inner(struct http_request *outer, struct str method, struct str path,
                                struct str query) {
    const struct edge *from = (const struct edge *)outer;
    struct http_request *r = http_alone(outer->arena, method, path, query, outer->remote);
    struct edge *e = (struct edge *)r;
    r->started = outer->started;
    e->server = from->server;
    e->conn = from->conn;
    return r;
}

void http_header_set(struct http_request *r, const char *name, struct str value) {
    struct edge *e = (struct edge *)r;
    struct header *head = arena_array(r->arena, e->head_n + 1, sizeof *head);
    size_t n = 0;
    for (size_t i = 0; i < e->head_n; i++)
        if (!str_eqi(e->head[i].name, str_of(name))) head[n++] = e->head[i];
    head[n++] = (struct header){.name = str_of(name), .value = value};
    e->head = head;
    e->head_n = n;
}

void http_inner_header(struct http_request *inner, const char *name, struct str value) {
    struct edge *e = (struct edge *)inner;
    assert(e->library == NULL && e->head_n < HTTP_INNER_HEADERS);
    if (value.p) e->head[e->head_n++] = (struct header){.name = str_of(name), .value = value};
}

static enum MHD_Result on_head(struct http_server *s, struct MHD_Connection *library, const char *method,
                               const char *version, void **context) {
    struct edge *e = edge_new(conn_of(library));
    assert(e->conn->scan.heads > e->conn->completed); /* the library sees only what was scanned */
    e->library = library;
    show_query(e->conn);
    e->r.method = str_of(method);
    e->framing = framing_read(e, version);
    /* RFC 9110 section 7.8 */
    if (strcmp(version, "HTTP/1.0") == 0) http_header_set(&e->r, "Upgrade", (struct str){0});
    if (refusal_is_due(e->conn)) return request_refuse(e);
    e->plan = (struct http_plan){.body = HTTP_BODY_MEMORY, .limit = LIMIT_BODY};
    e->r.body = S("");
    e->r.has_body = e->framing.has_body;
    read_target(&e->r, e->conn);
    e->r.remote = read_remote(e);
    *context = e->conn->edge = e;
    atomic_fetch_add_explicit(&s->requests, 1, memory_order_relaxed);
    struct http_plan plan = e->plan;
    e->undecided = true;
    conn_phase(e->conn, PHASE_WORK, 0);
    s->app.begin(s->ctx, &e->r, &plan);
    if (e->deferred) return MHD_YES; /* it belongs to another thread now */
    e->undecided = false;
    e->plan = plan;
    return begin_body(e);
}

static enum MHD_Result on_body(struct edge *e, const char *p, size_t *n) {
    if (e->handled) return answer(e, true);
    body_deadline(e, *n);
    if (body_take(e->body, p, *n)) {
        *n = 0;
        return MHD_YES;
    }
    e->close = true;
    return run_handle(e, true);
}

static enum MHD_Result on_complete(struct edge *e) {
    if (e->handled) return answer(e, false);
    if (e->body) body_finish(e->body, http_header(&e->r, "Content-MD5"));
    return run_handle(e, false);
}

enum MHD_Result on_request(void *cls, struct MHD_Connection *library, const char *url, const char *method,
                           const char *version, const char *upload, size_t *upload_n, void **context) {
    struct edge *e = *context;
    (void)url;
    if (conn_of(library)->surplus) return MHD_NO; /* bytes that arrived before it was shut down */
    if (e == NULL) return on_head(cls, library, method, version, context);
    if (e->undecided) return on_decided(e);
    return *upload_n ? on_body(e, upload, upload_n) : on_complete(e);
}

/* Prepares for the next request. Its head, a part of it, or malformed bytes may have arrived with the
 * previous one. */
static void await_next(struct conn *c) {
    struct http_server *s = c->server;
    bool begun = scan_request(&c->scan) > c->completed + 1 || scan_in_head(&c->scan);
    c->started = clock_monotonic();
    if (refusal_is_due(c)) {
        refusal_write(c, c->scan.err, c->scan.reason);
        c->read_shut = true;
        shutdown(c->fd, SHUT_RD); /* the library wakes, reads the end, and closes */
    }
    if (atomic_load(&s->draining)) conn_phase(c, PHASE_IDLE, 1);
    else conn_phase(c, begun ? PHASE_HEAD : PHASE_IDLE, begun ? s->head_ms : s->idle_ms);
    atomic_store_explicit(&c->quiet_at, c->started + s->head_ms, memory_order_relaxed);
}

void on_completed(void *cls, struct MHD_Connection *library, void **context,
                  enum MHD_RequestTerminationCode why) {
    struct http_server *s = cls;
    struct edge *e = *context;
    struct conn *c = conn_of(library);
    bool goes_on = e && why == MHD_REQUEST_TERMINATED_COMPLETED_OK && !e->close && !e->last;
    if (e) {
        s->app.end(s->ctx, &e->r);
        body_free(e->body);
        buf_free(&e->reply);
        shared_drop(e->shared);
        reply_unhold(e);
        if (e->file >= 0) close(e->file);
        stream_close(&e->stream);
        taking_drop(&e->taking);
        arena_free(e->r.arena);
    }
    *context = c->edge = NULL;
    c->completed++;
    if (goes_on) await_next(c);
}
