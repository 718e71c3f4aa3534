/* The cells of a series: from pieces to groups, buckets and values. */
#include "core/reports/series_reading.h"

#include "base/ids.h"

#include <stdlib.h>

/* ---- cells ---------------------------------------------------------------------------------------- */

int64_t parts_sum(const int64_t *parts, unsigned bits) {
    int64_t n = 0;
    for (int i = 0; i < FACT_PARTS; i++)
        if (bits >> i & 1U) n += parts[i];
    return n;
}

static int64_t backlog_of(const int64_t *parts) {
    return parts_sum(parts, 15U << BACKLOG_ENTERS) - parts_sum(parts, 15U << BACKLOG_LEAVES);
}

/* Counts the entries of each key for its rank. Marks are counted. */
static void entries_rank(const struct reading *r) {
    int *counts = arena_array(r->work->arena, (size_t)r->key_count, sizeof *counts);
    for (const struct list_part *p = r->entries; p; p = p->next) {
        const struct entry *list = p->list;
        for (size_t i = 0; i < p->count; i++) counts[list[i].key]++;
    }
    for (int i = 0; i < r->key_count; i++) {
        r->keys[i].n += counts[i];
        r->keys[i].used = r->keys[i].used || counts[i];
    }
}

/* A key that has facts. A copy, because a large desk has many and sorting goes through all of them. */
struct ranked_key {
    int64_t key, n;
    int place; /* in the keys */
};

static int rank_compare(const void *x, const void *y) {
    const struct ranked_key *a = x, *b = y;
    if (a->n != b->n) return a->n > b->n ? -1 : 1;
    return (a->key > b->key) - (a->key < b->key);
}

/* Moves the key at this place of a heap, whose first one ranks last, down to where it belongs. */
static void heap_sink(struct ranked_key *heap, int n, int at) {
    struct ranked_key k = heap[at];
    for (int below = 2 * at + 1; below < n; at = below, below = 2 * at + 1) {
        if (below + 1 < n && rank_compare(&heap[below + 1], &heap[below]) > 0) below++;
        if (rank_compare(&heap[below], &k) <= 0) break;
        heap[at] = heap[below];
    }
    heap[at] = k;
}

/* Puts the largest ones first, in their order. The others follow in any order. */
static void ranks_sort(struct ranked_key *keys, int n, int most) {
    if (n > most) {
        for (int i = most / 2; i-- > 0;) heap_sink(keys, most, i);
        for (int i = most; i < n; i++) {
            if (rank_compare(&keys[i], &keys[0]) >= 0) continue;
            struct ranked_key last = keys[0];
            keys[0] = keys[i];
            keys[i] = last;
            heap_sink(keys, most, 0);
        }
    }
    if (n) qsort(keys, (size_t)(n < most ? n : most), sizeof *keys, rank_compare);
}

/* Puts keys that have a group of their own behind the largest ones. Returns the number of both. */
static int ranks_alone(const struct series_ask *ask, struct ranked_key *keys, int n, int most) {
    for (int i = most; i < n && ask->alone_count; i++) {
        if (!ids_have(ask->alone, ask->alone_count, keys[i].key)) continue;
        struct ranked_key moved = keys[i];
        keys[i] = keys[most];
        keys[most++] = moved;
    }
    return n < most ? n : most;
}

static void keys_of_ranking(struct arena *a, const struct ranked_key *ranked, int n, struct series *out) {
    int64_t *keys = arena_array(a, (size_t)n + 1, sizeof *keys);
    bool sorted = true;
    for (int i = 0; i < n; i++) {
        keys[i] = ranked[i].key;
        sorted = sorted && (i == 0 || keys[i - 1] < keys[i]);
    }
    if (!sorted) ids_sort(keys, n);
    out->keys = keys;
    out->key_count = n;
}

/* The keys that have facts. */
static struct ranked_key *keys_used(struct reading *r, int *n) {
    struct arena *a = r->work->arena;
    struct ranked_key *ranked = arena_array(a, (size_t)r->key_count, sizeof *ranked);
    for (int i = 0; i < r->count; i++) {
        const struct piece *p = &r->pieces[i];
        r->keys[p->key].n += (int64_t)p->n * part_weight(r, p->bucket, p->part);
        r->keys[p->key].used = true;
    }
    entries_rank(r);
    *n = 0;
    for (int i = 0; i < r->key_count; i++)
        if (r->keys[i].used || r->dimension == BY_ALL)
            ranked[(*n)++] = (struct ranked_key){r->keys[i].key, r->keys[i].n, i};
    return ranked;
}

