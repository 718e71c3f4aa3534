#include "api/rows/view.h"

#include "api/rows/visible.h"
#include "base/ids.h"
#include "base/limits.h"
#include "core/desk/kept_value.h"
#include "core/words.h"

#include <assert.h>

static void view_keep(struct view *v, struct row *row);

static void begin_writing(struct view *v) {
    const struct options *o = &v->c->options;
    jw_init(&v->w, &v->c->out);
    v->w.name_case = o->name_case;
    v->w.pretty = o->pretty;
    v->w.no_empty = o->no_empty;
}

struct view *view_new(struct call *c) {
    struct view *v = ARENA_NEW(c->work.arena, struct view);
    v->c = c;
    v->selection = c->options.selection;
    if (c->options.also && !selection_narrow(v->selection, c->resource))
        v->selection = selection_with(c, v->selection, str_of(c->options.also));
    begin_writing(v);
    return v;
}

void view_restart(struct view *v, struct row *rows) {
    v->slots = NULL;
    v->slot_count = v->used = 0;
    v->flat = v->flat_last = NULL;
    for (struct row *row = rows; row; row = row->next) view_keep(v, row);
    begin_writing(v);
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct row *row_new(struct view *v, const struct layout *layout, int64_t id) {
    struct arena *a = v->c->work.arena;
    struct row *row = ARENA_NEW(a, struct row);
    *row = (struct row){
        .layout = layout, .id = id, .cells = arena_array(a, (size_t)layout->count + 1, sizeof *row->cells)};
    return row;
}

static void read_cell(struct arena *a, const struct member *m, struct stmt *s, struct value *cell) {
    struct str text;
    if (m->textual) {
        text = col_text(s, m->column);
        if (text.p) *cell = (struct value){V_TEXT, .s = str_dup(a, text)};
    } else if (col_int_given(s, m->column, &cell->i)) {
        cell->type = V_INT;
    }
}

static struct row *read_row(struct view *v, const struct layout *layout, struct stmt *s) {
    struct row *row = row_new(v, layout, col_int(s, 0));
    for (int i = 0; i < layout->count; i++)
        if (layout->members[i].column) read_cell(v->c->work.arena, &layout->members[i], s, &row->cells[i]);
    return row;
}

struct row *view_read(struct view *v, const struct layout *layout, struct stmt *s) {
    struct row *row = read_row(v, layout, s);
    view_keep(v, row);
    return row;
}

struct value *row_cell(const struct row *row, const char *name) {
    const struct layout *layout = row->layout;
    int i = 0;
    const struct member *m = layout->members;
    size_t n = strlen(name);
    while (i < layout->count && (m[i].name.text.n != n || memcmp(m[i].name.text.p, name, n) != 0)) i++;
    assert(i < layout->count); /* an unknown member is a bug */
    return &row->cells[i];
}

/* ---- the graph of loaded rows ---------------------------------------------------------------- */

static struct slot *slot_of(const struct view *v, const struct resource *r, int64_t id) {
    size_t at = ((size_t)id * 0x9E3779B97F4A7C15u ^ (size_t)(uintptr_t)r >> 4) & (v->slot_count - 1);
    while (v->slots[at].resource && (v->slots[at].resource != r || v->slots[at].id != id))
        at = (at + 1) & (v->slot_count - 1);
    return &v->slots[at];
}

static void grow(struct view *v) {
    struct slot *old = v->slots;
    size_t n = v->slot_count;
    v->slot_count = n ? n * 4 : 64;
    v->slots = arena_array(v->c->work.arena, v->slot_count, sizeof *v->slots);
    for (size_t i = 0; i < n; i++)
        if (old[i].resource) *slot_of(v, old[i].resource, old[i].id) = old[i];
}

/* Returns the slot of (r, id), and adds it if there is none. row NULL: requested, but not found (yet). */
static struct slot *slot_make(struct view *v, const struct resource *r, int64_t id) {
    if (v->used * 2 >= v->slot_count) grow(v);
    struct slot *s = slot_of(v, r, id);
    if (s->resource == NULL) {
        *s = (struct slot){r, id, NULL};
        v->used++;
    }
    return s;
}

static void view_keep(struct view *v, struct row *row) {
    slot_make(v, row->layout->resource, row->id)->row = row;
}

struct row *view_find(const struct view *v, const struct resource *r, int64_t id) {
    return v->slot_count ? slot_of(v, r, id)->row : NULL;
}

/* ---- loading --------------------------------------------------------------------------------- */

enum depth {
    DEPTH_MEMBER = 1, /* loads only the member that references contain */
    DEPTH_ROW,        /* the row, because a reference shows some of its members */
    DEPTH_ALL,        /* the row and its references (included) */
};

struct id_list {
    const struct layout *layout;
    enum depth depth;
    int64_t *ids;
    size_t n, cap;
    struct id_list *next;
};

static void want(struct view *v, struct id_list **lists, const struct layout *layout, int64_t id,
                 enum depth depth) {
    struct arena *a = v->c->work.arena;
    if (v->slot_count && slot_of(v, layout->resource, id)->resource) return;
    slot_make(v, layout->resource, id);
    struct id_list *l = *lists;
    while (l && l->layout != layout) l = l->next;
    if (l == NULL) {
        l = ARENA_NEW(a, struct id_list);
        *l = (struct id_list){.layout = layout, .next = *lists};
        *lists = l;
    }
    if (l->depth < depth) l->depth = depth;
    if (l->n == l->cap) {
        int64_t *more = arena_array(a, l->cap = l->cap ? l->cap * 2 : 16, sizeof *more);
        if (l->n) memcpy(more, l->ids, l->n * sizeof *more);
        l->ids = more;
    }
    l->ids[l->n++] = id;
}

/* True if loading must stop. The last stmt_step returned 1, which equals VIEW_FULL. */
static bool is_full(const struct view *v) { return v->room && arena_size(v->c->work.arena) > v->room; }

/* The text of the query of a list, and the parameter :ids. */
static struct str list_query(const struct view *v, const struct member *m, const struct owners *o,
                             struct bind *ids) {
    if (o->count == 1) *ids = (struct bind)B_INT("ids", o->ids[0]);
    else *ids = (struct bind)B_TEXT("ids", json_ids(v->c->work.arena, o->ids, (size_t)o->count));
    return o->count == 1 ? m->list_of_one : m->list;
}

/* Loads one list of references for all rows by one query. Its rows are grouped by owner. A third column is
 * a version of the row. */
static int load_many(struct view *v, const struct layout *layout, int field, const struct owners *owners) {
    struct arena *a = v->c->work.arena;
    struct stmt *s;
    int rc;
    int64_t *ids = NULL, owner = 0, cap = 0;
    struct value *cell = NULL;
    struct bind binds[] = {{0}, B_INT("me", v->c->work.actor.user_id), {0}};
    struct str sql = list_query(v, &layout->members[field], owners, &binds[0]);
    TRY(db_start(v->c->work.conn, sql.p, binds, &s));
    while ((rc = stmt_step(s)) == 1 && !is_full(v)) {
        if (cell == NULL || owner != col_int(s, 0)) {
            owner = col_int(s, 0);
            cell = &view_find(v, layout->resource, owner)->cells[field];
            *cell = (struct value){.type = V_IDS};
            cap = 0;
        }
        if (cell->i == cap) {
            int64_t *more = arena_array(a, (size_t)(cap = cap ? cap * 2 : 4), sizeof *more);
            if (cell->i) memcpy(more, ids, (size_t)cell->i * sizeof *more);
            cell->ids = ids = more;
        }
        ids[cell->i++] = col_int(s, 1);
        if (col_count(s) > 2) cell->version += col_int(s, 2);
    }
    stmt_end(s);
    return rc;
}

/* Computes a list that no query finds. */
static int make_many(struct view *v, const struct layout *layout, int field, const struct row *rows) {
    const struct member *m = &layout->members[field];
    for (const struct row *row = rows; row; row = row->next) {
        int64_t *ids = NULL;
        if (!view_sees(v, row, m)) continue;
        int n =
            m->field->found ? m->field->found(v, row, m->field, &ids) : m->field->made(v->c, row->id, &ids);
        TRY(n);
        row->cells[field] = (struct value){.type = V_IDS, .i = n, .ids = ids};
    }
    return 0;
}

static void flat_add(struct view *v, struct row *rows) {
    for (struct row *row = rows, *copy; row; row = row->next) {
        copy = ARENA_NEW(v->c->work.arena, struct row);
        *copy = *row;
        copy->next = NULL;
        if (v->flat_last) v->flat_last->next = copy;
        else v->flat = copy;
        v->flat_last = copy;
    }
}

/* With _flat, an owned row of a flattened resource that is included stands under `resources`, once. */
static void flat_add_owned(struct view *v, struct row *row) {
    const struct resource *r = row->layout->resource;
    if (!v->c->options.flat || !r->is_flattened || !view_includes(v, r) || view_find(v, r, row->id)) return;
    view_keep(v, row);
    flat_add(v, row);
}

/* Loads the owned rows of these owners by one query. They get no slot unless they are flattened, because
 * no reference leads to them. */
static int load_rows(struct view *v, const struct layout *layout, int field, const struct owners *owners) {
    const struct member *m = &layout->members[field];
    struct branches b = {0};
    struct bind binds[BRANCH_BINDS_MAX + 2] = {0}, ids;
    struct buf sql = {0};
    struct stmt *s;
    struct row *last = NULL;
    int64_t before = 0;
    int rc;
    buf_str(&sql, list_query(v, m, owners, &ids));
    view_condition(v->c, m->target->resource, &b, &sql);
    buf_str(&sql, m->order);
    buf_char(&sql, 0);
    memcpy(binds, b.binds, (size_t)b.bind_count * sizeof *binds);
    binds[b.bind_count] = ids;
    rc = db_start(v->c->work.conn, sql.p, binds, &s);
    buf_free(&sql);
    if (rc < 0) return rc;
    while ((rc = stmt_step(s)) == 1 && !is_full(v)) {
        int64_t owner = col_int(s, m->target->column_count + 1);
        struct row *row = read_row(v, m->target, s);
        flat_add_owned(v, row);
        struct value *cell = &view_find(v, layout->resource, owner)->cells[field];
        if (last && owner == before) last->next = row;
        else *cell = (struct value){.type = V_ROWS, .rows = row};
        before = owner;
        last = row;
        cell->i++;
    }
    stmt_end(s);
    return rc;
}

/* Loads rows that the resource itself reads. */
static int load_owned(struct view *v, const struct layout *layout, int field, struct owners *owners) {
    const struct layout *target = layout->members[field].target;
    owners->cells = arena_array(v->c->work.arena, (size_t)owners->count, sizeof *owners->cells);
    for (int i = 0; i < owners->count; i++)
        owners->cells[i] = &view_find(v, layout->resource, owners->ids[i])->cells[field];
    TRY(target->resource->load_owned(v, target, owners));
    return is_full(v) ? VIEW_FULL : 0;
}

static bool is_selected_anywhere(const struct selection *selection, struct str name) {
    for (const struct selection *p = selection; p; p = p->next)
        if ((p->sign != '-' && name_eq(p->name, name)) || is_selected_anywhere(p->inner, name)) return true;
    return false;
}

/* The number of rows that one query may return. If the client holds a whole result in memory (db_blocks),
 * rows with long texts come a few at a time. */
static size_t at_once(const struct view *v, const struct layout *layout, size_t few) {
    return layout->bytes.p && db_blocks(v->c->work.desk->db) ? few : SIZE_MAX;
}
#define OWNERS_AT_ONCE 64
#define LONG_AT_ONCE 16

/* Those among the next `most` rows that show this list to the caller. Moves *at behind these rows. */
static struct owners owners_of(struct view *v, const struct row **at, const struct member *m, size_t most) {
    size_t count = 0;
    struct owners o = {0};
    for (const struct row *row = *at; row && count < most; row = row->next) count++;
    o.ids = arena_array(v->c->work.arena, count, sizeof *o.ids);
    for (; count; count--, *at = (*at)->next)
        if (view_sees(v, *at, m)) o.ids[o.count++] = (*at)->id;
    return o;
}

static int load_list(struct view *v, const struct row *rows, int field) {
    const struct layout *layout = rows->layout;
    const struct member *m = &layout->members[field];
    bool bare = m->field->type == F_MANY, own = !bare && m->target->resource->load_owned;
    size_t most = bare ? SIZE_MAX : own ? OWNERS_AT_ONCE : at_once(v, m->target, OWNERS_AT_ONCE);
    for (const struct row *at = rows; at;) {
        struct owners o = owners_of(v, &at, m, most);
        if (o.count == 0) continue;
        int rc = bare  ? load_many(v, layout, field, &o)
                 : own ? load_owned(v, layout, field, &o)
                       : load_rows(v, layout, field, &o);
        if (rc) return rc;
    }
    return 0;
}

/* True for a list that the call's own row is known to have no rows of. */
static bool is_known_empty(const struct view *v, const struct row *rows, const struct member *m) {
    const struct call *c = v->c;
    return v->empty && rows->next == NULL && rows->id == c->id && rows->layout->resource == c->resource &&
           name_eq(m->name.text, str_of(v->empty));
}

/* Loads the lists of new rows, all of one resource. Lists that nobody may see, and on-demand lists that
 * were not requested, are skipped. */
static int load_lists(struct view *v, const struct row *rows) {
    const struct layout *layout = rows->layout;
    for (int i = 0; i < layout->count; i++) {
        const struct member *m = &layout->members[i];
        const struct field *f = m->field;
        if ((f->type != F_MANY && f->type != F_ROWS) || f->flags & INPUT_ONLY) continue;
        if (f->flags & ON_DEMAND && !is_selected_anywhere(v->selection, m->name.text)) continue;
        if (is_known_empty(v, rows, m)) continue;
        int rc = f->made || f->found ? make_many(v, layout, i, rows) : load_list(v, rows, i);
        if (rc) return rc;
    }
    return 0;
}

/* The part of a target that is shown; 0: only the reference. */
static enum depth depth_of(struct view *v, const struct member *m, const struct layout *form) {
    if (view_includes(v, form->resource)) return DEPTH_ALL;
    if (m->carried) return DEPTH_ROW;
    return form->also >= 0 ? DEPTH_MEMBER : 0;
}

static void want_targets(struct view *v, struct id_list **lists, const struct row *row) {
    const struct layout *layout = row->layout;
    for (const int *at = view_expands(v) ? layout->targets : layout->leading; *at >= 0; at++) {
        const struct member *m = &layout->members[*at];
        const struct value *cell = &row->cells[*at];
        if (!view_sees(v, row, m)) continue;
        if (cell->type == V_ROWS)
            for (const struct row *inner = cell->rows; inner; inner = inner->next)
                want_targets(v, lists, inner);
        const struct layout *form = m->carried ? m->target : view_form(v, m->target);
        enum depth depth = cell->type == V_ROWS ? 0 : depth_of(v, m, form);
        if (depth == 0) continue;
        if (cell->type == V_INT) want(v, lists, form, cell->i, depth);
        for (int64_t k = 0; cell->type == V_IDS && k < cell->i; k++)
            want(v, lists, form, cell->ids[k], depth);
    }
}

/* Rows to select: by ids, and by further conditions over path variables. */
struct rows_wanted {
    const struct layout *layout;
    const int64_t *ids;
    size_t count;
    const char *further; /* NULL: none */
    bool alive;          /* loads only rows that their own URL finds */
    bool also;           /* loads only the member that references contain */
    bool dated;          /* loads one row with the time of its last change */
};

static void rows_wanted_binds(struct call *c, const struct rows_wanted *s, const struct branches *b,
                              struct bind *out) {
    int n = b->bind_count;
    memcpy(out, b->binds, (size_t)n * sizeof *out);
    if (s->count == 1) out[n++] = (struct bind)B_INT("ids", s->ids[0]);
    else out[n++] = (struct bind)B_TEXT("ids", json_ids(c->work.arena, s->ids, s->count));
    out[n++] = (struct bind)B_INT("me", c->work.actor.user_id);
    for (int i = 0; s->further && i < c->var_count; i++) out[n++] = path_bind(&c->vars[i]);
    out[n] = (struct bind){0};
}

static void rows_wanted_sql(struct call *c, const struct rows_wanted *s, struct branches *b,
                            struct buf *sql) {
    const struct layout *layout = s->layout;
    const struct selects *of = view_selects(&c->work, layout);
    buf_reserve(sql, of->all.n + 256);
    if (s->count == 1) {
        buf_str(sql, s->also ? layout->select_also : s->dated ? of->dated : of->all);
        buf_text(sql, "t.id = :ids");
    } else {
        buf_str(sql, s->also ? layout->select_each_also : of->each);
    }
    view_condition(c, layout->resource, b, sql);
    if (s->alive && layout->resource->alive) sql_and(sql, layout->resource->alive);
    if (s->further) sql_and(sql, s->further);
    buf_char(sql, 0);
}

static struct row *read_member(struct view *v, const struct rows_wanted *sel, struct stmt *s) {
    struct row *row = row_new(v, sel->layout, col_int(s, 0));
    struct str text = col_text(s, 1);
    view_keep(v, row);
    if (text.p) row->cells[sel->layout->also] = (struct value){V_TEXT, .s = str_dup(v->c->work.arena, text)};
    return row;
}

static struct row *read_dated(struct view *v, const struct layout *layout, struct stmt *s) {
    struct row *row = view_read(v, layout, s);
    for (int i = layout->column_count + 1; i < col_count(s); i++)
        if (row->changed_at < col_int(s, i)) row->changed_at = col_int(s, i);
    return row;
}

/* Selects computed rows. */
static int select_made(struct view *v, const struct rows_wanted *sel, struct row **rows) {
    struct row *row = NULL, *next;
    *rows = NULL;
    TRY(sel->layout->resource->rows(v->c, v, (struct str){0}, &row));
    for (; row; row = next) {
        next = row->next;
        if (!ids_have(sel->ids, (int64_t)sel->count, row->id)) continue;
        view_keep(v, row);
        *rows = row;
        rows = &row->next;
        *rows = NULL;
    }
    return 0;
}

static int select_rows(struct view *v, const struct rows_wanted *sel, struct row **rows) {
    if (sel->layout->resource->made_ids) return select_made(v, sel, rows);
    struct branches b = {0};
    struct bind binds[BRANCH_BINDS_MAX + PATH_VARS + 3];
    struct buf sql = {0};
    struct stmt *s;
    struct row **last = rows;
    *rows = NULL;
    rows_wanted_sql(v->c, sel, &b, &sql);
    rows_wanted_binds(v->c, sel, &b, binds);
    int rc = db_start(v->c->work.conn, sql.p, binds, &s);
    buf_free(&sql);
    if (rc < 0) return rc;
    while ((rc = stmt_step(s)) == 1 && !is_full(v)) {
        *last = sel->also    ? read_member(v, sel, s)
                : sel->dated ? read_dated(v, sel->layout, s)
                             : view_read(v, sel->layout, s);
        last = &(*last)->next;
    }
    stmt_end(s);
    return rc;
}

/* The member that a reference to this row contains, as it is kept in memory. number 0: there is no row. */
static struct kept_key key_of_member(const struct layout *layout, int64_t id) {
    return (struct kept_key){.of = layout, .parts = {id}};
}

static void keep_members(struct view *v, const struct id_list *l) {
    for (size_t i = 0; i < l->n; i++) {
        const struct row *row = view_find(v, l->layout->resource, l->ids[i]);
        const struct kept_key key = key_of_member(l->layout, l->ids[i]);
        const struct kept_value member = {row != NULL, row ? row->cells[l->layout->also].s : (struct str){0}};
        kept_value_put(&v->c->work, l->layout->resource->reference_kept, &key, &member);
    }
}

/* Takes the members that are kept in memory, and leaves the other ids in the list. */
static void take_members(struct view *v, struct id_list *l) {
    const struct layout *layout = l->layout;
    size_t left = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct kept_key key = key_of_member(layout, l->ids[i]);
        struct kept_value member;
        if (!kept_value_find(&v->c->work, layout->resource->reference_kept, &key, &member)) {
            l->ids[left++] = l->ids[i];
            continue;
        }
        if (member.number == 0) continue;
        struct row *row = row_new(v, layout, l->ids[i]);
        view_keep(v, row);
        if (member.text.p) row->cells[layout->also] = (struct value){V_TEXT, .s = member.text};
    }
    l->n = left;
}

