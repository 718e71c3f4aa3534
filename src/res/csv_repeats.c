#include "res/csv_repeats.h"

#include "core/desk/setting.h"
#include "res/csv_import.h"
#include "res/csv_rows.h"

#include <assert.h>
#include <stdlib.h>

#define BITS_LEAST (1 << 12)
#define BITS_MOST (1 << 22)
#define BITS_OF_KEY 16      /* so one bit in 16 is set, at most, and few keys count as repeated by mistake */
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

static size_t bit_of(int64_t key, size_t bits) { return (uint64_t)key >> 32 & (bits - 1); }

/* Moves the keys that stand in the sorted list twice to its beginning. Returns their number. */
static size_t keep_repeated(int64_t *list, size_t n) {
    size_t kept = 0;
    for (size_t i = 1; i < n; i++)
        if (list[i] == list[i - 1] && (kept == 0 || list[kept - 1] != list[i])) list[kept++] = list[i];
    return kept;
}

static struct str keys_repeated(struct arena *a, struct csv_keys *keys) {
    if (keys->n) qsort(keys->list, keys->n, sizeof *keys->list, compare_csv_keys);
    size_t n = keep_repeated(keys->list, keys->n), bits = BITS_LEAST;
    if (n == 0 && !keys->is_full) return (struct str){0};
    while (bits < BITS_MOST && bits < n * BITS_OF_KEY) bits *= 2;
    unsigned char *bytes = arena_alloc(a, bits / 8);
    if (keys->is_full) memset(bytes, 0xFF, bits / 8);
    for (size_t i = 0; i < n; i++) {
        size_t bit = bit_of(keys->list[i], bits);
        bytes[bit / 8] |= (unsigned char)(1 << bit % 8);
    }
    return (struct str){(const char *)bytes, bits / 8};
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
    if (repeats.n == 0) return false;
    size_t bit = bit_of(key, repeats.n * 8);
    return (unsigned char)repeats.p[bit / 8] >> bit % 8 & 1;
}