/* Gives each key its group: one of the largest, or the rest. */
static void groups_make(struct reading *r, struct series *out) {
    struct arena *a = r->work->arena;
    int n, cells = cells_of(r->ask), most = r->ask->most_groups ? r->ask->most_groups : SERIES_GROUPS;
    struct ranked_key *ranked = keys_used(r, &n);
    r->groups = arena_array(a, (size_t)r->key_count, sizeof *r->groups);
    if (r->ask->is_ranking) keys_of_ranking(a, ranked, n, out);
    ranks_sort(ranked, n, most);
    most = ranks_alone(r->ask, ranked, n, most);
    out->group_count = n > most ? most + 1 : n;
    out->groups = arena_array(a, (size_t)out->group_count + 1, sizeof *out->groups);
    for (int i = 0; i < n; i++) {
        int group = r->groups[ranked[i].place] = i < most ? i : most;
        struct series_group *g = &out->groups[group];
        g->is_rest = i >= most;
        g->key = g->is_rest ? 0 : ranked[i].key;
    }
    struct series_cell *all = arena_array(a, (size_t)out->group_count * (size_t)cells + 1, sizeof *all);
    for (int i = 0; i < out->group_count; i++) out->groups[i].cells = all + (size_t)i * (size_t)cells;
}

static void pieces_count(struct reading *r, struct series *out) {
    for (int i = 0; i < r->count; i++) {
        const struct piece *p = &r->pieces[i];
        struct series_group *g = &out->groups[r->groups[p->key]];
        if (p->bucket < 0) {
            g->before[p->part] += p->n;
            continue;
        }
        g->cells[p->bucket].parts[p->part] += p->n;
        g->cells[p->bucket].sum += (double)p->sum;
    }
}

static void entries_count(struct reading *r, struct series *out) {
    for (const struct list_part *p = r->entries; p; p = p->next) {
        const struct entry *e = p->list;
        for (const struct entry *end = e + p->count; e < end; e++) {
            struct series_cell *cell = &out->groups[r->groups[e->key]].cells[e->bucket];
            cell->parts[e->part]++;
            cell->sum += (double)r->seconds[e->step];
        }
    }
}

static void marks_count(struct reading *r, struct series *out) {
    bool steps = r->layout.has_steps;
    for (const struct list_part *p = r->marks; p; p = p->next) {
        const uint32_t *list = p->list;
        for (size_t i = 0; i < p->count; i++) {
            int last = mark_last(list[i]);
            struct series_cell *cell = out->groups[r->groups[mark_place(r, list[i])]].cells;
            if (!steps) cell += last;
            cell->parts[mark_part(list[i])]++;
            if (steps) cell->sum += (double)r->seconds[last];
        }
    }
}

static void cell_add(struct series_cell *to, const struct series_cell *cell) {
    to->n += cell->n;
    to->sum += cell->sum;
    for (int i = 0; i < FACT_PARTS; i++) to->parts[i] += cell->parts[i];
}

/* The numbers of cells and groups, from the parts of cells. */
static void totals_make(const struct reading *r, struct series *out) {
    int cells = cells_of(r->ask);
    for (int g = 0; g < out->group_count; g++) {
        struct series_group *group = &out->groups[g];
        for (int i = 0; i < cells; i++) {
            struct series_cell *cell = &group->cells[i];
            for (int part = 0; part < FACT_PARTS; part++) cell->n += cell->parts[part];
            cell_add(&group->total, cell);
        }
        group->n = group->total.n;
    }
}

static void all_of_groups(const struct reading *r, struct series *out) {
    int cells = cells_of(r->ask);
    out->all.cells = arena_array(r->work->arena, (size_t)cells, sizeof *out->all.cells);
    for (int g = 0; g < out->group_count; g++) {
        const struct series_group *group = &out->groups[g];
        out->all.n += group->n;
        for (int i = 0; i < cells; i++) cell_add(&out->all.cells[i], &group->cells[i]);
        cell_add(&out->all.total, &group->total);
        for (int i = 0; i < FACT_PARTS; i++) out->all.before[i] += group->before[i];
    }
}

