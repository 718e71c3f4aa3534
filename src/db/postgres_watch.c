/* Ends waits that last too long. statement_timeout depends on the server: if it is stopped, swapped out or
 * unreachable, the timeout never comes, and libpq waits for ever. One thread looks at all connections
 * twice a second and shuts down the socket of a wait that has exceeded its limit. libpq then reports a
 * lost connection. This costs less than waiting with a timeout in each thread, and no command has to be
 * cancelled. (Only libpq's own waiting takes account of data that TLS has buffered.) */
#include "db/postgres.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

enum {
    LOOK_MS = 500,
    GRACE_MS = 1000, /* time for the server to report by itself that statement_timeout has passed */
};

void pg_wait(struct conn *c, int ms) {
    atomic_store_explicit(&c->pg->until, ms > 0 ? clock_monotonic() + ms + GRACE_MS : 0,
                          memory_order_relaxed);
}

void pg_waited(struct conn *c) { atomic_store_explicit(&c->pg->until, 0, memory_order_relaxed); }

static void watch_forget(struct pg *g) {
    if (g->fd >= 0) close(g->fd);
    g->fd = -1;
}

/* Keeps a duplicate. libpq closes its descriptor as soon as the server is gone, and the number may be that of
 * another socket before this thread shuts it down. */
void pg_watch_socket(struct conn *c, int fd) {
    int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    pthread_mutex_lock(&c->store->lock);
    watch_forget(c->pg);
    c->pg->fd = copy;
    pthread_mutex_unlock(&c->store->lock);
}

static void watch_statements(struct db *db) {
    int64_t now = clock_monotonic();
    int cut = 0;
    pthread_mutex_lock(&db->lock);
    for (struct ring *r = db->conns.next; r != &db->conns; r = r->next) {
        struct pg *g = RING_OF(r, struct conn, in_store)->pg;
        int64_t until = atomic_load_explicit(&g->until, memory_order_relaxed);
        if (until == 0 || now < until || g->fd < 0) continue;
        shutdown(g->fd, SHUT_RDWR);
        watch_forget(g);
        cut++;
    }
    pthread_mutex_unlock(&db->lock);
    if (cut) log_warn("store: the database did not answer in time: %d of its connections were closed", cut);
}

/* Ends all waits for this server. */
void pg_watch_cut(struct db *db, const struct pg_server *server) {
    pthread_mutex_lock(&db->lock);
    for (struct ring *r = db->conns.next; r != &db->conns; r = r->next) {
        struct pg *g = RING_OF(r, struct conn, in_store)->pg;
        if (g->server != server || g->fd < 0) continue;
        shutdown(g->fd, SHUT_RDWR);
        watch_forget(g);
    }
    pthread_mutex_unlock(&db->lock);
}

static void *watch_main(void *arg) {
    struct db *db = arg;
    struct pg_store *s = db->postgres;
    pthread_mutex_lock(&s->lock);
    while (!s->closing) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        t.tv_nsec += LOOK_MS * 1000000L;
        t.tv_sec += t.tv_nsec / 1000000000L;
        t.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&s->close, &s->lock, &t);
        pthread_mutex_unlock(&s->lock);
        watch_statements(db);
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

int pg_watch_start(struct db *db) {
    struct pg_store *s = db->postgres;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->close, &monotonic);
    pthread_condattr_destroy(&monotonic);
    s->watching = pthread_create(&s->watcher, NULL, watch_main, db) == 0;
    return s->watching ? 0 : -1;
}

void pg_watch_stop(struct db *db) {
    struct pg_store *s = db->postgres;
    if (!s->watching) return;
    pthread_mutex_lock(&s->lock);
    s->closing = true;
    pthread_cond_signal(&s->close);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->watcher, NULL);
    pthread_cond_destroy(&s->close);
}
