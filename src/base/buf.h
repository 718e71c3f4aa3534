/* A growing byte buffer with memory of its own (malloc). The HTTP library takes it over as the body of a
 * reply. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/str.h"

struct buf {
    char *p;
    size_t n, cap;
};

void buf_grow(struct buf *b, size_t more);
/* Makes room for `more` bytes behind n. Inline, like the next two, because a list of ten items writes
 * 2,000 pieces. */
static inline void buf_reserve(struct buf *b, size_t more) {
    if (b->cap - b->n < more) buf_grow(b, more);
}
static inline void buf_add(struct buf *b, const void *p, size_t n) {
    if (n == 0) return;
    buf_reserve(b, n);
    memcpy(b->p + b->n, p, n);
    b->n += n;
}
static inline void buf_char(struct buf *b, char c) {
    buf_reserve(b, 1);
    b->p[b->n++] = c;
}
static inline void buf_str(struct buf *b, struct str s) { buf_add(b, s.p, s.n); }
static inline void buf_text(struct buf *b, const char *s) { buf_add(b, s, strlen(s)); }
void buf_int(struct buf *b, int64_t v);
void buf_fmt(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline struct str buf_view(const struct buf *b) { return (struct str){b->p ? b->p : "", b->n}; }
void buf_fit(struct buf *b); /* frees unused room if the buffer has 64 KiB or more and a quarter is unused */
void buf_free(struct buf *b);
/* Returns a copy in the arena, with a NUL behind it, and frees the buffer. */
struct str buf_take(struct buf *b, struct arena *a);

#endif
