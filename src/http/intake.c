/* What a loop reads from a socket is scanned before the library sees it.
 *
 * The library (0.9.75, connection.c) offers no callback before it has split a head, and it answers by itself: a request line that it
 * can't split with a close and no reply, a head that is too large with a page in HTML, a Content-Length that is no number with two heads
 * (parse_connection_headers queues an error, then MHD_connection_handle_idle goes on and builds the head of the same reply again). It
 * takes a bare LF for a line end and joins folded lines, which is how requests are smuggled past an intermediary that reads the same
 * bytes in another way. Looking at the first bytes of a connection with MSG_PEEK covers only the first head, not one that follows on
 * a connection that is kept. But the library reads with recv(2) and nothing else, through the symbol of that name. This file defines
 * that symbol, so that the dynamic linker resolves the library's calls to it (http_start checks that it did). Calls from other
 * threads and for other sockets go through unchanged.
 *
 * So every byte passes scan_feed first, and the library sees only well-formed requests within the limits. The first malformed byte ends
 * the connection: earlier requests are answered, then the refusal is written by intake_refuse, once, and the library reads an end of file.
 * Where an earlier request is still at work, the refusal waits: on_completed or on_head (request.c) writes it when its turn comes,
 * because the library reads no more before it is woken. */
#include "http/edge.h"

#include "base/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

ssize_t intake_recv(int fd, void *out, size_t n, int flags) __asm__("recv");

static _Thread_local struct loop *this_loop; /* NULL: the thread is none of ours */

bool intake_works(void) {
    ssize_t (*found)(int, void *, size_t, int) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "recv");
    memcpy(&found, &symbol, sizeof found);
    return found == intake_recv;
}

/* ---- the connections of this loop by descriptor ------------------------------------------------------ */

void intake_open(struct loop *l, struct conn *c) {
    size_t wanted = (size_t)c->fd + 1;
    this_loop = l;
    if (wanted > l->by_fd_n) {
        wanted = wanted < 2 * l->by_fd_n ? 2 * l->by_fd_n : wanted;
        l->by_fd = realloc(l->by_fd, wanted * sizeof *l->by_fd);
        if (l->by_fd == NULL) abort();
        memset(l->by_fd + l->by_fd_n, 0, (wanted - l->by_fd_n) * sizeof *l->by_fd);
        l->by_fd_n = wanted;
    }
    l->by_fd[c->fd] = c;
}

void intake_close(struct loop *l, struct conn *c) { l->by_fd[c->fd] = NULL; }

/* ---- refusals ---------------------------------------------------------------------------------------- */

void intake_refuse(struct conn *c, int err, const char *reason) {
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

/* The scanner refused a byte. Returns true if it belongs to the request that the library reads now. */
static bool is_current(const struct conn *c) { return scan_request(&c->scan) == c->completed + 1; }

bool intake_due(const struct conn *c) { return c->scan.err && !c->refused && is_current(c); }

/* ---- reading ----------------------------------------------------------------------------------------- */

/* The first byte of a head begins its deadline. */
static void intake_begin_head(struct conn *c) {
    if (!scan_in_head(&c->scan) || atomic_load_explicit(&c->phase, memory_order_relaxed) != PHASE_IDLE) return;
    c->started = clock_monotonic();
    conn_phase(c, PHASE_HEAD, c->server->head_ms);
}

static bool is_at_work(const struct conn *c) { return c->edge && (c->edge->handled || c->edge->undecided); }

static ssize_t nothing_yet(void) {
    errno = EAGAIN;
    return -1;
}

static ssize_t intake_take(struct conn *c, const char *p, size_t n) {
    size_t good = scan_feed(&c->scan, p, n);
    if (good == n || !intake_due(c)) {
        intake_begin_head(c);
        return (ssize_t)good;
    }
    if (is_at_work(c)) return nothing_yet();
    intake_refuse(c, c->scan.err, c->scan.reason);
    return 0;
}

/* The library drops a request when it reads the end behind it. So it does not, before the reply. */
static ssize_t end_of_file(struct conn *c) {
    if (is_at_work(c)) return nothing_yet();
    bool late = atomic_load_explicit(&c->deadline, memory_order_relaxed) == 0; /* the sweeper has shut it down */
    if (scan_in_head(&c->scan) && !late) intake_refuse(c, ERR_BODY_INVALID, "The head of the request is not complete.");
    return 0;
}

ssize_t intake_recv(int fd, void *out, size_t n, int flags) {
    struct loop *l = this_loop;
    struct conn *c = l && fd >= 0 && (size_t)fd < l->by_fd_n ? l->by_fd[fd] : NULL;
    if (c && (c->surplus || c->refused || c->scan.err)) return 0;
    ssize_t got = recvfrom(fd, out, n, flags, NULL, NULL);
    if (c == NULL || got < 0) return got;
    return got ? intake_take(c, out, (size_t)got) : end_of_file(c);
}
