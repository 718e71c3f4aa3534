#include "live/wire.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wslay/wslay.h>

#define PING_MS (30 * TIME_SECOND)    /* silence after which a socket is asked whether it lives */
#define SILENT_MS (75 * TIME_SECOND)  /* silence after which it is closed; clients have a heartbeat of 30 s */
#define COMMENT_MS (15 * TIME_SECOND) /* a line of a stream that keeps proxies from closing it */
#define CLOSING_MS (2 * TIME_SECOND)  /* time for the peer's answer to a close frame */
#define UNREAD_MS (10 * TIME_SECOND)  /* the same for a peer that first has to read megabytes */
#define TURN 64                       /* events of one epoll_wait */

enum order_kind { ORDER_OPEN, ORDER_SEND, ORDER_CLOSE };

struct order {
    struct queue_item item; /* the first member */
    enum order_kind kind;
    struct peer *peer; /* holds a reference */
    struct shared *bytes;
    enum close_code code;
    const char *reason;
};

struct wire {
    struct wire_events events;
    const struct clock *clock;
    struct queue orders;
    int epoll;
    pthread_t thread;
    struct peer *peers, *dead; /* dead: linked by `before`; dropped at the end of a turn */
    _Atomic int64_t count;
    _Atomic int64_t stop_by; /* clock_monotonic; 0: it serves */
    int64_t swept_at;
};

/* ---- one socket ------------------------------------------------------------------------------ */

static void peer_end(struct wire *w, struct peer *p) {
    if (p->fd < 0) return;
    /* The edge may not have closed its own descriptor of the socket yet. Then epoll would keep the peer. */
    epoll_ctl(w->epoll, EPOLL_CTL_DEL, p->fd, NULL);
    close(p->fd);
    p->fd = -1;
    atomic_store(&p->ended, true);
    if (p->before) p->before->next = p->next;
    else w->peers = p->next;
    if (p->next) p->next->before = p->before;
    p->before = w->dead;
    w->dead = p;
}

/* Bytes that the peer has not read. */
static size_t unsent(const struct peer *p) {
    return p->out.n - p->sent + (p->frames ? wslay_event_get_queued_msg_length(p->frames) : 0);
}

/* Returns false if the socket is broken. */
static bool peer_flush(struct peer *p) {
    while (p->sent < p->out.n) {
        ssize_t n = send(p->fd, p->out.p + p->sent, p->out.n - p->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN;
        p->sent += (size_t)n;
        p->stuck_since = 0;
    }
    buf_free(&p->out);
    p->sent = 0;
    return true;
}

static void watch(struct wire *w, struct peer *p, bool room) {
    if (room == p->is_watched) return;
    struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP | (room ? EPOLLOUT : 0u), .data.ptr = p};
    p->is_watched = room;
    epoll_ctl(w->epoll, EPOLL_CTL_MOD, p->fd, &e);
}

/* Writes what the socket takes. */
static void peer_write(struct wire *w, struct peer *p) {
    bool ok = peer_flush(p);
    if (ok && p->frames && p->out.n == 0) ok = wslay_event_send(p->frames) == 0;
    if (!ok) {
        peer_end(w, p);
        return;
    }
    bool waits = p->out.n || (p->frames && wslay_event_want_write(p->frames));
    if (!waits) p->stuck_since = 0;
    else if (p->stuck_since == 0) p->stuck_since = clock_monotonic();
    bool closed = p->frames && wslay_event_get_close_sent(p->frames) && !waits;
    if (closed && wslay_event_get_close_received(p->frames)) {
        peer_end(w, p);
        return;
    }
    if (closed && p->close_by == 0) p->close_by = clock_monotonic() + CLOSING_MS; /* wslay found an error */
    watch(w, p, waits);
}

/* Ends the peer with a reason, which a stream has no way to say. */
static void peer_close(struct wire *w, struct peer *p, enum close_code code, const char *reason) {
    if (p->close_by) return;
    p->close_by = clock_monotonic() + (code == CLOSE_OVERLOAD ? UNREAD_MS : CLOSING_MS);
    if (p->frames == NULL) {
        peer_write(w, p);
        if (p->fd >= 0) shutdown(p->fd, SHUT_WR);
        return;
    }
    wslay_event_queue_close(p->frames, (uint16_t)code, (const uint8_t *)reason, strlen(reason));
    peer_write(w, p);
}

