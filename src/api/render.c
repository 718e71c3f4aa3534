/* Rows as JSON, and their tags. */
#include "api/generic.h"
#include "api/view.h"

#include <assert.h>

/* ---- which members -------------------------------------------------------------------------------------- */

static const struct pick *pick_of(const struct pick *picks, struct str name) {
    const struct pick *any = NULL;
    for (const struct pick *p = picks; p; p = p->next) {
        if (name_eq(p->name, name)) return p;
        if (str_eq(p->name, S("*"))) any = p;
    }
    return any;
}

/* Whether ?fields= names members for good ("a,b"): then only those are shown. Naming on-demand ones keeps the defaults. */
static bool picks_narrow(const struct pick *picks, const struct resource *r) {
    for (const struct pick *p = picks; p; p = p->next) {
        bool on_demand = false;
        for (const struct field *f = r->fields; f->name; f++)
            if (name_eq(p->name, str_of(f->name)) && f->flags & ON_DEMAND) on_demand = true;
        if (p->sign == 0 && !on_demand) return true;
    }
    return false;
}

static bool picked(const struct pick *picks, bool narrow, const struct field *f) {
    const struct pick *p = pick_of(picks, str_of(f->name));
    bool any = p && str_eq(p->name, S("*"));
    if (p && p->sign == '-') return false;
    if (f->flags & ON_DEMAND) return p && !any;
    return !narrow || p != NULL;
}

/* ---- references ----------------------------------------------------------------------------------------- */

static bool on_path(const struct view *v, const struct row *row) {
    for (int i = 0; i < v->depth; i++)
        if (v->path[i] == row) return true;
    return v->depth == EXPANSION_MAX;
}

void view_type(struct view *v, const char *type) {
    struct buf b = {0};
    if (v->w.name_case == CASE_SNAKE) {
        jw_str(&v->w, str_of(type));
        return;
    }
    name_in_case(&b, str_of(type), v->w.name_case);
    jw_str(&v->w, buf_view(&b));
    buf_free(&b);
}

static void write_cell(struct view *v, const struct row *row, const struct field *f, const struct value *cell);

void view_reference(struct view *v, const struct resource *r, int64_t id) {
    const struct row *row = view_find(v, r, id);
    if (row && row->expandable && !v->c->options.flat && view_includes(v, r) && !on_path(v, row)) {
        view_row(v, row);
        return;
    }
    jw_object(&v->w);
    jw_key(&v->w, S("id"));
    jw_int(&v->w, id);
    for (const struct field *f = r->fields; r->reference_also && f->name; f++) {
        if (strcmp(f->name, r->reference_also) != 0) continue;
        jw_key(&v->w, str_of(f->name));
        if (row && view_sees(v, row, f)) write_cell(v, row, f, &row->cells[f - r->fields]);
        else jw_null(&v->w);
    }
    jw_key(&v->w, S("resource_type"));
    view_type(v, r->type);
    jw_end(&v->w);
}

/* ---- one row -------------------------------------------------------------------------------------------- */

static void write_many(struct view *v, const struct field *f, const struct value *cell) {
    const struct resource *r = view_resource(v, f->ref);
    jw_array(&v->w);
    for (int64_t i = 0; r && i < cell->i; i++) view_reference(v, r, cell->ids[i]);
    jw_end(&v->w);
}

static void write_cell(struct view *v, const struct row *row, const struct field *f, const struct value *cell) {
    if (f->render) {
        f->render(v, row, cell);
        return;
    }
    if (f->type == F_MANY) {
        write_many(v, f, cell);
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
    case F_REF: {
        const struct resource *r = view_resource(v, f->ref);
        if (r) view_reference(v, r, cell->i);
        else jw_null(&v->w);
        break;
    }
    case F_JSON: jw_raw(&v->w, cell->s); break;
    default: jw_str(&v->w, cell->s);
    }
}

static void write_hidden(struct view *v, const struct field *f) {
    if (f->type == F_MANY) {
        jw_array(&v->w);
        jw_end(&v->w);
    } else {
        jw_null(&v->w);
    }
}

