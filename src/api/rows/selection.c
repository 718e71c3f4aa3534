/* Selects the members and rows that a view shows: ?fields=, ?include=, and what the caller may see. */
#include "api/rows/view.h"
#include "api/table/fields.h"

#include "base/limits.h"
#include "core/access/scope.h"
#include "core/desk/setting.h"
#include "core/words.h"

static struct selection *parse_inner(struct call *c, struct str *rest, int depth, int *count) {
    struct arena *a = c->work.arena;
    struct selection *first = NULL, **last = &first;
    while (rest->n) {
        size_t n = 0;
        while (n < rest->n && !in_set(rest->p[n], ",()")) n++;
        struct str name = {rest->p, n};
        bool plus = name.n && name.p[0] == ' '; /* "+tags": a query string decodes + as a blank */
        name = str_trim(name);
        *rest = (struct str){rest->p + n, rest->n - n};
        struct selection *p = ARENA_NEW(a, struct selection);
        if (name.n && (name.p[0] == '+' || name.p[0] == '-')) p->sign = name.p[0], name.p++, name.n--;
        else if (plus) p->sign = '+';
        p->name = name;
        if (name.n && ++*count < LIMIT_PICKS) *last = p, last = &p->next;
        if (rest->n == 0) break;
        char mark = rest->p[0];
        rest->p++, rest->n--;
        if (mark == ')') break;
        if (mark != '(') continue;
        if (depth == EXPANSION_MAX) break;
        p->inner = parse_inner(c, rest, depth + 1, count);
        if (rest->n && rest->p[0] == ',') rest->p++, rest->n--;
    }
    return first;
}

struct selection *selection_parse(struct call *c, struct str text, int *count) {
    return parse_inner(c, &text, 0, count);
}

const struct selection *selection_with(struct call *c, const struct selection *selection, struct str more) {
    struct selection *first = NULL, **end = &first;
    int count = 0;
    for (; selection; selection = selection->next, end = &(*end)->next) {
        *end = ARENA_NEW(c->work.arena, struct selection);
        **end = *selection;
    }
    *end = selection_parse(c, more, &count);
    return first;
}

static const struct field *field_named(const struct resource *r, struct str name) {
    for (const struct field *f = fields_of(r->fields); f->name; f++)
        if (!(f->flags & (INPUT_ONLY | HIDDEN)) && name_eq(str_of(f->name), name)) return f;
    return NULL;
}

static void list_unknown(const struct resource *r, const struct selection *selection, struct buf *names) {
    for (const struct selection *p = selection; p; p = p->next) {
        const struct field *f = field_named(r, p->name);
        bool everywhere = str_eq(p->name, S("*")) || name_eq(p->name, S("id")) ||
                          name_eq(p->name, S("resource_type")) || name_eq(p->name, S("resource_url"));
        if (f && f->ref && p->inner) list_unknown(resource_of(f->ref), p->inner, names);
        if (f == NULL && !everywhere)
            buf_fmt(names, "%s%.*s", names->n ? ", " : "", (int)p->name.n, p->name.p);
    }
}

static bool include_eq(struct str word, struct str type) {
    size_t i = 0, j = 0; /* compares as name_eq; a hyphen counts as an underscore */
    for (;;) {
        while (i < word.n && (word.p[i] == '_' || word.p[i] == '-')) i++;
        while (j < type.n && type.p[j] == '_') j++;
        if (i == word.n || j == type.n) return i == word.n && j == type.n;
        if ((word.p[i++] | 0x20) != (type.p[j++] | 0x20)) return false;
    }
}

bool view_may_read(const struct view *v, const struct resource *r) {
    return scope_shows(&v->c->work.actor, layout_of(r)->scopes);
}

bool call_may_read_type(const struct call *c, struct str type) {
    const struct resource *r = resource_of(str_dup(c->work.arena, type).p);
    uint32_t every = scopes_every(), has = c->work.actor.scopes;
    return r ? scope_shows(&c->work.actor, layout_of(r)->scopes) : scopes_within(every, has) == every;
}

/* A word names the type of the table or that of replies. */
static bool include_names(struct str word, const struct resource *r) {
    return include_eq(word, str_of(r->type)) || (r->shown_as && include_eq(word, str_of(r->shown_as)));
}

