/* Reads a list of rows that a resource owns. Each item is an object, read like a body. */
#include "api/input/input.h"
#include "api/table/fields.h"
#include "api/input/owned_rows.h"
#include "base/limits.h"

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

int input_owned(struct call *c, struct in *in) {
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
