/* The listening socket, and the choice of a loop for each new connection.
 *
 * If the library accepts, all loops wait for the listening socket, and the first to wake takes all new
 * connections. A burst of sixteen connections often ended on one of two loops, and half of the machine was
 * idle as long as they lived. SO_REUSEPORT spreads by a hash, which is even only for thousands of
 * connections. It would also let a second server of the same user bind the port unnoticed. So one thread
 * accepts, and gives each connection to the loop that has the fewest.
 *
 * Stopping is simple, too: the thread ends and the socket is closed. The loops never use the listening
 * socket. */
#include "http/edge.h"

#include "base/log.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 1024
#define KERNEL_UNSENT \
    (128 *            \
     1024) /* bytes that the kernel keeps for a client that does not read; the default is 2.5 MB, not counted */
#define SHORTAGE_MS 50 /* pause before the next attempt after a lack of descriptors or memory */

int listener_open(const char *address, int port, int *bound, char *err, size_t err_size) {
    struct address a;
    struct sockaddr_storage at = {0};
    socklen_t size;
    if (!address_parse(str_of(address), &a)) {
        snprintf(err, err_size, "%s is not a numeric address", address);
        return -1;
    }
    if (address_is_mapped(&a)) {
        struct sockaddr_in *in = (struct sockaddr_in *)(void *)&at;
        *in = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
        memcpy(&in->sin_addr, a.bytes + 12, 4);
        size = sizeof *in;
    } else {
        struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)(void *)&at;
        *in6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
        memcpy(&in6->sin6_addr, a.bytes, 16);
        size = sizeof *in6;
    }
    int on = 1, unsent = KERNEL_UNSENT,
        fd = socket(at.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    /* accepted connections inherit it */
    if (fd >= 0) setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) ||
        bind(fd, (struct sockaddr *)&at, size) || listen(fd, BACKLOG) ||
        getsockname(fd, (struct sockaddr *)&at, &size)) {
        snprintf(err, err_size, "listening on %s port %d: %s", address, port, strerror(errno));
        if (fd >= 0) close(fd);
        return -1;
    }
    *bound = ntohs(address_is_mapped(&a) ? ((struct sockaddr_in *)(void *)&at)->sin_port
                                         : ((struct sockaddr_in6 *)(void *)&at)->sin6_port);
    return fd;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static struct loop *emptiest(struct http_server *s) {
    struct loop *best = s->loops;
    for (struct loop *l = s->loops + 1; l < s->loops + s->loop_count; l++)
        if (atomic_load(&l->connections) < atomic_load(&best->connections)) best = l;
    return best;
}

/* Counts the connection before the loop starts it, so that the next one of a burst goes to another loop. */
static void loop_give(struct loop *l, int fd, const struct sockaddr *at, socklen_t size) {
    atomic_fetch_add(&l->connections, 1);
    if (MHD_add_connection(l->daemon, fd, at, size) == MHD_YES) return;
    atomic_fetch_sub(&l->connections, 1);
    log_debug("a connection could not be started: %s", strerror(errno)); /* the library has closed it */
}

/* Accepts all pending connections. Returns false if descriptors or memory are short: try again later. */
static bool accept_all(struct http_server *s) {
    for (;;) {
        struct sockaddr_storage at;
        socklen_t size = sizeof at;
        int fd = accept4(s->listener, (struct sockaddr *)&at, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && errno == EAGAIN) return true;
        if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
            return false;
        if (fd < 0) continue; /* accept(2): the error concerns that one connection only */
        loop_give(emptiest(s), fd, (struct sockaddr *)&at, size);
    }
}

static void *accept_on(void *arg) {
    struct http_server *s = arg;
    struct pollfd fds[] = {{.fd = s->accept_stop, .events = POLLIN}, {.fd = s->listener, .events = POLLIN}};
    bool enough = true;
    while (poll(fds, enough ? 2 : 1, enough ? -1 : SHORTAGE_MS) >= 0 || errno == EINTR) {
        if (fds[0].revents) break;
        bool before = enough;
        enough = accept_all(s);
        if (before && !enough) log_warn("new connections have to wait: %s", strerror(errno));
    }
    return NULL;
}

bool acceptor_start(struct http_server *s) {
    s->accept_stop = eventfd(0, EFD_CLOEXEC);
    if (s->accept_stop >= 0 && pthread_create(&s->acceptor, NULL, accept_on, s) == 0) return true;
    if (s->accept_stop >= 0) close(s->accept_stop);
    return false;
}

void acceptor_stop(struct http_server *s) {
    while (eventfd_write(s->accept_stop, 1) != 0) {}
    pthread_join(s->acceptor, NULL);
    close(s->accept_stop);
    close(s->listener);
    s->listener = -1;
}
