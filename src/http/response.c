#include "http/edge.h"

#include "base/memory.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static bool has_break(struct str s) {
    return s.n && (memchr(s.p, '\r', s.n) || memchr(s.p, '\n', s.n) || memchr(s.p, '\0', s.n));
}

void http_add_header(struct http_request *r, const char *name, struct str value) {
    struct edge *e = (struct edge *)r;
    if (value.n == 0 || has_break(value)) return;
    struct header *h = ARENA_NEW(r->arena, struct header);
    *h = (struct header){.name = str_of(name), .value = str_dup(r->arena, value)};
    *e->reply_last = h;
    e->reply_last = &h->next;
}

void http_close_after(struct http_request *r) { ((struct edge *)r)->close = true; }

bool http_is_deferred(const struct http_request *r) { return ((const struct edge *)r)->deferred; }

void http_defer(struct http_request *r) {
    struct edge *e = (struct edge *)r;
    if (e->deferred) return;
    e->deferred = true;
    wait_begin(e);
    MHD_suspend_connection(e->library);
}

/* Once the connection is resumed, its loop may end the request at any moment. Don't use e after that. */
static void hand_back(struct edge *e) {
    atomic_store_explicit(&e->ready, true, memory_order_release);
    if (!e->deferred) return;
    wait_end(e);
    MHD_resume_connection(e->library);
}

void http_begun(struct http_request *r, const struct http_plan *plan) {
    struct edge *e = (struct edge *)r;
    e->plan = *plan;
    wait_end(e);
    atomic_store_explicit(&e->decided, true, memory_order_release);
    MHD_resume_connection(e->library);
}

bool http_hold(struct http_request *r, int64_t person, size_t n, bool always) {
    struct edge *e = (struct edge *)r;
    struct ledger *l = &e->server->replies;
    if (n <= HELD_FREE) return true;
    e->holder = (struct sender){.person = person, .person_alone = true};
    if (person == 0 && address_parse(r->remote, &e->holder.address))
        e->holder.address = address_counted(e->holder.address);
    /* A caller who holds nothing may always hold one reply, even if it is larger than their whole share. */
    if (always) ledger_add(l, &e->holder, (int64_t)n);
    else if (ledger_take(l, &e->holder, (int64_t)n, (int64_t)n) != LEDGER_ROOM) return false;
    e->held = (int64_t)n;
    return true;
}

void reply_unhold(struct edge *e) {
    if (e->held == 0) return;
    ledger_return(&e->server->replies, &e->holder, e->held);
    memory_freed((size_t)e->held);
    e->held = 0;
}

void http_reply(struct http_request *r, int status, struct buf *body) {
    struct edge *e = (struct edge *)r;
    e->status = status;
    buf_fit(body);
    e->reply = *body;
    *body = (struct buf){0};
    hand_back(e);
}

void http_reply_shared(struct http_request *r, int status, struct shared *bytes) {
    struct edge *e = (struct edge *)r;
    e->status = status;
    e->shared = shared_hold(bytes);
    hand_back(e);
}

void http_reply_file(struct http_request *r, int status, int fd, int64_t at, int64_t n) {
    struct edge *e = (struct edge *)r;
    e->status = status;
    e->file = fd;
    e->file_at = at;
    e->file_n = n;
    hand_back(e);
}

void http_reply_stream(struct http_request *r, int status, const struct http_stream *s) {
    struct edge *e = (struct edge *)r;
    e->status = status;
    e->stream = *s;
    hand_back(e);
}

void http_give(struct http_request *r, int status, const struct http_taking *t) {
    struct edge *e = (struct edge *)r;
    e->status = status;
    e->taking = *t;
    hand_back(e);
}

void taking_drop(struct http_taking *t) {
    if (t->take) t->drop(t->ctx);
    t->take = NULL;
}

void stream_close(struct http_stream *s) {
    if (s->read) s->close(s->ctx);
    s->read = NULL;
}

static struct str reply_bytes(const struct edge *e) {
    return e->shared ? shared_view(e->shared) : buf_view(&e->reply);
}