static int follow_list(struct view *v, struct id_list *l) {
    size_t most = at_once(v, l->layout, LONG_AT_ONCE), count;
    bool kept = l->depth == DEPTH_MEMBER && l->layout->resource->reference_kept;
    ids_sort(l->ids, (int)l->n); /* the order of a flat reply */
    if (kept) take_members(v, l);
    for (size_t at = 0; at < l->n; at += count) {
        struct row *found;
        count = l->n - at < most ? l->n - at : most;
        const struct rows_wanted sel = {
            .layout = l->layout, .ids = l->ids + at, .count = count, .also = l->depth == DEPTH_MEMBER};
        int rc = select_rows(v, &sel, &found);
        if (rc == 0 && l->depth == DEPTH_ALL) rc = view_follow(v, found);
        if (rc) return rc;
        if (l->depth == DEPTH_ALL) flat_add(v, found);
    }
    if (kept) keep_members(v, l);
    return 0;
}

/* One round: loads the lists of the rows, then the targets of these lists and references, then follows the
 * included ones. */
int view_follow(struct view *v, struct row *rows) {
    struct id_list *lists = NULL;
    if (rows == NULL) return 0;
    TRY(view_pseudonyms(v, rows));
    int rc = load_lists(v, rows);
    for (struct row *row = rows; row && rc == 0; row = row->next) {
        row->expandable = true;
        want_targets(v, &lists, row);
    }
    for (struct id_list *l = lists; l && rc == 0; l = l->next) rc = follow_list(v, l);
    return rc;
}

