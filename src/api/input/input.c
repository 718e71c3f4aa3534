#include "api/input/input.h"
#include "api/table/fields.h"

#include "api/rows/visible.h"
#include "base/fold.h"
#include "base/ids.h"
#include "base/limits.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

struct str input_name(struct arena *a, const struct field *f) {
    return f->type == F_REF ? str_fmt(a, "%s_id", f->name) : str_of(f->name);
}

bool input_taken(const struct field *f, bool create) {
    if (f->type == F_COMPUTED) return false;
    if ((f->type == F_MANY || f->type == F_ROWS) && f->store == NULL && f->owned_by == NULL &&
        !(f->flags & BY_HANDLER))
        return false;
    return !(f->flags & (READONLY | HIDDEN | REFUSED | (create ? UPDATE_ONLY : CREATE_ONLY)));
}

struct str in_place(struct call *c, const struct in *in, const char *fmt, ...) {
    struct str root = in->pointer.p ? in->pointer : in->name;
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    char *text = arena_alloc(c->work.arena, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(args);
    return str_fmt(c->work.arena, "%.*s/%s", (int)root.n, root.p, text);
}

struct bind input_bind(struct arena *a, const struct in *in) {
    struct bind b = {.name = str_fmt(a, ":%s", input_name(a, in->field).p).p};
    switch (in->value.type) {
    case V_INT: b.type = BIND_INT, b.i = in->value.i; break;
    case V_TEXT: b.type = BIND_TEXT, b.s = in->value.s; break;
    default: b.type = BIND_NULL;
    }
    return b;
}

static int input_invalid(struct call *c, struct in *in, const char *why) {
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "%s", why);
}

/* ---- one value ------------------------------------------------------------------------------- */

static bool scalar_text(const struct json *j, struct str *out) {
    static const struct str yes = {"true", 4}, no = {"false", 5};
    switch (j->type) {
    case JSON_STRING:
    case JSON_NUMBER: *out = j->text; return true;
    case JSON_TRUE: *out = yes; return true;
    case JSON_FALSE: *out = no; return true;
    default: return false;
    }
}

static int input_read_text(struct call *c, struct in *in, struct str s) {
    const struct field *f = in->field;
    bool line = f->type != F_LONG && f->type != F_PASSWORD;
    int64_t most = f->max ? f->max : f->type == F_LONG ? LIMIT_TEXT : LIMIT_TITLE;
    if (f->type == F_PASSWORD && s.n > LIMIT_PASSWORD)
        return input_invalid(c, in, "At most 1024 bytes are allowed.");
    const char *why = f->type == F_PASSWORD ? text_wrong(c->work.arena, s, LIMIT_PASSWORD, false)
                                            : text_wrong(c->work.arena, s, most, line);
    if (why) return input_invalid(c, in, why);
    if (f->type == F_EMAIL) {
        s = str_trim(s);
        if (!email_valid(s)) return input_invalid(c, in, "This is not an e-mail address.");
    }
    in->value = (struct value){V_TEXT, .s = s};
    return 0;
}

static int read_int(struct call *c, struct in *in, struct str s) {
    const struct field *f = in->field;
    int64_t v;
    if (!str_to_int(s, &v)) return input_invalid(c, in, "A whole number is expected.");
    if (f->type == F_REF) {
        if (v <= 0) return input_invalid(c, in, "An id is expected.");
    } else if ((f->min || f->max) && (v < f->min || v > f->max)) {
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                       "A number from %lld to %lld is expected.", (long long)f->min, (long long)f->max);
    }
    in->value = (struct value){V_INT, .i = v};
    if (f->type != F_REF) return 0;
    int seen = api_visible(c, resource_of(f->ref), v);
    if (seen < 0) return fail(&c->work, error_of_result(seen));
    return seen ? 0 : input_invalid(c, in, api_absent(c, f->ref));
}

static int input_read_bool(struct call *c, struct in *in, struct str s) {
    bool yes = str_eq(s, S("1")) || str_eqi(s, S("true")), no = str_eq(s, S("0")) || str_eqi(s, S("false"));
    if (!yes && !no) return input_invalid(c, in, "true or false is expected.");
    in->value = (struct value){V_INT, .i = yes};
    return 0;
}

