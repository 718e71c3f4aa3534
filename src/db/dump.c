/* Reads all rows of a store for an export. */
#include "db/move.h"

#include <assert.h>

#include "base/error.h"

enum { TELL_EVERY = 2048 }; /* rows between two progress reports */

struct dumping {
    struct conn *c;
    const struct db_dump *d;
    struct value *row;
    int64_t total, done;
    struct why why;
};

static int dump_count(struct dumping *g, struct arena *a, struct move_table *list) {
    int widest = 0;
    for (struct move_table *t = list; t; t = t->next) {
        struct query q = {"dump_count", str_fmt(a, "SELECT COUNT(*) FROM \"%s\"", t->name).p};
        if (db_int(g->c, &q, NULL, &t->rows) < 0) return db_refuse(g->why, "%s can't be read", t->name);
        g->total += t->rows;
        widest = t->count > widest ? t->count : widest;
    }
    g->row = arena_array(a, (size_t)widest + 1, sizeof *g->row);
    return 0;
}

static int dump_rows(struct dumping *g, const struct move_table *t, void *rows) {
    int rc;
    while ((rc = g->c->engine->mover->next(rows, g->row, g->why)) == 1) {
        TRY(move_check_row(t, g->row, g->why));
        TRY(g->d->row(g->d->arg, t, g->row, g->why));
        if (g->d->progress && ++g->done % TELL_EVERY == 0) g->d->progress("rows", g->done, g->total);
    }
    return rc;
}

static int dump_table(struct dumping *g, const struct move_table *t) {
    const struct mover *mover = g->c->engine->mover;
    void *rows;
    TRY(g->d->begin(g->d->arg, t, g->why));
    TRY(mover->read(g->c, t, &rows, g->why));
    int rc = dump_rows(g, t, rows);
    mover->close(rows);
    return rc < 0 ? rc : g->d->end(g->d->arg, t, g->why);
}

static int dump_all(struct dumping *g, struct arena *a) {
    struct move_table *list;
    TRY(move_tables(g->c, a, g->d->derived, &list, g->why));
    TRY(dump_count(g, a, list));
    for (struct move_table *t = list; t; t = t->next) TRY(dump_table(g, t));
    if (g->d->progress) g->d->progress("rows", g->total, g->total);
    return 0;
}

int db_dump(struct conn *c, const struct db_dump *d, struct why why) {
    struct dumping g = {.c = c, .d = d, .why = why};
    struct arena *a = arena_new();
    int rc = dump_all(&g, a);
    arena_free(a);
    return rc;
}
