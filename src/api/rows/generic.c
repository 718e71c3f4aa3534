/* Handlers of plain resources, made of steps that other handlers use too. */
#include "api/rows/generic.h"
#include "api/table/fields.h"

#include "api/rows/default_row.h"
#include "api/input/input.h"
#include "api/input/owned_rows.h"
#include "api/rows/reply.h"
#include "api/rows/results.h"
#include "api/rows/visible.h"
#include "base/fold.h"
#include "base/ids.h"
#include "base/random.h"
#include "core/change/change.h"
#include "core/change/record.h"
#include "core/fields/field_catalogue.h"
#include "core/change/object_diff.h"
#include "core/rules/rules_finish.h"
#include "core/words.h"

#include <assert.h>

/* ---- targets --------------------------------------------------------------------------------- */

static const char *alive_targets(const struct call *c) { return c->alive ? c->alive : c->resource->alive; }

static const struct path_var *last_variable(const struct call *c) { return &c->vars[c->var_count - 1]; }

/* *row NULL: there is none that the caller sees. */
static int find_shown(struct call *c, struct view *v, struct row **row) {
    int found = 0;
    *row = NULL;
    return c->resource->rows ? c->resource->rows(c, v, last_variable(c)->text, row)
                             : view_load(v, c->resource, &c->id, 1, row, &found);
}

static int load_target(struct call *c, struct view *v, struct row **row) {
    TRY(find_shown(c, v, row));
    return *row ? 0 : fail(&c->work, ERR_RESOURCE_NOT_FOUND);
}

static int64_t updated_at(const struct row *row) {
    const struct layout *layout = row->layout;
    for (int i = 0; i < layout->count; i++)
        if (str_eq(layout->members[i].name.text, S("updated_at")) && row->cells[i].type == V_INT)
            return row->cells[i].i;
    return 0;
}

static int64_t later_of(int64_t a, int64_t b) { return a > b ? a : b; }

/* *at: the time of the last change of anything that the row shows; 0: unknown. */
static int row_last_change(struct call *c, const struct row *row, int64_t *at) {
    const struct resource *r = row->layout->resource;
    int64_t fields = 0;
    *at = row->modified ? row->modified : r->changes_unseen ? 0 : updated_at(row);
    if (!changes_are_seen(c, r, row->id)) return 0;
    if (r->shows_fields) TRY(custom_fields_changed_at(&c->work, &fields));
    *at = later_of(later_of(updated_at(row), row->changed_at), fields);
    return 0;
}

static int call_tag_row(struct call *c, struct view *v, const struct row *row) {
    char hex[33];
    view_tag(v, row, hex);
    c->etag = str_dup(c->work.arena, str_of(hex));
    return row_last_change(c, row, &c->modified);
}

/* Computed rows have no row to lock, so the lock is on their path. */
static int target_made(struct call *c) {
    struct row *row;
    struct str address = str_of(c->resource->type);
    for (int i = 0; i < c->var_count; i++) address = STR_CAT(c->work.arena, address, S("/"), c->vars[i].text);
    if (c->method != GET) TRY(db_lock(c->work.conn, address));
    return load_target(c, view_new(c), &row);
}

/* The row of the path's last variable. */
static int target_one(struct call *c) {
    const struct path_var *var = last_variable(c);
    TRY(api_of(c));
    if (c->resource->rows) return target_made(c);
    /* otherwise a row of another parent would be found */
    assert(c->where || c->route->of == NULL || var == c->vars);
    c->id = var->id;
    if (c->method != GET && var->id) TRY(db_lock_row(c->work.conn, c->resource->table, var->id));
    TRY_FOUND(&c->work, var->id ? visible_row(c, c->resource, var->id, alive_targets(c), c->where) : 0);
    c->ids = &c->id;
    c->id_count = 1;
    return 0;
}

static int conditional_one(struct call *c) {
    struct row *row;
    bool asked = http_header(c->http, "If-Match").p || http_header(c->http, "If-Unmodified-Since").p ||
                 http_header(c->http, "If-None-Match").p;
    if (!asked) return 0;
    struct view *v = view_new(c);
    TRY(load_target(c, v, &row));
    TRY(call_tag_row(c, v, row));
    /* If-Unmodified-Since compares known changes, even if others are unknown */
    if (c->modified == 0) c->modified = updated_at(row);
    int rc = conditional(c);
    c->etag = (struct str){0};
    c->modified = 0;
    return rc < 0 ? rc : 0;
}

