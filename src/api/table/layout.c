#include "api/table/layout.h"
#include "api/table/fields.h"

#include "base/limits.h"

#include "core/access/scope.h"

#include <assert.h>
#include <pthread.h>

#define PLACES 256 /* slots; far more than resources */

static struct {
    pthread_once_t once;
    struct layout *place[PLACES];
} layouts = {.once = PTHREAD_ONCE_INIT}; /* derived once from constants */

/* ---- lookup ---------------------------------------------------------------------------------- */

static struct layout **layout_place(const struct resource *r) {
    size_t at = (size_t)((uintptr_t)r >> 4) * 0x9E3779B97F4A7C15u >> 56;
    while (layouts.place[at] && layouts.place[at]->resource != r) at = (at + 1) % PLACES;
    return &layouts.place[at];
}

/* ---- construction ---------------------------------------------------------------------------- */

static struct json_name json_name(struct arena *a, const char *text, bool colon) {
    return (struct json_name){str_of(text), STR_CAT(a, S("\""), str_of(text), colon ? S("\":") : S("\""))};
}

static bool has_column(const struct field *f) {
    if (f->flags & INPUT_ONLY || f->type == F_MANY || f->type == F_ROWS || (f->column && f->column[0] == 0))
        return false;
    return f->type != F_COMPUTED || f->column;
}

static bool textual(const struct field *f) {
    switch (f->type) {
    case F_INT:
    case F_BOOL:
    case F_TIME:
    case F_WORD:
    case F_REF: return false;
    default: return true;
    }
}

static bool open_to_all(const struct field *f) {
    return f->to == TO_ALL && !(f->flags & LOGGED_IN) && f->shown_if == NULL && f->scope == NULL;
}

/* The indexes of members named in a text with commas, ended by -1. */
static const int *places(struct arena *a, const struct resource *r, const char *names) {
    const struct field *fields = fields_of(r->fields);
    int *list = arena_array(a, strlen(names) + 2, sizeof *list), n = 0;
    for (struct str rest = str_of(names); rest.p;) {
        struct str name = str_cut(&rest, ',');
        int i = 0;
        while (fields[i].name && !str_eq(str_of(fields[i].name), name)) i++;
        assert(fields[i].name); /* an unknown member is a bug */
        list[n++] = i;
    }
    list[n] = -1;
    return list;
}

/* True for texts of up to LIMIT_TEXT characters. Shorter texts don't matter on a page of 1,000 rows. */
static bool lengthy(const struct field *f) {
    return f->type == F_LONG && (f->render == NULL || f->flags & LENGTHY) &&
           (f->max == 0 || f->max >= LIMIT_TEXT);
}

static bool identifies(const struct field *f) {
    static const char *const names[] = {"id", "uuid", "resource_type", "resource_url", NULL};
    int i = 0;
    while (names[i] && strcmp(names[i], f->name) != 0) i++;
    return names[i] && !(f->flags & ON_DEMAND);
}

static void layout_members(struct arena *a, struct layout *s) {
    const struct resource *r = s->resource;
    const struct field *fields = fields_of(r->fields);
    while (fields[s->count].name) s->count++;
    struct member *members = arena_array(a, (size_t)s->count + 1, sizeof *members);
    s->members = members;
    for (int i = 0; i < s->count; i++) {
        const struct field *f = &fields[i];
        bool refers = f->type == F_REF || f->type == F_MANY || f->type == F_ROWS;
        const struct resource *target = refers ? resource_of(f->ref) : NULL;
        members[i] = (struct member){.field = f,
                                     .name = json_name(a, f->name, true),
                                     .textual = textual(f),
                                     .open = open_to_all(f),
                                     .identifies = identifies(f),
                                     .scopes = f->scope ? scopes_named(f->scope) : 0,
                                     .written = !(f->flags & (INPUT_ONLY | HIDDEN)),
                                     .usual = !(f->flags & (INPUT_ONLY | HIDDEN | ON_DEMAND)),
                                     .target = target ? *layout_place(target) : NULL};
        if (has_column(f)) members[i].column = ++s->column_count;
        if (f->column_if_whole) s->has_gone = true;
        members[i].lengthy = members[i].column && lengthy(f);
        if (f->shows) members[i].carried = places(a, target, f->shows);
        if (r->reference_also && strcmp(f->name, r->reference_also) == 0) s->also = i;
    }
}

enum columns { COLUMNS_ALL, COLUMNS_ALSO, COLUMNS_SHORT };

