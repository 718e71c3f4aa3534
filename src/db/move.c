/* Moves a desk from one store into another, in one transaction of the target:
 *
 *     mark (a transaction of its own) --> strip -> every table -> indexes, references, ids -> compare --> COMMIT
 *
 * The mark is a row of schema_version. While it is there, only a move can open the target. The source's rows of that
 * table replace it, so the COMMIT that brings the desk removes it. A move that is killed leaves a marked store without
 * rows, and the next move starts anew in it.
 *
 * Both sides are compared by their query results: the source's rows as they were copied, from one snapshot, and the
 * target's rows as they are read back after the last statement that could have changed them. Rows are hashed in a
 * format of our own, because the engines write numbers differently. Rows are processed one by one, so memory does not
 * grow with the store. */
#include "db/move.h"

#include "db/derived.h"

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
    const struct db_move *m;
    const struct db_derived *derived;
    struct conn *source, *target; /* source: this thread's reader; the target's writer uses it while this thread waits */
    struct arena *memory;
    struct why why;
    struct move_table *from, *to;
    struct copied *copied; /* of each table, in the order of `from` */
    struct value *row;     /* room for the widest row */
    struct buf text;       /* the row that is being hashed */
    int64_t total, done;   /* rows, for the progress report */
};

/* ---- SQL ------------------------------------------------------------------------------------------------- */

struct str move_columns(struct arena *a, const struct move_table *t) {
    struct str list = S("");
    for (int i = 0; i < t->count; i++) list = str_fmt(a, "%s%s\"%s\"", list.p, i ? ", " : "", t->columns[i].name);
    return list;
}

static const char *key_at(const struct move_table *t, int place) {
    for (int i = 0; i < t->count; i++)
        if (t->columns[i].key == place) return t->columns[i].name;
    return NULL;
}

struct str move_order(struct arena *a, const struct move_table *t) {
    struct str list = S("");
    bool keyed = key_at(t, 1) != NULL;
    for (int i = 0; i < t->count; i++) {
        const char *name = keyed ? key_at(t, i + 1) : t->columns[i].name;
        if (name) list = str_fmt(a, "%s%s\"%s\" NULLS FIRST", list.p, i ? ", " : " ORDER BY ", name);
    }
    return list;
}

