#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void buf_grow(struct buf *b, size_t more) {
    size_t cap = b->cap ? b->cap : 512;
    while (cap - b->n < more) {
        if (cap > SIZE_MAX / 2) abort();
        cap *= 2;
    }
    char *p = realloc(b->p, cap);
    if (p == NULL) {
        fputs("deskd: out of memory\n", stderr);
        abort();
    }
    b->p = p;
    b->cap = cap;
}

void buf_int(struct buf *b, int64_t v) {
    char room[INT_TEXT];
    buf_str(b, str_int(room, v));
}

void buf_fmt(struct buf *b, const char *fmt, ...) {
    va_list args, again;
    buf_reserve(b, 128);
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(b->p + b->n, b->cap - b->n, fmt, args);
    va_end(args);
    if (n < 0) abort();
    if ((size_t)n >= b->cap - b->n) {
        buf_reserve(b, (size_t)n + 1);
        vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
    }
    va_end(again);
    b->n += (size_t)n;
}

void buf_fit(struct buf *b) {
    if (b->cap < 64 * 1024 || b->cap - b->n < b->cap / 4) return;
    char *p = realloc(b->p, b->n ? b->n : 1);
    if (p == NULL) return;
    b->p = p;
    b->cap = b->n ? b->n : 1;
}

void buf_free(struct buf *b) {
    free(b->p);
    *b = (struct buf){0};
}

struct str buf_take(struct buf *b, struct arena *a) {
    struct str s = str_dup(a, buf_view(b));
    buf_free(b);
    return s;
}