bool metric_value(const struct report_metric *m, const struct series_cell *cell, const int64_t *before,
                  double *out) {
    int64_t good = 0, of = 0;
    switch (m->method) {
    case METRIC_COUNT: *out = (double)cell->n; return true;
    case METRIC_BACKLOG: *out = (double)(backlog_of(before) + backlog_of(cell->parts)); return true;
    case METRIC_DURATION: *out = (double)cell->half; return cell->n > 0;
    case METRIC_GOOD: good = cell->parts[0], of = cell->n; break;
    case METRIC_KEPT:
        good = parts_sum(cell->parts, m->say[SLA_KEPT].parts);
        of = good + parts_sum(cell->parts, m->say[SLA_BROKEN].parts);
        break;
    }
    *out = of ? 100.0 * (double)good / (double)of : 0;
    return of > 0;
}

/* ---- percentiles ---------------------------------------------------------------------------------- */

/* The nearest rank: the least value that at least this part of the facts do not exceed. */
static int64_t nearest_rank(int64_t n, int percent) { return (n * percent + 99) / 100; }

#define FEW_DURATIONS 32

static void few_sort(int64_t *list, int count) {
    for (int i = 1; i < count; i++) {
        int64_t took = list[i];
        int k = i;
        for (; k > 0 && list[k - 1] > took; k--) list[k] = list[k - 1];
        list[k] = took;
    }
}

static int64_t middle_of(int64_t a, int64_t b, int64_t c) {
    if (a > b) return b > c ? b : a < c ? a : c;
    return a > c ? a : b < c ? b : c;
}

/* Splits a list in two, so that none of the first half is larger than one of the second. Neither is empty,
 * because the last one is not the pivot. Returns the length of the first half. Equal durations are swapped,
 * too, so that a list of them is halved. */
static int durations_split(int64_t *list, int count) {
    int64_t pivot = middle_of(list[0], list[count / 2], list[count - 2]);
    int i = 0, k = count - 1;
    for (;; i++, k--) {
        while (list[i] < pivot) i++;
        while (list[k] > pivot) k--;
        if (i >= k) return k + 1;
        int64_t took = list[i];
        list[i] = list[k];
        list[k] = took;
    }
}

/* Moves the duration of a rank, from 0 on, to its place, without larger ones before it or smaller ones behind
 * it. Takes less than sorting all; the rare list that splits badly is sorted. */
static void rank_move(int64_t *list, int count, int rank) {
    for (int splits = 0; count > FEW_DURATIONS && splits < 64; splits++) {
        int first = durations_split(list, count);
        if (rank < first) {
            count = first;
        } else {
            list += first;
            rank -= first;
            count -= first;
        }
    }
    if (count > FEW_DURATIONS) ids_sort(list, count);
    else few_sort(list, count);
}

static void percentiles_set(int64_t *list, int count, struct series_cell *cell) {
    cell->half = cell->most = -1;
    if (count == 0) return;
    int half = (int)nearest_rank(count, 50) - 1, most = (int)nearest_rank(count, 90) - 1;
    rank_move(list, count, half);
    cell->half = list[half];
    if (most > half) rank_move(list + half + 1, count - half - 1, most - half - 1);
    cell->most = list[most];
}

static int cell_of_duration(const struct reading *r, const struct duration *d, int buckets) {
    return r->groups[d->key] * buckets + d->bucket;
}

/* The rest of a ranking needs no percentiles. */
static bool is_measured(const struct reading *r, const struct series_group *g) {
    return !(r->ask->is_ranking && g->is_rest);
}

/* Puts the durations of facts, each one alone, in the order of groups and buckets, and sets the percentiles
 * of each cell, group and all. */