int move_refuse(struct why why, const struct move_table *t, const struct value *row, int column, const char *what) {
    char place[160] = "";
    size_t n = 0;
    for (int i = 0; i < t->count && n < sizeof place; i++) {
        const struct value *v = &row[i];
        if (t->columns[i].key == 0) continue;
        size_t left = sizeof place - n;
        if (v->kind == VALUE_INT) n += (size_t)snprintf(place + n, left, " %s %lld", t->columns[i].name, (long long)v->i);
        else if (v->kind == VALUE_TEXT)
            n += (size_t)snprintf(place + n, left, " %s %.*s", t->columns[i].name, (int)(v->s.n < 40 ? v->s.n : 40), v->s.p);
    }
    return db_refuse(why, "%s.%s of the row with%s %s: correct that row first", t->name, t->columns[column].name, place, what);
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

/* Appends a byte for the kind, then the eight bytes of a number, or a length and its bytes. Different rows differ in
 * this form. */
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

/* Checks the types of a row. SQLite stores a text in a column of numbers, and PostgreSQL would refuse it without saying
 * where. */
static int check_row(const struct moving *g, const struct move_table *t) {
    for (int i = 0; i < t->count; i++) {
        const struct value *v = &g->row[i];
        if (v->kind != VALUE_NULL && v->kind != t->columns[i].kind) return move_refuse(g->why, t, g->row, i, "is not of its column's type");
        if (v->kind == VALUE_TEXT && !utf8_valid(v->s)) return move_refuse(g->why, t, g->row, i, "is not UTF-8");
    }
    return 0;
}

static void move_progress(struct moving *g, const char *what, bool last) {
    if (g->m->progress && (last || ++g->done % TELL_EVERY == 0)) g->m->progress(what, last ? g->total : g->done, g->total);
}

/* Passes every row of a table to one(), and computes their number and hash in *sum. */
static int each_row(struct moving *g, struct conn *c, const struct move_table *t, struct copied *sum, const char *what,
                    int (*one)(struct moving *g, const struct move_table *t, void *arg), void *arg) {
    const struct mover *mover = c->engine->mover;
    struct tag tag;
    void *rows;
    TRY(mover->read(c, t, &rows, g->why));
    int rc;
    sum->rows = 0;
    tag_init(&tag);
    while ((rc = mover->next(rows, g->row, g->why)) == 1 && (rc = one ? one(g, t, arg) : 0) == 0) {
        add_row(g, &tag, t->count);
        sum->rows++;
        move_progress(g, what, false);
    }
    mover->close(rows);
    tag_end(&tag, sum->sum);
    return rc;
}

static int put_row(struct moving *g, const struct move_table *t, void *sink) {
    TRY(check_row(g, t));
    return g->target->engine->mover->put(sink, g->row, g->why);
}

static int copy_table(struct moving *g, const struct move_table *t, const struct move_table *into, struct copied *sum) {
    const struct mover *mover = g->target->engine->mover;
    void *sink;
    TRY(mover->write(g->target, into, &sink, g->why));
    int rc = each_row(g, g->source, t, sum, "rows", put_row, sink);
    int end = mover->write_end(sink, rc == 0, g->why);
    return rc < 0 ? rc : end;
}

/* ---- the two catalogues ---------------------------------------------------------------------------------- */

static bool same_columns(const struct move_table *a, const struct move_table *b) {
    bool same = a->count == b->count;
    for (int i = 0; i < a->count && same; i++) {
        const struct move_column *x = &a->columns[i], *y = &b->columns[i];
        bool own = x->kind == VALUE_OWN || y->kind == VALUE_OWN;
        same = strcmp(x->name, y->name) == 0 && x->key == y->key && (own || x->kind == y->kind);
    }
    return same;
}

/* Removes columns whose values have a meaning in one store only from both sides. */
static void drop_own(struct move_table *a, struct move_table *b) {
    int kept = 0;
    for (int i = 0; i < a->count; i++) {
        if (a->columns[i].kind == VALUE_OWN || b->columns[i].kind == VALUE_OWN) continue;
        a->columns[kept] = a->columns[i];
        b->columns[kept++] = b->columns[i];
    }
    a->count = b->count = kept;
}

/* Both stores have the same schema files, so tables differ only if a store was changed by hand. */
static int match_tables(struct moving *g) {
    struct move_table *a = g->from, *b = g->to;
    int widest = 0, count = 0;
    for (; a && b && strcmp(a->name, b->name) == 0; a = a->next, b = b->next, count++) {
        if (!same_columns(a, b)) return db_refuse(g->why, "the table %s has different columns in the target", a->name);
        drop_own(a, b);
        widest = a->count > widest ? a->count : widest;
    }
    if (a && (!b || strcmp(a->name, b->name) < 0)) return db_refuse(g->why, "the target has no table %s", a->name);
    if (b) return db_refuse(g->why, "the source has no table %s", b->name);
    g->row = arena_array(g->memory, (size_t)widest + 1, sizeof *g->row);
    g->copied = arena_array(g->memory, (size_t)count + 1, sizeof *g->copied);
    return 0;
}

static int count_rows(struct moving *g) {
    for (const struct move_table *t = g->from; t && g->m->progress; t = t->next) {
        struct query q = {"move_count", str_fmt(g->memory, "SELECT COUNT(*) FROM \"%s\"", t->name).p};
        int64_t n = 0;
        if (db_int(g->source, &q, NULL, &n) < 0) return db_refuse(g->why, "%s can't be read", t->name);
        g->total += n;
    }
    return 0;
}

/* Takes the derived tables out of a list. They may be missing on one engine. */
static void drop_derived(const struct moving *g, struct move_table **list) {
    while (*list) {
        const struct db_derived *d = g->derived;
        while (d->table && strcmp(d->table, (*list)->name) != 0) d++;
        if (d->table) *list = (*list)->next;
        else list = &(*list)->next;
    }
}

static int refuse_unknown(const struct moving *g, const struct move_table *list) {
    for (const struct move_table *t = list; t; t = t->next) {
        if (t->is_virtual) return db_refuse(g->why, "%s is a virtual table that no row of derived_tables rebuilds", t->name);
        for (int i = 0; i < t->count; i++)
            if (t->columns[i].kind == VALUE_NULL)
                return db_refuse(g->why, "%s.%s has the type %s, which deskd move can't copy", t->name, t->columns[i].name,
                                 t->columns[i].type_name);
    }
    return 0;
}

static int read_tables(struct moving *g, struct conn *c, struct move_table **list) {
    TRY(c->engine->mover->tables(c, g->memory, list, g->why));
    drop_derived(g, list);
    return refuse_unknown(g, *list);
}

static int read_catalogues(struct moving *g) {
    TRY(read_tables(g, g->source, &g->from));
    TRY(read_tables(g, g->target, &g->to));
    TRY(match_tables(g));
    return count_rows(g);
}

/* ---- the move -------------------------------------------------------------------------------------------- */

static int demand_vacant(struct moving *g) {
    int rc = g->m->vacant(g->target);
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
        TRY(each_row(g, g->target, t, &back, "comparing", NULL, NULL));
        struct db_moved line = {.table = t->name, .rows = {copied->rows, back.rows}};
        memcpy(line.sum[0], copied->sum, sizeof copied->sum);
        memcpy(line.sum[1], back.sum, sizeof back.sum);
        different += line.rows[0] != line.rows[1] || strcmp(line.sum[0], line.sum[1]) != 0;
        if (g->m->report) g->m->report(&line);
    }
    return different ? db_refuse(g->why, "%d tables differ from those of the source", different) : 0;
}

