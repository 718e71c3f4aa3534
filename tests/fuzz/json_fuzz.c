/* Every accepted document is written and read back as the same document. */
#include "json/json.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_json(struct buf *out, const struct json *v, bool pretty) {
    struct json_writer w;
    jw_init(&w, out);
    w.pretty = pretty;
    jw_json(&w, v);
}

static void same_again(struct arena *a, const struct json *v, bool pretty) {
    struct buf first = {0}, second = {0};
    struct json *again;
    struct json_error err;
    write_json(&first, v, pretty);
    if (json_parse(a, buf_view(&first), &again, &err) != 0) abort();
    write_json(&second, again, pretty);
    if (!str_eq(buf_view(&first), buf_view(&second))) abort();
    buf_free(&first);
    buf_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *a = arena_new();
    struct json *v;
    struct json_error err = {0};
    if (json_parse(a, (struct str){(const char *)data, size}, &v, &err) == 0) {
        same_again(a, v, false);
        same_again(a, v, true);
    } else if (err.offset > size || err.reason == NULL) {
        abort();
    }
    arena_free(a);
    return 0;
}
