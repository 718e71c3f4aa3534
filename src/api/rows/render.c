/* Rows as JSON, and their tags. */
#include "api/rows/generic.h"
#include "api/table/fields.h"
#include "api/rows/view.h"

#include <assert.h>

/* ---- selection of members -------------------------------------------------------------------- */

static const struct selection *selection_of(const struct selection *selection, struct str name) {
    const struct selection *any = NULL;
    for (const struct selection *p = selection; p; p = p->next) {
        if (name_eq(p->name, name)) return p;
        if (str_eq(p->name, S("*"))) any = p;
    }
    return any;
}

static bool is_selected(const struct selection *selection, bool narrow, const struct member *m) {
    const struct field *f = m->field;
    if (selection == NULL || m->identifies) return !(f->flags & ON_DEMAND);
    const struct selection *p = selection_of(selection, str_of(f->name));
    bool any = p && str_eq(p->name, S("*"));
    if (p && p->sign == '-') return false;
    if (f->flags & ON_DEMAND) return p && !any;
    return !narrow || p != NULL;
}

bool view_shows_long(const struct view *v, const struct layout *layout) {
    bool narrow = selection_narrow(v->selection, layout->resource);
    for (const struct member *m = layout->members; m < layout->members + layout->count; m++)
        if (m->lengthy && (m->field->flags & HIDDEN || is_selected(v->selection, narrow, m))) return true;
    return false;
}

/* ---- references ------------------------------------------------------------------------------ */

static bool on_path(const struct view *v, const struct row *row) {
    for (int i = 0; i < v->depth; i++)
        if (v->path[i] == row) return true;
    return v->depth == EXPANSION_MAX;
}

/* Programs compare the type of messages, so it is the same in every case. */
void view_type(struct view *v, const char *type) {
    struct buf b = {0};
    if (v->w.name_case == CASE_SNAKE || strcmp(type, "case_message") == 0) {
        jw_str(&v->w, str_of(type));
        return;
    }
    name_in_case(&b, str_of(type), v->w.name_case);
    jw_str(&v->w, buf_view(&b));
    buf_free(&b);
}

static void write_type(struct view *v, const struct layout *layout) {
    if (jw_takes_members(&v->w)) {
        jw_member(&v->w, layout->type_member, S(""), S(""));
        return;
    }
    jw_name(&v->w, JSON_NAME("resource_type"));
    if (v->w.name_case == CASE_SNAKE) jw_quoted(&v->w, layout->type.key);
    else view_type(v, resource_shown_type(layout->resource));
}

static void write_cell(struct view *v, const struct row *row, const struct member *m,
                       const struct value *cell);

static void write_url(struct view *v, const struct row *row);

/* Writes a member of the target in a reference; null if the caller does not see the row. */
static void write_carried(struct view *v, const struct layout *layout, const struct row *row, int place) {
    const struct member *m = &layout->members[place];
    jw_name(&v->w, &m->name);
    if (row && view_sees(v, row, m)) write_cell(v, row, m, &row->cells[place]);
    else jw_null(&v->w);
}

/* Fast path: three of four values of a list are plain references, written from prepared pieces. */
static inline void write_bare(struct view *v, const struct layout *layout, int64_t id) {
    char room[INT_TEXT];
    jw_pieces(
        &v->w,
        (const struct str[]){S("{\"id\":"), str_int(room, view_id(v, layout, id)), layout->reference_end}, 3);
}

/* The same for a reference that contains a member of the target. */
static bool write_bare_also(struct view *v, const struct layout *layout, int64_t id, const struct row *row) {
    const struct member *m = &layout->members[layout->also];
    const struct value *cell = row && view_sees(v, row, m) ? &row->cells[layout->also] : NULL;
    char room[INT_TEXT];
    bool null = cell == NULL || cell->type == V_NULL;
    if (!m->prepared || !m->textual) return false;
    if (!null && (cell->s.p == NULL || !jw_needs_no_escape(cell->s))) return false;
    jw_pieces(&v->w,
              (const struct str[]){S("{\"id\":"), str_int(room, view_id(v, layout, id)), S(","),
                                   null ? m->name.key : m->opens, null ? S("null") : cell->s,
                                   null ? S("") : m->closes, layout->reference_end},
              7);
    return true;
}