/* True if two lists without duplicates have the same ids. */
static bool same_ids(const int64_t *ids, const int64_t *others, int n) {
    for (int i = 0; i < n; i++)
        if (!ids_have(others, n, ids[i])) return false;
    return true;
}

/* If query and body have ids, they must agree. */
int api_bulk_ids(struct call *c) {
    const struct json *query, *body;
    int64_t *ids = NULL, *again = NULL;
    TRY(input_find(c, c->query, S("ids"), (struct str){0}, &query));
    TRY(input_find(c, c->body, S("ids"), (struct str){0}, &body));
    if (query == NULL && body == NULL) return fail_field(&c->work, ERR_FIELD_REQUIRED, S("ids"), NULL);
    int n = input_ids(c, S("ids"), query ? query : body, &ids);
    TRY(n);
    if (query && body) {
        int m = input_ids(c, S("ids"), body, &again);
        TRY(m);
        if (m != n || !same_ids(ids, again, n))
            return fail_field(&c->work, ERR_PARAMETERS_INCONSISTENT, S("ids"),
                              "The query and the body have different ids.");
    }
    if (n == 0) return fail_field(&c->work, ERR_FIELD_EMPTY, S("ids"), NULL);
    c->ids = ids;
    c->id_count = n;
    c->by_ids = true;
    return 0;
}

/* Locks the rows in the order of their ids: callers who name the same rows in different orders do not wait
 * for each other in a circle. */
static int lock_targets(struct call *c) {
    int64_t *ids = arena_array(c->work.arena, (size_t)c->id_count, sizeof *ids);
    memcpy(ids, c->ids, (size_t)c->id_count * sizeof *ids);
    ids_sort(ids, c->id_count);
    for (int i = 0; i < c->id_count; i++) TRY(db_lock_row(c->work.conn, c->resource->table, ids[i]));
    return 0;
}

/* Names a target of a bulk call in a problem. */
static int fail_target(struct call *c, int64_t id, enum error code, const char *why) {
    struct str place = str_fmt(c->work.arena, "ids/%d", ids_place(c->ids, c->id_count, id));
    return fail_at(&c->work, code, S("ids"), place, why ? "%s" : NULL, why);
}

static bool is_dated(const struct resource *r) {
    for (const struct field *f = fields_of(r->fields); f->name; f++)
        if (strcmp(f->name, "updated_at") == 0) return f->column == NULL;
    return false;
}

/* The rows of a bulk call have no common time of change, so If-Unmodified-Since is compared with that of each.
 * HTTP dates have whole seconds. */
static int refuse_modified(struct call *c) {
    struct str date = http_header(c->http, "If-Unmodified-Since");
    int64_t since;
    struct stmt *s;
    int rc, refused = 0;
    if (date.p == NULL || http_header(c->http, "If-Match").p || !is_dated(c->resource)) return 0;
    if (!time_parse_http(date, &since)) return 0;
    const char *sql = str_fmt(c->work.arena,
                              "SELECT t.id FROM %s t WHERE t.id IN @LIST(:ids) AND t.updated_at >= :after "
                              "ORDER BY t.id",
                              c->resource->table)
                          .p;
    TRY(db_start(c->work.conn, sql,
                 BINDS(B_TEXT("ids", api_ids(c)), B_INT("after", (since / 1000 + 1) * 1000)), &s));
    while ((rc = stmt_step(s)) == 1) refused = fail_target(c, col_int(s, 0), ERR_RESOURCE_MODIFIED, NULL);
    stmt_end(s);
    return rc < 0 ? rc : refused;
}

