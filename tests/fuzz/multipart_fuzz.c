/* A form gives the same result however it is cut. The first byte of the input chooses the cut. */
#include "http/multipart.c"
#include "http/parameter.c"

#include "base/buf.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int on_begin(void *ctx, const struct multipart_part *p) {
    buf_fmt(ctx, "<%.*s|%.*s|", (int)p->name.n, p->name.p, (int)p->filename.n,
            p->filename.p ? p->filename.p : "");
    return 0;
}

static int on_data(void *ctx, struct str piece) {
    if (piece.n == 0) abort();
    buf_str(ctx, piece);
    return 0;
}

static int on_end(void *ctx) {
    buf_char(ctx, '>');
    return 0;
}

static void run(const char *p, size_t size, size_t step, struct buf *said) {
    static const struct multipart_sink sink = {on_begin, on_data, on_end};
    struct arena *a = arena_new();
    struct multipart *m = multipart_new(a, S("multipart/form-data; boundary=B"), &sink, said);
    int err = 0;
    for (size_t at = 0; at < size && err == 0; at += step)
        err = multipart_feed(m, (struct str){p + at, step < size - at ? step : size - at});
    if (err == 0) err = multipart_end(m);
    buf_fmt(said, "%d %s", err, multipart_reason(m));
    arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    struct buf whole = {0}, cut = {0};
    const char *p = (const char *)data + 1;
    run(p, size - 1, size, &whole);
    run(p, size - 1, data[0] ? data[0] : 1, &cut);
    if (!str_eq(buf_view(&whole), buf_view(&cut))) abort();
    buf_free(&whole);
    buf_free(&cut);
    return 0;
}
