/* Fills an empty store with the rows of another store or of files, in one transaction:
 *
 *     mark (a transaction of its own) --> strip -> every table -> indexes, references, ids -> compare -> finish --> COMMIT
 *
 * The mark is a row of schema_version. While it is there, only a fill can open the target. The source's
 * rows of that table replace it, so the COMMIT that brings the desk removes it. A fill that is killed
 * leaves a marked store without rows, and the next fill starts anew in it.
 *
 * Both sides are compared by their query results: the source's rows as they were copied, from one
 * snapshot, and the target's rows as they are read back after the last statement that could have changed
 * them. Rows are hashed in a format of our own, because the engines write numbers differently. Rows are
 * processed one by one, so memory does not grow with the store.
 *
 * A move is a fill whose rows come from a store. */
#include "db/move.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/random.h"

enum { TELL_EVERY = 2048 }; /* rows between two progress reports */

struct copied {
    int64_t rows;
    char sum[33];
};

struct moving {
    const struct db_fill *f;
    struct conn *target;
    struct arena *memory;
    struct why why;
    struct move_table *from, *to;
    struct copied *copied; /* copied rows of each table, in the order of `from` */
    struct value *row;     /* room for the widest row */
    struct buf text;       /* the row that is being hashed */
    int64_t total, done;   /* rows, for the progress report */
};

/* ---- rows ------------------------------------------------------------------------------------ */

/* Appends a byte for the kind, then the eight bytes of a number, or a length and its bytes. Different rows
 * differ in this form. */
static void digest_add_value(struct buf *b, const struct value *v) {
    int64_t n = v->kind == VALUE_INT ? v->i : (int64_t)v->s.n;
    buf_char(b, "nirtb"[v->kind]);
    if (v->kind == VALUE_REAL) buf_add(b, &v->r, sizeof v->r);
    if (v->kind == VALUE_INT || v->kind == VALUE_TEXT || v->kind == VALUE_BYTES) buf_add(b, &n, sizeof n);
    if (v->kind == VALUE_TEXT || v->kind == VALUE_BYTES) buf_str(b, v->s);
}

static void add_row(struct moving *g, struct tag *sum, int count) {
    g->text.n = 0;
    for (int i = 0; i < count; i++) digest_add_value(&g->text, &g->row[i]);
    tag_add(sum, g->text.p, g->text.n);
}

static void move_progress(struct moving *g, const char *what, bool last) {
    if (g->f->progress && (last || ++g->done % TELL_EVERY == 0))
        g->f->progress(what, last ? g->total : g->done, g->total);
}

/* Puts the place of the row in front of a refusal. */
static int fill_refused(struct moving *g, void *rows, int rc) {
    char reason[512];
    if (!g->f->from.place || !*g->why.p) return rc;
    snprintf(reason, sizeof reason, "%s", g->why.p);
    return db_refuse(g->why, "%s%s", g->f->from.place(rows), reason);
}

static int put_row(struct moving *g, const struct move_table *t, const struct move_table *into, void *sink) {
    TRY(move_check_row(t, g->row, g->why));
    for (int i = 0; i < into->count; i++)
        if (into->columns[i].needed && g->row[i].kind == VALUE_NULL)
            return move_refuse(g->why, t, g->row, i, "must not be null");
    return g->target->engine->mover->put(sink, g->row, g->why);
}

/* Puts all rows of the source's table, and computes their number and hash. */
static int put_rows(struct moving *g, const struct move_table *t, const struct move_table *into, void *sink,
                    struct copied *sum) {
    const struct row_source *from = &g->f->from;
    struct tag tag;
    void *rows;
    TRY(from->read(from->self, t, &rows, g->why));
    int rc;
    tag_init(&tag);
    sum->rows = 0;
    while ((rc = from->next(rows, g->row, g->why)) == 1) {
        rc = put_row(g, t, into, sink);
        if (rc < 0) {
            rc = fill_refused(g, rows, rc);
            break;
        }
        add_row(g, &tag, t->count);
        sum->rows++;
        move_progress(g, "rows", false);
    }
    from->close(rows);
    tag_end(&tag, sum->sum);
    return rc;
}