/* A reply has as much time as a body of its size, so that a slower client does not hold memory. */
static void begin_sending(struct edge *e) {
    struct http_server *s = e->server;
    int64_t n = e->file >= 0 ? e->file_n : e->stream.read ? e->stream.about : (int64_t)reply_bytes(e).n;
    int64_t ms = s->body_ms + n * 1000 / MIN_BODY_RATE;
    conn_phase(e->conn, PHASE_SEND, atomic_load(&s->hurry) ? TIME_SECOND : ms);
    if (atomic_load(&s->draining)) e->close = true;
    if (e->close) e->conn->unread = true; /* the peer may still be sending */
}

static size_t reply_head_size(const struct edge *e) {
    size_t n = 192; /* status line, Date, Content-Length, Connection */
    for (const struct header *h = e->reply_head; h; h = h->next) n += h->name.n + h->value.n + 4;
    return n;
}

void response_refuse(struct edge *e, int err, const char *reason) {
    if (e->file >= 0) close(e->file);
    e->file = -1;
    stream_close(&e->stream);
    taking_drop(&e->taking);
    shared_drop(e->shared);
    e->shared = NULL;
    buf_free(&e->reply);
    e->reply_head = NULL;
    e->reply_last = &e->reply_head;
    e->deferred = false; /* it is not in the list of waiting requests any more */
    e->server->app.refuse(e->server->ctx, &e->r, err, reason ? reason : error_info((enum error)err)->message);
}

/* Only the library sends files. If it can't, the file is refused, because files are too large to be read
 * into memory. */
static void refuse_file(struct edge *e) {
    if (e->file < 0 && e->stream.read == NULL && e->taking.take == NULL) return;
    response_refuse(e, e->r.body_error ? e->r.body_error : ERR_HEADERS_TOO_LARGE, e->r.body_reason);
}

static void drop_shared(void *shared) { shared_drop(shared); }

static struct MHD_Response *response_of_shared(struct edge *e) {
    struct str bytes = shared_view(e->shared);
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
        bytes.n, (void *)(uintptr_t)bytes.p, drop_shared, e->shared);
    if (response) e->shared = NULL;
    return response;
}

#define STREAM_BLOCK (32 * 1024)

struct streaming {
    struct http_stream stream;
    int fd; /* descriptor of the connection */
    bool broken;
};

/* A body that breaks is cut as a slow client is: the socket is shut down, and the library sees an edge of
 * a connection that it still serves. Only if it asks again, it gets an error: after an error at once it
 * would free the connection only at the next edge of another one. */
static ssize_t read_stream(void *streaming, uint64_t at, char *room, size_t n) {
    struct streaming *s = streaming;
    (void)at;
    if (s->broken) return MHD_CONTENT_READER_END_WITH_ERROR;
    int64_t got = s->stream.read(s->stream.ctx, room, n);
    if (got > 0) return (ssize_t)got;
    if (got == 0) return MHD_CONTENT_READER_END_OF_STREAM;
    shutdown(s->fd, SHUT_RDWR);
    s->broken = true;
    return 0;
}

static void drop_stream(void *streaming) {
    struct streaming *s = streaming;
    stream_close(&s->stream);
    free(s);
}

/* To HEAD the library would send the last chunk of a chunked body, and the client would take it for the
 * next reply. So HEAD gets none, and its connection closes. */
static struct MHD_Response *response_of_stream(struct edge *e) {
    struct streaming *s = malloc(sizeof *s);
    if (s == NULL) return NULL;
    *s = (struct streaming){e->stream, e->conn->fd, false};
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, s, drop_stream);
    if (response) e->stream.read = NULL;
    else free(s);
    if (response && str_eq(e->r.method, S("HEAD")))
        MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
    return response;
}

