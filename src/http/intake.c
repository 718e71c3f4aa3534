/* Scans what a loop reads from a socket before the library sees it.
 *
 * The library (0.9.75, connection.c) has no callback before it has split a head, and it answers malformed
 * heads by itself: (1) a request line that it can't split with a close and no reply, (2) a head that is
 * too large with a page in HTML, (3) a Content-Length that is not a number with two heads
 * (parse_connection_headers queues an error, then MHD_connection_handle_idle builds the head of the same
 * reply again). It accepts a bare LF as a line end and joins folded lines, which allows request smuggling
 * past an intermediary that reads the same bytes differently. Reading ahead with MSG_PEEK would cover only
 * the first head of a connection. But the library reads only with recv(2), through the symbol of that
 * name. This file defines that symbol, so that the dynamic linker resolves the library's calls to it
 * (http_start checks that). Calls from other threads and for other sockets pass through unchanged.
 *
 * So every byte passes scan_feed first, and the library sees only well-formed requests within the limits.
 * The first malformed byte ends the connection: earlier requests are answered, then refusal_write writes
 * the refusal, once, and the library reads an end of file. While an earlier request is in progress, the
 * refusal waits, and the library reads nothing, because it drops a request behind which it reads an end of
 * file. on_completed or on_head (request.c) writes the refusal then. */
#include "http/edge.h"

#include "base/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

ssize_t intake_recv(int fd, void *out, size_t n, int flags) __asm__("recv");

static _Thread_local struct loop *this_loop; /* NULL: not a thread of an event loop */

bool intake_works(void) {
    ssize_t (*found)(int, void *, size_t, int) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "recv");
    memcpy(&found, &symbol, sizeof found);
    return found == intake_recv;
}

/* ---- the connections of this loop by descriptor ---------------------------------------------- */

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

/* ---- reading --------------------------------------------------------------------------------- */

/* The first byte of a head starts its deadline. */
static void intake_begin_head(struct conn *c) {
    if (!scan_in_head(&c->scan) || atomic_load_explicit(&c->phase, memory_order_relaxed) != PHASE_IDLE)
        return;
    c->started = clock_monotonic();
    conn_phase(c, PHASE_HEAD, c->server->head_ms);
}

static bool is_at_work(const struct conn *c) { return c->edge && (c->edge->handled || c->edge->undecided); }

static ssize_t nothing_yet(void) {
    errno = EAGAIN;
    return -1;
}

static ssize_t intake_take(struct conn *c, char *p, size_t n) {
    size_t kept, good = scan_feed(&c->scan, p, n, &kept);
    if (good == n || !refusal_is_due(c)) {
        intake_begin_head(c);
        return (ssize_t)kept;
    }
    if (is_at_work(c)) return nothing_yet();
    refusal_write(c, c->scan.err, c->scan.reason);
    return 0;
}

/* Returns true if an end of file follows a part of a head. The library waits for the next edge of epoll
 * after a read that did not fill its buffer. If the end arrived together with the part, that edge has
 * already been reported, so the library never sees the end. */
static bool ends_in_head(const struct conn *c, int fd) {
    char byte;
    return scan_in_head(&c->scan) && !c->scan.err && is_current(c) && !is_at_work(c) &&
           recvfrom(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT, NULL, NULL) == 0;
}

/* The library drops a request if it reads an end of file behind it. So the end is withheld until the
 * reply. */
static ssize_t end_of_file(struct conn *c) {
    if (is_at_work(c)) return nothing_yet();
    /* the sweeper has shut it down */
    bool late = atomic_load_explicit(&c->deadline, memory_order_relaxed) == 0;
    if (scan_in_head(&c->scan) && !late)
        refusal_write(c, ERR_BODY_INVALID, "The head of the request is not complete.");
    return 0;
}

/* The scanner has removed extensions of chunks, so that `taken` bytes are left of a buffer of n. Reads on if
 * it was full, because the library waits for the next edge of epoll after a read that did not fill its
 * buffer. */
static ssize_t intake_refill(const struct conn *c, char *out, size_t n, size_t taken, bool full) {
    ssize_t more = full ? intake_recv(c->fd, out + taken, n - taken, 0) : nothing_yet();
    if (more > 0) return (ssize_t)taken + more;
    return taken && !c->refused ? (ssize_t)taken : more;
}

ssize_t intake_recv(int fd, void *out, size_t n, int flags) {
    struct loop *l = this_loop;
    struct conn *c = l && fd >= 0 && (size_t)fd < l->by_fd_n ? l->by_fd[fd] : NULL;
    if (c && (c->surplus || c->refused)) return 0;
    if (c && c->scan.err) return is_at_work(c) ? nothing_yet() : 0;
    ssize_t got = recvfrom(fd, out, n, flags, NULL, NULL);
    if (c == NULL || got < 0) return got;
    if (got == 0) return end_of_file(c);
    ssize_t taken = intake_take(c, out, (size_t)got);
    if (taken >= 0 && taken < got && !c->scan.err)
        return intake_refill(c, out, n, (size_t)taken, (size_t)got == n);
    return taken > 0 && (size_t)got < n && ends_in_head(c, fd) ? end_of_file(c) : taken;
}