static void percentiles_make(struct reading *r, struct series *out) {
    int buckets = cells_of(r->ask), cells = out->group_count * buckets;
    int *ends = arena_array(r->work->arena, (size_t)cells + 1, sizeof *ends);
    int64_t *list = arena_array(r->work->arena, (size_t)r->duration_count + 1, sizeof *list);
    for (int i = 0; i < r->duration_count; i++) ends[cell_of_duration(r, &r->durations[i], buckets) + 1]++;
    for (int i = 0; i < cells; i++) ends[i + 1] += ends[i];
    for (int i = 0; i < r->duration_count; i++) {
        const struct duration *d = &r->durations[i];
        list[ends[cell_of_duration(r, d, buckets)]++] = d->took;
    }
    for (int g = 0; g < out->group_count; g++) {
        struct series_group *group = &out->groups[g];
        int first = g ? ends[g * buckets - 1] : 0, at = first;
        if (!is_measured(r, group)) continue;
        for (int b = 0; b < buckets; at = ends[g * buckets + b++])
            percentiles_set(list + at, ends[g * buckets + b] - at, &group->cells[b]);
        if (buckets == 1) group->total.half = group->cells[0].half, group->total.most = group->cells[0].most;
        else percentiles_set(list + first, at - first, &group->total);
    }
    percentiles_set(list, r->duration_count, &out->all.total);
}

/* ---- percentiles of steps -------------------------------------------------------------------------- */

/* Sets the percentiles of a cell from the number of durations of each step. */
static void steps_set(const int *steps, struct series_cell *cell) {
    int64_t half = nearest_rank(cell->n, 50), most = nearest_rank(cell->n, 90), seen = 0;
    const int64_t *seconds = steps_seconds();
    cell->half = cell->most = -1;
    for (int i = 0; i < STEPS && cell->most < 0 && cell->n; i++) {
        seen += steps[i];
        if (cell->half < 0 && seen >= half) cell->half = seconds[i];
        if (seen >= most) cell->most = seconds[i];
    }
}

/* The percentiles of a group: of each cell, and of their sum. */
static void group_steps_set(struct series_group *g, int *steps, int cells) {
    for (int i = 0; i < cells; i++) {
        steps_set(steps + i * STEPS, &g->cells[i]);
        for (int k = 0; i && k < STEPS; k++) steps[k] += steps[i * STEPS + k];
    }
    steps_set(steps, &g->total);
}

/* The counts of steps: of all durations, and of each cell of groups that need percentiles. */
struct step_counts {
    int all[STEPS], *cells, cell_count;
    int groups; /* the first ones, with percentiles */
};

static inline void step_add(const struct reading *r, struct step_counts *s, int key, int bucket, int step,
                            int n) {
    int group = r->groups[key];
    s->all[step] += n;
    if (group < s->groups)
        s->cells[((size_t)group * (size_t)s->cell_count + (size_t)bucket) * STEPS + (size_t)step] += n;
}

/* There may be a million durations. */
static void step_percentiles_make(struct reading *r, struct series *out) {
    struct step_counts s = {.cell_count = cells_of(r->ask), .groups = out->group_count};
    if (s.groups && !is_measured(r, &out->groups[s.groups - 1])) s.groups--;
    size_t cells = (size_t)s.groups * (size_t)s.cell_count;
    s.cells = arena_array(r->work->arena, cells * STEPS + 1, sizeof *s.cells);
    for (int i = 0; i < r->duration_count; i++) {
        const struct duration *d = &r->durations[i];
        step_add(r, &s, d->key, d->bucket, d->step, d->n);
    }
    for (const struct list_part *p = r->entries; p; p = p->next) {
        const struct entry *list = p->list;
        for (size_t i = 0; i < p->count; i++) step_add(r, &s, list[i].key, list[i].bucket, list[i].step, 1);
    }
    for (const struct list_part *p = r->marks; p; p = p->next) {
        const uint32_t *list = p->list;
        for (size_t i = 0; i < p->count; i++)
            step_add(r, &s, mark_place(r, list[i]), 0, mark_last(list[i]), 1);
    }
    for (int g = 0; g < s.groups; g++)
        group_steps_set(&out->groups[g], s.cells + (size_t)g * (size_t)s.cell_count * STEPS, s.cell_count);
    steps_set(s.all, &out->all.total);
}

void cells_make(struct reading *r, struct series *out) {
    groups_make(r, out);
    pieces_count(r, out);
    entries_count(r, out);
    marks_count(r, out);
    series_block_counts_add(r, out);
    totals_make(r, out);
    all_of_groups(r, out);
    if (r->percentiles) (r->is_exact ? percentiles_make : step_percentiles_make)(r, out);
}
