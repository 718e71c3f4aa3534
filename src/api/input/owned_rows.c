#include "api/input/owned_rows.h"

#include <assert.h>

#define OWNED_COLUMNS 24

static int owned_columns(struct call *c, const struct owned_item *item, const char **names,
                         struct bind *binds) {
    int n = 0;
    for (int i = 0; i < item->count; i++) {
        const struct in *in = &item->input[i];
        if (!input_taken(in->field, true)) continue;
        assert(n < OWNED_COLUMNS);
        names[n] = in->name.p;
        binds[n] = input_bind(c->work.arena, in);
        if (strcmp(in->field->name, OWNED_PRIMARY) == 0)
            binds[n] = (struct bind)B_INT("is_primary", item->primary);
        n++;
    }
    return n;
}

static int owned_put_item(struct call *c, const struct resource *r, const char *owner, int64_t owner_id,
                          const struct owned_item *item) {
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
    const char *sql =
        str_fmt(c->work.arena, "DELETE FROM %s WHERE %s = :owner AND id NOT IN @LIST(:kept)", r->table, owner)
            .p;
    TRY(db_exec_text(c->work.conn, sql,
                     BINDS(B_INT("owner", owner_id), B_TEXT("kept", json_ids(c->work.arena, kept, n)))));
    for (int i = 0; i < list->count; i++) TRY(owned_put_item(c, r, owner, owner_id, &list->items[i]));
    return 0;
}