static bool is_type(struct str word) {
    const struct resource *const *r = resources;
    while (*r && !include_names(word, *r)) r++;
    return *r != NULL;
}

#define UNKNOWN_MAX 20 /* unknown types that a notice names */

static void note_includes(struct call *c) {
    struct buf names = {0};
    int unknown = 0;
    for (int i = 0; i < c->options.include_count && unknown < UNKNOWN_MAX; i++) {
        struct str word = c->options.includes[i];
        if (word.n == 0 || str_eq(word, S("*")) || is_type(word)) continue;
        word = utf8_without_cut_end((struct str){word.p, word.n > 64 ? 64 : word.n});
        buf_fmt(&names, "%s%.*s", unknown++ ? ", " : "", (int)word.n, word.p);
    }
    if (unknown)
        notice(&c->work, "NOTICE", "Unknown types in `include` were ignored: %.*s", (int)names.n, names.p);
    buf_free(&names);
}

void view_note_fields(struct call *c) {
    struct buf names = {0};
    if (c->route->is_download || c->route->shape == COUNT || c->route->shape == NONE) return;
    note_includes(c);
    if (c->options.selection == NULL) return;
    list_unknown(c->resource, c->options.selection, &names);
    if (c->options.selection_count >= LIMIT_PICKS)
        notice(&c->work, "NOTICE", "`fields` has more than %d members. The others were ignored.",
               LIMIT_PICKS - 1);
    if (names.n)
        notice(&c->work, "NOTICE", "Unknown members in `fields` were ignored: %.*s",
               (int)(names.n > 800 ? 800 : names.n), names.p);
    buf_free(&names);
}

static bool included(const struct view *v, const struct resource *r) {
    const struct options *o = &v->c->options;
    unsigned who = 1u << v->c->work.actor.rank;
    if (r == NULL || (r->table == NULL && r->rows == NULL) || (r->expanded_for && !(r->expanded_for & who)))
        return false;
    bool named = false, reads = view_may_read(v, r);
    for (int i = 0; i < o->include_count && !named; i++) named = include_names(o->includes[i], r);
    if (named && !reads)
        notice(&v->c->work, "NOTICE", "%s was not included: the token lacks the scope %s.", r->type,
               r->scope);
    return reads && (named || o->include_all);
}

/* The result is cached for each resource of a view. */
bool view_includes_named(struct view *v, const struct resource *r) {
    int i = 0;
    while (i < INCLUDED_MAX && v->included[i].resource && v->included[i].resource != r) i++;
    if (i == INCLUDED_MAX) return included(v, r);
    if (v->included[i].resource == NULL) v->included[i].resource = r, v->included[i].value = included(v, r);
    return v->included[i].value;
}

/* The value is cached in the view, because a list needs it for each row. */
static bool view_setting(struct view *v, const char *setting) {
    int i = 0;
    while (i < SHOWN_MAX && v->shown[i].setting && v->shown[i].setting != setting) i++;
    if (i == SHOWN_MAX) return setting_bool(v->c->work.desk, setting);
    if (v->shown[i].setting == NULL)
        v->shown[i].setting = setting, v->shown[i].value = setting_bool(v->c->work.desk, setting);
    return v->shown[i].value;
}

bool view_may_see(struct view *v, const struct row *row, const struct member *m) {
    const struct actor *a = &v->c->work.actor;
    const struct field *f = m->field;
    if (!scope_shows(a, m->scopes)) return false;
    if (f->flags & LOGGED_IN && a->rank == ROLE_PUBLIC && a->fingerprint.n == 0) return false;
    if (f->shown_if && !view_setting(v, f->shown_if)) return false;
    if (f->to != TO_STAFF_ALONE && row->layout->resource->is_person && a->user_id && row->id == a->user_id)
        return true;
    return f->to == TO_ALL || (f->to == TO_CUSTOMERS && a->rank >= ROLE_CUSTOMER) ||
           a->rank >= ROLE_COLLABORATOR;
}

bool selection_narrow(const struct selection *selection, const struct resource *r) {
    for (const struct selection *p = selection; p; p = p->next) {
        bool on_demand = false;
        for (const struct field *f = fields_of(r->fields); f->name; f++)
            if (name_eq(p->name, str_of(f->name)) && f->flags & ON_DEMAND) on_demand = true;
        if (p->sign == 0 && !on_demand) return true;
    }
    return false;
}