/* Writes the resource if it is included here, otherwise the reference. carried: indexes of members, ended
 * by -1; NULL: the usual ones. */
static void write_reference(struct view *v, const struct layout *shown, int64_t id, const int *carried) {
    if (carried == NULL && shown->also < 0 && !view_expands(v) && jw_is_plain(&v->w)) {
        write_bare(v, shown, id);
        return;
    }
    const struct layout *layout = carried ? shown : view_form(v, shown);
    bool bare = carried == NULL && layout->also < 0, included = view_includes(v, layout->resource);
    const struct row *row = bare && !included ? NULL : view_find(v, layout->resource, id);
    if (included && row && row->expandable && !v->c->options.flat && !on_path(v, row)) {
        view_row(v, row);
        return;
    }
    if (included && row && row->expandable) view_note_person(v, row);
    if (bare && jw_is_plain(&v->w)) {
        write_bare(v, layout, id);
        return;
    }
    bool prepares = carried == NULL && layout->also >= 0 && jw_takes_members(&v->w);
    if (prepares && write_bare_also(v, layout, id, row)) return;
    jw_object(&v->w);
    jw_name(&v->w, JSON_NAME("id"));
    jw_int(&v->w, view_id(v, layout, id));
    if (carried == NULL && layout->also >= 0) write_carried(v, layout, row, layout->also);
    for (const int *place = carried; place && *place >= 0; place++) write_carried(v, layout, row, *place);
    write_type(v, layout);
    if (carried && row) write_url(v, row);
    jw_end(&v->w);
}

void view_reference(struct view *v, const struct layout *layout, int64_t id) {
    write_reference(v, layout, id, NULL);
}

/* ---- one row --------------------------------------------------------------------------------- */

static void write_many(struct view *v, const struct member *m, const struct value *cell) {
    bool apart = v->c->options.flat && m->target->resource->is_flattened;
    jw_array(&v->w);
    if (cell->type == V_ROWS && apart)
        for (const struct row *row = cell->rows; row; row = row->next) view_reference(v, m->target, row->id);
    else if (cell->type == V_ROWS)
        for (const struct row *row = cell->rows; row; row = row->next) view_row(v, row);
    else
        for (int64_t i = 0; i < cell->i; i++) view_reference(v, m->target, cell->ids[i]);
    jw_end(&v->w);
}

static void write_cell(struct view *v, const struct row *row, const struct member *m,
                       const struct value *cell) {
    const struct field *f = m->field;
    if (f->render) {
        f->render(v, row, cell);
        return;
    }
    if (f->type == F_MANY || f->type == F_ROWS) {
        write_many(v, m, cell);
        return;
    }
    if (cell->type == V_NULL) {
        jw_null(&v->w);
        return;
    }
    switch (f->type) {
    case F_INT: jw_int(&v->w, cell->i); break;
    case F_BOOL: jw_bool(&v->w, cell->i != 0); break;
    case F_TIME: jw_time(&v->w, cell->i); break;
    case F_WORD: jw_str(&v->w, str_of(word_of(f->words, cell->i))); break;
    case F_REF: write_reference(v, m->target, cell->i, m->carried); break;
    case F_JSON: jw_raw(&v->w, cell->s); break;
    default: jw_str(&v->w, cell->s);
    }
}

static void write_hidden(struct view *v, const struct field *f) {
    if (f->type == F_MANY || f->type == F_ROWS) {
        jw_array(&v->w);
        jw_end(&v->w);
    } else {
        jw_null(&v->w);
    }
}

#define URL_PIECES 16

/* The beginning of each resource_url. */
static struct str url_opens(struct view *v) {
    if (v->url_opens.p) return v->url_opens;
    struct buf b = {0};
    struct json_writer w;
    jw_init(&w, &b);
    JW_CAT(&w, v->c->work.desk->base_url, S("/api/v1/"));
    b.n--; /* without the quotation mark at the end */
    v->url_opens = STR_CAT(v->c->work.arena, S("\"resource_url\":"), buf_view(&b));
    buf_free(&b);
    return v->url_opens;
}

