#include "api/table/fields.h"

#include <pthread.h>

#define TABLES 1024 /* slots: far more than tables that have groups */

static struct {
    pthread_once_t once;
    struct expanded {
        const struct field *table, *rows;
    } slots[TABLES];
} expanded = {.once = PTHREAD_ONCE_INIT}; /* derived from constants, once */

/* ---- expanding ------------------------------------------------------------------------------- */

static bool has_groups(const struct field *table) {
    for (const struct field *f = table; f->name; f++)
        if (f->group) return true;
    return false;
}

/* Copies the rows to `out`, or only counts them where `out` is NULL. */
static size_t copy_rows(const struct field *table, struct field *out, int depth) {
    size_t n = 0;
    for (const struct field *f = table; f->name && depth <= GROUP_DEPTH;
         f++) { /* api/table/check.c refuses more */
        if (f->group) n += copy_rows(f->group, out ? out + n : NULL, depth + 1);
        else if (out) out[n++] = *f;
        else n++;
    }
    return n;
}

const struct field *fields_expand(struct arena *a, const struct field *table) {
    if (table == NULL || !has_groups(table)) return table;
    struct field *rows = arena_array(a, copy_rows(table, NULL, 1) + 1, sizeof *rows);
    copy_rows(table, rows, 1);
    return rows;
}

/* ---- all tables, once ------------------------------------------------------------------------ */

/* The slot of a table, or the free one where it belongs. */
static struct expanded *expanded_slot(const struct field *table) {
    size_t at = ((uintptr_t)table >> 4) * 2654435761u % TABLES;
    while (expanded.slots[at].table && expanded.slots[at].table != table) at = (at + 1) % TABLES;
    return &expanded.slots[at];
}

static void expand_table(struct arena *a, const struct field *table) {
    if (table && has_groups(table)) *expanded_slot(table) = (struct expanded){table, fields_expand(a, table)};
}

static void expand_all(void) {
    struct arena *a = arena_new(); /* this arena lives as long as the process */
    for (const struct resource *const *r = resources; *r; r++) {
        expand_table(a, (*r)->fields);
        expand_table(a, (*r)->record_fields);
        for (const struct route *route = (*r)->routes; route && route->path; route++) {
            expand_table(a, route->input);
            expand_table(a, route->args);
        }
    }
}

const struct field *fields_of(const struct field *table) {
    pthread_once(&expanded.once, expand_all);
    const struct field *rows = expanded_slot(table)->rows;
    return rows ? rows : table;
}

/* ---- items ----------------------------------------------------------------------------------- */

const struct field *field_items(const struct field *f) {
    const struct resource *r = f->ref ? resource_of(f->ref) : NULL;
    if (f->items || r == NULL) return f->items;
    return f->owned_by ? fields_of(r->fields) : r->items;
}