static int input_read_word(struct call *c, struct in *in, struct str s) {
    int id = word_id_any(in->field->words, s);
    if (id < 0)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "One of these is expected: %s.",
                       words_list(c->work.arena, in->field->words).p);
    in->value = (struct value){V_INT, .i = id};
    return 0;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* The values of a list, in order: the items of an array, or each value of a repeated name. False: an item
 * is not a single value. */
static bool list_values(struct arena *a, const struct json *j, struct str **out, size_t *count) {
    size_t n = 0;
    for (const struct json *v = j; j->type == JSON_STRING && v; v = v->earlier) n++;
    *count = j->type == JSON_ARRAY ? j->count : n ? n : 1;
    struct str *list = *out = arena_array(a, *count + 1, sizeof *list);
    if (n == 0 && j->type != JSON_ARRAY) return scalar_text(j, list);
    for (const struct json *v = j; n; v = v->earlier) list[--n] = v->text;
    if (j->type != JSON_ARRAY) return true;
    for (const struct json *item = j->first; item; item = item->next)
        if (!scalar_text(item, &list[n++])) return false;
    return true;
}

bool input_joined(struct arena *a, const struct json *j, struct str *out) {
    struct buf b = {0};
    struct str *list;
    size_t n;
    if (!list_values(a, j, &list, &n)) return false;
    for (size_t i = 0; i < n; i++) {
        if (i) buf_char(&b, ',');
        buf_str(&b, list[i]);
    }
    *out = buf_take(&b, a);
    return true;
}

/* The array of a text that is JSON, as forms and queries may send a list; else `j` itself. */
static const struct json *array_of_text(struct arena *a, const struct json *j) {
    struct json *parsed;
    struct json_error err;
    if (j->type != JSON_STRING || j->earlier || !str_starts(str_trim(j->text), S("["))) return j;
    return json_parse(a, j->text, &parsed, &err) == 0 && parsed->type == JSON_ARRAY ? parsed : j;
}

/* Reads an array, JSON text of an array, or text with commas, as a list of texts. Returns their number, or
 * -1 if it is none of them. */
static int input_texts(struct arena *a, const struct json *j, struct str **out) {
    struct str s;
    size_t count, commas = 0;
    int n = 0;
    j = array_of_text(a, j);
    if (j->type == JSON_ARRAY) return list_values(a, j, out, &count) ? (int)count : -1;
    if (!input_joined(a, j, &s)) return -1;
    for (size_t i = 0; i < s.n; i++) commas += s.p[i] == ',';
    struct str *list = *out = arena_array(a, commas + 1, sizeof *list);
    for (struct str rest = s; rest.p;) {
        struct str item = str_trim(str_cut(&rest, ','));
        if (item.n) list[n++] = item;
    }
    return n;
}

int input_ids(struct call *c, struct str name, const struct json *j, int64_t **out) {
    struct arena *a = c->work.arena;
    struct str *texts;
    int n = input_texts(a, j, &texts);
    if (n < 0) return fail_field(&c->work, ERR_FIELD_INVALID, name, "A list of ids is expected.");
    if (n > LIMIT_IDS)
        return fail_field(&c->work, ERR_FIELD_INVALID, name, "At most %d ids are allowed.", LIMIT_IDS);
    int64_t *ids = *out = arena_array(a, (size_t)n + 1, sizeof *ids);
    for (int i = 0; i < n; i++) {
        if (!str_to_int(texts[i], &ids[i]) || ids[i] <= 0)
            return fail_at(&c->work, ERR_FIELD_INVALID, name, str_fmt(a, "%s/%d", name.p, i),
                           "An id is expected.");
        if (ids_have(ids, i, ids[i]))
            return fail_at(&c->work, ERR_PARAMETERS_INCONSISTENT, name, str_fmt(a, "%s/%d", name.p, i),
                           "The id %lld is given twice.", (long long)ids[i]);
    }
    return n;
}

int in_among(struct call *c, const struct in *in, const int64_t *ids, int n, const char *why) {
    int rc = 0;
    for (int64_t i = 0; i < in->value.i; i++)
        if (!ids_have(ids, n, in->value.ids[i]))
            rc = fail_at(&c->work, ERR_FIELD_INVALID, in->name, in_place(c, in, "%lld", (long long)i), "%s",
                         why);
    return rc;
}

static int input_read_ids(struct call *c, struct in *in, const struct json *j) {
    int64_t *ids;
    int n = input_ids(c, str_of(in->field->name), j, &ids);
    TRY(n);
    in->value = (struct value){V_IDS, .i = n, .ids = ids};
    return 0;
}

