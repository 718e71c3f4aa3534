#include "live/queue.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

bool queue_open(struct queue *q) {
    *q = (struct queue){.last = &q->first, .bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    return q->bell >= 0 && pthread_mutex_init(&q->lock, NULL) == 0;
}

void queue_close(struct queue *q) {
    if (q->bell < 0) return;
    close(q->bell);
    pthread_mutex_destroy(&q->lock);
    q->bell = -1;
}

void queue_ring(struct queue *q) {
    uint64_t one = 1;
    ssize_t sent = write(q->bell, &one, sizeof one);
    (void)sent; /* it fails only if the bell rings already */
}

void queue_put(struct queue *q, struct queue_item *item) {
    item->next = NULL;
    pthread_mutex_lock(&q->lock);
    bool was_empty = q->first == NULL;
    *q->last = item;
    q->last = &item->next;
    pthread_mutex_unlock(&q->lock);
    if (was_empty) queue_ring(q);
}

struct queue_item *queue_take(struct queue *q) {
    uint64_t rung;
    ssize_t got = read(q->bell, &rung, sizeof rung);
    (void)got;
    pthread_mutex_lock(&q->lock);
    struct queue_item *first = q->first;
    q->first = NULL;
    q->last = &q->first;
    pthread_mutex_unlock(&q->lock);
    return first;
}
