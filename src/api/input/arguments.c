/* Arguments of every operation, and notices for unknown names. */
#include "api/rows/generic.h"
#include "api/input/input.h"
#include "api/table/fields.h"
#include "api/table/list_arguments.h"
#include "api/rows/view.h"
#include "base/limits.h"

/* Arguments of all operations, and arguments that only bulk calls or pages of lists read. */
enum common {
    A_CASE,
    A_EMPTY,
    A_FLAT,
    A_PRETTY,
    A_INCLUDE,
    A_FIELDS,
    A_OFFSET,
    A_LIMIT,
    A_AFTER,
    A_BEFORE,
    A_IDS,
    A_LEGACY_IDS,
    COMMONS
};
static const char *const common[COMMONS] = {"_case",    "_empty",    "_flat",  "_pretty",
                                            "include",  "fields",    "offset", "limit",
                                            "after_id", "before_id", "ids",    "legacy_ids"};

/* As sent, in any spelling. NULL: absent. */
struct given {
    const struct json *at[COMMONS];
};

static int common_of(struct str name) {
    for (int i = 0; i < COMMONS; i++)
        if (name_eq(name, str_of(common[i]))) return i;
    return -1;
}

/* Sorts the query by name, in one pass. A name in two spellings is refused. */
static void sort_query(struct call *c, struct given *g) {
    for (const struct json *j = c->query ? c->query->first : NULL; j; j = j->next) {
        int i = common_of(j->name);
        if (i < 0) continue;
        if (g->at[i] && i < A_AFTER) input_find(c, c->query, str_of(common[i]), (struct str){0}, &g->at[i]);
        g->at[i] = j;
    }
}

static struct str argument_text(const struct json *j) {
    return j && j->type == JSON_STRING ? j->text : (struct str){0};
}

static void read_flag(struct call *c, const struct given *g, enum common i, bool *out) {
    struct str s = argument_text(g->at[i]);
    if (s.p == NULL) return;
    if (str_eq(s, S("1")) || str_eqi(s, S("true"))) *out = true;
    else if (str_eq(s, S("0")) || str_eqi(s, S("false"))) *out = false;
    else fail_field(&c->work, ERR_FIELD_INVALID, str_of(common[i]), "true or false is expected.");
}

static void read_count(struct call *c, const struct given *g, enum common i, int64_t *out) {
    if (g->at[i] == NULL || (str_to_int(argument_text(g->at[i]), out) && *out >= 0)) return;
    *out = 0;
    fail_field(&c->work, ERR_FIELD_INVALID, str_of(common[i]), "A number of 0 or more is expected.");
}

static void read_name_case(struct call *c, struct str s) {
    if (s.p == NULL || str_eqi(s, S("snake"))) c->options.name_case = CASE_SNAKE;
    else if (str_eqi(s, S("camel"))) c->options.name_case = CASE_CAMEL;
    else if (str_eqi(s, S("pascal"))) c->options.name_case = CASE_PASCAL;
    else fail_field(&c->work, ERR_FIELD_INVALID, S("_case"), "snake, camel or pascal is expected.");
}

/* Reads a list of names, in any form, as text with commas. */
static struct str read_names(struct call *c, const struct given *g, enum common i) {
    struct str names = {0};
    if (g->at[i] && !input_joined(c->work.arena, g->at[i], &names))
        fail_field(&c->work, ERR_FIELD_INVALID, str_of(common[i]), "A list of names is expected.");
    return names;
}

static void read_include(struct call *c, struct str names) {
    struct options *o = &c->options;
    int n = 1;
    for (size_t i = 0; i < names.n; i++) n += names.p[i] == ',';
    o->include_all = o->flat && names.p == NULL;
    if (names.p) o->includes = arena_array(c->work.arena, (size_t)n, sizeof *o->includes);
    for (struct str rest = names; rest.p;) {
        struct str name = o->includes[o->include_count++] = str_trim(str_cut(&rest, ','));
        o->include_all = o->include_all || str_eq(name, S("*"));
    }
    if (o->include_all && names.p == NULL)
        notice(&c->work, "WARNING", "_flat without include counts as include=*.");
}