static void peer_tell(struct wire *w, struct peer *p, struct str bytes) {
    if (p->close_by) return;
    if (unsent(p) + bytes.n > LIMIT_LIVE_UNSENT) {
        peer_close(w, p, CLOSE_OVERLOAD, "you read too slowly: connect again");
        return;
    }
    if (p->frames)
        wslay_event_queue_msg(p->frames, &(struct wslay_event_msg){.opcode = WSLAY_TEXT_FRAME,
                                                                   .msg = (const uint8_t *)bytes.p,
                                                                   .msg_length = bytes.n});
    else buf_str(&p->out, bytes);
    peer_write(w, p);
}

/* ---- callbacks of wslay ---------------------------------------------------------------------- */

static ssize_t on_recv(wslay_event_context_ptr ctx, uint8_t *room, size_t n, int flags, void *peer) {
    struct peer *p = peer;
    (void)flags;
    for (;;) {
        ssize_t got = recv(p->fd, room, n, MSG_DONTWAIT);
        if (got > 0) return got;
        if (got < 0 && errno == EINTR) continue;
        p->broken = got == 0 || errno != EAGAIN;
        wslay_event_set_error(ctx, p->broken ? WSLAY_ERR_CALLBACK_FAILURE : WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
}

static ssize_t on_send(wslay_event_context_ptr ctx, const uint8_t *bytes, size_t n, int flags, void *peer) {
    struct peer *p = peer;
    for (;;) {
        ssize_t sent =
            send(p->fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT | (flags & WSLAY_MSG_MORE ? MSG_MORE : 0));
        if (sent > 0) p->stuck_since = 0;
        if (sent >= 0) return sent;
        if (errno == EINTR) continue;
        wslay_event_set_error(ctx, errno == EAGAIN ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
        return -1;
    }
}

/* Each frame costs a token, so that a message of many fragments costs as much as many messages. */
static bool token_take(struct peer *p, int64_t thousandths) {
    int64_t now = clock_monotonic(), full = LIMIT_LIVE_BURST * 1000;
    p->tokens += (now - p->tokens_at) * LIMIT_LIVE_RATE;
    if (p->tokens > full) p->tokens = full;
    p->tokens_at = now;
    if (p->tokens < thousandths) return false;
    p->tokens -= thousandths;
    return true;
}

static void peer_expel(struct peer *p, enum close_code code, const char *reason) {
    if (p->close_by) return;
    p->close_by = clock_monotonic() + CLOSING_MS;
    wslay_event_queue_close(p->frames, (uint16_t)code, (const uint8_t *)reason, strlen(reason));
    wslay_event_shutdown_read(p->frames);
}

#define FRAGMENT_COST 20 /* thousandths: fifty fragments cost as much as one message */

static void on_frame(wslay_event_context_ptr ctx, const struct wslay_event_on_frame_recv_start_arg *arg,
                     void *peer) {
    struct peer *p = peer;
    (void)ctx;
    if (!token_take(p, FRAGMENT_COST)) peer_expel(p, CLOSE_POLICY, "too many frames");
    /* section 5.5.1; wslay takes half a code for none */
    else if (arg->opcode == WSLAY_CONNECTION_CLOSE && arg->payload_length == 1)
        peer_expel(p, CLOSE_PROTOCOL, "half a close code");
}

static _Thread_local struct wire *here; /* the wire of this thread, for the callback below */

static void on_message(wslay_event_context_ptr ctx, const struct wslay_event_on_msg_recv_arg *arg,
                       void *peer) {
    struct peer *p = peer;
    (void)ctx;
    if (wslay_is_ctrl_frame(arg->opcode) || p->close_by) return;
    if (arg->opcode == WSLAY_BINARY_FRAME) peer_expel(p, CLOSE_UNSUPPORTED, "send text frames");
    else if (!token_take(p, 1000)) peer_expel(p, CLOSE_POLICY, "too many messages");
    else here->events.heard(here->events.arg, p, (struct str){(const char *)arg->msg, arg->msg_length});
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Reads what nobody wants: a stream has nothing to say after its request, nor has a socket that broke a rule.
 * Returns false at the end. */
static bool read_away(const struct peer *p) {
    char room[512];
    ssize_t n = recv(p->fd, room, sizeof room, MSG_DONTWAIT);
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Returns false if the socket is to be closed.
 *
 * wslay has no close code for a frame with a wrong length. So the last frame is written here, unless others wait
 * before it. */
static bool read_frames(struct wire *w, struct peer *p) {
    static const unsigned char last[] = {0x80 | WSLAY_CONNECTION_CLOSE, 2, CLOSE_PROTOCOL >> 8,
                                         CLOSE_PROTOCOL & 255};
    bool idle = p->out.n == 0 && !wslay_event_want_write(p->frames);
    if (wslay_event_recv(p->frames) == 0) return true;
    if (p->broken || !idle) return false;
    wslay_event_context_free(p->frames);
    p->frames = NULL;
    buf_str(&p->out, (struct str){(const char *)last, sizeof last});
    peer_close(w, p, CLOSE_PROTOCOL, "");
    return p->fd >= 0;
}

static void peer_ready(struct wire *w, struct peer *p, uint32_t events) {
    if (p->fd < 0) return;
    bool ok = !(events & (EPOLLERR | EPOLLHUP));
    if (ok && events & (EPOLLIN | EPOLLRDHUP)) {
        p->heard_at = clock_steady(w->clock);
        p->pinged = false;
        bool heard = p->frames && wslay_event_get_read_enabled(p->frames);
        ok = heard ? read_frames(w, p) : read_away(p);
    }
    if (!ok) {
        peer_end(w, p);
        return;
    }
    peer_write(w, p);
}

static void peer_begin(struct wire *w, struct peer *p) {
    static const struct wslay_event_callbacks callbacks = {.recv_callback = on_recv,
                                                           .send_callback = on_send,
                                                           .on_frame_recv_start_callback = on_frame,
                                                           .on_msg_recv_callback = on_message};
    struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = peer_hold(p)};
    if (p->form == PEER_SOCKET) {
        if (wslay_event_context_server_init(&p->frames, &callbacks, p) != 0) abort(); /* no memory */
        wslay_event_config_set_max_recv_msg_length(p->frames, LIMIT_LIVE_FRAME);
    }
    p->heard_at = clock_steady(w->clock);
    p->tokens_at = clock_monotonic();
    p->tokens = LIMIT_LIVE_BURST * 1000;
    p->next = w->peers;
    if (p->next) p->next->before = p;
    w->peers = p;
    atomic_fetch_add(&w->count, 1);
    if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, p->fd, &e) == 0) peer_write(w, p);
    else peer_end(w, p);
}

static void obey(struct wire *w, struct order *o) {
    struct peer *p = o->peer;
    if (o->kind == ORDER_OPEN) peer_begin(w, p);
    else if (p->fd >= 0 && o->kind == ORDER_SEND) peer_tell(w, p, shared_view(o->bytes));
    else if (p->fd >= 0) peer_close(w, p, o->code, o->reason);
    shared_drop(o->bytes);
    peer_drop(p);
    free(o);
}

static void obey_all(struct wire *w) {
    struct queue_item *next;
    for (struct queue_item *i = queue_take(&w->orders); i; i = next) {
        next = i->next;
        obey(w, (struct order *)(void *)i);
    }
}

/* now: clock_monotonic. steady: clock_steady. */
static void peer_sweep(struct wire *w, struct peer *p, int64_t now, int64_t steady) {
    if (p->close_by) {
        if (now >= p->close_by) peer_end(w, p);
        return;
    }
    if (p->stuck_since && now - p->stuck_since > LIVE_STUCK_MS)
        peer_close(w, p, CLOSE_OVERLOAD, "you read too slowly: connect again");
    if (p->fd < 0 || p->close_by) return; /* it ended in this moment */
    int64_t silent = steady - p->heard_at;
    if (p->form == PEER_STREAM) {
        if (silent > COMMENT_MS) peer_tell(w, p, S(":\n\n"));
        p->heard_at = silent > COMMENT_MS ? steady : p->heard_at;
    } else if (silent > SILENT_MS) {
        peer_end(w, p);
    } else if (silent > PING_MS && !p->pinged) {
        p->pinged = true;
        wslay_event_queue_msg(p->frames, &(struct wslay_event_msg){.opcode = WSLAY_PING});
        peer_write(w, p);
    }
}

#define CROWD 500

/* Tells the peers that ended in this turn to the hub. */
static void bury(struct wire *w) {
    int gone = 0;
    while (w->dead) {
        struct peer *p = w->dead;
        w->dead = p->before;
        if (p->frames) wslay_event_context_free(p->frames);
        p->frames = NULL;
        buf_free(&p->out);
        atomic_fetch_sub(&w->count, 1);
        w->events.gone(w->events.arg, p);
        peer_drop(p);
        gone++;
    }
    if (gone > CROWD) memory_freed((size_t)gone * 1024);
}

static void wire_sweep(struct wire *w) {
    int64_t now = clock_monotonic(), steady = clock_steady(w->clock);
    if (now - w->swept_at < TIME_SECOND / 2) return;
    w->swept_at = now;
    for (struct peer *p = w->peers, *next; p; p = next) {
        next = p->next;
        peer_sweep(w, p, now, steady);
    }
}

/* Closes a part of the sockets, so that all are closed when the time is over. */
static bool depart(struct wire *w) {
    int64_t by = atomic_load(&w->stop_by), now = clock_monotonic();
    if (by == 0) return false;
    int64_t turns = by > now ? (by - now) / 100 + 1 : 1, open = 0, n = 0;
    for (struct peer *p = w->peers; p; p = p->next) open += p->close_by == 0;
    for (struct peer *p = w->peers, *next; p && n < (open + turns - 1) / turns; p = next) {
        next = p->next;
        if (p->close_by) continue;
        n++;
        peer_close(w, p, CLOSE_RESTART, "the server restarts: connect again");
    }
    return now > by + CLOSING_MS || w->peers == NULL;
}

static void *serve(void *arg) {
    struct wire *w = here = arg;
    struct epoll_event events[TURN];
    bool over = false;
    while (!over) {
        int n = epoll_wait(w->epoll, events, TURN, atomic_load(&w->stop_by) ? 100 : 500);
        for (int i = 0; i < n; i++)
            if (events[i].data.ptr) peer_ready(w, events[i].data.ptr, events[i].events);
        obey_all(w);
        wire_sweep(w);
        over = depart(w);
        bury(w);
    }
    while (w->peers) peer_end(w, w->peers);
    bury(w);
    return NULL;
}

/* ---- for other threads ----------------------------------------------------------------------- */

static void give_order(struct wire *w, struct peer *p, struct order order) {
    struct order *o = malloc(sizeof *o);
    if (o == NULL) abort();
    *o = order;
    o->peer = peer_hold(p);
    queue_put(&w->orders, &o->item);
}

void wire_open(struct wire *w, struct peer *p) { give_order(w, p, (struct order){.kind = ORDER_OPEN}); }

void wire_send(struct wire *w, struct peer *p, struct shared *bytes) {
    give_order(w, p, (struct order){.kind = ORDER_SEND, .bytes = shared_hold(bytes)});
}

void wire_close(struct wire *w, struct peer *p, enum close_code code, const char *reason) {
    give_order(w, p, (struct order){.kind = ORDER_CLOSE, .code = code, .reason = reason});
}

int64_t wire_peers(const struct wire *w) { return atomic_load(&w->count); }

struct wire *wire_start(const struct wire_events *events, const struct clock *clock) {
    struct wire *w = calloc(1, sizeof *w);
    if (w == NULL) return NULL;
    w->events = *events;
    w->clock = clock;
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event bell = {.events = EPOLLIN};
    bool ok = queue_open(&w->orders) && w->epoll >= 0 &&
              epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->orders.bell, &bell) == 0 &&
              pthread_create(&w->thread, NULL, serve, w) == 0;
    if (ok) return w;
    queue_close(&w->orders);
    if (w->epoll >= 0) close(w->epoll);
    free(w);
    return NULL;
}

void wire_stop(struct wire *w, int64_t ms) {
    atomic_store(&w->stop_by, clock_monotonic() + (ms > 0 ? ms : 1));
    queue_ring(&w->orders);
    pthread_join(w->thread, NULL);
}

void wire_free(struct wire *w) {
    struct queue_item *next;
    if (w == NULL) return;
    for (struct queue_item *i = queue_take(&w->orders); i; i = next) { /* nobody obeys them any more */
        struct order *o = (struct order *)(void *)i;
        next = i->next;
        if (o->kind == ORDER_OPEN) close(o->peer->fd);
        shared_drop(o->bytes);
        peer_drop(o->peer);
        free(o);
    }
    queue_close(&w->orders);
    close(w->epoll);
    free(w);
}