static int read_words(struct call *c, struct in *in, const struct json *j) {
    struct str *texts;
    int n = input_texts(c->work.arena, j, &texts);
    if (n < 0) return input_invalid(c, in, "A list is expected.");
    int64_t *ids = arena_array(c->work.arena, (size_t)n + 1, sizeof *ids);
    for (int i = 0; i < n; i++) {
        TRY(input_read_word(c, in, texts[i]));
        ids[i] = in->value.i;
    }
    in->value = (struct value){V_IDS, .i = n, .ids = ids};
    return 0;
}

/* Stores a list of texts as a JSON array, for @TEXTS(:name). */
static int read_texts(struct call *c, struct in *in, const struct json *j) {
    struct str *texts;
    int n = input_texts(c->work.arena, j, &texts);
    if (n < 0) return input_invalid(c, in, "A list is expected.");
    struct json *list = json_new(c->work.arena, JSON_ARRAY);
    for (int i = 0; i < n; i++) json_append(list, json_string(c->work.arena, texts[i]));
    in->json = list;
    in->value = (struct value){V_TEXT, .i = n, .s = json_texts(c->work.arena, texts, (size_t)n)};
    return 0;
}

const struct json *input_split(struct arena *a, struct str text) {
    struct json *list = json_new(a, JSON_ARRAY);
    for (struct str rest = text; rest.p;) {
        struct str item = str_trim(str_cut(&rest, ','));
        if (item.n) json_append(list, json_string(a, item));
    }
    return list;
}

static const struct json *item_alone(struct arena *a, struct in *in, const struct json *item) {
    struct json *list = json_new(a, JSON_ARRAY), *copy = ARENA_NEW(a, struct json);
    *copy = *item;
    json_append(list, copy);
    in->single = true;
    return list;
}

static int input_owned(struct call *c, struct in *in);

/* Reads a list whose items .check or owned rows validate: an array, JSON text of an array, or text with
 * commas. */
static int read_items(struct call *c, struct in *in, const struct json *j) {
    struct arena *a = c->work.arena;
    struct json *parsed;
    struct json_error err;
    struct str s;
    bool single = in->field->flags & SINGLE_TOO;
    if (j->type == JSON_STRING && str_starts(str_trim(j->text), S("["))) {
        int rc = json_parse(a, j->text, &parsed, &err);
        if (rc < 0 && single) j = item_alone(a, in, j);
        else if (rc < 0)
            return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                           "The value is not valid JSON: %s at byte %zu.", err.reason, err.offset);
        else j = parsed;
    } else if (single && j->type != JSON_ARRAY) {
        j = item_alone(a, in, j);
    } else if (j->type != JSON_ARRAY && input_joined(a, j, &s)) {
        j = input_split(a, s);
    }
    if (j->type != JSON_ARRAY) return input_invalid(c, in, "A list is expected.");
    in->json = j;
    in->value = (struct value){V_INT, .i = j->count};
    return in->field->owned_by ? input_owned(c, in) : input_spelled_once(c, in);
}

/* In a form, objects and lists may be JSON text. */
static int read_tree(struct call *c, struct in *in, const struct json *j) {
    bool list = in->field->type == F_LIST;
    if (j->type == JSON_STRING && j->text.n) {
        struct json *parsed;
        struct json_error err;
        if (json_parse(c->work.arena, j->text, &parsed, &err) < 0)
            return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                           "The value is not valid JSON: %s at byte %zu.", err.reason, err.offset);
        j = parsed;
    }
    if (in->field->type == F_LIST && j->type != JSON_ARRAY)
        return input_invalid(c, in, "A list is expected.");
    if (in->field->type == F_OBJECT && j->type != JSON_OBJECT && !(j->type == JSON_ARRAY && j->count == 0))
        return input_invalid(c, in, "An object is expected.");
    in->json = j;
    in->value = (struct value){list ? V_INT : V_TEXT, .i = j->count, .s = S("")};
    return in->field->type == F_OBJECT ? 0 : input_spelled_once(c, in); /* keys of an object are data */
}

/* ---- one field ------------------------------------------------------------------------------- */

static bool empty(const struct field *f, const struct json *j) {
    if (j->type == JSON_NULL) return true;
    if (f->type == F_LIST) return false; /* [] is a valid list */
    if (f->type == F_IDS || f->type == F_TEXTS || f->type == F_WORDS) return false;
    if (j->type != JSON_STRING) return false;
    return f->type == F_PASSWORD ? j->text.n == 0 : str_trim(j->text).n == 0;
}