static const char *member_column(const struct field *f, bool whole) {
    return whole && f->column_if_whole ? f->column_if_whole : f->column;
}

/* The columns of all members, of the one that references contain, or of all with null instead of long
 * texts. */
static struct str columns_text(struct arena *a, const struct layout *s, enum columns which, bool whole) {
    struct buf sql = {0};
    buf_text(&sql, s->resource->table ? "t.id" : "0");
    for (int i = 0; i < s->count; i++) {
        const struct field *f = s->members[i].field;
        if (s->members[i].column == 0 || (which == COLUMNS_ALSO && i != s->also)) continue;
        if (which == COLUMNS_SHORT && s->members[i].lengthy) {
            buf_text(&sql, ", NULL");
            continue;
        }
        buf_text(&sql, f->column ? ", " : ", t.");
        buf_text(&sql, f->column ? member_column(f, whole) : f->name);
        if (f->column == NULL && f->type == F_REF) buf_text(&sql, "_id");
    }
    return buf_take(&sql, a);
}

static struct str bytes_text(struct arena *a, const struct layout *s) {
    struct buf sql = {0};
    for (int i = 0; i < s->count; i++) {
        const struct field *f = s->members[i].field;
        if (!s->members[i].lengthy) continue;
        buf_fmt(&sql, "%sCOALESCE(octet_length(%s%s), 0)", sql.n ? " + " : "", f->column ? "" : "t.",
                f->column ? f->column : f->name);
    }
    return sql.n ? buf_take(&sql, a) : (struct str){0};
}

static struct str select_text(struct arena *a, const struct layout *s, struct str columns) {
    return STR_CAT(a, S("SELECT "), columns, S(" FROM "), s->from, S(" WHERE "));
}

/* A join instead of IN: SQLite would copy the ids to a table of their own, for each execution. */
static struct str select_each(struct arena *a, const struct layout *s, struct str columns) {
    return STR_CAT(a, S("SELECT "), columns, S(" FROM @EACH_ID(:ids) given CROSS JOIN "), s->from,
                   S(" WHERE t.id = given.value"));
}

static void layout_selects(struct arena *a, const struct layout *s, bool whole, struct selects *out) {
    const char *changed = s->resource->changed;
    struct str columns = out->columns = columns_text(a, s, COLUMNS_ALL, whole),
               brief = columns_text(a, s, COLUMNS_SHORT, whole);
    out->all = select_text(a, s, columns);
    if (changed) out->dated = select_text(a, s, STR_CAT(a, columns, S(", "), str_of(changed)));
    out->brief = select_text(a, s, brief);
    out->each = select_each(a, s, columns);
    out->each_brief = select_each(a, s, brief);
}

static void layout_select(struct arena *a, struct layout *s) {
    const struct resource *r = s->resource;
    s->from = r->from ? str_of(r->from) : STR_CAT(a, str_of(r->table), S(" t"));
    s->bytes = bytes_text(a, s);
    layout_selects(a, s, false, &s->selects);
    if (s->has_gone) layout_selects(a, s, true, &s->if_whole);
    if (s->also < 0) return;
    s->select_also = select_text(a, s, columns_text(a, s, COLUMNS_ALSO, false));
    s->select_each_also = select_each(a, s, columns_text(a, s, COLUMNS_ALSO, false));
}

#define OF_OWNERS "IN @LIST(:ids)"

/* The query of one owner. */
static struct str list_of_one(struct arena *a, struct str list) {
    struct buf sql = {0};
    const char *at = list.p, *found;
    while ((found = strstr(at, OF_OWNERS)) != NULL) {
        buf_add(&sql, at, (size_t)(found - at));
        buf_text(&sql, "= :ids");
        at = found + strlen(OF_OWNERS);
    }
    buf_text(&sql, at);
    return buf_take(&sql, a);
}

static struct str owned_list(struct arena *a, const struct member *m, struct str owner) {
    const struct layout *t = m->target;
    if (m->field->type == F_ROWS)
        return STR_CAT(a, S("SELECT "), t->selects.columns, S(", t."), owner, S(" FROM "), t->from,
                       S(" WHERE t."), owner, S(" " OF_OWNERS));
    return STR_CAT(a, S("SELECT t."), owner, S(", t.id FROM "), t->from, S(" WHERE t."), owner,
                   S(" " OF_OWNERS), m->order);
}