static void read_header_options(struct call *c) {
    for (struct str rest = http_header(c->http, "X-Options"); rest.p;) {
        struct str word = str_trim(str_cut(&rest, ','));
        if (name_eq(word, S("no_empty"))) c->options.no_empty = true;
        if (name_eq(word, S("flat"))) c->options.flat = true;
    }
    struct str with = http_header(c->http, "X-Requested-With");
    c->options.ajax = str_eqi(with, S("XMLHttpRequest")) || str_eqi(with, S("XMHTTPRequest"));
}

static void read_page(struct call *c, const struct given *g) {
    struct options *o = &c->options;
    read_count(c, g, A_OFFSET, &o->offset);
    read_count(c, g, A_LIMIT, &o->limit);
    if (o->limit == 0) o->limit = DEFAULT_PAGE;
    if (o->limit > LIMIT_PAGE) {
        notice(&c->work, "NOTICE", "The limit %lld is too large. The maximum of %d was used.",
               (long long)o->limit, LIMIT_PAGE);
        o->limit = LIMIT_PAGE;
    }
    if (!route_takes_keys(c->route, c->resource)) return;
    read_count(c, g, A_AFTER, &o->after_id);
    read_count(c, g, A_BEFORE, &o->before_id);
    o->backwards = o->before_id != 0;
    o->keyset = g->at[A_AFTER] || g->at[A_BEFORE] || c->route->always_keys;
    if (o->keyset && o->offset)
        notice(&c->work, "NOTICE", "offset was ignored, because the page begins at an id.");
    if (g->at[A_AFTER] && g->at[A_BEFORE])
        fail_field(&c->work, ERR_PARAMETERS_INCONSISTENT, S("after_id"),
                   "Send after_id or before_id, not both.");
}

static bool takes_argument(const struct call *c, struct str name) {
    for (const struct field *f = c->takes; f && f->name; f++)
        if (name_eq(str_of(f->name), name)) return true;
    return false;
}

/* Refuses arguments that can't narrow this list. With a notice only, the client would take the whole list
 * for the rows it asked for. */
static void refuse_narrowing(struct call *c, const struct given *g) {
    static const enum common narrowing[] = {A_IDS, A_LEGACY_IDS, A_AFTER, A_BEFORE};
    bool keys = route_takes_keys(c->route, c->resource);
    for (int i = 0; i < 4; i++) {
        const char *name = common[narrowing[i]];
        bool taken = i >= 2 ? keys : takes_argument(c, str_of(name));
        if (!taken && g->at[narrowing[i]])
            fail_field(&c->work, ERR_FIELD_INVALID, str_of(name),
                       i < 2 ? "This list does not support the argument %s."
                             : "This list does not support paging by %s.",
                       name);
    }
}

void arguments_read(struct call *c) {
    struct options *o = &c->options;
    struct given given = {{0}};
    bool empty = true;
    read_header_options(c);
    sort_query(c, &given);
    read_name_case(c, argument_text(given.at[A_CASE]));
    read_flag(c, &given, A_EMPTY, &empty);
    if (given.at[A_EMPTY]) o->no_empty = !empty;
    read_flag(c, &given, A_FLAT, &o->flat);
    read_flag(c, &given, A_PRETTY, &o->pretty);
    read_include(c, read_names(c, &given, A_INCLUDE));
    o->selection = selection_parse(c, read_names(c, &given, A_FIELDS), &o->selection_count);
    bool list = c->route &&
                (c->route->shape == LIST || c->route->shape == LIST_COUNT || c->route->shape == LIST_CURSOR);
    if (list) read_page(c, &given);
    if (c->route && route_lists(c->route)) refuse_narrowing(c, &given);
    if (o->limit == 0) o->limit = DEFAULT_PAGE;
    o->found = work_set_aside(&c->work);
}

