#include "api/rows/merge_ranges.h"

#include "base/error.h"

#include <assert.h>

struct cursor {
    struct stmt *s; /* NULL: at its end */
    int64_t id, key;
};

struct merge {
    struct cursor cursors[MERGE_MOST];
    int count;
    bool descending;
};

static int cursor_end(struct cursor *c, int rc) {
    stmt_end(c->s);
    c->s = NULL;
    return rc;
}

static int cursor_step(struct cursor *c) {
    int rc = stmt_step(c->s);
    if (rc <= 0) return cursor_end(c, rc);
    c->id = col_int(c->s, 0);
    c->key = col_int(c->s, 1);
    return 0;
}

static bool cursor_is_ahead(const struct merge *m, const struct cursor *a, const struct cursor *b) {
    bool less = a->key < b->key || (a->key == b->key && a->id < b->id);
    return m->descending ? !less : less;
}

/* The cursor with the next row; NULL: none is left. */
static struct cursor *first_cursor(struct merge *m) {
    struct cursor *first = NULL;
    for (struct cursor *c = m->cursors; c < m->cursors + m->count; c++)
        if (c->s && (first == NULL || cursor_is_ahead(m, c, first))) first = c;
    return first;
}

static int merge_begin(struct merge *m, struct conn *c, const char *const *queries, int count,
                       const struct bind *binds) {
    assert(count <= MERGE_MOST);
    while (m->count < count) {
        struct cursor *made = &m->cursors[m->count++];
        TRY(db_start(c, queries[m->count - 1], binds, &made->s));
        TRY(cursor_step(made));
    }
    return 0;
}

static int merge_rows(struct merge *m, int64_t offset, int64_t limit, int64_t *ids) {
    int64_t last = 0;
    int n = 0;
    for (struct cursor *c; n < limit && (c = first_cursor(m)) != NULL;) {
        if (c->id != last) { /* the rows of an id are neighbours, because their keys are equal */
            last = c->id;
            if (offset > 0) offset--;
            else ids[n++] = c->id;
        }
        TRY(cursor_step(c));
    }
    return n;
}

int merge_ranges(struct conn *c, const char *const *queries, int count, const struct bind *binds,
                 bool descending, int64_t offset, int64_t limit, int64_t *ids) {
    struct merge m = {.descending = descending};
    int rc = merge_begin(&m, c, queries, count, binds);
    if (rc >= 0) rc = merge_rows(&m, offset, limit, ids);
    for (int i = 0; i < m.count; i++)
        if (m.cursors[i].s) cursor_end(&m.cursors[i], 0);
    return rc;
}
