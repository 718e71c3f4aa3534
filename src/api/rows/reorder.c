#include "api/rows/generic.h"
#include "api/rows/visible.h"
#include "base/ids.h"
#include "base/limits.h"
#include "core/change/change.h"

#include <assert.h>

static int reorder_rows(struct call *c, const struct in *wanted) {
    struct arena *a = c->work.arena;
    const char *column = c->home->ordered;
    int64_t order[LIMIT_IDS * 2], n = 0, was;
    struct stmt *row;
    int rc;
    assert(column && c->home->within.parent == NULL); /* the order is one of all rows */
    for (; n < wanted->value.i; n++) order[n] = wanted->value.ids[n];
    TRY(db_start(c->work.conn,
                 str_fmt(a, "SELECT t.id, t.%s FROM %s t WHERE %s ORDER BY t.%s, t.id", column,
                         c->home->table, c->home->where ? c->home->where : "1 = 1", column)
                     .p,
                 NULL, &row));
    while ((rc = stmt_step(row)) == 1) {
        was = col_int(row, 1);
        int64_t id = col_int(row, 0), place = ids_place(wanted->value.ids, wanted->value.i, id);
        if (place < 0 && n < LIMIT_IDS * 2) order[place = n++] = id;
        if (place >= 0)
            change_property(&c->work, (struct changed){c->home->type, id, 0}, column, changed_number(was),
                            changed_number(place + 1));
    }
    stmt_end(row);
    if (rc < 0) return rc;
    const char *place =
        str_fmt(a, "UPDATE %s SET %s = :place, updated_at = :now WHERE id = :id AND %s <> :place",
                c->home->table, column, column)
            .p;
    for (int64_t i = 0; i < n; i++)
        TRY(db_exec_text(c->work.conn, place,
                         BINDS(B_INT("id", order[i]), B_INT("place", i + 1), B_INT("now", c->work.now))));
    return api_reply(c);
}

int api_reorder(struct call *c) {
    TRY(api_input(c));
    const struct in *wanted = in(c, c->route->input->name);
    TRY(api_visible_ids(c, c->home, wanted, NULL));
    if (failed(&c->work)) return -(int)failure(&c->work);
    return reorder_rows(c, wanted);
}