static bool is_common(const struct call *c, struct str name) {
    int i = common_of(name);
    if (i < A_AFTER) return i >= 0;
    return route_lists(c->route) || (i == A_IDS && c->route->shape == COUNT); /* lists: refuse_narrowing() */
}

static bool known(const struct in *list, int count, bool create, bool file, struct str name) {
    for (int i = 0; i < count; i++)
        if ((input_taken(list[i].field, create) || list[i].field->flags & REFUSED) &&
            (list[i].field->type == F_FILE) == file && name_eq(list[i].name, name))
            return true;
    return false;
}

/* True for "ids[x]" beside "ids": one name in two shapes, whose values would be lost. */
static bool misshapen(const struct in *list, int count, bool create, struct str name) {
    const char *bracket = name.n ? memchr(name.p, '[', name.n) : NULL;
    return bracket && known(list, count, create, false, (struct str){name.p, (size_t)(bracket - name.p)});
}

static void name_unknown(struct call *c, const char *kind, struct buf *names) {
    if (names->n)
        notice(&c->work, "NOTICE", "Unknown %s were ignored: %.*s", kind,
               (int)(names->n > 800 ? 800 : names->n), names->p);
    buf_free(names);
}

static int refuse_shape(struct call *c, struct str name) {
    size_t n = strcspn(str_dup(c->work.arena, name).p, "[");
    return fail_field(&c->work, ERR_FIELD_INVALID, (struct str){name.p, n},
                      "The value is given in two shapes: by its name, and by its name with brackets.");
}

static int note_arguments(struct call *c) {
    struct buf names = {0};
    int rc = 0;
    for (const struct json *j = c->query ? c->query->first : NULL; j; j = j->next) {
        if (known(c->args, c->arg_count, false, false, j->name) || is_common(c, j->name)) continue;
        if (misshapen(c->args, c->arg_count, false, j->name)) rc = refuse_shape(c, j->name);
        else buf_fmt(&names, "%s%.*s", names.n ? ", " : "", (int)j->name.n, j->name.p);
    }
    name_unknown(c, "arguments", &names);
    return rc;
}

static int note_parameters(struct call *c) {
    struct buf names = {0};
    bool bulk = c->route->shape == COUNT, create = c->method == POST;
    int rc = 0;
    for (const struct json *j = c->route->any_names ? NULL : c->body->first; j; j = j->next) {
        if (known(c->input, c->input_count, create, false, j->name) || (bulk && name_eq(j->name, S("ids"))))
            continue;
        if (misshapen(c->input, c->input_count, create, j->name)) rc = refuse_shape(c, j->name);
        else buf_fmt(&names, "%s%.*s", names.n ? ", " : "", (int)j->name.n, j->name.p);
    }
    name_unknown(c, "parameters", &names);
    for (const struct http_file *f = files_have_any_name(c->route->body) ? NULL : c->http->files; f;
         f = f->next)
        if (!known(c->input, c->input_count, create, true, f->field))
            buf_fmt(&names, "%s%.*s", names.n ? ", " : "", (int)f->field.n, f->field.p);
    name_unknown(c, "files", &names);

    return rc;
}

/* Adds notices for unknown members of the query and body. Returns an error for a known member in a wrong
 * shape. */
static int input_notices(struct call *c) {
    int arguments = note_arguments(c), parameters = note_parameters(c);
    view_note_fields(c);
    return arguments < 0 ? arguments : parameters;
}

int api_input(struct call *c) {
    const struct field *fields = c->route->input ? fields_of(c->route->input) : fields_of(c->home->fields);
    bool body = c->method == POST || c->method == PUT;
    int rc = work_put_back(&c->work, &c->options.found);
    int args = input_read(c, c->takes, false, c->query, (struct str){0}, &c->args, &c->arg_count);
    int parameters =
        body ? input_read(c, fields, c->method == POST, c->body, (struct str){0}, &c->input, &c->input_count)
             : 0;
    int names = input_notices(c);
    return rc < 0 ? rc : args < 0 ? args : parameters < 0 ? parameters : names;
}