static int input_read_value(struct call *c, struct in *in, bool create, const struct json *j);

/* Reads null or blank text. On POST, a field with .initial gets that; other fields count as absent. */
static int read_empty(struct call *c, struct in *in, bool create, const struct json *j) {
    const struct field *f = in->field;
    if (f->flags & (REQUIRED | PRESENT))
        return fail_at(&c->work, create && j->type == JSON_NULL ? ERR_FIELD_REQUIRED : ERR_FIELD_EMPTY,
                       in->name, in->pointer, NULL);
    bool plain_text = (f->type == F_TEXT || f->type == F_LONG) && f->check == NULL && f->initial == NULL;
    if (plain_text && j->type == JSON_STRING && !(f->flags & NULLABLE))
        return input_read_text(c, in, j->text);
    if (!(f->flags & NULLABLE) && !create) return input_invalid(c, in, "This field can't be cleared.");
    in->value = (struct value){V_NULL};
    if (f->flags & NULLABLE) return 0;
    int rc = f->initial ? input_read_value(c, in, create, json_string(c->work.arena, str_of(f->initial))) : 0;
    in->given = false;
    return rc;
}

static int input_read_value(struct call *c, struct in *in, bool create, const struct json *j) {
    const struct field *f = in->field;
    struct str s;
    in->given = true;
    in->json = j;
    if (empty(f, j)) return read_empty(c, in, create, j);
    switch (f->type) {
    case F_IDS: TRY(input_read_ids(c, in, j)); break;
    case F_WORDS: TRY(read_words(c, in, j)); break;
    case F_TEXTS: TRY(read_texts(c, in, j)); break;
    case F_MANY:
    case F_ROWS: TRY(read_items(c, in, j)); break;
    case F_JSON:
    case F_OBJECT:
    case F_LIST: TRY(read_tree(c, in, j)); break;
    default:
        if (!scalar_text(j, &s)) return input_invalid(c, in, "A single value is expected.");
        if (f->type == F_BOOL) TRY(input_read_bool(c, in, s));
        else if (f->type == F_INT || f->type == F_REF) TRY(read_int(c, in, s));
        else if (f->type == F_WORD) TRY(input_read_word(c, in, s));
        else if (f->type == F_TIME) {
            if (!time_parse_iso(s, &in->value.i))
                return input_invalid(c, in, "A time like 2026-11-21T09:30:00+00:00 is expected.");
            in->value.type = V_INT;
        } else if (j->type == JSON_TRUE || j->type == JSON_FALSE)
            return input_invalid(c, in, "A text is expected.");
        else TRY(input_read_text(c, in, s));
    }
    bool list = f->type == F_IDS || f->type == F_WORDS || f->type == F_TEXTS;
    if ((f->flags & (REQUIRED | PRESENT)) && list && in->value.i == 0)
        return fail_at(&c->work, ERR_FIELD_EMPTY, in->name, in->pointer, NULL);
    return f->check ? f->check(c, in) : 0;
}

/* Checks that no other row has the value. The unique index decides races; this check names the field. */
static int check_unique(struct call *c, struct in *in) {
    const struct field *f = in->field;
    const struct resource *r = c->home;
    if (!(f->flags & UNIQUE) || in->value.type != V_TEXT) return 0;
    struct stmt *row;
    struct str sql =
        str_fmt(c->work.arena, "SELECT t.id FROM %s t WHERE t.%s = :value AND t.id <> :id%s%s%s%s", r->table,
                f->name, r->unique_among ? " AND " : "", r->unique_among ? r->unique_among : "",
                r->where ? " AND " : "", r->where ? r->where : "");
    int rc = db_start(c->work.conn, sql.p, BINDS(B_TEXT("value", in->value.s), B_INT("id", c->id)), &row);
    if (rc < 0) return fail(&c->work, error_of_result(rc));
    rc = stmt_step(row);
    stmt_end(row);
    if (rc < 0) return fail(&c->work, error_of_result(rc));
    return rc ? fail_at(&c->work, ERR_FIELD_DUPLICATE, in->name, in->pointer, NULL) : 0;
}

void in_ignore(struct call *c, const char *name, const char *why) {
    struct ignored *i = ARENA_NEW(c->work.arena, struct ignored);
    *i = (struct ignored){name, why, c->ignored};
    c->ignored = i;
}

