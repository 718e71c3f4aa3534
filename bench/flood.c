/* A load generator: connections that send requests as fast as the replies come, from one thread with
 * epoll.
 *
 *     flood PORT CONNECTIONS PIPELINE SECONDS FILE...
 *
 * A file is one request, byte for byte. Connection i sends the request i modulo the number of files. Each
 * connection keeps PIPELINE requests under way. A connection that the server closes is opened again.
 * Prints one line of JSON. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define ROOM (64 * 1024)
#define DEEPEST 64

struct request {
    char *p;
    size_t n;
};

struct link {
    const struct request *request;
    int fd, under_way, first; /* first: index of the oldest of `sent` */
    size_t unsent;            /* bytes of the current request that the socket has not taken yet */
    size_t got, body;         /* bytes in `in`; bytes of the body that are still to come */
    int64_t sent[DEEPEST];
    char in[ROOM];
};

static int port, depth, queue;
static int64_t statuses[6], replies, errors, times_n;
static float *times;
#define TIMES 4000000

static int64_t now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void link_open(struct link *l) {
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1;
    l->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    l->under_way = l->first = 0;
    l->unsent = l->got = l->body = 0;
    if (l->fd < 0) return;
    setsockopt(l->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(l->fd, (struct sockaddr *)&to, sizeof to) < 0 && errno != EINPROGRESS) errors++;
    struct epoll_event e = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = l};
    epoll_ctl(queue, EPOLL_CTL_ADD, l->fd, &e);
}

static void link_fail(struct link *l) {
    errors++;
    close(l->fd);
    link_open(l);
}

/* Returns false if the connection is broken. */
static bool link_send(struct link *l) {
    while (l->unsent || l->under_way < depth) {
        if (l->unsent == 0) {
            l->sent[(l->first + l->under_way++) % DEEPEST] = now_us();
            l->unsent = l->request->n;
        }
        ssize_t n = send(l->fd, l->request->p + l->request->n - l->unsent, l->unsent, MSG_NOSIGNAL);
        if (n < 0) return errno == EAGAIN || errno == ENOTCONN || errno == EINPROGRESS;
        l->unsent -= (size_t)n;
    }
    return true;
}

static void link_done(struct link *l, int status) {
    statuses[status / 100 % 6]++;
    replies++;
    if (times_n < TIMES) times[times_n++] = (float)(now_us() - l->sent[l->first]);
    l->first = (l->first + 1) % DEEPEST;
    l->under_way--;
}

/* Takes whole replies, all with Content-Length, out of what has arrived. */
static void link_take(struct link *l) {
    size_t at = 0;
    for (;;) {
        char *head = l->in + at, *end = memmem(head, l->got - at, "\r\n\r\n", 4);
        if (end == NULL) break;
        char *length = memmem(head, (size_t)(end - head), "Content-Length: ", 16);
        size_t n = (size_t)(end + 4 - head) + (length ? strtoul(length + 16, NULL, 10) : 0);
        link_done(l, atoi(head + 9));
        if (n > l->got - at) {
            l->body = n - (l->got - at);
            at = l->got;
            break;
        }
        at += n;
    }
    memmove(l->in, l->in + at, l->got - at);
    l->got -= at;
}

static bool link_receive(struct link *l) {
    for (;;) {
        ssize_t n = recv(l->fd, l->in + l->got, ROOM - l->got, 0);
        if (n < 0) return errno == EAGAIN || errno == ENOTCONN;
        if (n == 0) return false;
        size_t skip = l->body < (size_t)n ? l->body : (size_t)n;
        memmove(l->in + l->got, l->in + l->got + skip, (size_t)n - skip);
        l->body -= skip;
        l->got += (size_t)n - skip;
        link_take(l);
        if (l->got == ROOM) return false;
    }
}

static struct request request_read(const char *path) {
    struct request r = {malloc(ROOM), 0};
    int fd = open(path, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, r.p, ROOM);
    if (n <= 0) exit((perror(path), 1));
    close(fd);
    r.n = (size_t)n;
    return r;
}

static int by_size(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    if (argc < 6) return 2;
    struct request requests[64];
    int count = argc - 5 < 64 ? argc - 5 : 64, links = atoi(argv[2]);
    port = atoi(argv[1]);
    depth = atoi(argv[3]) < DEEPEST ? atoi(argv[3]) : DEEPEST;
    queue = epoll_create1(0);
    times = malloc(TIMES * sizeof *times);
    for (int i = 0; i < count; i++) requests[i] = request_read(argv[5 + i]);
    struct link *all = calloc((size_t)links, sizeof *all);
    int64_t began = now_us(), until = began + atoi(argv[4]) * INT64_C(1000000);
    for (int i = 0; i < links; i++) all[i].request = &requests[i % count], link_open(&all[i]);
    while (now_us() < until) {
        struct epoll_event events[256];
        int n = epoll_wait(queue, events, 256, 100);
        for (int i = 0; i < n; i++) {
            struct link *l = events[i].data.ptr;
            bool ok = !(events[i].events & (EPOLLHUP | EPOLLERR)) && link_receive(l) && link_send(l);
            if (!ok) link_fail(l);
        }
    }
    double seconds = (double)(now_us() - began) / 1e6;
    qsort(times, (size_t)times_n, sizeof *times, by_size);
    printf("{\"seconds\": %.3f, \"replies\": %lld, \"good\": %lld, \"refused4\": %lld, \"refused5\": %lld, "
           "\"errors\": %lld, \"p50\": %.2f, \"p99\": %.2f}\n",
           seconds, (long long)replies, (long long)(statuses[2] + statuses[3]), (long long)statuses[4],
           (long long)statuses[5], (long long)errors, times_n ? times[times_n / 2] / 1000 : 0,
           times_n ? times[times_n * 99 / 100] / 1000 : 0);
    return 0;
}
