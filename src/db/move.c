/* Tables and rows that leave a store or come into one: of moves, exports and imports. */
#include "db/move.h"

#include <stdio.h>

#include "base/error.h"

/* ---- SQL ------------------------------------------------------------------------------------- */

struct str move_columns(struct arena *a, const struct move_table *t) {
    struct str list = S("");
    for (int i = 0; i < t->count; i++)
        list = str_fmt(a, "%s%s\"%s\"", list.p, i ? ", " : "", t->columns[i].name);
    return list;
}

static const char *key_at(const struct move_table *t, int place) {
    for (int i = 0; i < t->count; i++)
        if (t->columns[i].key == place) return t->columns[i].name;
    return NULL;
}

struct str move_order(struct arena *a, const struct move_table *t) {
    struct str list = S("");
    bool keyed = key_at(t, 1) != NULL;
    for (int i = 0; i < t->count; i++) {
        const char *name = keyed ? key_at(t, i + 1) : t->columns[i].name;
        if (name) list = str_fmt(a, "%s%s\"%s\" NULLS FIRST", list.p, i ? ", " : " ORDER BY ", name);
    }
    return list;
}

int move_refuse(struct why why, const struct move_table *t, const struct value *row, int column,
                const char *what) {
    char place[160] = "";
    size_t n = 0;
    for (int i = 0; i < t->count && n < sizeof place; i++) {
        const struct value *v = &row[i];
        if (t->columns[i].key == 0) continue;
        size_t left = sizeof place - n;
        if (v->kind == VALUE_INT)
            n += (size_t)snprintf(place + n, left, " %s %lld", t->columns[i].name, (long long)v->i);
        else if (v->kind == VALUE_TEXT)
            n += (size_t)snprintf(place + n, left, " %s %.*s", t->columns[i].name,
                                  (int)(v->s.n < 40 ? v->s.n : 40), v->s.p);
    }
    return db_refuse(why, "%s.%s of the row with%s %s: correct that row first", t->name,
                     t->columns[column].name, place, what);
}

/* ---- rows and tables ------------------------------------------------------------------------- */

/* The types of a row are checked, because SQLite stores a text in a column of numbers, and PostgreSQL
 * would refuse it without saying where. */
int move_check_row(const struct move_table *t, const struct value *row, struct why why) {
    for (int i = 0; i < t->count; i++) {
        const struct value *v = &row[i];
        if (v->kind != VALUE_NULL && v->kind != t->columns[i].kind)
            return move_refuse(why, t, row, i, "is not of its column's type");
        if (v->kind == VALUE_TEXT && !utf8_valid(v->s)) return move_refuse(why, t, row, i, "is not UTF-8");
    }
    return 0;
}

enum value_kind move_kind(const char *column, enum value_kind of_type) {
    return strcmp(column, "xid") == 0 ? VALUE_OWN : of_type;
}

/* Takes the derived tables out of a list. They may be missing on one engine. */
static void drop_derived(const struct db_derived *derived, struct move_table **list) {
    while (*list) {
        const struct db_derived *d = derived;
        while (d->table && strcmp(d->table, (*list)->name) != 0) d++;
        if (d->table) *list = (*list)->next;
        else list = &(*list)->next;
    }
}

static void drop_own(struct move_table *list) {
    for (struct move_table *t = list; t; t = t->next) {
        int kept = 0;
        for (int i = 0; i < t->count; i++)
            if (t->columns[i].kind != VALUE_OWN) t->columns[kept++] = t->columns[i];
        t->count = kept;
    }
}

static int refuse_unknown(const struct move_table *list, struct why why) {
    for (const struct move_table *t = list; t; t = t->next) {
        if (t->is_virtual)
            return db_refuse(why, "%s is a virtual table that no row of derived_tables rebuilds", t->name);
        for (int i = 0; i < t->count; i++)
            if (t->columns[i].kind == VALUE_NULL)
                return db_refuse(why, "%s.%s has the type %s, which deskd can't copy", t->name,
                                 t->columns[i].name, t->columns[i].type_name);
    }
    return 0;
}

int move_tables(struct conn *c, struct arena *a, const struct db_derived *derived, struct move_table **out,
                struct why why) {
    *out = NULL;
    TRY(c->engine->mover->tables(c, a, out, why));
    drop_derived(derived, out);
    drop_own(*out);
    return refuse_unknown(*out, why);
}
