#include "api/layout.h"

#include "api/generic.h"

#include <assert.h>
#include <pthread.h>

#define PLACES 256 /* far more than there are resources */

static struct {
    pthread_once_t once;
    struct layout *place[PLACES];
} layouts = {.once = PTHREAD_ONCE_INIT}; /* derived from constants, once */

/* ---- finding ---------------------------------------------------------------------------------------------- */

static struct layout **place_of(const struct resource *r) {
    size_t at = (size_t)((uintptr_t)r >> 4) * 0x9E3779B97F4A7C15u >> 56;
    while (layouts.place[at] && layouts.place[at]->resource != r) at = (at + 1) % PLACES;
    return &layouts.place[at];
}

/* ---- making ----------------------------------------------------------------------------------------------- */

static struct json_name json_name(struct arena *a, const char *text, bool colon) {
    return (struct json_name){str_of(text), STR_CAT(a, S("\""), str_of(text), colon ? S("\":") : S("\""))};
}

static bool has_column(const struct field *f) {
    if (f->flags & INPUT_ONLY || f->type == F_MANY || (f->column && f->column[0] == 0)) return false;
    return f->type != F_COMPUTED || f->column;
}

static bool textual(const struct field *f) {
    switch (f->type) {
    case F_INT: case F_BOOL: case F_TIME: case F_WORD: case F_REF: return false;
    default: return true;
    }
}

static bool open_to_all(const struct field *f) { return f->to == TO_ALL && !(f->flags & LOGGED_IN) && f->shown_if == NULL; }

static void layout_members(struct arena *a, struct layout *s) {
    const struct resource *r = s->resource;
    while (r->fields[s->count].name) s->count++;
    struct member *members = arena_array(a, (size_t)s->count + 1, sizeof *members);
    int column = 0;
    s->members = members;
    for (int i = 0; i < s->count; i++) {
        const struct field *f = &r->fields[i];
        const struct resource *target = f->type == F_REF || f->type == F_MANY ? resource_of(f->ref) : NULL;
        members[i] = (struct member){.field = f, .name = json_name(a, f->name, true), .textual = textual(f), .open = open_to_all(f),
                                     .written = !(f->flags & (INPUT_ONLY | HIDDEN)), .target = target ? *place_of(target) : NULL};
        if (has_column(f)) members[i].column = ++column;
        if (r->reference_also && strcmp(f->name, r->reference_also) == 0) s->also = i;
    }
}

/* Of all members, or (only) of the one that references carry. */
static struct str select_text(struct arena *a, const struct layout *s, bool only) {
    struct buf sql = {0};
    buf_text(&sql, "SELECT t.id");
    for (int i = 0; i < s->count; i++) {
        const struct field *f = s->members[i].field;
        if (s->members[i].column == 0 || (only && i != s->also)) continue;
        buf_text(&sql, f->column ? ", " : ", t.");
        buf_text(&sql, f->column ? f->column : f->name);
        if (f->column == NULL && f->type == F_REF) buf_text(&sql, "_id");
    }
    buf_text(&sql, " FROM ");
    buf_str(&sql, s->from);
    buf_text(&sql, " WHERE ");
    struct str text = str_dup(a, buf_view(&sql));
    buf_free(&sql);
    return text;
}

static void layout_select(struct arena *a, struct layout *s) {
    const struct resource *r = s->resource;
    s->from = r->from ? str_of(r->from) : STR_CAT(a, str_of(r->table), S(" t"));
    s->select = select_text(a, s, false);
    if (s->also >= 0) s->select_also = select_text(a, s, true);
}

static int url_member(const struct layout *s, struct str name) {
    if (str_eq(name, S("id"))) return URL_ID;
    int i = 0;
    while (i < s->count && !str_eq(s->members[i].name.text, name)) i++;
    assert(i < s->count); /* :x is the member or hidden field x */
    return i;
}

static void layout_url(struct arena *a, struct layout *s) {
    const char *at = s->resource->url;
    size_t n = 0;
    struct url_piece *pieces = arena_array(a, strlen(at) + 1, sizeof *pieces);
    s->url = pieces;
    for (;; n++) {
        pieces[n] = (struct url_piece){{at, strcspn(at, ":")}, URL_END};
        at += pieces[n].text.n;
        if (*at == 0) return;
        struct str name = {++at, strcspn(at, "/")};
        pieces[n].member = url_member(s, name);
        at += name.n;
    }
}

static void make_layouts(void) {
    struct arena *a = arena_new(); /* as long as the process */
    for (const struct resource *const *r = resources; *r; r++) {
        struct layout *s = *place_of(*r) = ARENA_NEW(a, struct layout);
        *s = (struct layout){.resource = *r, .also = -1};
    }
    for (const struct resource *const *r = resources; *r; r++) {
        struct layout *s = *place_of(*r);
        s->type = json_name(a, (*r)->type, false);
        layout_members(a, s);
        if ((*r)->table) layout_select(a, s);
        if ((*r)->url) layout_url(a, s);
    }
}

const struct layout *layout_of(const struct resource *r) {
    pthread_once(&layouts.once, make_layouts);
    return *place_of(r);
}
