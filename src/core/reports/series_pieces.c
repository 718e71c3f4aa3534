/* The pieces of a series, their keys and their places in time. */
#include "core/reports/series_reading.h"

#include "base/ids.h"
#include "core/time/hours.h"

#include <stdlib.h>

/* ---- pieces --------------------------------------------------------------------------------------- */

/* A key that no rollup has, after damage that deskd check finds, counts as none: place 0. */
static int key_place(struct reading *r, int64_t key) {
    if (r->last_key < r->key_count && r->keys[r->last_key].key == key) return r->last_key;
    const struct key_count *found = bsearch(&key, r->keys, (size_t)r->key_count, sizeof *r->keys, id_compare);
    return r->last_key = found ? (int)(found - r->keys) : 0;
}

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

static int64_t floor_hours(int64_t at) { return at / TIME_HOUR - (at % TIME_HOUR < 0); }

/* The hour of the week that the clock shows. A look for the offset costs more than a fact, so days without a
 * clock change have one look. */
static int week_hour(struct reading *r, int64_t at) {
    struct str zone = r->ask->week_of;
    int64_t day = fact_day(at), first = day * TIME_DAY;
    if (!r->clock_read || r->clock_day != day) {
        r->clock_read = true;
        r->clock_day = day;
        r->clock_offset = time_zone_offset(zone, first);
        r->clock_changes = time_zone_offset(zone, first + TIME_DAY) != r->clock_offset;
    }
    int64_t offset = r->clock_changes ? time_zone_offset(zone, at) : r->clock_offset;
    int64_t hours = floor_hours(at + TIME_SECOND * offset);
    return (int)(((hours + 3 * 24) % WEEK_HOURS + WEEK_HOURS) % WEEK_HOURS); /* 1970-01-01 was a Thursday */
}

int place_in_time(struct reading *r, int64_t at) {
    return r->ask->week_of.p ? week_hour(r, at) : bucket_at(&r->ask->buckets, at);
}

/* ---- keys ----------------------------------------------------------------------------------------- */

QUERY(series_keys, "SELECT DISTINCT d.key FROM report_days d WHERE d.kind = :kind "
                   "AND d.dimension = :dimension AND d.day BETWEEN :first AND :last ORDER BY d.key");

static void keys_add(struct reading *r, int64_t key) {
    if (r->key_count && r->keys[r->key_count - 1].key >= key) return;
    r->keys = arena_more(r->work->arena, r->keys, r->key_count, &r->key_room, sizeof *r->keys);
    r->keys[r->key_count++] = (struct key_count){.key = key};
}

int keys_read(struct reading *r) {
    int rc;
    keys_add(r, 0);
    if (r->dimension == BY_ALL) return 0;
    DB_ROWS(rc, r->work->conn, &series_keys, BINDS(DAY_BINDS(r, r->dimension)), row)
    keys_add(r, col_int(row, 0));
    return rc;
}
