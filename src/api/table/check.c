#include "api/table/check.h"

#include "api/table/describe.h"
#include "api/table/fields.h"
#include "api/rows/generic.h"
#include "api/input/input.h"
#include "api/rows/view.h"
#include "core/access/permission.h"
#include "core/access/scope.h"
#include "core/desk/setting.h"

#include <stdarg.h>
#include <stdio.h>

/* The place of a defect: the resource, and its member or route. */
struct check {
    struct arena *arena;
    const struct resource *resource;
    const char *place;
    char *err;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool found_wrong(const struct check *k, const char *fmt, ...) {
    char why[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    snprintf(k->err, k->size, "table of %s, %s: %s", k->resource->type, k->place, why);
    return false;
}

/* ---- names of values in SQL ------------------------------------------------------------------ */

#define SQL_NAMES 64

static bool is_listed(const char *words, struct str word) {
    for (struct str rest = str_of(words); rest.p;)
        if (str_eq(str_cut(&rest, ' '), word)) return true;
    return false;
}

/* bound: the names that the machine binds there, with blanks between them. */
static bool binds_are_known(const struct check *k, const char *what, const char *sql, const char *bound) {
    struct str names[SQL_NAMES];
    size_t n = sql ? db_names(k->arena, sql, names, SQL_NAMES) : 0;
    for (size_t i = 0; i < n; i++)
        if (!is_listed(bound, names[i]))
            return found_wrong(k, "%s names %.*s, which is not bound there (%s)", what, (int)names[i].n,
                               names[i].p, bound[0] ? bound : "nothing is");
    return true;
}

/* ---- members --------------------------------------------------------------------------------- */

static const struct field *member_of(const struct resource *r, struct str name) {
    for (const struct field *f = fields_of(r->fields); f->name; f++)
        if (str_eq(str_of(f->name), name)) return f;
    return NULL;
}

static bool is_json(struct arena *a, const char *text) {
    struct json *j;
    struct json_error err;
    return json_parse(a, str_of(text), &j, &err) == 0;
}

static bool has_lists(const struct resource *r) {
    for (const struct field *f = fields_of(r->fields); f->name; f++)
        if (f->type == F_MANY || f->type == F_ROWS) return true;
    return false;
}

/* True if an F_ROWS shows its rows in place: the statement that reads them binds only the ids of their
 * owners. */
static bool is_shown_in_place(const struct resource *r) {
    for (const struct resource *const *p = resources; *p; p++)
        for (const struct field *f = fields_of((*p)->fields); f->name; f++)
            if (f->type == F_ROWS && strcmp(f->ref, r->type) == 0) return true;
    return false;
}

static bool check_reference(const struct check *k, const struct field *f) {
    bool many = f->type == F_MANY || f->type == F_ROWS;
    const struct resource *target = f->ref ? resource_of(f->ref) : NULL;
    if (f->type != F_REF && !many) return true;
    if (target == NULL) return found_wrong(k, "it refers to an unknown resource");
    if (many && f->owned_by == NULL &&
        ((f->many == NULL && f->made == NULL && f->found == NULL) || f->type == F_ROWS))
        return found_wrong(k, "it needs a query in .many, or .owned_by");
    if (f->type == F_ROWS && has_lists(target))
        return found_wrong(k, "the rows of F_ROWS must not have lists");
    if (f->shows && (f->type != F_REF || target->url == NULL))
        return found_wrong(k, ".shows needs an F_REF to a resource with .url");
    if (f->owned_by && !(f->flags & READONLY) && target->table == NULL)
        return found_wrong(k, ".owned_by needs rows with a table, or READONLY");
    for (struct str rest = str_of(f->shows); rest.p;) {
        struct str name = str_cut(&rest, ',');
        if (member_of(target, name) == NULL)
            return found_wrong(k, ".shows names %.*s, which %s has not", (int)name.n, name.p, f->ref);
    }
    return true;
}

/* A client is generated from the tables: it needs the type of each item of a list that it sends. */
static bool check_items(const struct check *k, const struct field *f) {
    bool list = f->type == F_LIST || f->type == F_MANY || f->type == F_ROWS;
    if (!list || !(input_taken(f, true) || input_taken(f, false)) || field_items(f)) return true;
    return found_wrong(k, "requests send it, so it needs .items, or a resource with .items in .ref");
}

static bool check_words(const struct check *k, const struct field *f) {
    if (f->type != F_WORD && f->type != F_WORDS) return true;
    if (f->words == NULL || f->words->word == NULL) return found_wrong(k, "it has no .words");
    for (const struct word *w = f->words; w->word; w++) {
        if (w->id < 0) return found_wrong(k, "the number of %s is negative", w->word);
        for (const struct word *o = f->words; o < w; o++)
            if (o->id == w->id || str_eqi(str_of(o->word), str_of(w->word)))
                return found_wrong(k, "%s and %s share a number or a spelling", o->word, w->word);
    }
    return true;
}

static bool initial_is_valid(const struct field *f) {
    struct str s = str_of(f->initial);
    int64_t n;
    switch (f->type) {
    case F_WORD: return word_id_any(f->words, s) >= 0;
    case F_BOOL: return is_listed("0 1 true false", s);
    case F_INT: return str_to_int(s, &n) && ((f->min == 0 && f->max == 0) || (n >= f->min && n <= f->max));
    default: return true;
    }
}

static bool check_value(const struct check *k, const struct field *f) {
    if (f->initial && !initial_is_valid(f))
        return found_wrong(k, ".initial is %s, which a client could not send", f->initial);
    if (f->initial && !input_taken(f, true))
        return found_wrong(k, "no POST reads its .initial. Give the column a DEFAULT in the "
                              "schema");
    if (f->example && !is_json(k->arena, f->example))
        return found_wrong(k, ".example is not JSON (texts need quotes)");
    if (f->doc == NULL && !(f->flags & HIDDEN)) return found_wrong(k, "it has no .doc");
    if (f->flags & REQUIRED && f->flags & READONLY)
        return found_wrong(k, "it is REQUIRED, but READONLY: nobody could send it");
    if (f->bound && !(f->flags & (READONLY | HIDDEN)))
        return found_wrong(k, "it is .bound, so it must be READONLY or HIDDEN");
    if (f->scope && (f->scope[0] == 0 || !scopes_known(f->scope)))
        return found_wrong(k, "it has the unknown scope %s", f->scope);
    if (f->shown_if && !setting_is_bool(f->shown_if))
        return found_wrong(k, ".shown_if names %s, which is no boolean setting", f->shown_if);
    return true;
}

/* A member that is shown and one that is taken may share a name. */
static bool names_clash(struct arena *a, const struct field *f, const struct field *o) {
    unsigned unseen = INPUT_ONLY | HIDDEN;
    if (!(f->flags & unseen) && !(o->flags & unseen) && strcmp(f->name, o->name) == 0) return true;
    bool taken =
        (input_taken(f, true) && input_taken(o, true)) || (input_taken(f, false) && input_taken(o, false));
    return taken && name_eq(input_name(a, f), input_name(a, o));
}

static bool check_names(struct check *k, const struct field *fields) {
    for (const struct field *f = fields; f && f->name; f++)
        for (const struct field *o = fields; o < f; o++) {
            k->place = f->name;
            if (names_clash(k->arena, f, o)) return found_wrong(k, "another member has its name");
        }
    return true;
}

/* A group row has a name and a group. Any other member of it would have no effect. */
static bool check_groups(struct check *k, const struct field *table, int depth) {
    for (const struct field *f = table; f && f->name; f++) {
        struct field only = {.name = f->name, .group = f->group};
        bool named = strcmp(f->name, GROUP_ROW) == 0;
        k->place = f->name;
        if (depth > GROUP_DEPTH) return found_wrong(k, "groups stand in each other, in a circle");
        if (named != (f->group != NULL) || (named && memcmp(&only, f, sizeof only) != 0))
            return found_wrong(k, "a row with .group is called \"" GROUP_ROW "\" and has no other member");
        if (f->group && !check_groups(k, f->group, depth + 1)) return false;
    }
    return true;
}

static bool check_fields(struct check *k) {
    const char *bound = is_shown_in_place(k->resource) ? "" : ":me";
    if (!check_groups(k, k->resource->fields, 1)) return false;
    const struct field *fields = fields_expand(k->arena, k->resource->fields);
    for (const struct field *f = fields; f->name; f++) {
        k->place = f->name;
        if (!check_reference(k, f) || !check_words(k, f) || !check_value(k, f) || !check_items(k, f))
            return false;
        if (!binds_are_known(k, ".column", f->column, bound) ||
            !binds_are_known(k, ".column_if_whole", f->column_if_whole, bound) ||
            !binds_are_known(k, ".many", f->many, ":ids :me"))
            return false;
    }
    return check_names(k, fields);
}

/* ---- resources ------------------------------------------------------------------------------- */

static bool check_access(struct check *k) {
    const struct resource *r = k->resource, *parent = r->within.parent ? resource_of(r->within.parent) : NULL;
    k->place = ".scope";
    if (r->scope == NULL)
        return found_wrong(k, "no scopes that show its rows to a token (\"\" means every token)");
    if (!scopes_known(r->scope))
        return found_wrong(k, "%s has an unknown scope (core/access/scope.c lists them)", r->scope);
    k->place = ".visible";
    if (r->within.parent &&
        (parent == NULL || parent->table == NULL || parent->visible == NULL || r->within.column == NULL))
        return found_wrong(k, ".within needs a column, and a parent with table and .visible");
    if (parent && r->visible)
        return found_wrong(k, ".visible and .within exclude each other: set .within on the routes, or "
                              "remove .visible");
    if ((r->table || r->from) && r->visible == NULL && parent == NULL)
        return found_wrong(k, "visibility is missing: set .visible (core/access/access.h; access_everyone: "
                              "all) or .within");
    return true;
}

/* Members that the resource itself names. */
static bool check_named_members(struct check *k) {
    const struct resource *r = k->resource;
    k->place = ".url";
    for (const char *at = r->url ? strchr(r->url, ':') : NULL; at; at = strchr(at + 1, ':')) {
        struct str name = {at + 1, strcspn(at + 1, "/")};
        if (!str_eq(name, S("id")) && member_of(r, name) == NULL)
            return found_wrong(k, "it names %.*s, which is no member. Add it, HIDDEN and with .column",
                               (int)name.n, name.p);
    }
    k->place = ".conversation";
    if (r->conversation && strcmp(r->conversation, "id") != 0 &&
        member_of(r, str_of(r->conversation)) == NULL)
        return found_wrong(k, "it names %s, no member", r->conversation);
    k->place = ".reference_also";
    if (r->reference_also && member_of(r, str_of(r->reference_also)) == NULL)
        return found_wrong(k, "it names %s, no member", r->reference_also);
    k->place = ".has_default";
    if (r->has_default && member_of(r, S("is_default")) == NULL)
        return found_wrong(k, "there is no member is_default");
    k->place = ".brief_of";
    if (r->brief_of && resource_of(r->brief_of) == NULL)
        return found_wrong(k, "it names an unknown resource");
    return true;
}

static bool check_conditions(struct check *k) {
    const struct resource *r = k->resource;
    const char *bound = is_shown_in_place(r) ? "" : ":me";
    k->place = "its rows";
    return binds_are_known(k, ".from", r->from, bound) && binds_are_known(k, ".where", r->where, "") &&
           binds_are_known(k, ".alive", r->alive, ":me") &&
           binds_are_known(k, ".unique_among", r->unique_among, "") &&
           binds_are_known(k, ".owned_order", r->owned_order, "") &&
           binds_are_known(k, ".changed", r->changed, "");
}

bool resource_check(struct arena *a, const struct resource *r, char *err, size_t size) {
    struct check k = {.arena = a, .resource = r, .err = err, .size = size};
    return check_fields(&k) && check_access(&k) && check_named_members(&k) && check_conditions(&k);
}

/* ---- routes ---------------------------------------------------------------------------------- */

static bool check_admission(const struct check *k, const struct route *r) {
    if (r->roles == 0) return found_wrong(k, "no roles");
    if (r->scope == NULL) return found_wrong(k, "no scope (\"\" means none)");
    if (r->permission && permission_of(str_of(r->permission)) == NULL)
        return found_wrong(k, "unknown permission %s (core/access/permission.c lists them)", r->permission);
    if (r->scope[0] && scope_bit(str_of(r->scope), false) == 0)
        return found_wrong(k, "unknown scope %s (core/access/scope.c lists them)", r->scope);
    if (r->content && !scopes_known(r->content))
        return found_wrong(k, ".content has an unknown scope: %s", r->content);
    if (r->bearer && r->scope[0]) return found_wrong(k, ".bearer needs the scope \"\"");
    if (bearer_is_scope(r->bearer) && scope_bit(str_of(r->bearer), false) == 0)
        return found_wrong(k, ".bearer names the unknown scope %s (core/access/scope.c lists them)",
                           r->bearer);
    if (r->bearer && route_writes(r) && str_eq(str_of(r->bearer), S(BEARER_ANY)))
        return found_wrong(k, ".bearer of a write is BEARER_WRITES or a scope: tokens that only read may "
                              "not write");
    return true;
}

static bool is_error_code(struct str code) {
    for (int i = 1; i < ERR_COUNT; i++)
        if (str_eq(str_of(error_info(i)->code), code)) return true;
    return false;
}

static bool is_reply_header(struct str name) {
    for (const struct reply_header *h = reply_headers; h->name; h++)
        if (str_eq(str_of(h->name), name)) return true;
    return false;
}

static bool check_list(const struct check *k, const char *what, const char *list, char between,
                       bool (*known)(struct str word)) {
    for (struct str rest = str_of(list); rest.p;) {
        struct str word = str_cut(&rest, between);
        if (!known(word)) return found_wrong(k, "%s names %.*s, which is unknown", what, (int)word.n, word.p);
    }
    return true;
}

static bool takes_input(const struct check *k, const struct route *r, struct str name) {
    const struct field *f = fields_of(r->input ? r->input : k->resource->fields);
    for (; f->name; f++)
        if (str_eq(str_of(f->name), name)) return true;
    return false;
}

static bool check_parameters(const struct check *k, const struct route *r) {
    for (struct str rest = str_of(r->lane_for); rest.p;) {
        struct str name = str_cut(&rest, ',');
        if (!takes_input(k, r, name))
            return found_wrong(k, ".lane_for names %.*s, no parameter", (int)name.n, name.p);
    }
    if ((r->records == NULL) != (r->record_list == NULL))
        return found_wrong(k, ".records and .record_list belong together");
    if (r->record_list && !takes_input(k, r, str_of(r->record_list)))
        return found_wrong(k, ".record_list names %s, no parameter", r->record_list);
    return true;
}

/* The values bound by each statement over rows of the route. */
static const char *bound_by_path(struct arena *a, const struct route *r) {
    struct str bound = S(":me"), rest = str_of(r->path);
    struct segment segment = {0};
    while (path_next(&rest, &segment))
        if (segment.variable) bound = STR_CAT(a, bound, S(" :"), segment.text);
    return bound.p;
}

static bool check_route_sql(const struct check *k, const struct route *r) {
    const char *bound = bound_by_path(k->arena, r);
    const struct order *o = &r->order;
    return binds_are_known(k, ".where", r->where, bound) && binds_are_known(k, ".order", o->key, bound) &&
           binds_are_known(k, ".order", o->then, bound);
}

/* The columns that create sets itself. */
static bool check_bound(const struct check *k, const struct route *r) {
    const char *bound = bound_by_path(k->arena, r);
    if (r->handler != api_create) return true;
    for (const struct field *f = fields_of(k->resource->fields); f->name; f++)
        if (f->bound && !is_listed(bound, str_of(f->bound)))
            return found_wrong(k, "%s is bound to %s, which is no variable of the path", f->name, f->bound);
    return true;
}

/* Members of a table of arguments or parameters. */
static bool check_taken(struct check *k, const struct route *r, const struct field *fields) {
    const char *bound = bound_by_path(k->arena, r), *route = k->place;
    for (const struct field *f = fields; f && f->name; f++) {
        k->place = str_fmt(k->arena, "%s, %s", route, f->name).p;
        bool records = r->record_list && strcmp(r->record_list, f->name) == 0;
        if (!check_reference(k, f) || !check_words(k, f) || !check_value(k, f)) return false;
        if (!records && !check_items(k, f)) return false;
        if (!binds_are_known(k, ".filter", f->filter, str_fmt(k->arena, ":%s %s", f->name, bound).p))
            return false;
    }
    if (!check_names(k, fields)) return false;
    k->place = route;
    return true;
}

static bool check_groups_of_route(struct check *k, const struct route *r) {
    const char *route = k->place;
    if (!check_groups(k, r->input, 1) || !check_groups(k, r->args, 1)) return false;
    k->place = route;
    return true;
}

bool route_check(struct arena *a, const struct resource *home, const struct route *r,
                 const struct field *args, char *err, size_t size) {
    struct check k = {.arena = a, .resource = home, .err = err, .size = size};
    k.place = str_fmt(a, "%s %s", method_name(r->method), r->path).p;
    if (!check_admission(&k, r)) return false;
    if (r->handler == NULL) return found_wrong(&k, "no handler");
    if (r->shape == 0) return found_wrong(&k, "no shape");
    if (r->outside && !(r->executor == POOL && route_reads(r)))
        return found_wrong(&k, ".outside needs a read with .executor = POOL");
    if (r->follows && !(r->executor == POOL && route_reads(r)))
        return found_wrong(&k, ".follows needs a read with .executor = POOL");
    if (r->summary == NULL) return found_wrong(&k, "no summary");
    if (r->handler == api_reorder &&
        (k.resource->ordered == NULL || r->input == NULL || r->input->type != F_IDS))
        return found_wrong(&k, "api_reorder needs .ordered, and a list of ids in .input");
    if ((r->also_status || r->also_reply) && !(r->also && r->also_status))
        return found_wrong(&k, ".also, .also_status and .also_reply belong together");
    if (r->also_reply && resource_of(r->also_reply) == NULL)
        return found_wrong(&k, ".also_reply names an unknown resource");
    return check_list(&k, ".errors", r->errors, ' ', is_error_code) &&
           check_list(&k, ".headers", r->headers, ' ', is_reply_header) && check_groups_of_route(&k, r) &&
           check_parameters(&k, r) && check_route_sql(&k, r) && check_bound(&k, r) &&
           check_taken(&k, r, args) && check_taken(&k, r, fields_expand(a, r->input));
}

/* ---- visibility ------------------------------------------------------------------------------ */

static bool check_branches(const struct check *k, const struct branches *b, const char *caller) {
    struct buf bound = {0};
    bool ok = true;
    for (int i = 0; i < b->bind_count; i++) buf_fmt(&bound, "%s%s", i ? " " : "", b->binds[i].name);
    struct str names = buf_take(&bound, k->arena);
    for (int i = 0; i < b->count && ok; i++) ok = binds_are_known(k, caller, b->where[i], names.p);
    return ok;
}

bool visible_check(struct work *w, const struct resource *r, char *err, size_t size) {
    static const struct {
        const char *name;
        struct actor actor;
    } callers[] = {{"to nobody", {.rank = ROLE_PUBLIC}},
                   {"to a fingerprint", {.rank = ROLE_PUBLIC, .fingerprint = {"f", 1}}},
                   {"to a token", {.rank = ROLE_PUBLIC, .token_case_id = 1}},
                   {"to customers", {.rank = ROLE_CUSTOMER, .user_id = 1}},
                   {"to customers with an organization",
                    {.rank = ROLE_CUSTOMER, .user_id = 1, .organization_id = 1, .sees_organization = true}},
                   {"to agents with SELF", {.rank = ROLE_AGENT, .user_id = 1, .case_access = CASES_SELF}},
                   {"to agents with TEAMS", {.rank = ROLE_AGENT, .user_id = 1, .case_access = CASES_TEAMS}},
                   {"to owners", {.rank = ROLE_OWNER, .user_id = 1, .case_access = CASES_ALL}}};
    struct check k = {.arena = w->arena, .resource = r, .place = ".visible", .err = err, .size = size};
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++) {
        struct branches b = {0};
        w->actor = callers[i].actor;
        r->visible(w, &b);
        if (!check_branches(&k, &b, callers[i].name)) return false;
    }
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

bool tables_check(const struct resource *const *list, char *err, size_t size) {
    for (const struct resource *const *p = list; *p; p++)
        for (const struct resource *const *o = list; o < p; o++)
            if (strcmp((*o)->type, (*p)->type) == 0)
                return snprintf(err, size, "table of %s: another resource has its type", (*p)->type), false;
    return permissions_check(permissions, err, size) && scopes_check(scopes, err, size) &&
           settings_check(setting_table, err, size);
}