static int target_many(struct call *c) {
    struct tag t;
    char hex[33];
    int first = 0;
    int rc = api_bulk_ids(c);
    TRY(rc);
    TRY(lock_targets(c));
    tag_init(&t);
    for (int i = 0; i < c->id_count; i++) tag_int(&t, c->ids[i]);
    tag_end(&t, hex);
    for (int i = 0; i < c->id_count; i++) {
        rc = visible_row(c, c->resource, c->ids[i], alive_targets(c), c->where);
        if (rc == 0)
            rc = fail_at(&c->work, ERR_RESOURCE_NOT_FOUND, S("ids"), str_fmt(c->work.arena, "ids/%d", i),
                         NULL);
        if (rc < 0 && first == 0) first = rc;
    }
    TRY(first);
    c->etag = str_dup(c->work.arena, str_of(hex));
    rc = conditional(c);
    c->etag = (struct str){0};
    return rc < 0 ? rc : refuse_modified(c);
}

struct str api_ids(struct call *c) {
    return json_ids(c->work.arena, c->ids, (size_t)c->id_count);
}

static int find_target(struct call *c) {
    if (c->route->shape == COUNT) {
        TRY(api_of(c));
        return target_many(c);
    }
    TRY(target_one(c));
    return conditional_one(c);
}

