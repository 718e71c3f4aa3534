/* Every accepted form is a tree of texts that keeps its counts and can be written and read as JSON. */
#include "json/json.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns the number of texts in the tree. Only the root may be empty. */
static size_t texts(const struct json *v, bool root) {
    if (v->type == JSON_STRING) return 1;
    size_t n = 0;
    unsigned count = 0;
    for (const struct json *child = v->first; child; child = child->next, count++) {
        if ((child->name.p != NULL) != (v->type == JSON_OBJECT)) abort();
        n += texts(child, false);
    }
    if (count != v->count || (count == 0 && !root)) abort();
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *a = arena_new();
    struct json *root, *again;
    struct json_error err = {0};
    if (form_parse(a, (struct str){(const char *)data, size}, &root, &err) == 0) {
        struct buf out = {0};
        struct json_writer w;
        jw_init(&w, &out);
        jw_json(&w, root);
        if (json_parse(a, buf_view(&out), &again, &err) != 0) abort();
        if (texts(again, true) != texts(root, true)) abort(); /* no name occurs twice */
        buf_free(&out);
    } else if (err.offset > size || err.reason == NULL) {
        abort();
    }
    arena_free(a);
    return 0;
}
