#include "res/csv_cells.h"

#include "base/fold.h"
#include "base/limits.h"
#include "core/people/tag.h"

/* ---- cells ----------------------------------------------------------------------------------- */

/* An exported text that looks like a formula has an apostrophe in front of it. */
static struct str cell_text(struct str s) {
    if (s.n > 1 && s.p[0] == '\'' && in_set(s.p[1], "=+-@\t\r")) s = (struct str){s.p + 1, s.n - 1};
    return str_trim(s);
}

static void cell_add_items(struct arena *a, struct csv_cells *cells, enum csv_target target,
                           struct str text) {
    if (cells->lists[target] == NULL) cells->lists[target] = json_new(a, JSON_ARRAY);
    for (struct str rest = text; rest.p;) {
        struct str item = str_trim(str_cut(&rest, ','));
        if (item.n) json_append(cells->lists[target], json_string(a, item));
    }
}

void csv_cells_read(struct csv_rows *x, const struct csv_row *row, struct csv_cells *out) {
    struct arena *a = x->call.work.arena;
    *out = (struct csv_cells){.values = json_new(a, JSON_OBJECT)};
    for (int i = 0; i < x->columns->count && i < row->count; i++) {
        const struct csv_column *column = &x->columns->list[i];
        struct str text = cell_text(row->cells[i]);
        if (text.n == 0 || column->target == CSV_IGNORED) continue;
        if (column->target == CSV_FIELD_VALUE) csv_give(x, out->values, str_dup(a, column->key).p, text);
        else if (csv_target_is_list(column->target)) cell_add_items(a, out, column->target, text);
        else out->texts[column->target] = text;
    }
}

/* FNV-1a: a collision only costs time. */
int64_t csv_key(char kind, struct str text) {
    uint64_t h = (14695981039346656037U ^ (unsigned char)kind) * 1099511628211U;
    for (size_t i = 0; i < text.n; i++) h = (h ^ (unsigned char)text.p[i]) * 1099511628211U;
    h ^= h >> 32;
    return (int64_t)(h * 0x9E3779B97F4A7C15U);
}

/* ---- bodies ---------------------------------------------------------------------------- */

int csv_refuse(struct csv_rows *x, const char *parameter, enum csv_reason reason, int64_t most) {
    struct work *w = &x->call.work;
    struct str text = csv_reason_text(w->arena, reason, most);
    return fail_field(w, csv_reason_code(reason), parameter ? str_of(parameter) : (struct str){0}, "%.*s",
                      (int)text.n, text.p);
}

void csv_give(struct csv_rows *x, struct json *body, const char *name, struct str text) {
    if (text.n == 0) return;
    struct json *value = json_string(x->call.work.arena, text);
    value->name = str_of(name);
    json_append(body, value);
}

void csv_give_id(struct csv_rows *x, struct json *body, const char *name, int64_t id) {
    char room[INT_TEXT];
    if (id) csv_give(x, body, name, str_dup(x->call.work.arena, str_int(room, id)));
}

void csv_give_list(struct json *body, const char *name, struct json *list) {
    if (list == NULL || list->count == 0) return;
    list->name = str_of(name);
    json_append(body, list);
}

int csv_found(struct csv_rows *x, int64_t *found, const char *parameter, int rc, int64_t id) {
    if (rc <= 0) return rc;
    if (*found && *found != id) return csv_refuse(x, parameter, CSV_BELONGS_TO_ANOTHER, 0);
    *found = id;
    return rc;
}

QUERY(csv_organizations_named, "SELECT id FROM organizations WHERE name_key = :key AND deleted_at IS NULL "
                               "ORDER BY id LIMIT 2");

int csv_organization_named(struct work *w, struct str name, int64_t *id) {
    int64_t *ids;
    int n = db_ids(w->conn, &csv_organizations_named, BINDS(B_TEXT("key", fold_key(w->arena, name))),
                   w->arena, &ids);
    if (n > 0) *id = ids[0];
    return n;
}

int csv_tags_check(struct csv_rows *x, const struct tagging *t, const struct json *tags, int64_t id) {
    struct work *w = &x->call.work;
    int64_t present = 0;
    if (tags == NULL) return 0;
    for (const struct json *j = tags->first; j; j = j->next)
        if (tag_key(w->arena, j->text).p == NULL) return csv_refuse(x, "tags", CSV_TAG_INVALID, LIMIT_TAG);
    if (id) TRY(tags_count(w, t, id, &present));
    bool fits = present + tags->count <= LIMIT_TAGS;
    return fits ? 0 : csv_refuse(x, "tags", CSV_TOO_MANY_TAGS, LIMIT_TAGS);
}

int csv_tags_add(struct csv_rows *x, const struct tagging *t, const struct json *tags, int64_t id) {
    if (tags == NULL || tags->count == 0) return 0;
    struct str *names = arena_array(x->call.work.arena, tags->count, sizeof *names);
    int n = 0;
    for (const struct json *j = tags->first; j; j = j->next) names[n++] = j->text;
    return tags_add(&x->call.work, t, id, names, n);
}