static int copy_table(struct moving *g, const struct move_table *t, const struct move_table *into,
                      struct copied *sum) {
    const struct mover *mover = g->target->engine->mover;
    void *sink;
    TRY(mover->write(g->target, into, &sink, g->why));
    int rc = put_rows(g, t, into, sink, sum);
    int end = mover->write_end(sink, rc == 0, g->why);
    return rc < 0 ? rc : end;
}

/* Reads a table of the target back. */
static int read_back(struct moving *g, const struct move_table *t, struct copied *sum) {
    const struct mover *mover = g->target->engine->mover;
    struct tag tag;
    void *rows;
    TRY(mover->read(g->target, t, &rows, g->why));
    int rc;
    tag_init(&tag);
    for (sum->rows = 0; (rc = mover->next(rows, g->row, g->why)) == 1; sum->rows++) {
        add_row(g, &tag, t->count);
        move_progress(g, "comparing", false);
    }
    mover->close(rows);
    tag_end(&tag, sum->sum);
    return rc;
}

/* ---- the two catalogues ---------------------------------------------------------------------- */

/* Returns the name of the first column that differs, or NULL. */
static const char *different_column(const struct move_table *a, const struct move_table *b) {
    for (int i = 0; i < a->count || i < b->count; i++) {
        if (i >= a->count || i >= b->count) return i < a->count ? a->columns[i].name : b->columns[i].name;
        const struct move_column *x = &a->columns[i], *y = &b->columns[i];
        if (strcmp(x->name, y->name) != 0 || x->key != y->key || x->kind != y->kind) return x->name;
    }
    return NULL;
}

/* Both sides have the same schema files, so tables differ only if a store or a file was changed by hand. */
static int match_tables(struct moving *g) {
    struct move_table *a = g->from, *b = g->to;
    int widest = 0, count = 0;
    for (; a && b && strcmp(a->name, b->name) == 0; a = a->next, b = b->next, count++) {
        const char *column = different_column(a, b);
        if (column)
            return db_refuse(g->why,
                             "the table %s has different columns in the target, beginning with "
                             "%s",
                             a->name, column);
        widest = a->count > widest ? a->count : widest;
        g->total += a->rows;
    }
    if (a && (!b || strcmp(a->name, b->name) < 0))
        return db_refuse(g->why, "the target has no table %s", a->name);
    if (b) return db_refuse(g->why, "the source has no table %s", b->name);
    g->row = arena_array(g->memory, (size_t)widest + 1, sizeof *g->row);
    g->copied = arena_array(g->memory, (size_t)count + 1, sizeof *g->copied);
    return 0;
}

static int read_catalogues(struct conn *c, void *arg) {
    struct moving *g = arg;
    g->target = c;
    TRY(g->f->from.tables(g->f->from.self, g->memory, &g->from, g->why));
    TRY(move_tables(c, g->memory, g->f->derived, &g->to, g->why));
    return match_tables(g);
}

/* ---- the fill -------------------------------------------------------------------------------- */

static int demand_vacant(struct moving *g) {
    int rc = g->f->vacant(g->target);
    if (rc < 0) return db_refuse(g->why, "the target can't be read");
    return rc ? 0 : db_refuse(g->why, "the target holds a desk already: name an empty one");
}

static int mark_run(struct conn *c, void *arg) {
    struct moving *g = arg;
    g->target = c;
    TRY(demand_vacant(g));
    return schema_mark_moving(c) < 0 ? db_refuse(g->why, "the target can't be written") : 0;
}

static int move_compare(struct moving *g) {
    const struct copied *copied = g->copied;
    int different = 0;
    for (const struct move_table *t = g->to; t; t = t->next, copied++) {
        struct copied back;
        TRY(read_back(g, t, &back));
        struct db_moved line = {.table = t->name, .rows = {copied->rows, back.rows}};
        memcpy(line.sum[0], copied->sum, sizeof copied->sum);
        memcpy(line.sum[1], back.sum, sizeof back.sum);
        different += line.rows[0] != line.rows[1] || strcmp(line.sum[0], line.sum[1]) != 0;
        if (g->f->report) g->f->report(&line);
    }
    return different ? db_refuse(g->why, "%d tables differ from those of the source", different) : 0;
}