static int rebuild_derived(struct moving *g, struct conn *c) {
    for (const struct db_derived *d = g->derived; d->table; d++) {
        if (g->m->progress) g->m->progress("derived tables", d - g->derived, d - g->derived + 1);
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
    for (const struct move_table *t = g->from, *into = g->to; t; t = t->next, into = into->next) TRY(copy_table(g, t, into, copied++));
    move_progress(g, "rows", true);
    TRY(mover->restore(c, plan, g->m, g->why));
    for (const struct move_table *t = g->from, *into = g->to; t; t = t->next, into = into->next)
        TRY(mover->settle(c, into, t->last_id, g->why));
    TRY(rebuild_derived(g, c));
    g->done = 0;
    TRY(move_compare(g));
    move_progress(g, "comparing", true);
    TRY(g->source->engine->mover->alone(g->source, g->why));
    return mover->durable(c, g->why);
}

static int tables_run(struct conn *c, void *arg) {
    struct moving *g = arg;
    g->target = c;
    return read_catalogues(g);
}

/* Adds a reason where the engine gives none (a full disk, a failed COMMIT). */
static int write_to(struct moving *g, int (*run)(struct conn *c, void *arg)) {
    int rc = db_write(g->m->to, run, g);
    return rc < 0 && !*g->why.p ? db_refuse(g->why, "the target can't be written: is its disk full?") : rc;
}

int db_move_with(const struct db_move *m, const struct db_derived *derived, char *err, size_t err_size) {
    struct moving g = {.m = m, .derived = derived, .source = db_reader(m->from), .memory = arena_new(), .why = {err, err_size}};
    *err = 0;
    int rc = g.source && db_read_begin(g.source, 0) == 0 ? 0 : db_refuse(g.why, "the source can't be read");
    if (rc == 0) rc = write_to(&g, mark_run);
    if (rc == 0) rc = write_to(&g, tables_run);
    if (rc == 0) rc = write_to(&g, fill_run);
    if (g.source && g.source->transaction) db_read_end(g.source);
    buf_free(&g.text);
    arena_free(g.memory);
    return rc < 0 ? rc : 0;
}

int db_move(const struct db_move *m, char *err, size_t err_size) { return db_move_with(m, derived_tables, err, err_size); }
