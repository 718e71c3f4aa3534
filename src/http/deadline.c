/* Deadlines, disconnected peers, drain: one thread, the sweeper.
 *
 * The library's own timeout counts from the last byte. A client that sends a byte now and then would keep
 * its connection for ever, and a few hundred such clients all connections of the server. Here every phase
 * of a connection has one absolute deadline, set when the phase begins and extended only by real progress:
 *
 *     head     DEADLINE_HEAD_MS from its first byte; a new connection has as long to send that byte, a kept one IDLE_KEEPALIVE_S
 *     body     DEADLINE_BODY_MS, and longer as long as it keeps a minimum rate (request.c)
 *     reply    DEADLINE_BODY_MS plus the time that its bytes take at that rate
 *
 * The loops only store the deadline. A few times a second the sweeper calls shutdown(2) on late
 * connections. Their loop then reads an end of file and closes them in its usual way. The sweeper never
 * closes a descriptor itself. It holds the lock under which a closing connection leaves the list. So a
 * descriptor in the list is open and belongs to that connection, and no other connection that got the same
 * number is hit.
 *
 * A deferred request is suspended: its loop neither reads nor writes the socket, and would not notice that
 * the peer has disconnected. So the sweeper polls the sockets of all requests that have waited for a whole
 * sweep (a write takes a few milliseconds and is rarely polled), and calls gone(), by which the app
 * cancels the query. A peer that closes only its sending half counts as gone, as in nginx, because the two
 * can't be told apart. `waiting` has its own lock, held while gone() runs. http_reply takes it before it
 * resumes the connection, so the request and its memory can't end during gone(). Hence gone() must not
 * reply itself. It sets a flag or interrupts.
 *
 * If a connection closes while the peer still sends (413, a refused head), it is not closed at once. A
 * close with unread bytes makes the kernel send a reset, which can overtake the reply and erase it at the
 * peer (RFC 9112 section 9.6). A duplicate of the descriptor stays open for two seconds, and its input is
 * discarded.
 *
 * Drain: new connections are refused, idle ones shut down, and all replies say Connection: close. Requests
 * in progress may end until drain_ms. Then heads, bodies and slow readers are shut down, and gone() is
 * called for every waiting request. Only waiting requests are waited for without limit, because the
 * library aborts the process if it is stopped with a suspended connection, and another thread uses their
 * memory. The app's budgets bound that. */
#include "http/edge.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LINGER_MS 2000
#define TICK_MAX_MS 250
#define SENDING_MS 5 /* between two pieces of a reply */
#define DISCARD (1024 * 1024)
#define MANY 2000 /* requests whose freed memory is worth returning */

void conn_phase(struct conn *c, enum phase phase, int64_t ms) {
    atomic_store_explicit(&c->phase, (int)phase, memory_order_relaxed);
    atomic_store_explicit(&c->deadline, ms ? clock_monotonic() + ms : 0, memory_order_relaxed);
}

/* ---- connections ----------------------------------------------------------------------------- */

static void cut(struct conn *c) {
    atomic_store_explicit(&c->deadline, 0, memory_order_relaxed);
    shutdown(c->fd, SHUT_RDWR);
}

/* Returns true if the peer has closed its half of an idle connection. If it closed together with its last
 * request, the library does not see it, because epoll reported that edge together with the request. The
 * peer has as long as for a head. */
static bool is_left(struct conn *c, int64_t now) {
    char byte;
    int64_t at = atomic_load_explicit(&c->quiet_at, memory_order_relaxed);
    if (at == 0 || now < at) return false;
    atomic_compare_exchange_strong(&c->quiet_at, &at, 0);
    return recvfrom(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT, NULL, NULL) == 0;
}

static void sweep_conn(struct http_server *s, struct conn *c, int64_t now) {
    int64_t deadline = atomic_load_explicit(&c->deadline, memory_order_relaxed);
    enum phase phase = (enum phase)atomic_load_explicit(&c->phase, memory_order_relaxed);
    bool late = deadline && now >= deadline;
    bool hurry = atomic_load_explicit(&s->hurry, memory_order_relaxed);
    if (late && phase != PHASE_IDLE) atomic_fetch_add_explicit(&s->timed_out, 1, memory_order_relaxed);
    if (late || (phase == PHASE_IDLE && (atomic_load(&s->draining) || is_left(c, now))) ||
        (hurry && phase != PHASE_WORK && phase != PHASE_SEND))
        cut(c);
    else if (hurry && phase == PHASE_SEND && deadline > now + TIME_SECOND)
        atomic_compare_exchange_strong(&c->deadline, &deadline, now + TIME_SECOND);
}

/* ---- lingering ------------------------------------------------------------------------------- */

void linger(struct conn *c) {
    struct http_server *s = c->server;
    if (s->lingering_n == LINGER_MAX) return;
    int fd = fcntl(c->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) return;
    int64_t ms = LINGER_MS + (int64_t)c->pending.n * 1000 / MIN_BODY_RATE;
    s->lingering[s->lingering_n++] =
        (struct lingering){fd, clock_monotonic() + ms, c->pending, c->pending_sent, c->read_shut};
    if (c->pending.n == 0) shutdown(fd, SHUT_WR);
    c->pending = (struct buf){0};
}

/* Returns true if nothing is left to do for the peer. */
static bool send_pending(struct lingering *l) {
    ssize_t n = send(l->fd, l->pending.p + l->sent, l->pending.n - l->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0) return errno != EAGAIN && errno != EINTR;
    l->sent += (size_t)n;
    if (l->sent < l->pending.n) return false;
    buf_free(&l->pending);
    shutdown(l->fd, SHUT_WR);
    return false;
}

