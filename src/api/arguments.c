/* Arguments that every operation takes (completions.md section 1), and the notices for those that none does. */
#include "api/generic.h"
#include "api/input.h"
#include "api/narrowing.h"
#include "api/view.h"
#include "base/limits.h"

/* Arguments that any operation takes, and those that only some read: in bulk calls, as pages of lists. */
static const char *const common[] = {"_case", "_empty", "_flat", "_pretty", "include", "fields", "offset", "limit", NULL};

static const struct json *argument(struct call *c, const char *name) { return json_named(c->query, str_of(name)); }

/* A list of names, however it was sent, as text with commas. */
static int read_names(struct call *c, const char *name, struct str *out) {
    const struct json *j = argument(c, name);
    *out = (struct str){0};
    if (j == NULL || input_joined(c->work.arena, j, out)) return 0;
    return fail_field(&c->work, ERR_FIELD_INVALID, str_of(name), "A list of names is expected.");
}

static struct str argument_text(const struct json *j) { return j && j->type == JSON_STRING ? j->text : (struct str){0}; }

static int argument_flag(struct call *c, const char *name, bool *out) {
    struct str s = argument_text(argument(c, name));
    if (s.p == NULL) return 0;
    if (str_eq(s, S("1")) || str_eqi(s, S("true"))) *out = true;
    else if (str_eq(s, S("0")) || str_eqi(s, S("false"))) *out = false;
    else return fail_field(&c->work, ERR_FIELD_INVALID, str_of(name), "true or false is expected.");
    return 0;
}

static int argument_number(struct call *c, const char *name, int64_t *out, bool *present) {
    const struct json *j = argument(c, name);
    if (j == NULL) return 0;
    if (!str_to_int(argument_text(j), out) || *out < 0) {
        *out = 0;
        return fail_field(&c->work, ERR_FIELD_INVALID, str_of(name), "A number that is not negative is expected.");
    }
    *present = true;
    return 0;
}

