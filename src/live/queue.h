/* A queue between threads: any thread puts, one takes. The bell is a descriptor that is readable while the
 * queue has items, so that its thread may wait for it beside others. */
#ifndef LIVE_QUEUE_H
#define LIVE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>

struct queue_item {
    struct queue_item *next;
};

struct queue {
    pthread_mutex_t lock;
    struct queue_item *first, **last;
    int bell; /* an eventfd; -1: the queue is not open */
};

bool queue_open(struct queue *q); /* false: no descriptor is left */
void queue_close(struct queue *q);
void queue_put(struct queue *q, struct queue_item *item);
struct queue_item *queue_take(struct queue *q); /* all items, in order, and silences the bell; NULL: none */
void queue_ring(struct queue *q);               /* wakes its thread */

#endif
