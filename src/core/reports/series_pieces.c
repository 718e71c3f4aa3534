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

static void slots_double(struct reading *r) {
    r->slot_count = r->slot_count ? 2 * r->slot_count : 64;
    r->slots = arena_array(r->work->arena, (size_t)r->slot_count, sizeof *r->slots);
    for (int i = 0; i < r->key_count; i++) *key_slot(r, r->keys[i].key) = i + 1;
}

/* Gives a new key the next place. */
static int key_place(struct reading *r, int64_t key) {
    if (r->last_key < r->key_count && r->keys[r->last_key].key == key) return r->last_key;
    if (2 * r->key_count >= r->slot_count) slots_double(r);
    int *slot = key_slot(r, key);
    if (*slot == 0) {
        r->keys = arena_more(r->work->arena, r->keys, r->key_count, &r->key_room, sizeof *r->keys);
        r->keys[r->key_count++] = (struct key_count){.key = key};
        *slot = r->key_count;
    }
    return r->last_key = *slot - 1;
}

void keys_begin(struct reading *r) { key_place(r, 0); }

static bool part_counts(const struct report_metric *m, int part) {
    return m->parts == 0 || (m->parts >> part & 1U);
}

void series_piece_add(struct reading *r, int64_t key, int bucket, int part, int step, int64_t took, int n) {
    if (!part_counts(r->metric, part)) return;
    struct piece p = {key_place(r, key), bucket, part, step, n, took};
    struct piece *last = r->count ? &r->pieces[r->count - 1] : NULL;
    if (last && last->key == p.key && last->bucket == bucket && last->part == part && last->step == step &&
        last->took == took) {
        last->n += n;
        return;
    }
    r->pieces = arena_more(r->work->arena, r->pieces, r->count, &r->room, sizeof *r->pieces);
    r->pieces[r->count++] = p;
}

int place_in_time(struct reading *r, int64_t at) {
    return r->ask->week_of.p ? week_clock_hour(&r->clock, at) : bucket_at(&r->ask->buckets, at);
}
