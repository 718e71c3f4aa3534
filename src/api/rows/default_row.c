#include "api/rows/default_row.h"
#include "api/table/fields.h"

#include "base/ids.h"
#include "core/change/change.h"

#include <assert.h>

/* The given flag; NULL: the resource has none, or it is absent. */
static const struct in *given_flag(struct call *c, const char *name) {
    for (int i = 0; i < c->input_count; i++)
        if (strcmp(c->input[i].field->name, name) == 0 && c->input[i].given) return &c->input[i];
    return NULL;
}

static bool has_flag(const struct resource *r, const char *name) {
    for (const struct field *f = fields_of(r->fields); f->name; f++)
        if (strcmp(f->name, name) == 0) return true;
    return false;
}

/* Serialises choices of a default, so that none misses a concurrent one. */
static int lock(struct call *c) {
    return db_lock(c->work.conn, STR_CAT(c->work.arena, S("the default of "), str_of(c->home->table)));
}

static int read_default(struct call *c, const char *condition, int64_t *id) {
    struct stmt *row;
    struct str sql =
        str_fmt(c->work.arena, "SELECT t.id FROM %s t WHERE t.is_default = 1%s", c->home->table, condition);
    *id = 0;
    TRY(db_start(c->work.conn, sql.p, BINDS(B_INT("id", c->id)), &row));
    int rc = stmt_step(row);
    if (rc == 1) *id = col_int(row, 0);
    stmt_end(row);
    return rc;
}

int default_hand_on(struct call *c) {
    if (!c->home->has_default) return 0;
    assert(c->home->within.parent == NULL); /* the default is one of all rows */
    const struct in *chosen = given_flag(c, "is_default");
    TRY(lock(c));
    if (chosen == NULL || chosen->value.i == 0) return 0;
    int64_t before;
    TRY(read_default(c, " AND t.id <> :id", &before));
    if (before)
        change_property(&c->work, (struct changed){c->home->type, before, 0}, "is_default",
                        changed_bool(true), changed_bool(false));
    struct str sql = str_fmt(c->work.arena,
                             "UPDATE %s SET is_default = 0, updated_at = :now "
                             "WHERE is_default = 1 AND id <> :id",
                             c->home->table);
    return db_exec_text(c->work.conn, sql.p, BINDS(B_INT("id", c->id), B_INT("now", c->work.now)));
}

int default_kept(struct call *c) {
    int64_t id;
    if (!c->home->has_default) return 0;
    int found = read_default(c, has_flag(c->home, "is_enabled") ? " AND t.is_enabled = 1" : "", &id);
    if (found) return found < 0 ? found : 0;
    const struct in *disabled = given_flag(c, "is_enabled");
    if (disabled && disabled->value.i == 0)
        return in_fail(c, "is_enabled", ERR_RESOURCE_ACTION_NOT_AVAILABLE,
                       "The default can't be disabled. Make another one the default first.");
    return in_fail(c, "is_default", ERR_RESOURCE_ACTION_NOT_AVAILABLE,
                   "This is the only default. Make another enabled one the default instead.");
}

int default_stays(struct call *c) {
    int64_t id;
    if (!c->home->has_default) return 0;
    TRY(lock(c));
    TRY(read_default(c, "", &id));
    int at = ids_place(c->ids, c->id_count, id);
    if (at < 0) return 0;
    return fail_at(&c->work, ERR_RESOURCE_ACTION_NOT_AVAILABLE, (struct str){0},
                   c->route->shape == COUNT ? str_fmt(c->work.arena, "ids/%d", at) : (struct str){0},
                   "The default can't be deleted. Make another one the default first.");
}
