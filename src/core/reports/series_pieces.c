/* The pieces of a series, their keys and their places in time. */
#include "core/reports/series_reading.h"

static uint32_t key_hash(int64_t key) { return (uint32_t)((uint64_t)key * 0x9E3779B97F4A7C15U >> 32); }

/* The slot of a key, or the free one where it belongs. */
static int *key_slot(struct reading *r, int64_t key) {
    uint32_t at = key_hash(key) & (uint32_t)(r->slot_count - 1);
    while (r->slots[at] && r->keys[r->slots[at] - 1].key != key)
        at = (at + 1) & (uint32_t)(r->slot_count - 1);
    return &r->slots[at];
}

static void slots_make(struct reading *r, int count) {
    r->slot_count = count;
    r->slots = arena_array(r->work->arena, (size_t)count, sizeof *r->slots);
    for (int i = 0; i < r->key_count; i++) *key_slot(r, r->keys[i].key) = i + 1;
}

/* Gives a new key the next place. */
int series_key(struct reading *r, int64_t key) {
    if (r->last_key < r->key_count && r->keys[r->last_key].key == key) return r->last_key;
    if (2 * r->key_count >= r->slot_count) slots_make(r, r->slot_count ? 2 * r->slot_count : 64);
    int *slot = key_slot(r, key);
    if (*slot == 0) {
        r->keys = arena_more(r->work->arena, r->keys, r->key_count, &r->key_room, sizeof *r->keys);
        r->keys[r->key_count++] = (struct key_count){.key = key};
        *slot = r->key_count;
    }
    return r->last_key = *slot - 1;
}

void keys_begin(struct reading *r) { series_key(r, 0); }

void keys_reserve(struct reading *r, int n) {
    int slots = r->slot_count;
    n += r->key_count;
    while (slots <= 2 * n) slots *= 2;
    if (slots > r->slot_count) slots_make(r, slots);
    if (n <= r->key_room) return;
    struct key_count *keys = arena_array(r->work->arena, (size_t)n, sizeof *keys);
    if (r->key_count) memcpy(keys, r->keys, (size_t)r->key_count * sizeof *keys);
    r->keys = keys;
    r->key_room = n;
}

static void place_add(struct reading *r, const struct piece *p) {
    struct key_count *key = &r->keys[p->key];
    if (key->last == NULL) key->last = arena_array(r->work->arena, FACT_PARTS, sizeof *key->last);
    int *place = &key->last[p->part];
    struct piece *last = *place ? &r->pieces[*place - 1] : NULL;
    if (last && last->bucket == p->bucket) {
        last->n += p->n;
        last->sum += p->sum;
        return;
    }
    r->pieces = arena_more(r->work->arena, r->pieces, r->count, &r->room, sizeof *r->pieces);
    r->pieces[r->count++] = *p;
    *place = r->count;
}

static void duration_add(struct reading *r, const struct duration *d) {
    r->durations =
        arena_more(r->work->arena, r->durations, r->duration_count, &r->duration_room, sizeof *r->durations);
    r->durations[r->duration_count++] = *d;
}

void series_sum_add(struct reading *r, int64_t key, int bucket, int part, int n, int64_t sum) {
    if (part_counts(r->metric, part)) place_add(r, &(struct piece){series_key(r, key), bucket, part, n, sum});
}

void series_piece_add(struct reading *r, int64_t key, int bucket, int part, int step, int64_t took, int n) {
    if (!part_counts(r->metric, part)) return;
    int place = series_key(r, key);
    place_add(r, &(struct piece){place, bucket, part, n, took * n});
    if (r->percentiles) duration_add(r, &(struct duration){place, bucket, step, n, took});
}

void series_place_add(struct reading *r, int key, int bucket, int part, int step) {
    place_add(r, &(struct piece){key, bucket, part, 1, r->seconds[step]});
}

/* ---- facts beside the pieces -------------------------------------------------------------------------- */

#define PART_ROOM 16000

static void *list_room(struct arena *a, struct list_part **list, size_t n, size_t size) {
    struct list_part *top = *list;
    if (top == NULL || top->room - top->count < n) {
        top = ARENA_NEW(a, struct list_part);
        top->room = n > PART_ROOM ? n : PART_ROOM;
        top->list = arena_bytes(a, top->room * size);
        top->next = *list;
        *list = top;
    }
    return (char *)top->list + top->count * size;
}

uint32_t *series_marks_room(struct reading *r, size_t n) {
    return list_room(r->work->arena, &r->marks, n, sizeof(uint32_t));
}

struct entry *series_entries_room(struct reading *r, size_t n) {
    return list_room(r->work->arena, &r->entries, n, sizeof(struct entry));
}

/* ---- time ----------------------------------------------------------------------------------------- */

int place_in_time(struct reading *r, int64_t at) {
    return r->ask->week_of.p ? week_clock_hour(&r->clock, at) : bucket_at(&r->ask->buckets, at);
}
