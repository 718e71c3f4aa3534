#include "mail/lmtp.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "mail/inbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define STACK (512 * 1024)
#define TURNED_AWAY "421 4.3.2 too many connections\r\n"
#define CLOSING "421 4.3.2 this server stops\r\n"
#define TIMED_OUT "421 4.4.2 too slow\r\n"

struct peer {
    struct lmtp *lmtp;
    int fd;
    int64_t ends; /* clock_monotonic */
    struct peer *next, **link;
};

struct lmtp {
    struct lmtp_config cfg;
    struct lmtp_setup setup;
    char host[HOST_NAME_MAX + 1];
    int fd, stopping; /* stopping: an eventfd that stays readable */
    bool started;
    pthread_t acceptor;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct peer *peers;
    int count;
    /* shared syncs of the names */
    int64_t asked, synced, failed; /* tickets: given, covered by a sync, covered by a sync that failed */
    bool syncing;
    int fault;
};

/* ---- syncs ----------------------------------------------------------------------------------- */

/* One sync of the folder covers all renames before it. So connections that wait for one at the same time
 * share the next one. */
static int share_sync(void *arg) {
    struct lmtp *l = arg;
    pthread_mutex_lock(&l->lock);
    int64_t mine = ++l->asked;
    while (l->synced < mine) {
        if (l->syncing) {
            pthread_cond_wait(&l->changed, &l->lock);
            continue;
        }
        int64_t covered = l->asked;
        l->syncing = true;
        pthread_mutex_unlock(&l->lock);
        int fault = inbox_sync_names(l->cfg.inbox);
        pthread_mutex_lock(&l->lock);
        l->syncing = false;
        l->synced = covered;
        if (fault) l->failed = covered, l->fault = fault;
        pthread_cond_broadcast(&l->changed);
    }
    /* a sync that has failed since then counts, too: then the mail comes twice */
    int fault = mine <= l->failed ? l->fault : 0;
    pthread_mutex_unlock(&l->lock);
    return fault;
}

/* ---- a connection ---------------------------------------------------------------------------- */

static int time_left(const struct peer *p) {
    int64_t left = p->ends - clock_monotonic(), idle = (int64_t)p->lmtp->cfg.idle_s * 1000;
    return (int)(left < 0 ? 0 : left < idle ? left : idle);
}

static bool peer_send(struct peer *p, struct str rest) {
    while (rest.n) {
        ssize_t n = send(p->fd, rest.p, rest.n, MSG_NOSIGNAL);
        if (n > 0) rest = (struct str){rest.p + n, rest.n - (size_t)n};
        if (n > 0 || (n < 0 && errno == EINTR)) continue;
        struct pollfd wait = {.fd = p->fd, .events = POLLOUT};
        if (errno != EAGAIN || poll(&wait, 1, time_left(p)) == 0) return false;
    }
    return true;
}

/* Waits for bytes. Returns their number; 0: the connection ends. */
static size_t peer_receive(struct peer *p, const struct lmtp_session *s, char *bytes) {
    for (;;) {
        struct pollfd wait[2] = {{.fd = p->fd, .events = POLLIN},
                                 {.fd = p->lmtp->stopping, .events = POLLIN}};
        int ready = poll(wait, lmtp_session_rests(s) ? 2 : 1, time_left(p));
        if (ready == 0) peer_send(p, S(TIMED_OUT));
        if (ready > 0 && wait[1].revents) peer_send(p, S(CLOSING));
        if (ready == 0 || (ready > 0 && wait[1].revents)) return 0;
        ssize_t n = recv(p->fd, bytes, LMTP_PIECE, MSG_DONTWAIT);
        if (n > 0) return (size_t)n;
        if (n == 0 || (errno != EINTR && errno != EAGAIN)) return 0;
    }
}

static void peer_serve(struct peer *p, struct lmtp_session *s) {
    char bytes[LMTP_PIECE];
    struct buf *out = lmtp_session_output(s);
    for (bool more = true; peer_send(p, buf_view(out)) && more;) {
        out->n = 0;
        size_t n = peer_receive(p, s, bytes);
        if (n == 0) return;
        more = lmtp_session_feed(s, (struct str){bytes, n});
    }
}