/* MSG_TRUNC makes the kernel discard without a copy (tcp(7)). */
static bool linger_on(struct lingering *l) {
    ssize_t n = recvfrom(l->fd, NULL, DISCARD, MSG_DONTWAIT | MSG_TRUNC, NULL, NULL);
    if ((n == 0 && !l->read_shut) || (n < 0 && errno != EAGAIN && errno != EINTR)) return false;
    return l->pending.n == 0 || !send_pending(l);
}

static void sweep_lingering(struct http_server *s, int64_t now) {
    for (size_t i = 0; i < s->lingering_n;) {
        struct lingering *l = &s->lingering[i];
        if (now < l->until && !s->stopping && linger_on(l)) {
            i++;
            continue;
        }
        close(l->fd);
        buf_free(&l->pending);
        *l = s->lingering[--s->lingering_n];
    }
}

/* ---- waiting requests ------------------------------------------------------------------------ */

void wait_begin(struct edge *e) {
    struct http_server *s = e->server;
    e->waits_since = atomic_load_explicit(&s->sweeps, memory_order_relaxed);
    e->gone_called = false;
    e->wait_before = NULL;
    pthread_mutex_lock(&s->wait_lock);
    e->wait_next = s->waiting;
    if (e->wait_next) e->wait_next->wait_before = e;
    s->waiting = e;
    pthread_mutex_unlock(&s->wait_lock);
}

void wait_end(struct edge *e) {
    struct http_server *s = e->server;
    pthread_mutex_lock(&s->wait_lock);
    if (e->wait_before) e->wait_before->wait_next = e->wait_next;
    else s->waiting = e->wait_next;
    if (e->wait_next) e->wait_next->wait_before = e->wait_before;
    pthread_mutex_unlock(&s->wait_lock);
}

static bool hung_up(const struct edge *e) {
    struct pollfd p = {.fd = e->conn->fd, .events = POLLRDHUP};
    return poll(&p, 1, 0) == 1 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

static void sweep_waiting(struct http_server *s) {
    int64_t sweep = atomic_fetch_add_explicit(&s->sweeps, 1, memory_order_relaxed);
    bool hurry = atomic_load(&s->hurry);
    if (s->app.gone == NULL) return;
    pthread_mutex_lock(&s->wait_lock);
    for (struct edge *e = s->waiting; e; e = e->wait_next) {
        if (e->gone_called || e->waits_since >= sweep) continue;
        if (!hurry && !hung_up(e)) continue;
        e->gone_called = true;
        s->app.gone(s->ctx, &e->r);
    }
    pthread_mutex_unlock(&s->wait_lock);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t tick_ms(const struct http_server *s) {
    int64_t ms = least(least(s->head_ms, s->body_ms), s->idle_ms) / 8;
    return ms < 10 ? 10 : least(ms, TICK_MAX_MS);
}

/* The kernel takes little of a reply at once, so a reply that the sweeper sends needs frequent calls. */
static bool is_sending(const struct http_server *s) {
    for (size_t i = 0; i < s->lingering_n; i++)
        if (s->lingering[i].pending.n) return true;
    return false;
}

/* Waits until then, with the lock. Returns false if it was woken earlier. */
static bool deadline_wait(struct http_server *s, int64_t until) {
    struct timespec at = {until / 1000, until % 1000 * 1000000};
    return pthread_cond_timedwait(&s->wake, &s->lock, &at) == ETIMEDOUT;
}

/* Many requests leave freed memory between pages in use: a sixth of all, after 64 clients that write. It
 * is returned when they have ended, because the next requests need it again. The app rests a sweep earlier,
 * so that what it frees is returned, too. */
static void give_back_after_many(struct http_server *s) {
    int64_t now = atomic_load_explicit(&s->requests, memory_order_relaxed);
    s->quiet = now == s->swept ? s->quiet + 1 : 0;
    s->swept = now;
    if (now - s->returned < MANY) return;
    if (s->quiet == 1 && s->app.rest) s->app.rest(s->ctx);
    if (s->quiet != 2) return;
    memory_return();
    s->returned = now;
}

/* Sweeps all connections and all waiting requests. Releases the lock in between. */
static void sweep_all(struct http_server *s, int64_t now) {
    for (struct conn *c = s->conns; c; c = c->next) sweep_conn(s, c, now);
    pthread_mutex_unlock(&s->lock);
    sweep_waiting(s);
    memory_give_back();
    give_back_after_many(s);
    log_flush();
    pthread_mutex_lock(&s->lock);
}

static void *deadline_main(void *arg) {
    struct http_server *s = arg;
    int64_t next = clock_monotonic() + tick_ms(s);
    pthread_mutex_lock(&s->lock);
    while (!s->stopping) {
        bool timed = deadline_wait(s, is_sending(s) ? least(next, clock_monotonic() + SENDING_MS) : next);
        int64_t now = clock_monotonic();
        sweep_lingering(s, now);
        if (timed && now < next) continue;
        sweep_all(s, now);
        next = now + tick_ms(s);
    }
    sweep_lingering(s, clock_monotonic());
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

bool sweeper_start(struct http_server *s) { return pthread_create(&s->sweeper, NULL, deadline_main, s) == 0; }

void sweeper_stop(struct http_server *s) {
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->sweeper, NULL);
}