static int argument_case(struct call *c) {
    struct str s = argument_text(argument(c, "_case"));
    if (s.p == NULL || str_eqi(s, S("snake"))) c->options.name_case = CASE_SNAKE;
    else if (str_eqi(s, S("camel"))) c->options.name_case = CASE_CAMEL;
    else if (str_eqi(s, S("pascal"))) c->options.name_case = CASE_PASCAL;
    else return fail_field(&c->work, ERR_FIELD_INVALID, S("_case"), "snake, camel or pascal is expected.");
    return 0;
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

static int arguments_read_page(struct call *c) {
    struct options *o = &c->options;
    bool offset = false, limit = false, after = false, before = false;
    int rc = 0;
    if (argument_number(c, "offset", &o->offset, &offset) < 0) rc = -ERR_FIELD_INVALID;
    if (argument_number(c, "limit", &o->limit, &limit) < 0) rc = -ERR_FIELD_INVALID;
    if (o->limit == 0) o->limit = DEFAULT_PAGE;
    if (o->limit > LIMIT_PAGE) {
        notice(&c->work, "NOTICE", "The limit of %lld is more than the largest page: %d was used.", (long long)o->limit, LIMIT_PAGE);
        o->limit = LIMIT_PAGE;
    }
    if (!route_takes_keys(c->route, c->resource)) return rc;
    if (argument_number(c, "after_id", &o->after_id, &after) < 0) rc = -ERR_FIELD_INVALID;
    if (argument_number(c, "before_id", &o->before_id, &before) < 0) rc = -ERR_FIELD_INVALID;
    o->keyset = after || before || c->route->always_keys;
    if (o->keyset && o->offset) notice(&c->work, "NOTICE", "offset was ignored: the page begins at an id.");
    if (after && before)
        return fail_field(&c->work, ERR_PARAMETERS_INCONSISTENT, S("after_id"), "after_id and before_id exclude each other.");
    return rc;
}

static bool takes_argument(const struct call *c, struct str name) {
    for (const struct field *f = c->takes; f && f->name; f++)
        if (name_eq(str_of(f->name), name)) return true;
    return false;
}

static int once_each(struct call *c) {
    const struct json *j;
    int rc = 0;
    for (int i = 0; common[i]; i++)
        if (input_find(c, c->query, str_of(common[i]), (struct str){0}, &j) < 0) rc = -ERR_PARAMETERS_INCONSISTENT;
    return rc;
}

/* An argument of this list that it can't be narrowed by, because a notice would leave the client with the whole list. */
static int refuse_narrowing(struct call *c) {
    static const char *const names[] = {"ids", "legacy_ids", "after_id", "before_id"};
    bool keys = route_takes_keys(c->route, c->resource);
    int rc = 0;
    if (!route_lists(c->route)) return 0;
    for (int i = 0; i < 4; i++) {
        bool taken = i >= 2 ? keys : takes_argument(c, str_of(names[i]));
        if (taken || argument(c, names[i]) == NULL) continue;
        rc = fail_field(&c->work, ERR_FIELD_INVALID, str_of(names[i]),
                        i < 2 ? "This list can't be narrowed by %s." : "This list is not paged by %s.", names[i]);
    }
    return rc;
}

int arguments_read(struct call *c) {
    struct options *o = &c->options;
    bool empty = true;
    int rc = 0;
    read_header_options(c);
    if (once_each(c) < 0) rc = -ERR_PARAMETERS_INCONSISTENT;
    if (argument_case(c) < 0) rc = -ERR_FIELD_INVALID;
    if (argument(c, "_empty")) {
        if (argument_flag(c, "_empty", &empty) < 0) rc = -ERR_FIELD_INVALID;
        o->no_empty = !empty;
    }
    if (argument_flag(c, "_flat", &o->flat) < 0) rc = -ERR_FIELD_INVALID;
    if (argument_flag(c, "_pretty", &o->pretty) < 0) rc = -ERR_FIELD_INVALID;
    if (read_names(c, "include", &o->include) < 0) rc = -ERR_FIELD_INVALID;
    if (read_names(c, "fields", &o->fields) < 0) rc = -ERR_FIELD_INVALID;
    if (o->flat && o->include.p == NULL) notice(&c->work, "WARNING", "_flat without include counts as include=*.");
    bool list = c->route && (c->route->shape == LIST || c->route->shape == LIST_COUNT || c->route->shape == LIST_CURSOR);
    if (list && arguments_read_page(c) < 0) rc = -ERR_FIELD_INVALID;
    if (c->route && c->resource && refuse_narrowing(c) < 0) rc = -ERR_FIELD_INVALID;
    if (o->limit == 0) o->limit = DEFAULT_PAGE;
    return rc;
}

static bool is_common(const struct call *c, struct str name) {
    for (int i = 0; common[i]; i++)
        if (name_eq(name, str_of(common[i]))) return true;
    if (name_eq(name, S("ids"))) return c->route->shape == COUNT;
    return (name_eq(name, S("after_id")) || name_eq(name, S("before_id"))) && route_lists(c->route);
}

static bool known(const struct in *list, int count, bool create, bool file, struct str name) {
    for (int i = 0; i < count; i++)
        if ((input_taken(list[i].field, create) || list[i].field->flags & REFUSED) && (list[i].field->type == F_FILE) == file &&
            name_eq(list[i].name, name))
            return true;
    return false;
}

/* "ids[x]" beside "ids": one name with two shapes. Its values would be lost. */
static bool misshapen(const struct in *list, int count, bool create, struct str name) {
    const char *bracket = name.n ? memchr(name.p, '[', name.n) : NULL;
    return bracket && known(list, count, create, false, (struct str){name.p, (size_t)(bracket - name.p)});
}

static void name_unknown(struct call *c, const char *kind, struct buf *names) {
    if (names->n) notice(&c->work, "NOTICE", "%s not known here and ignored: %.*s", kind, (int)(names->n > 800 ? 800 : names->n), names->p);
    buf_free(names);
}

static int refuse_shape(struct call *c, struct str name) {
    size_t n = strcspn(str_dup(c->work.arena, name).p, "[");
    return fail_field(&c->work, ERR_FIELD_INVALID, (struct str){name.p, n},
                      "The value comes in two shapes: a name alone, and with brackets.");
}

static int note_arguments(struct call *c) {
    struct buf names = {0};
    int rc = 0;
    for (const struct json *j = c->query ? c->query->first : NULL; j; j = j->next) {
        if (known(c->args, c->arg_count, false, false, j->name) || is_common(c, j->name)) continue;
        if (misshapen(c->args, c->arg_count, false, j->name)) rc = refuse_shape(c, j->name);
        else buf_fmt(&names, "%s%.*s", names.n ? ", " : "", (int)j->name.n, j->name.p);
    }
    name_unknown(c, "Arguments", &names);
    return rc;
}

static int note_parameters(struct call *c) {
    struct buf names = {0};
    bool bulk = c->route->shape == COUNT, create = c->method == POST;
    int rc = 0;
    for (const struct json *j = c->route->any_names ? NULL : c->body->first; j; j = j->next) {
        if (known(c->input, c->input_count, create, false, j->name) || (bulk && name_eq(j->name, S("ids")))) continue;
        if (misshapen(c->input, c->input_count, create, j->name)) rc = refuse_shape(c, j->name);
        else buf_fmt(&names, "%s%.*s", names.n ? ", " : "", (int)j->name.n, j->name.p);
    }
    name_unknown(c, "Parameters", &names);
    for (const struct http_file *f = c->route->body == RAW_FILE ? NULL : c->http->files; f; f = f->next)
        if (!known(c->input, c->input_count, create, true, f->field))
            buf_fmt(&names, "%s%.*s", names.n ? ", " : "", (int)f->field.n, f->field.p);
    name_unknown(c, "Files", &names);
    return rc;
}

int input_notices(struct call *c) {
    int arguments = note_arguments(c), parameters = note_parameters(c);
    view_note_fields(c);
    return arguments < 0 ? arguments : parameters;
}