static void peer_leave(struct peer *p) {
    struct lmtp *l = p->lmtp;
    pthread_mutex_lock(&l->lock);
    *p->link = p->next;
    if (p->next) p->next->link = p->link;
    close(p->fd); /* in the lock, so that lmtp_stop shuts down no other descriptor */
    l->count--;
    atomic_fetch_sub(&l->setup.counts->connections, 1);
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
    free(p);
}

static void *peer_main(void *arg) {
    struct peer *p = arg;
    struct lmtp_session *s = lmtp_session_new(&p->lmtp->setup);
    if (s) {
        peer_serve(p, s);
        lmtp_session_free(s);
    }
    peer_leave(p);
    return NULL;
}

/* ---- the listener ---------------------------------------------------------------------------- */

static bool peer_thread(struct peer *p) {
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    int rc = pthread_create(&thread, &attr, peer_main, p);
    pthread_attr_destroy(&attr);
    return rc == 0;
}

/* Returns NULL if there are too many. */
static struct peer *peer_join(struct lmtp *l, int fd) {
    struct peer *p = NULL;
    pthread_mutex_lock(&l->lock);
    if (l->count < l->cfg.connections && (p = calloc(1, sizeof *p)) != NULL) {
        *p = (struct peer){.lmtp = l,
                           .fd = fd,
                           .ends = clock_monotonic() + LMTP_CONNECTION_MS,
                           .next = l->peers,
                           .link = &l->peers};
        if (p->next) p->next->link = &p->next;
        l->peers = p;
        l->count++;
        atomic_fetch_add(&l->setup.counts->connections, 1);
    }
    pthread_mutex_unlock(&l->lock);
    return p;
}

static void turn_away(struct lmtp *l, int fd) {
    atomic_fetch_add(&l->setup.counts->turned_away, 1);
    log_often(LOG_WARN, "refused LMTP connections",
              "LMTP: a connection was refused, because %d are open "
              "(--lmtp-connections)",
              l->cfg.connections);
    send(fd, TURNED_AWAY, sizeof TURNED_AWAY - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    close(fd);
}

static void lmtp_welcome(struct lmtp *l, int fd) {
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* fails for UNIX sockets, which need none */
    struct peer *p = peer_join(l, fd);
    if (p == NULL) {
        turn_away(l, fd);
    } else if (!peer_thread(p)) {
        atomic_fetch_add(&l->setup.counts->turned_away, 1);
        send(fd, TURNED_AWAY, sizeof TURNED_AWAY - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        peer_leave(p);
    }
}

static void *acceptor_main(void *arg) {
    struct lmtp *l = arg;
    for (;;) {
        struct pollfd wait[2] = {{.fd = l->fd, .events = POLLIN}, {.fd = l->stopping, .events = POLLIN}};
        poll(wait, 2, -1);
        if (wait[1].revents) return NULL;
        int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) lmtp_welcome(l, fd);
        else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
            poll(wait + 1, 1, 100); /* waits until another connection ends */
    }
}

/* ---- opening --------------------------------------------------------------------------------- */

/* The socket of a process that has ended stays in its folder. It is removed only if nobody listens there. */
static void remove_stale_socket(const struct sockaddr_un *at) {
    struct stat st;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return;
    bool stale = lstat(at->sun_path, &st) == 0 && S_ISSOCK(st.st_mode) &&
                 connect(fd, (const struct sockaddr *)at, sizeof *at) != 0 && errno == ECONNREFUSED;
    if (stale) unlink(at->sun_path);
    close(fd);
}

static int lmtp_socket(int family) { return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

/* Returns the descriptor if it is ready. Otherwise closes it, and returns -1 with the errno of the
 * failure. */
static int ready_or_closed(int fd, bool ready) {
    int fault = errno;
    if (ready) return fd;
    if (fd >= 0) close(fd);
    errno = fault;
    return -1;
}

static int listen_path(const char *path) {
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
    remove_stale_socket(&at);
    int fd = lmtp_socket(AF_UNIX);
    /* The mode is set before the file exists, so that no other user connects meanwhile. The umask may take
     * the group's right away: it is set again. */
    return ready_or_closed(fd, fd >= 0 && fchmod(fd, 0660) == 0 &&
                                   bind(fd, (struct sockaddr *)&at, sizeof at) == 0 &&
                                   chmod(path, 0660) == 0 && listen(fd, SOMAXCONN) == 0);
}

static socklen_t lmtp_address(const char *host, int port, struct sockaddr_storage *out) {
    struct sockaddr_in *four = (struct sockaddr_in *)out;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)out;
    char bare[INET6_ADDRSTRLEN] = "";
    *out = (struct sockaddr_storage){0};
    if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons((uint16_t)port);
        return sizeof *four;
    }
    sscanf(host, "[%45[^]]", bare);
    six->sin6_family = AF_INET6;
    six->sin6_port = htons((uint16_t)port);
    return inet_pton(AF_INET6, bare, &six->sin6_addr) == 1 ? sizeof *six : 0;
}

