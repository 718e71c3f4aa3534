/* Keys in blocks: their places, their counters and their marks. A counter or a mark has four bytes, and a key
 * with its piece more than a hundred, so only groups that are shown get more. */
#include "core/reports/series_reading.h"

#define BLOCKS_INDEXED (1 << 16) /* blocks of larger keys are looked up */

/* The places of a block plus one; NULL: they are not indexed. */
static int *block_places(struct reading *r, int64_t block) {
    if (block < 0 || block >= BLOCKS_INDEXED) return NULL;
    if (block >= r->place_room) {
        int room = r->place_room ? r->place_room : 16;
        while (block >= room) room *= 2;
        int **places = arena_array(r->work->arena, (size_t)room, sizeof *places);
        if (r->place_room) memcpy(places, r->places, (size_t)r->place_room * sizeof *places);
        r->places = places;
        r->place_room = room;
    }
    if (r->places[block] == NULL)
        r->places[block] = arena_array(r->work->arena, BLOCK_KEYS, sizeof **r->places);
    return r->places[block];
}

int series_block_key(struct reading *r, int64_t block, int at) {
    int *places = block_places(r, block);
    if (places == NULL) return series_key(r, block * BLOCK_KEYS + at);
    if (places[at] == 0) places[at] = series_key(r, block * BLOCK_KEYS + at) + 1;
    return places[at] - 1;
}

/* ---- counters --------------------------------------------------------------------------------- */

#define BLOCK_COUNTERS (2 * FACT_PARTS) /* of the time before the buckets and of buckets, by part */

int **series_block_counts(struct reading *r, int64_t block) {
    if (r->counts == NULL)
        r->counts = arena_array(r->work->arena, (size_t)BLOCKS_COUNTED * BLOCK_COUNTERS, sizeof *r->counts);
    return r->counts + block * BLOCK_COUNTERS;
}

/* Counters that a block has. */
struct counted {
    int bucket, part; /* bucket: -1: before the first */
    const int *counts;
};

static int block_counters(const struct reading *r, int block, struct counted *out) {
    int n = 0;
    for (int i = 0; i < BLOCK_COUNTERS; i++) {
        const int *counts = r->counts[(size_t)block * BLOCK_COUNTERS + (size_t)i];
        if (counts && part_counts(r->metric, i % FACT_PARTS))
            out[n++] = (struct counted){i / FACT_PARTS - 1, i % FACT_PARTS, counts};
    }
    return n;
}

/* The ranks of the keys of a block. */
struct block_ranks {
    int n[BLOCK_KEYS], met[BLOCK_KEYS]; /* met: not zero if the key has facts */
};

static struct block_ranks *block_ranks_make(struct reading *r, const struct counted *of, int count) {
    struct block_ranks *ranks = ARENA_NEW(r->work->arena, struct block_ranks);
    for (int i = 0; i < count; i++) {
        const int *counts = of[i].counts;
        int weight = part_weight(r, of[i].bucket, of[i].part);
        for (int at = 0; at < BLOCK_KEYS; at++) {
            ranks->n[at] += weight * counts[at];
            ranks->met[at] |= counts[at];
        }
    }
    return ranks;
}

static int block_ranks_count(const struct block_ranks *ranks) {
    int n = 0;
    for (int at = 0; at < BLOCK_KEYS; at++) n += ranks->met[at] != 0;
    return n;
}

static void block_ranks_add(struct reading *r, int block, const struct block_ranks *ranks) {
    for (int at = 0; at < BLOCK_KEYS; at++) {
        if (!ranks->met[at]) continue;
        struct key_count *key = &r->keys[series_block_key(r, block, at)];
        key->n += ranks->n[at];
        key->used = true;
    }
}

/* In the order of keys. */
void series_block_counts_rank(struct reading *r) {
    struct counted of[BLOCK_COUNTERS];
    struct block_ranks *ranks[BLOCKS_COUNTED] = {0};
    int keys = 0;
    if (r->counts == NULL) return;
    for (int block = 0; block < BLOCKS_COUNTED; block++) {
        int count = block_counters(r, block, of);
        if (count) keys += block_ranks_count(ranks[block] = block_ranks_make(r, of, count));
    }
    keys_reserve(r, keys);
    for (int block = 0; block < BLOCKS_COUNTED; block++)
        if (ranks[block]) block_ranks_add(r, block, ranks[block]);
}

static void block_counts_add(const struct reading *r, const int *places, const struct counted *c,
                             struct series *out) {
    for (int at = 0; at < BLOCK_KEYS; at++) {
        if (c->counts[at] == 0) continue;
        struct series_group *g = &out->groups[r->groups[places[at] - 1]];
        (c->bucket < 0 ? g->before : g->cells->parts)[c->part] += c->counts[at];
    }
}

void series_block_counts_add(const struct reading *r, struct series *out) {
    struct counted of[BLOCK_COUNTERS];
    for (int block = 0; r->counts && block < BLOCKS_COUNTED; block++) {
        int count = block_counters(r, block, of);
        for (int i = 0; i < count; i++)
            if (of[i].bucket < 0 || r->marks == NULL) block_counts_add(r, r->places[block], &of[i], out);
    }
}