static int rebuild_derived(struct moving *g, struct conn *c) {
    for (const struct db_derived *d = g->f->derived; d->table; d++) {
        if (g->f->progress) g->f->progress("derived tables", d - g->f->derived, d - g->f->derived + 1);
        if (d->rebuild(c) < 0) return db_refuse(g->why, "%s can't be rebuilt in the target", d->table);
    }
    return 0;
}

static int fill_run(struct conn *c, void *arg) {
    struct moving *g = arg;
    const struct mover *mover = c->engine->mover;
    void *plan;
    g->target = c;
    g->done = 0;
    TRY(mover->strip(c, g->memory, &plan, g->why));
    TRY(demand_vacant(g)); /* again: another process may have filled it before the mark */
    struct copied *copied = g->copied;
    for (const struct move_table *t = g->from, *into = g->to; t; t = t->next, into = into->next)
        TRY(copy_table(g, t, into, copied++));
    move_progress(g, "rows", true);
    TRY(mover->restore(c, plan, g->f, g->why));
    for (const struct move_table *t = g->from, *into = g->to; t; t = t->next, into = into->next)
        TRY(mover->settle(c, into, t->last_id, g->why));
    TRY(rebuild_derived(g, c));
    g->done = 0;
    TRY(move_compare(g));
    move_progress(g, "comparing", true);
    if (g->f->finish) TRY(g->f->finish(g->f->arg, c, g->why));
    return mover->durable(c, g->why);
}

/* Adds a reason where the engine gives none (a full disk, a failed COMMIT). */
static int write_to(struct moving *g, int (*run)(struct conn *c, void *arg)) {
    int rc = db_write(g->f->to, run, g);
    return rc < 0 && !*g->why.p ? db_refuse(g->why, "the target can't be written: is its disk full?") : rc;
}

int db_fill(const struct db_fill *f, char *err, size_t err_size) {
    struct moving g = {.f = f, .memory = arena_new(), .why = {err, err_size}};
    *err = 0;
    int rc = write_to(&g, mark_run);
    if (rc == 0) rc = write_to(&g, read_catalogues);
    if (rc == 0) rc = write_to(&g, fill_run);
    buf_free(&g.text);
    arena_free(g.memory);
    return rc < 0 ? rc : 0;
}

/* ---- a move: the rows come from a store ------------------------------------------------------- */

struct from_store {
    struct conn *c; /* this thread's reader; the target's writer uses it while this thread waits */
    const struct db_move *m;
};

static int store_tables(void *self, struct arena *a, struct move_table **out, struct why why) {
    const struct from_store *s = self;
    TRY(move_tables(s->c, a, s->m->derived, out, why));
    for (struct move_table *t = *out; t && s->m->progress; t = t->next) {
        struct query q = {"move_count", str_fmt(a, "SELECT COUNT(*) FROM \"%s\"", t->name).p};
        if (db_int(s->c, &q, NULL, &t->rows) < 0) return db_refuse(why, "%s can't be read", t->name);
    }
    return 0;
}

static int store_read(void *self, const struct move_table *t, void **handle, struct why why) {
    const struct from_store *s = self;
    return s->c->engine->mover->read(s->c, t, handle, why);
}

static int store_alone(void *arg, struct conn *target, struct why why) {
    const struct from_store *s = arg;
    (void)target;
    return s->c->engine->mover->alone(s->c, why);
}

int db_move(const struct db_move *m, char *err, size_t err_size) {
    struct from_store s = {.c = db_reader(m->from), .m = m};
    if (!s.c || db_read_begin(s.c, 0) < 0)
        return db_refuse((struct why){err, err_size}, "the source can't be read");
    const struct mover *mover = s.c->engine->mover;
    struct db_fill f = {.derived = m->derived,
                        .from = {.self = &s,
                                 .tables = store_tables,
                                 .read = store_read,
                                 .next = mover->next,
                                 .close = mover->close},
                        .to = m->to,
                        .vacant = m->vacant,
                        .finish = store_alone,
                        .arg = &s,
                        .progress = m->progress,
                        .report = m->report};
    int rc = db_fill(&f, err, err_size);
    if (s.c->transaction) db_read_end(s.c);
    return rc;
}