static int listen_port(const char *host, int port) {
    struct sockaddr_storage at;
    socklen_t size = lmtp_address(host, port, &at);
    int on = 1, fd = lmtp_socket(at.ss_family);
    return ready_or_closed(fd, fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                                   bind(fd, (struct sockaddr *)&at, size) == 0 && listen(fd, SOMAXCONN) == 0);
}

static bool is_open_network(const char *host) {
    return strncmp(host, "127.", 4) != 0 && strcmp(host, "[::1]") != 0;
}

struct lmtp *lmtp_open(const struct lmtp_config *cfg, struct lmtp_counts *counts, char *err,
                       size_t err_size) {
    struct lmtp *l = calloc(1, sizeof *l);
    if (l == NULL) abort();
    *l = (struct lmtp){.cfg = *cfg,
                       .stopping = eventfd(0, EFD_CLOEXEC),
                       .fd = cfg->host ? listen_port(cfg->host, cfg->port) : listen_path(cfg->path)};
    if (l->fd < 0 || l->stopping < 0) {
        if (cfg->host)
            snprintf(err, err_size, "LMTP can't listen on %s:%d: %s", cfg->host, cfg->port, strerror(errno));
        else snprintf(err, err_size, "LMTP can't listen on %s: %s", cfg->path, strerror(errno));
        if (l->fd >= 0) close(l->fd);
        if (l->stopping >= 0) close(l->stopping);
        free(l);
        return NULL;
    }
    if (gethostname(l->host, sizeof l->host - 1) != 0 || l->host[0] == 0) strcpy(l->host, "localhost");
    l->setup = (struct lmtp_setup){
        .inbox = cfg->inbox, .host = str_of(l->host), .counts = counts, .sync_names = share_sync, .arg = l};
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->changed, NULL);
    if (cfg->host && is_open_network(cfg->host))
        log_warn("LMTP listens on %s: anyone who can connect can deliver mail under any name, so let only "
                 "mail servers connect",
                 cfg->host);
    return l;
}

bool lmtp_start(struct lmtp *l) {
    l->started = pthread_create(&l->acceptor, NULL, acceptor_main, l) == 0;
    return l->started;
}

int lmtp_port(const struct lmtp *l) {
    struct sockaddr_in6 at = {0};
    socklen_t size = sizeof at;
    if (getsockname(l->fd, (struct sockaddr *)&at, &size) != 0) return 0;
    return ntohs(at.sin6_port); /* at the same place as sin_port */
}

/* ---- the end --------------------------------------------------------------------------------- */

void lmtp_drain(struct lmtp *l) {
    uint64_t one = 1;
    if (l && write(l->stopping, &one, sizeof one) < 0)
        log_error("LMTP can't be stopped: %s", strerror(errno));
}

static void wait_for_peers(struct lmtp *l, int deadline_ms) {
    struct timespec until = clock_deadline(deadline_ms);
    pthread_mutex_lock(&l->lock);
    while (l->count && pthread_cond_timedwait(&l->changed, &l->lock, &until) == 0) continue;
    for (struct peer *p = l->peers; p; p = p->next) shutdown(p->fd, SHUT_RDWR);
    while (l->count) pthread_cond_wait(&l->changed, &l->lock);
    pthread_mutex_unlock(&l->lock);
}

void lmtp_stop(struct lmtp *l, int deadline_ms) {
    if (l == NULL) return;
    lmtp_drain(l);
    if (l->started) pthread_join(l->acceptor, NULL);
    /* before the port closes: afterwards the path may be that of a new process */
    if (l->cfg.path) unlink(l->cfg.path);
    close(l->fd);
    wait_for_peers(l, deadline_ms);
    close(l->stopping);
    pthread_mutex_destroy(&l->lock);
    pthread_cond_destroy(&l->changed);
    free(l);
}