/* Prepares the queries of lists. The layouts of all targets must exist. */
static void layout_lists(struct arena *a, struct layout *s) {
    for (struct member *m = (struct member *)s->members; m < s->members + s->count; m++) {
        if ((m->field->type != F_MANY && m->field->type != F_ROWS) || m->field->made || m->field->found)
            continue;
        const struct layout *t = m->target;
        struct str owner = str_of(m->field->owned_by),
                   order = t->resource->owned_order ? str_of(t->resource->owned_order) : S("t.id");
        if (m->field->type == F_ROWS && t->resource->load_owned) continue;
        if (m->field->many == NULL) m->order = STR_CAT(a, S(" ORDER BY t."), owner, S(", "), order);
        m->list = m->field->many ? str_of(m->field->many) : owned_list(a, m, owner);
        m->list_of_one = list_of_one(a, m->list);
    }
}

/* The JSON around the value of a member. Where a reference has no more than the id and the type, it is around
 * the id. */
static void layout_prepared(struct arena *a, const struct layout *s) {
    for (struct member *m = (struct member *)s->members; m < s->members + s->count; m++) {
        const struct field *f = m->field;
        m->prepared = f->render == NULL && !(f->flags & SECRET);
        m->closes = S("");
        switch (f->type) {
        case F_INT:
        case F_BOOL:
        case F_JSON: m->opens = m->name.key; break;
        case F_REF:
            m->prepared = m->prepared && m->carried == NULL && m->target->also < 0;
            m->opens = STR_CAT(a, m->name.key, S("{\"id\":"));
            m->closes = m->target->reference_end;
            break;
        case F_TEXT:
        case F_LONG:
        case F_TIME:
        case F_WORD:
            m->opens = STR_CAT(a, m->name.key, S("\""));
            m->closes = S("\"");
            break;
        default: m->prepared = false;
        }
    }
}

static bool leads(const struct member *m) {
    return m->field->type == F_ROWS || m->carried || m->target->also >= 0;
}

static void layout_targets(struct arena *a, struct layout *s) {
    int *targets = arena_array(a, (size_t)s->count + 1, sizeof *targets), n = 0,
        *leading = arena_array(a, (size_t)s->count + 1, sizeof *leading), k = 0;
    for (int i = 0; i < s->count; i++) {
        const struct member *m = &s->members[i];
        if (m->target == NULL) continue;
        targets[n++] = i;
        if (leads(m)) leading[k++] = i;
    }
    targets[n] = leading[k] = -1;
    s->targets = targets;
    s->leading = leading;
}

static int url_member(const struct layout *s, struct str name) {
    if (str_eq(name, S("id"))) return URL_ID;
    int i = 0;
    while (i < s->count && !str_eq(s->members[i].name.text, name)) i++;
    assert(i < s->count); /* :x must be a member or hidden field */
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
        at++;
        struct str name = {at, strcspn(at, "/")};
        pieces[n].member = url_member(s, name);
        at += name.n;
    }
}

static void make_layouts(void) {
    struct arena *a = arena_new(); /* lives as long as the process */
    for (const struct resource *const *r = resources; *r; r++) {
        struct layout *s = *layout_place(*r) = ARENA_NEW(a, struct layout);
        *s = (struct layout){.resource = *r, .scopes = scopes_named((*r)->scope), .also = -1};
    }
    for (const struct resource *const *r = resources; *r; r++) {
        struct layout *s = *layout_place(*r);
        s->type = json_name(a, resource_shown_type(*r), false);
        s->type_member = STR_CAT(a, S("\"resource_type\":"), s->type.key);
        s->reference_end = STR_CAT(a, S(","), s->type_member, S("}"));
        layout_members(a, s);
        if ((*r)->table || (*r)->from) layout_select(a, s);
        if ((*r)->url) layout_url(a, s);
        s->conversation = (*r)->conversation ? url_member(s, str_of((*r)->conversation)) : URL_END;
    }
    for (const struct resource *const *r = resources; *r; r++)
        if ((*r)->brief_of) (*layout_place(resource_of((*r)->brief_of)))->brief = *layout_place(*r);
    for (const struct resource *const *r = resources; *r; r++) {
        layout_lists(a, *layout_place(*r));
        layout_prepared(a, *layout_place(*r));
        layout_targets(a, *layout_place(*r));
    }
}

const struct layout *layout_of(const struct resource *r) {
    pthread_once(&layouts.once, make_layouts);
    return *layout_place(r);
}