static void write_url(struct view *v, const struct row *row) {
    struct str parts[URL_PIECES];
    char numbers[URL_PIECES / 2][INT_TEXT];
    size_t n = 0, size = 1;
    bool prepares = jw_takes_members(&v->w);
    parts[n++] = v->c->work.desk->base_url;
    parts[n++] = S("/api/v1/");
    for (const struct url_piece *p = row->layout->url;; p++) {
        assert(n + 2 <= URL_PIECES);
        size += p->text.n;
        parts[n++] = p->text;
        if (p->member == URL_END) break;
        const struct value *cell = p->member == URL_ID
                                       ? &(struct value){V_INT, .i = view_id(v, row->layout, row->id)}
                                       : &row->cells[p->member];
        parts[n] = cell->type == V_INT ? str_int(numbers[n / 2], cell->i) : cell->s;
        prepares = prepares && parts[n].p && jw_needs_no_escape(parts[n]);
        size += parts[n++].n;
    }
    if (prepares) {
        char *at = jw_member_begin(&v->w, url_opens(v), size);
        for (size_t i = 2; i < n; i++) at = str_put(at, parts[i]);
        jw_member_end(&v->w, str_put(at, S("\"")));
        return;
    }
    jw_name(&v->w, JSON_NAME("resource_url"));
    jw_cat(&v->w, parts, n);
}

static void note_secret(struct call *c, size_t began) {
    if (c->out.n <= began) return; /* an empty member was omitted */
    struct span *s = ARENA_NEW(c->work.arena, struct span);
    *s = (struct span){began, c->out.n - began, c->secrets};
    c->secrets = s;
}

#define NUMBER_ROOM (INT_TEXT > TIME_ISO_SIZE ? INT_TEXT : TIME_ISO_SIZE)

static bool write_prepared_text(struct view *v, const struct member *m, struct str text) {
    if (text.p == NULL || (m->field->type != F_JSON && !jw_needs_no_escape(text))) return false;
    jw_member(&v->w, m->opens, text, m->closes);
    return true;
}

/* Fast path: nine of ten members depend on their cell alone, and are written from prepared pieces. Returns
 * false if this one is not. */
static bool write_prepared(struct view *v, const struct member *m, const struct value *cell) {
    const struct field *f = m->field;
    if (!m->prepared || (f->type == F_REF && view_expands(v))) return false;
    if (cell->type == V_NULL) {
        jw_member(&v->w, m->name.key, S("null"), S(""));
        return true;
    }
    if (m->textual) return write_prepared_text(v, m, cell->s);
    if (f->type == F_WORD) return write_prepared_text(v, m, str_of(word_of(f->words, cell->i)));
    char *at = jw_member_begin(&v->w, m->opens, NUMBER_ROOM + m->closes.n);
    switch (f->type) {
    case F_REF: at = int_put(at, view_id(v, m->target, cell->i)); break;
    case F_TIME: at += time_iso(at, cell->i); break;
    case F_BOOL: at = str_put(at, cell->i ? S("true") : S("false")); break;
    default: at = int_put(at, cell->i);
    }
    jw_member_end(&v->w, str_put(at, m->closes));
    return true;
}

static void write_member(struct view *v, const struct row *row, const struct member *m, bool prepares) {
    const struct value *cell = &row->cells[m - row->layout->members];
    bool seen = view_sees(v, row, m);
    if (prepares && seen && write_prepared(v, m, cell)) return;
    jw_name(&v->w, &m->name);
    size_t began = v->w.out->n;
    if (seen) write_cell(v, row, m, cell);
    else write_hidden(v, m->field);
    if (m->field->flags & SECRET) note_secret(v->c, began);
}

static void write_members(struct view *v, const struct row *row) {
    const struct layout *layout = row->layout;
    const struct selection *outer = v->selection;
    bool narrow = selection_narrow(outer, layout->resource), prepares = jw_takes_members(&v->w);
    const struct member *end = layout->members + layout->count;
    for (const struct member *m = layout->members; m < end && outer == NULL; m++)
        if (m->usual) write_member(v, row, m, prepares);
    for (const struct member *m = layout->members; m < end && outer; m++) {
        if (!m->written || !is_selected(outer, narrow, m)) continue;
        const struct selection *p = selection_of(outer, m->name.text);
        v->selection = p ? p->inner : NULL;
        write_member(v, row, m, prepares);
    }
    v->selection = outer;
}