static bool is_ignored(struct call *c, const struct field *f, bool sent) {
    for (const struct ignored *i = c->ignored; i; i = i->next) {
        if (strcmp(i->name, f->name) != 0) continue;
        if (sent) notice(&c->work, "NOTICE", "%s was ignored: %s.", input_name(c->work.arena, f).p, i->why);
        return true;
    }
    return false;
}

static struct str excerpt(struct str s) { return (struct str){s.p, s.n > 64 ? 64 : s.n}; }

int input_find(struct call *c, const struct json *object, struct str name, struct str pointer,
               const struct json **out) {
    *out = NULL;
    for (const struct json *j = object && object->type == JSON_OBJECT ? object->first : NULL; j;
         j = j->next) {
        if (!name_eq(j->name, name)) continue;
        const struct json *first = *out;
        *out = j;
        if (first == NULL || str_eq(first->name, j->name)) continue;
        struct str one = excerpt(first->name), other = excerpt(j->name);
        return fail_at(&c->work, ERR_PARAMETERS_INCONSISTENT, name, pointer,
                       "The field is given twice, as %.*s and as %.*s.", (int)one.n, one.p, (int)other.n,
                       other.p);
    }
    return 0;
}

int input_read(struct call *c, const struct field *fields, bool create, const struct json *object,
               struct str prefix, struct in **out, int *count) {
    struct arena *a = c->work.arena;
    int n = 0, first = 0;
    while (fields && fields[n].name) n++;
    struct in *list = *out = arena_array(a, (size_t)n + 1, sizeof *list);
    *count = n;
    for (int i = 0; i < n; i++) {
        const struct field *f = &fields[i];
        struct in *in = &list[i];
        in->field = f;
        in->name = input_name(a, f);
        in->pointer = prefix.p ? str_cat(a, (struct str[]){prefix, S("/"), in->name}, 3) : (struct str){0};
        if (f->flags & REFUSED && json_named(object, in->name)) first = input_invalid(c, in, f->doc);
        if (!input_taken(f, create)) continue;
        if (f->type == F_FILE) {
            in->file = call_file(c, f->name);
            in->given = in->file != NULL;
            int rc = !in->given && f->flags & PRESENT
                         ? fail_at(&c->work, ERR_FIELD_REQUIRED, in->name, in->pointer, NULL)
                         : 0;
            if (in->given && f->check) rc = f->check(c, in);
            if (rc < 0 && first == 0) first = rc;
            continue;
        }
        const struct json *j;
        int rc = input_find(c, object, in->name, in->pointer, &j);
        if (is_ignored(c, f, j != NULL)) continue;
        if (rc < 0) {
            in->given = true;
        } else if (j) {
            rc = input_read_value(c, in, create, j);
            if (rc == 0) rc = check_unique(c, in);
        } else if ((create && f->flags & REQUIRED) || f->flags & PRESENT) {
            rc = fail_at(&c->work, ERR_FIELD_REQUIRED, in->name, in->pointer, NULL);
        } else if (create && f->initial) {
            rc = input_read_value(c, in, create, json_string(a, str_of(f->initial)));
            in->given = false;
        }
        if (rc < 0 && first == 0) first = rc;
    }
    return first;
}

const struct http_file *call_file(const struct call *c, const char *name) {
    for (const struct http_file *f = c->http->files; f; f = f->next)
        if (f->path.p && name_eq(f->field, str_of(name))) return f;
    return NULL;
}

static struct in *input_of_field(struct in *list, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (list[i].field->name[0] == name[0] && strcmp(list[i].field->name, name) == 0) return &list[i];
    assert(!"a handler asks for a field that its table lacks");
    return NULL;
}

struct in *in(struct call *c, const char *name) {
    return input_of_field(c->input, c->input_count, name);
}
struct in *arg(struct call *c, const char *name) {
    return input_of_field(c->args, c->arg_count, name);
}

int in_fail(struct call *c, const char *name, enum error code, const char *fmt, ...) {
    struct in *i = in(c, name);
    char text[256] = "";
    va_list args;
    va_start(args, fmt);
    if (fmt) vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return fail_at(&c->work, code, i->name, i->pointer, fmt ? "%s" : NULL, text);
}

/* ---- rows that a resource owns --------------------------------------------------------------- */

/* Converts a text to the object that it stands for. NULL: the rows do not have exactly one mandatory
 * member. */