/* The response owns the bytes, or the descriptor, which sendfile reads. */
static struct MHD_Response *response_of(struct edge *e) {
    struct MHD_Response *response;
    if (e->shared) return response_of_shared(e);
    if (e->stream.read) return response_of_stream(e);
    bool empty = e->reply.n == 0;
    if (e->file >= 0) {
        response =
            MHD_create_response_from_fd_at_offset64((uint64_t)e->file_n, e->file, (uint64_t)e->file_at);
        if (response) e->file = -1;
        return response;
    }
    if (empty) buf_free(&e->reply);
    response = MHD_create_response_from_buffer(e->reply.n, empty ? (void *)"" : e->reply.p,
                                               empty ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE);
    if (response) e->reply = (struct buf){0};
    return response;
}

static void write_status(struct buf *out, const struct edge *e) {
    char date[TIME_HTTP_SIZE];
    time_http(date, clock_now(&(struct clock){0}));
    buf_fmt(out, "HTTP/1.1 %d %s\r\nDate: %s\r\n", e->status, MHD_get_reason_phrase_for((unsigned)e->status),
            date);
}

static void write_headers(struct buf *out, const struct edge *e) {
    for (const struct header *h = e->reply_head; h; h = h->next)
        buf_fmt(out, "%s: %s\r\n", h->name.p, h->value.p);
    buf_text(out, "\r\n");
}

static void write_head(struct buf *out, const struct edge *e) {
    write_status(out, e);
    buf_text(out, "Connection: close\r\n");
    if (e->status >= 200 && e->status != 204) buf_fmt(out, "Content-Length: %zu\r\n", reply_bytes(e).n);
    write_headers(out, e);
}

/* The library closes its descriptor, and the copy keeps the socket open: with MHD_USE_TURBO it does not shut
 * the socket down before. Bytes that the peer sent behind its request are lost, but no client may send any
 * before it has read the head of the reply. */
static enum MHD_Result response_give(struct edge *e) {
    struct http_taking t = e->taking;
    struct buf head = {0};
    int fd = fcntl(e->conn->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) {
        response_refuse(e, ERR_SERVICE_UNAVAILABLE, NULL);
        return response_queue(e);
    }
    e->taking.take = NULL;
    write_status(&head, e);
    write_headers(&head, e);
    t.take(t.ctx, fd, buf_take(&head, e->r.arena));
    return MHD_NO;
}

enum MHD_Result response_queue(struct edge *e) {
    if (e->taking.take) return response_give(e);
    if (reply_head_size(e) > e->reply_room) refuse_file(e);
    begin_sending(e);
    if (reply_head_size(e) > e->reply_room) return response_write(e);
    struct MHD_Response *response = response_of(e);
    if (response == NULL) return MHD_NO;
    for (const struct header *h = e->reply_head; h; h = h->next)
        if (MHD_add_response_header(response, h->name.p, h->value.p) == MHD_NO)
            log_error("the reply header %s was refused by the HTTP library", h->name.p);
    if (e->close) MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    enum MHD_Result result = MHD_queue_response(e->library, (unsigned)e->status, response);
    MHD_destroy_response(response);
    return result;
}

/* Writes two kinds of replies that the library can't send: (1) a reply during a body, because the library
 * takes one only before or after the body, and the rest of a body that is too large or malformed must not
 * be read, and (2) a reply with a very large head (page links of a very long query), which exceeds the
 * library's memory. MHD_NO then closes the connection. Nothing else was sent for this request. The
 * connection, and later the sweeper, keeps the bytes that the socket does not take at once. */
enum MHD_Result response_write(struct edge *e) {
    struct conn *c = e->conn;
    struct buf *out = &c->pending;
    refuse_file(e);
    bool bodiless = str_eq(e->r.method, S("HEAD")) || e->status == 204 || e->status == 304;
    write_head(out, e);
    if (!bodiless) buf_str(out, reply_bytes(e));
    ssize_t sent = send(c->fd, out->p, out->n, MSG_NOSIGNAL | MSG_DONTWAIT);
    c->pending_sent = sent > 0 ? (size_t)sent : 0;
    if (c->pending_sent == out->n) buf_free(out);
    c->unread = true;
    return MHD_NO;
}