void view_row(struct view *v, const struct row *row) {
    const struct layout *layout = row->layout;
    const struct stranger_case *outer = view_enter(v, row);
    v->path[v->depth++] = row;
    jw_object(&v->w);
    if (resource_has_ids(layout->resource)) {
        jw_name(&v->w, JSON_NAME("id"));
        jw_int(&v->w, view_id(v, layout, row->id));
    }
    write_members(v, row);
    if (resource_has_type(layout->resource)) write_type(v, layout);
    if (layout->url) write_url(v, row);
    jw_end(&v->w);
    v->depth--;
    v->conversation = outer;
}

static void flat_row(struct view *v, const struct row *row) {
    jw_key_raw(&v->w, str_fmt(v->c->work.arena, "%lld", (long long)view_id(v, row->layout, row->id)));
    view_row(v, row);
}

/* Writes a person once for each conversation that shows the person. */
static void flat_person(struct view *v, const struct row *row) {
    const struct stranger_case *outer = v->conversation;
    for (const struct shown_person *p = v->shown_people; p; p = p->before) {
        if (p->row->id != row->id || p->row->layout != row->layout) continue;
        v->conversation = p->conversation;
        flat_row(v, row);
    }
    v->conversation = outer;
}

void view_flat(struct view *v) {
    const struct selection *selection = v->selection;
    v->selection = NULL; /* selection apply to the roots only */
    jw_object(&v->w);
    for (const struct row *lead = v->flat; lead; lead = lead->next) {
        bool written = false;
        for (const struct row *before = v->flat; before != lead; before = before->next)
            written = written || before->layout == lead->layout;
        if (written) continue;
        jw_key(&v->w, str_of(lead->layout->resource->type));
        jw_object(&v->w);
        for (const struct row *row = lead; row; row = row->next) {
            if (row->layout != lead->layout) continue;
            if (v->case_count && row->layout->resource->is_person) flat_person(v, row);
            else flat_row(v, row);
        }
        jw_end(&v->w);
    }
    jw_end(&v->w);
    v->selection = selection;
}

void render_null(struct view *v, const struct row *row, const struct value *own) {
    (void)row, (void)own;
    jw_null(&v->w);
}

/* ---- tags ------------------------------------------------------------------------------------ */

/* Adds a row to the tag. Rows in place (V_ROWS) are part of it. */
static void render_tag_row(struct view *v, struct tag *t, const struct row *row) {
    const struct layout *layout = row->layout;
    const struct stranger_case *outer = view_enter(v, row);
    struct str given = view_given_name(v, row);
    tag_text(t, layout->type.text);
    tag_int(t, view_id(v, layout, row->id));
    if (given.p) tag_text(t, given); /* the caller sees only the name of this person */
    for (int i = 0; i < layout->count && given.p == NULL; i++) {
        const struct value *cell = &row->cells[i];
        const struct layout *target = layout->members[i].target;
        if (layout->members[i].field->flags & (INPUT_ONLY | ON_DEMAND)) continue;
        if (!view_sees(v, row, &layout->members[i]) || cell->type == V_NULL) tag_int(t, -1);
        else if (cell->type == V_INT) tag_int(t, target ? view_id(v, target, cell->i) : cell->i);
        else if (cell->type == V_TEXT) tag_text(t, cell->s);
        else if (cell->type == V_ROWS)
            for (const struct row *inner = cell->rows; inner; inner = inner->next)
                render_tag_row(v, t, inner);
        else {
            for (int64_t k = 0; k < cell->i; k++) tag_int(t, view_id(v, target, cell->ids[k]));
            if (cell->version) tag_int(t, cell->version);
        }
    }
    v->conversation = outer;
}

void view_tag(struct view *v, const struct row *row, char out[33]) {
    struct tag t;
    tag_init(&t);
    render_tag_row(v, &t, row);
    tag_end(&t, out);
}