static const struct json *bare(struct call *c, const struct resource *r, const struct json *item) {
    const struct field *one = NULL;
    for (const struct field *f = fields_of(r->fields); f->name; f++) {
        if (!(f->flags & REQUIRED)) continue;
        if (one) return NULL;
        one = f;
    }
    if (one == NULL || item->type != JSON_STRING) return NULL;
    struct json *object = json_new(c->work.arena, JSON_OBJECT),
                *value = json_string(c->work.arena, item->text);
    value->name = str_of(one->name);
    json_append(object, value);
    return object;
}

/* Reads `id` of an object. The row must belong to this owner. */
static int owned_read_id(struct call *c, const struct in *in, const struct resource *r,
                         const struct json *item, int at, int64_t *id) {
    const struct json *j = json_named(item, S("id"));
    struct stmt *row;
    if (j == NULL || j->type == JSON_NULL) return 0;
    bool number = (j->type == JSON_NUMBER || j->type == JSON_STRING) && str_to_int(j->text, id) && *id > 0;
    int rc = 0;
    if (number && c->method == PUT) {
        const char *sql = str_fmt(c->work.arena, "SELECT id FROM %s WHERE id = :id AND %s = :owner", r->table,
                                  in->field->owned_by)
                              .p;
        TRY(db_start(c->work.conn, sql, BINDS(B_INT("id", *id), B_INT("owner", c->id)), &row));
        rc = stmt_step(row);
        stmt_end(row);
    }
    if (rc < 0) return rc;
    return rc ? 0
              : fail_at(&c->work, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d/id", at),
                        "The list has no item with this id.");
}

static bool says_nothing(const struct owned_item *item) {
    for (int i = 0; i < item->count; i++)
        if (item->input[i].given && item->input[i].value.type != V_NULL &&
            strcmp(item->input[i].field->name, OWNED_PRIMARY) != 0)
            return false;
    return true;
}

static int read_item(struct call *c, const struct in *in, const struct resource *r, const struct json *j,
                     int at, struct owned_item *item) {
    const struct json *object = j->type == JSON_OBJECT ? j : bare(c, r, j);
    struct str place = in_place(c, in, "%d", at);
    if (object == NULL)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, place, "An object is expected.");
    TRY(owned_read_id(c, in, r, object, at, &item->id));
    TRY(input_read(c, fields_of(r->fields), true, object, place, &item->input, &item->count));
    if (says_nothing(item)) return fail_at(&c->work, ERR_FIELD_EMPTY, in->name, place, NULL);
    const struct in *primary = owned_in(item, OWNED_PRIMARY);
    item->primary = primary && primary->value.i;
    return 0;
}

static int one_primary(struct call *c, const struct in *in, struct owned *list) {
    int first = -1;
    for (int i = 0; i < list->count; i++) {
        if (!list->items[i].primary) continue;
        if (first >= 0)
            return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d/%s", i, OWNED_PRIMARY),
                           "Only one item can be primary.");
        first = i;
    }
    if (first < 0 && list->count) list->items[0].primary = true;
    return 0;
}

/* Checks that no row is kept twice. */
static int distinct(struct call *c, const struct in *in, const struct owned *list) {
    for (int i = 0; i < list->count; i++)
        for (int k = 0; k < i; k++)
            if (list->items[i].id && list->items[i].id == list->items[k].id)
                return fail_at(&c->work, ERR_PARAMETERS_INCONSISTENT, in->name, in_place(c, in, "%d/id", i),
                               "This id is given twice.");
    return 0;
}

/* Reads in->json, a list of rows that the resource owns, into in->made: a struct owned. Each item is an
 * object, read like a body. Problems are gathered under name/<n>/<member>. */
static int input_owned(struct call *c, struct in *in) {
    const struct resource *r = resource_of(in->field->ref);
    struct owned *list = in->made = ARENA_NEW(c->work.arena, struct owned);
    int at = 0, first = 0;
    if (in->json->count > LIMIT_OWNED)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "At most %d items are allowed.",
                       LIMIT_OWNED);
    list->count = (int)in->json->count;
    list->items = arena_array(c->work.arena, in->json->count + 1, sizeof *list->items);
    for (const struct json *j = in->json->first; j; j = j->next, at++) {
        int rc = read_item(c, in, r, j, at, &list->items[at]);
        if (rc < 0 && first == 0) first = rc;
    }
    TRY(first);
    TRY(distinct(c, in, list));
    return one_primary(c, in, list);
}