int api_target(struct call *c) {
    TRY(find_target(c));
    return c->home->diffed && c->method != GET ? object_diff_begin_all(&c->work, c->home->diffed, api_ids(c))
                                               : 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool stored(const struct field *f, bool create) {
    if (f->store || f->owned_by) return false;
    return input_taken(f, create) && !(f->flags & BY_HANDLER) && !(f->column && f->column[0] == 0);
}

/* The form in which a field's column is recorded. */
static enum column_form form_of(const struct field *f) {
    switch (f->type) {
    case F_BOOL: return COLUMN_BOOL;
    case F_TIME: return COLUMN_TIME;
    case F_INT: return COLUMN_NUMBER;
    case F_REF: return COLUMN_REFERENCE;
    case F_WORD: return COLUMN_WORD;
    default: return COLUMN_TEXT;
    }
}

static struct column column_of(struct arena *a, const struct in *in) {
    const struct field *f = in->field;
    return (struct column){.name = input_name(a, f).p,
                           .value = input_bind(a, in),
                           .property = f->name,
                           .form = form_of(f),
                           .words = f->words,
                           .secret = f->flags & SECRET || f->type == F_PASSWORD};
}

static struct column folded_column(struct arena *a, const struct in *in) {
    struct str key = in->value.s.p ? fold_key(a, in->value.s) : (struct str){0};
    return (struct column){
        .name = in->field->fold,
        .value = {.name = str_fmt(a, ":%s", in->field->fold).p, .type = BIND_TEXT, .s = key}};
}

#define BOUND_COLUMNS 8 /* more than any row has */

/* The columns of the input: all of them for create, the given ones for update. */
static int input_columns(struct call *c, bool create, struct column *out) {
    struct arena *a = c->work.arena;
    int n = 0;
    for (int i = 0; i < c->input_count; i++) {
        const struct in *in = &c->input[i];
        if (!stored(in->field, create) || (!create && !in->given)) continue;
        assert(n < RECORD_COLUMNS - 4);
        out[n++] = column_of(a, in);
        if (in->field->fold) out[n++] = folded_column(a, in);
    }
    return n;
}

static struct bind bound_value(const struct call *c, const char *name) {
    for (int i = 0; i < c->var_count; i++)
        if (strcmp(c->vars[i].bind, name) == 0) return path_bind(&c->vars[i]);
    return (struct bind)B_ID("me", c->work.actor.user_id);
}

static struct column fixed_column(struct arena *a, const char *name, struct bind value) {
    value.name = str_fmt(a, ":%s", name).p;
    return (struct column){.name = name, .value = value};
}

/* The columns of a new row that the request decides: its parent, and .bound fields. */
static int columns_bound(struct call *c, struct column *out) {
    struct arena *a = c->work.arena;
    int n = 0;
    if (c->within && c->resource == c->home)
        out[n++] = fixed_column(a, c->within->column, path_bind(&c->vars[0]));
    for (const struct field *f = fields_of(c->home->fields); f->name; f++) {
        if (f->bound == NULL) continue;
        assert(n < BOUND_COLUMNS);
        out[n++] = fixed_column(a, input_name(a, f).p, bound_value(c, f->bound));
    }
    return n;
}

/* The column of a nested row that holds its conversation; NULL: it is part of none. */
static const char *case_column_of(const struct call *c) {
    const struct within *of = c->home->within.parent   ? &c->home->within
                              : c->resource == c->home ? c->within
                                                       : NULL;
    const struct resource *parent = of ? resource_of(of->parent) : NULL;
    return parent && strcmp(parent->table, "cases") == 0 ? of->column : NULL;
}

static struct record record_of(const struct call *c) {
    const struct resource *r = c->home;
    return (struct record){.kind = r->unlogged || r->diffed ? NULL : r->type,
                           .table = r->table,
                           .case_column = case_column_of(c)};
}

int api_object(struct call *c, int64_t id, struct changed *out) {
    struct record r = record_of(c);
    r.kind = c->home->type;
    return record_object(&c->work, r, id, out);
}

bool api_given(const struct call *c) {
    for (int i = 0; i < c->input_count; i++)
        if (c->input[i].given) return true;
    return false;
}

int api_columns(struct call *c, struct column *out) { return input_columns(c, false, out); }

int api_new_columns(struct call *c, struct column *out) { return input_columns(c, true, out); }

int api_insert(struct call *c) {
    struct column list[RECORD_COLUMNS + BOUND_COLUMNS];
    TRY(default_hand_on(c));
    int n = input_columns(c, true, list);
    n += columns_bound(c, list + n);
    TRY(record_insert(&c->work, record_of(c), list, n, &c->id));
    TRY(default_kept(c));
    return api_keep(c);
}

static int nothing_given(struct call *c) {
    struct arena *a = c->work.arena;
    if (c->route->shape != COUNT) return 0;
    const char **names = arena_array(a, (size_t)c->input_count + 1, sizeof *names);
    int n = 0;
    for (int i = 0; i < c->input_count; i++)
        if (input_taken(c->input[i].field, false)) names[n++] = input_name(a, c->input[i].field).p;
    return fail_any(&c->work, (struct str){0}, names);
}

int api_store(struct call *c) {
    struct column list[RECORD_COLUMNS];
    if (!api_given(c)) return nothing_given(c);
    TRY(default_hand_on(c));
    TRY(record_update(&c->work, record_of(c), c->ids, c->id_count, list, input_columns(c, false, list)));
    TRY(default_kept(c));
    return api_keep(c);
}

static int keep_of(struct call *c, int64_t id) {
    struct changed object;
    for (int i = 0; i < c->input_count; i++) {
        const struct in *in = &c->input[i];
        if (!in->given || in->field->flags & READONLY) continue;
        if ((in->field->store || in->field->owned_by) && !(in->field->flags & RECORDS) && record_of(c).kind) {
            TRY(api_object(c, id, &object));
            change_named(&c->work, object, in->field->name);
        }
        if (in->field->store) TRY(in->field->store(c, in, id));
        else if (in->field->owned_by) TRY(owned_store(c, in, id));
    }
    return 0;
}

int api_keep(struct call *c) {
    if (c->id_count == 0) return keep_of(c, c->id);
    for (int i = 0; i < c->id_count; i++) TRY(keep_of(c, c->ids[i]));
    return 0;
}

int api_record_created(struct call *c) {
    struct changed object;
    TRY(api_object(c, c->id, &object));
    change_created(&c->work, object);
    return 0;
}

int api_record_deleted(struct call *c) {
    struct changed object;
    for (int i = 0; i < c->id_count; i++) {
        TRY(api_object(c, c->ids[i], &object));
        change_deleted(&c->work, object);
    }
    return 0;
}

int api_visible_ids(struct call *c, const struct resource *r, const struct in *in, const char *why) {
    int first = 0;
    for (int64_t i = 0; i < in->value.i; i++) {
        int rc = api_visible(c, r, in->value.ids[i]);
        if (rc == 0)
            first = fail_at(&c->work, ERR_FIELD_INVALID, in->name, in_place(c, in, "%lld", (long long)i),
                            "%s", why ? why : api_absent(c, r->type));
        TRY(rc);
    }
    return first;
}

int api_refuse_target(struct call *c, int64_t id, const char *why) {
    if (c->route->shape != COUNT) return fail_state(&c->work, "%s", why);
    return fail_target(c, id, ERR_RESOURCE_ACTION_NOT_AVAILABLE, why);
}

int api_refuse(struct call *c, const char *condition, const char *why) {
    struct stmt *s;
    int rc, refused = 0;
    const char *sql =
        str_fmt(c->work.arena, "SELECT t.id FROM %s t WHERE t.id IN @LIST(:ids) AND (%s) ORDER BY t.id",
                c->home->table, condition)
            .p;
    TRY(db_start(c->work.conn, sql, BINDS(B_TEXT("ids", api_ids(c))), &s));
    while ((rc = stmt_step(s)) == 1) refused = api_refuse_target(c, col_int(s, 0), why);
    stmt_end(s);
    return rc < 0 ? rc : refused;
}

int api_remove(struct call *c) {
    bool bulk = c->route->shape == COUNT;
    TRY(default_stays(c));
    for (int i = 0; i < c->id_count; i++) {
        int rc = record_delete(&c->work, record_of(c), &c->ids[i], 1);
        if (rc == -ERR_FIELD_INVALID) /* a foreign key refers to it */
            return fail_at(&c->work, ERR_RESOURCE_ACTION_NOT_AVAILABLE, (struct str){0},
                           bulk ? str_fmt(c->work.arena, "ids/%d", i) : (struct str){0},
                           "Other resources refer to this one. Remove these references first.");
        TRY(rc);
    }
    return 0;
}

/* ---- replies --------------------------------------------------------------------------------- */

/* Runs the triggers and loads the row, so that the reply shows what they did. If they may take it out of the
 * caller's sight, it is loaded before, too: then the reply shows it as the caller left it. */
static int load_written(struct call *c, struct view **v, struct row **row) {
    struct row *now;
    if (!access_is_by_assignment(&c->work)) {
        TRY(rules_finish(&c->work));
        return load_target(c, *v, row);
    }
    TRY(load_target(c, *v, row));
    TRY(rules_finish(&c->work));
    if (change_authors_of(&c->work) == NULL) return 0;
    struct view *later = view_new(c);
    TRY(find_shown(c, later, &now));
    if (now) *v = later, *row = now;
    return 0;
}

static int reply_row(struct call *c, const char *empty) {
    struct view *v = view_new(c);
    struct row *row;
    v->empty = empty;
    TRY(c->method == GET ? load_target(c, v, &row) : load_written(c, &v, &row));
    TRY(call_tag_row(c, v, row));
    return envelope_row(v, row);
}

int api_reply_one(struct call *c, int64_t id) {
    c->id = id;
    return reply_row(c, NULL);
}

int api_reply_made(struct call *c, const char *empty) { return reply_row(c, empty); }

static int reply_bare(struct call *c, int64_t count, bool counted) {
    struct view *v = view_new(c);
    envelope_begin(v);
    if (counted) {
        jw_key(&v->w, S("total_count"));
        jw_int(&v->w, count);
        results_write(v);
    }
    envelope_end(v);
    return 0;
}

int api_reply_count(struct call *c, int64_t count) { return reply_bare(c, count, true); }
int api_reply_none(struct call *c) { return reply_bare(c, 0, false); }

int api_reply(struct call *c) {
    if (c->route->shape == COUNT) return api_reply_count(c, c->id_count);
    if (c->route->shape == NONE) return api_reply_none(c);
    return api_reply_one(c, c->id);
}

/* ---- handlers -------------------------------------------------------------------------------- */

int api_get(struct call *c) {
    struct view *v;
    struct row *row = NULL;
    int rc;
    TRY(api_of(c));
    c->id = last_variable(c)->id;
    v = view_new(c);
    if (c->resource->rows) TRY(load_target(c, v, &row));
    else if (c->id) TRY(view_load_one(v, c->resource, c->id, c->where, &row));
    if (row == NULL) return fail(&c->work, ERR_RESOURCE_NOT_FOUND);
    TRY(api_input(c));
    TRY(view_follow(v, row));
    TRY(call_tag_row(c, v, row));
    if (!c->options.ajax && (rc = conditional(c)) != 0) return rc < 0 ? rc : 0;
    return envelope_row(v, row);
}

int api_create(struct call *c) {
    TRY(api_of(c));
    TRY(api_input(c));
    TRY(api_insert(c));
    return api_reply(c);
}

int api_update(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_store(c));
    return api_reply(c);
}

int api_delete(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(c->home->remove ? c->home->remove(&c->work, api_ids(c)) : api_remove(c));
    return api_reply(c);
}