/* "conversations/:case_id/messages/:id" with the members' values. */
void view_url(struct view *v, const struct row *row, struct buf *out) {
    buf_str(out, v->c->work.desk->base_url);
    buf_text(out, "/api/v1/");
    for (const char *at = row->resource->url; *at;) {
        size_t n = strcspn(at, ":");
        buf_add(out, at, n);
        at += n;
        if (*at == 0) break;
        struct str name = {++at, strcspn(at, "/")};
        at += name.n;
        if (str_eq(name, S("id"))) {
            buf_int(out, row->id);
            continue;
        }
        for (int i = 0; row->resource->fields[i].name; i++) {
            if (!str_eq(str_of(row->resource->fields[i].name), name)) continue;
            if (row->cells[i].type == V_INT) buf_int(out, row->cells[i].i);
            else buf_str(out, row->cells[i].s);
        }
    }
}

static void note_secret(struct call *c, size_t began) {
    if (c->out.n <= began) return; /* an empty member was dropped */
    struct span *s = ARENA_NEW(c->work.arena, struct span);
    *s = (struct span){began, c->out.n - began, c->secrets};
    c->secrets = s;
}

void view_row(struct view *v, const struct row *row) {
    const struct resource *r = row->resource;
    const struct pick *outer = v->picks;
    bool narrow = picks_narrow(outer, r);
    v->path[v->depth++] = row;
    jw_object(&v->w);
    if (r->table) {
        jw_key(&v->w, S("id"));
        jw_int(&v->w, row->id);
    }
    for (int i = 0; r->fields[i].name; i++) {
        const struct field *f = &r->fields[i];
        if (f->flags & (INPUT_ONLY | HIDDEN) || !picked(outer, narrow, f)) continue;
        const struct pick *p = pick_of(outer, str_of(f->name));
        v->picks = p ? p->inner : NULL;
        jw_key(&v->w, str_of(f->name));
        size_t began = v->w.out->n;
        if (view_sees(v, row, f)) write_cell(v, row, f, &row->cells[i]);
        else write_hidden(v, f);
        if (f->flags & SECRET) note_secret(v->c, began);
    }
    v->picks = outer;
    jw_key(&v->w, S("resource_type"));
    view_type(v, r->type);
    if (r->url) {
        struct buf url = {0};
        view_url(v, row, &url);
        jw_key(&v->w, S("resource_url"));
        jw_str(&v->w, buf_view(&url));
        buf_free(&url);
    }
    jw_end(&v->w);
    v->depth--;
}

void view_flat(struct view *v) {
    v->picks = NULL; /* they were the roots' */
    jw_object(&v->w);
    for (const struct row *lead = v->flat; lead; lead = lead->next) {
        bool written = false;
        for (const struct row *before = v->flat; before != lead; before = before->next)
            written = written || before->resource == lead->resource;
        if (written) continue;
        jw_key(&v->w, str_of(lead->resource->type));
        jw_object(&v->w);
        for (const struct row *row = lead; row; row = row->next) {
            if (row->resource != lead->resource) continue;
            jw_key_raw(&v->w, str_fmt(v->c->work.arena, "%lld", (long long)row->id));
            view_row(v, row);
        }
        jw_end(&v->w);
    }
    jw_end(&v->w);
}

void render_nothing(struct view *v, const struct row *row, const struct value *own) {
    (void)row, (void)own;
    jw_array(&v->w);
    jw_end(&v->w);
}

/* ---- tags ----------------------------------------------------------------------------------------------- */

void view_tag(struct view *v, const struct row *row, char out[33]) {
    struct tag t;
    tag_init(&t);
    tag_text(&t, str_of(row->resource->type));
    tag_int(&t, row->id);
    for (int i = 0; row->resource->fields[i].name; i++) {
        const struct field *f = &row->resource->fields[i];
        const struct value *cell = &row->cells[i];
        if (f->flags & (INPUT_ONLY | ON_DEMAND)) continue;
        if (!view_sees(v, row, f) || cell->type == V_NULL) tag_int(&t, -1);
        else if (cell->type == V_INT) tag_int(&t, cell->i);
        else if (cell->type == V_TEXT) tag_text(&t, cell->s);
        else
            for (int64_t k = 0; k < cell->i; k++) tag_int(&t, cell->ids[k]);
    }
    tag_end(&t, out);
}
