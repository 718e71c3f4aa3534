/* The writer. What it needs to know of the text before, it reads from the last byte: behind an opening bracket comes the
 * first child, behind anything else a comma. So a member is dropped by cutting the buffer, and nothing has to be undone. */
#include "json/json.h"

#include "base/clock.h"

#include <assert.h>

#define STAYS SIZE_MAX /* where a member began that must not be dropped */

static bool only_child(const struct json_writer *w) {
    char last = w->out->p[w->out->n - 1];
    return last == '{' || last == '[';
}

static void line(struct json_writer *w) {
    if (!w->pretty) return;
    size_t n = (size_t)w->depth * 4;
    buf_char(w->out, '\n');
    buf_reserve(w->out, n);
    memset(w->out->p + w->out->n, ' ', n);
    w->out->n += n;
}

/* What stands between the text before and a new child. */
static void separate(struct json_writer *w) {
    if (!only_child(w)) buf_char(w->out, ',');
    line(w);
}