bool changes_are_seen(const struct call *c, const struct resource *r, int64_t id) {
    const struct actor *a = &c->work.actor;
    return r->changed && ((r->is_person && id == a->user_id) || a->rank >= ROLE_COLLABORATOR);
}

int view_load(struct view *v, const struct resource *r, const int64_t *ids, int count, struct row **rows,
              int *found) {
    struct row *loaded, **last = rows;
    TRY(select_rows(v,
                    &(struct rows_wanted){.layout = layout_of(r),
                                          .ids = ids,
                                          .count = (size_t)count,
                                          .dated = count == 1 && changes_are_seen(v->c, r, *ids)},
                    &loaded));
    *rows = NULL;
    *found = 0;
    for (int i = 0; i < count; i++) {
        struct row *row = (struct row *)view_find(v, r, ids[i]);
        if (row == NULL) continue;
        *last = row;
        last = &row->next;
        ++*found;
    }
    *last = NULL;
    return view_follow(v, *rows);
}

int view_load_one(struct view *v, const struct resource *r, int64_t id, const char *further,
                  struct row **row) {
    TRY(select_rows(v,
                    &(struct rows_wanted){.layout = layout_of(r),
                                          .ids = &id,
                                          .count = 1,
                                          .further = further,
                                          .alive = true,
                                          .dated = changes_are_seen(v->c, r, id)},
                    row));
    return *row ? 1 : 0;
}
