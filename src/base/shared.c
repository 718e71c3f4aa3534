#include "base/shared.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct shared {
    struct buf bytes;
    atomic_int references;
};

struct shared *shared_new(struct buf *bytes) {
    struct shared *s = malloc(sizeof *s);
    if (s == NULL) {
        fputs("deskd: out of memory\n", stderr);
        abort();
    }
    s->bytes = *bytes;
    atomic_init(&s->references, 1);
    *bytes = (struct buf){0};
    return s;
}

struct str shared_view(const struct shared *s) {
    return buf_view(&s->bytes);
}

struct shared *shared_hold(struct shared *s) {
    atomic_fetch_add_explicit(&s->references, 1, memory_order_relaxed);
    return s;
}

void shared_drop(struct shared *s) {
    if (s == NULL || atomic_fetch_sub_explicit(&s->references, 1, memory_order_acq_rel) != 1) return;
    buf_free(&s->bytes);
    free(s);
}
