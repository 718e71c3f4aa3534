#include "res/csv_repeats.h"

#include "core/desk/setting.h"
#include "res/csv_import.h"
#include "res/csv_rows.h"

#include <assert.h>
#include <stdlib.h>

#define BITS (1 << 18)
#define KEYS_MOST (1 << 22) /* with more keys, each one counts as repeated */
#define LOOK_ROWS 1000      /* rows between two looks at `stopping` */

struct csv_keys {
    int64_t *list;
    size_t n, room;
    bool is_full;
};

static void keys_add(void *to, int64_t key) {
    struct csv_keys *keys = to;
    if (keys->n == KEYS_MOST) keys->is_full = true;
    if (keys->is_full) return;
    if (keys->n == keys->room) {
        keys->room = keys->room ? keys->room * 2 : 1 << 16;
        keys->list = realloc(keys->list, keys->room * sizeof *keys->list);
        assert(keys->list);
    }
    keys->list[keys->n++] = key;
}

static int compare_csv_keys(const void *one, const void *two) {
    const int64_t *a = one, *b = two;
    return *a < *b ? -1 : *a > *b;
}

static size_t bit_of(int64_t key) { return (uint64_t)key >> 32 & (BITS - 1); }

/* The keys that stand in the list twice, as bits. */
static struct str keys_repeated(struct arena *a, struct csv_keys *keys) {
    unsigned char *bits = arena_alloc(a, BITS / 8);
    bool any = keys->is_full;
    if (keys->n) qsort(keys->list, keys->n, sizeof *keys->list, compare_csv_keys);
    if (keys->is_full) memset(bits, 0xFF, BITS / 8);
    for (size_t i = 1; i < keys->n; i++) {
        if (keys->list[i] != keys->list[i - 1]) continue;
        any = true;
        bits[bit_of(keys->list[i]) / 8] |= (unsigned char)(1 << bit_of(keys->list[i]) % 8);
    }
    return any ? (struct str){(const char *)bits, BITS / 8} : (struct str){0};
}

struct str csv_repeats_read(struct work *w, struct csv_reader *r, const struct csv_columns *columns,
                            const atomic_bool *stopping) {
    struct csv_rows *x = ARENA_NEW(w->arena, struct csv_rows);
    struct csv_keys keys = {0};
    struct csv_row row = {0};
    x->columns = columns;
    w->phone_region = setting_text(w->desk, "desk.phone_region", w->arena); /* before the marks */
    x->call.work = *w;
    bool stopped = false;
    for (int rc = 1; rc == 1 && row.number <= LIMIT_CSV_ROWS && !stopped;) {
        struct arena_mark mark = arena_mark(w->arena);
        struct csv_cells cells;
        rc = csv_next(r, w->arena, &row);
        if (rc == 1 && !row.refused) {
            csv_cells_read(x, &row, &cells);
            csv_rows_keys(x, &cells, keys_add, &keys);
        }
        arena_return(w->arena, mark);
        if (row.number % LOOK_ROWS == 0) stopped = atomic_load(stopping);
    }
    struct str found = stopped ? S("") : keys_repeated(w->arena, &keys);
    free(keys.list);
    return found;
}

bool csv_repeats_have(struct str repeats, int64_t key) {
    return repeats.n == BITS / 8 && (unsigned char)repeats.p[bit_of(key) / 8] >> bit_of(key) % 8 & 1;
}
