#include "api/owned.h"

#include "api/generic.h"
#include "api/input.h"
#include "base/limits.h"

#include <assert.h>

static const char primary_name[] = "is_primary";

struct in *owned_in(const struct owned_item *item, const char *name) {
    for (int i = 0; i < item->count; i++)
        if (strcmp(item->input[i].field->name, name) == 0) return &item->input[i];
    return NULL;
}

/* A text as the object it stands for; NULL: the rows have not exactly one mandatory member. */
static const struct json *bare(struct call *c, const struct resource *r, const struct json *item) {
    const struct field *one = NULL;
    for (const struct field *f = r->fields; f->name; f++) {
        if (!(f->flags & REQUIRED)) continue;
        if (one) return NULL;
        one = f;
    }
    if (one == NULL || item->type != JSON_STRING) return NULL;
    struct json *object = json_new(c->work.arena, JSON_OBJECT), *value = json_string(c->work.arena, item->text);
    value->name = str_of(one->name);
    json_append(object, value);
    return object;
}

/* The row that an object keeps must be this owner's. */
static int owned_read_id(struct call *c, const struct in *in, const struct resource *r, const struct json *item, int at, int64_t *id) {
    const struct json *j = json_named(item, S("id"));
    struct stmt *row;
    if (j == NULL || j->type == JSON_NULL) return 0;
    bool number = (j->type == JSON_NUMBER || j->type == JSON_STRING) && str_to_int(j->text, id) && *id > 0;
    int rc = 0;
    if (number && c->method == PUT) {
        const char *sql = str_fmt(c->work.arena, "SELECT id FROM %s WHERE id = :id AND %s = :owner", r->table, in->field->owned_by).p;
        TRY(db_start(c->work.conn, sql, BINDS(B_INT("id", *id), B_INT("owner", c->id)), &row));
        rc = stmt_step(row);
        stmt_end(row);
    }
    if (rc < 0) return rc;
    return rc ? 0 : fail_at(&c->work, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d/id", at), "There is no such resource here.");
}

static bool says_nothing(const struct owned_item *item) {
    for (int i = 0; i < item->count; i++)
        if (item->input[i].given && item->input[i].value.type != V_NULL && strcmp(item->input[i].field->name, primary_name) != 0)
            return false;
    return true;
}

static int read_item(struct call *c, const struct in *in, const struct resource *r, const struct json *j, int at, struct owned_item *item) {
    const struct json *object = j->type == JSON_OBJECT ? j : bare(c, r, j);
    struct str place = in_place(c, in, "%d", at);
    if (object == NULL) return fail_at(&c->work, ERR_FIELD_INVALID, in->name, place, "An object is expected.");
    TRY(owned_read_id(c, in, r, object, at, &item->id));
    TRY(input_read(c, r->fields, true, object, place, &item->input, &item->count));
    if (says_nothing(item)) return fail_at(&c->work, ERR_FIELD_EMPTY, in->name, place, NULL);
    const struct in *primary = owned_in(item, primary_name);
    item->primary = primary && primary->value.i;
    return 0;
}

static int one_primary(struct call *c, const struct in *in, struct owned *list) {
    int first = -1;
    for (int i = 0; i < list->count; i++) {
        if (!list->items[i].primary) continue;
        if (first >= 0)
            return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d/%s", i, primary_name), "One alone can be primary.");
        first = i;
    }
    if (first < 0 && list->count) list->items[0].primary = true;
    return 0;
}

/* A row can be kept once. */
static int distinct(struct call *c, const struct in *in, const struct owned *list) {
    for (int i = 0; i < list->count; i++)
        for (int k = 0; k < i; k++)
            if (list->items[i].id && list->items[i].id == list->items[k].id)
                return fail_at(&c->work, ERR_PARAMETERS_INCONSISTENT, in->name, in_place(c, in, "%d/id", i), "This id is given twice.");
    return 0;
}

int owned_read(struct call *c, struct in *in) {
    const struct resource *r = resource_of(in->field->ref);
    struct owned *list = in->made = ARENA_NEW(c->work.arena, struct owned);
    int at = 0, first = 0;
    if (in->json->count > LIMIT_OWNED)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "At most %d are possible.", LIMIT_OWNED);
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

/* ---- storing ------------------------------------------------------------------------------------------------ */

#define OWNED_COLUMNS 24

static int owned_columns(struct call *c, const struct owned_item *item, const char **names, struct bind *binds) {
    int n = 0;
    for (int i = 0; i < item->count; i++) {
        const struct in *in = &item->input[i];
        if (!input_taken(in->field, true)) continue;
        assert(n < OWNED_COLUMNS);
        names[n] = in->name.p;
        binds[n] = input_bind(c->work.arena, in);
        if (strcmp(in->field->name, primary_name) == 0) binds[n] = (struct bind)B_INT("is_primary", item->primary);
        n++;
    }
    return n;
}

static int owned_put_item(struct call *c, const struct resource *r, const char *owner, int64_t owner_id, const struct owned_item *item) {
    const char *names[OWNED_COLUMNS];
    struct bind binds[OWNED_COLUMNS + 4] = {0};
    struct buf sql = {0};
    int n = owned_columns(c, item, names, binds);
    if (item->id) {
        buf_fmt(&sql, "UPDATE %s SET ", r->table);
        for (int i = 0; i < n; i++) buf_fmt(&sql, "%s = %s, ", names[i], binds[i].name);
        buf_text(&sql, "updated_at = :now WHERE id = :id");
    } else {
        buf_fmt(&sql, "INSERT INTO %s (%s, ", r->table, owner);
        for (int i = 0; i < n; i++) buf_fmt(&sql, "%s, ", names[i]);
        buf_text(&sql, "created_at, updated_at) VALUES (:owner, ");
        for (int i = 0; i < n; i++) buf_fmt(&sql, "%s, ", binds[i].name);
        buf_text(&sql, ":now, :now)");
    }
    buf_char(&sql, 0);
    binds[n++] = (struct bind)B_INT("now", c->work.now);
    binds[n++] = (struct bind)B_INT("id", item->id);
    binds[n++] = (struct bind)B_INT("owner", owner_id);
    int rc = db_exec_text(c->work.conn, sql.p, binds);
    buf_free(&sql);
    return rc;
}

int owned_store(struct call *c, const struct in *in, int64_t owner_id) {
    static const struct owned none;
    const struct resource *r = resource_of(in->field->ref);
    const struct owned *list = in->made ? in->made : &none;
    const char *owner = in->field->owned_by;
    int64_t *kept = arena_array(c->work.arena, (size_t)list->count + 1, sizeof *kept);
    size_t n = 0;
    for (int i = 0; i < list->count; i++)
        if (list->items[i].id) kept[n++] = list->items[i].id;
    const char *sql = str_fmt(c->work.arena, "DELETE FROM %s WHERE %s = :owner AND id NOT IN @LIST(:kept)", r->table, owner).p;
    TRY(db_exec_text(c->work.conn, sql, BINDS(B_INT("owner", owner_id), B_TEXT("kept", json_ids(c->work.arena, kept, n)))));
    for (int i = 0; i < list->count; i++) TRY(owned_put_item(c, r, owner, owner_id, &list->items[i]));
    return 0;
}
