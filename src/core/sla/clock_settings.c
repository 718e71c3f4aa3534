/* A clock depends on its conversation and on settings of the desk, which change a few times a year: the
 * targets of the versions of SLAs, the statuses, the business hours of teams. A write that reads them by
 * statements pays more for them than for the clocks. So a process keeps them in memory.
 *
 * Settings are fresh if their generation is the one in the store. Each write that changes a setting stores
 * a new random number there, in its own transaction. Each write that changes clocks reads the number with
 * the statement that reads its conversations, so it costs no statement of its own, and another process has
 * no way to be overlooked. Random numbers are not used twice, not even after a rollback, so settings may be
 * kept as soon as they were read (core/rules/rule_cache.c has the same proof). The rows are read after the
 * number. On PostgreSQL they may be newer than it. Then the next write reads them again.
 *
 * The epoch is a second number beside the generation. It changes only if clocks that were computed before
 * have to be computed again: other business hours, other hours of a team, another is_sla_active. A row of
 * sla_metrics has the epoch in which it was computed. A row of another epoch is not continued, but computed
 * from its history (core/sla/clock_step.h). A write that began before the change on PostgreSQL stores the
 * former epoch, so its rows are found, too.
 *
 * Reads do not keep what they read: their snapshot may be older than the kept settings. */
#include "core/sla/clock_settings.h"

#include "base/random.h"

#include <stdlib.h>

struct clock_cache {
    struct set_keeper keeper;
};

struct clock_cache *clock_cache_new(void) {
    struct clock_cache *c = calloc(1, sizeof *c);
    if (c) keeper_open(&c->keeper);
    return c;
}

void clock_cache_free(struct clock_cache *c) {
    if (c) keeper_close(&c->keeper);
    free(c);
}

/* ---- generations ----------------------------------------------------------------------------- */

QUERY(clock_generation_now, "SELECT generation FROM clock_generations WHERE id = 1");
QUERY(clock_generation_set,
      "UPDATE clock_generations SET generation = :number, "
      "epoch = CASE WHEN CAST(:moves AS INTEGER) = 1 THEN CAST(:number AS BIGINT) ELSE epoch END "
      "WHERE id = 1");

int clock_settings_changed(struct work *w, bool moves) {
    uint64_t random;
    random_bytes(&random, sizeof random);
    return db_exec(w->conn, &clock_generation_set,
                   BINDS(B_INT("number", (int64_t)(random >> 1)), B_INT("moves", moves)));
}

/* ---- reading --------------------------------------------------------------------------------- */

QUERY(clock_targets, "SELECT x.id, x.sla_version_id, COALESCE(x.priority_id, 0), x.type, "
                     "x.goal_in_seconds, x.operational_hours FROM sla_targets x "
                     "WHERE x.sla_version_id IS NOT NULL ORDER BY x.sla_version_id, x.id");
QUERY(clock_statuses, "SELECT id, type, is_sla_active FROM case_statuses ORDER BY id");
QUERY(clock_teams, "SELECT id, businesshour_id FROM teams "
                   "WHERE businesshour_id IS NOT NULL AND deleted_at IS NULL ORDER BY id");
QUERY(clock_hours, "SELECT h.id, h.zones, h.holidays, h.time_zone "
                   "FROM business_hours h ORDER BY h.is_default DESC, h.id");

static int clock_targets_read(struct work *w, struct clock_settings *s, struct arena *a) {
    int rc, room = 0;
    DB_ROWS(rc, w->conn, &clock_targets, NULL, row) {
        s->targets = arena_more(a, s->targets, s->target_count, &room, sizeof *s->targets);
        s->targets[s->target_count++] = (struct clock_target){.id = col_int(row, 0),
                                                              .version_id = col_int(row, 1),
                                                              .priority_id = col_int(row, 2),
                                                              .type = (enum sla_target_type)col_int(row, 3),
                                                              .goal = col_int(row, 4) * TIME_SECOND,
                                                              .hours = (enum sla_hours)col_int(row, 5)};
    }
    return rc;
}

static int clock_statuses_read(struct work *w, struct clock_settings *s, struct arena *a) {
    int rc, room = 0;
    DB_ROWS(rc, w->conn, &clock_statuses, NULL, row) {
        s->statuses = arena_more(a, s->statuses, s->status_count, &room, sizeof *s->statuses);
        s->statuses[s->status_count++] =
            (struct clock_status){col_int(row, 0), (enum status_type)col_int(row, 1), col_int(row, 2) != 0};
    }
    return rc;
}

static int clock_teams_read(struct work *w, struct clock_settings *s, struct arena *a) {
    int rc, room = 0;
    DB_ROWS(rc, w->conn, &clock_teams, NULL, row) {
        s->teams = arena_more(a, s->teams, s->team_count, &room, sizeof *s->teams);
        s->teams[s->team_count++] = (struct clock_team){col_int(row, 0), col_int(row, 1)};
    }
    return rc;
}

static int clock_hours_read(struct work *w, struct clock_settings *s, struct arena *a) {
    int rc, room = 0;
    DB_ROWS(rc, w->conn, &clock_hours, NULL, row) {
        s->hours = arena_more(a, s->hours, s->hours_count, &room, sizeof *s->hours);
        s->hours[s->hours_count++] =
            (struct calendar_row){col_int(row, 0), str_dup(a, col_text(row, 1)), str_dup(a, col_text(row, 2)),
                                  str_dup(a, col_text(row, 3))};
    }
    return rc;
}

static int clock_settings_read(struct work *w, int64_t generation, struct clock_settings **out) {
    static int (*const parts[])(struct work * w, struct clock_settings * s, struct arena * a) = {
        clock_targets_read, clock_statuses_read, clock_teams_read, clock_hours_read};
    struct clock_settings *s = kept_set_new(sizeof *s, generation);
    int rc = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && rc >= 0; i++) rc = parts[i](w, s, s->kept.arena);
    if (rc < 0) kept_set_drop(s);
    else *out = s;
    return rc < 0 ? rc : 0;
}

/* ---- holding --------------------------------------------------------------------------------- */

int clock_settings_hold(struct work *w, int64_t generation, const struct clock_settings **out) {
    struct clock_cache *cache = w->desk ? w->desk->clock_cache : NULL;
    struct clock_settings *s = cache ? keeper_find(&cache->keeper, generation) : NULL;
    *out = NULL;
    if (s == NULL) {
        TRY(clock_settings_read(w, generation, &s));
        if (cache && db_writes(w->conn)) keeper_put(&cache->keeper, s);
    }
    *out = s;
    return 0;
}

int clock_settings_hold_now(struct work *w, const struct clock_settings **out) {
    int64_t generation;
    int rc = db_int(w->conn, &clock_generation_now, NULL, &generation);
    if (rc <= 0) return rc < 0 ? rc : -ERR_INTERNAL_ERROR;
    return clock_settings_hold(w, generation, out);
}

/* ---- looking up ------------------------------------------------------------------------------ */

enum clock_reason clock_reason_of(const struct clock_settings *s, int64_t status_id, int64_t state) {
    int low = 0, high = s->status_count;
    if (state != CASE_ACTIVE) return CLOCK_HIDDEN;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->statuses[middle].id < status_id) low = middle + 1;
        else high = middle;
    }
    if (low == s->status_count || s->statuses[low].id != status_id) return CLOCK_STATUS;
    const struct clock_status *found = &s->statuses[low];
    if (status_is_done(found->type)) return CLOCK_OVER;
    return found->is_sla_active ? CLOCK_RUNS : CLOCK_STATUS;
}

const struct clock_target *clock_target_for(const struct clock_settings *s, int64_t version_id,
                                            int64_t priority_id, enum sla_target_type type) {
    const struct clock_target *general = NULL;
    int low = 0, high = s->target_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->targets[middle].version_id < version_id) low = middle + 1;
        else high = middle;
    }
    for (; low < s->target_count && s->targets[low].version_id == version_id; low++) {
        const struct clock_target *t = &s->targets[low];
        if (t->type != type) continue;
        if (t->priority_id && t->priority_id == priority_id) return t;
        if (t->priority_id == 0) general = t;
    }
    return general;
}

const struct clock_target *clock_target_of(const struct clock_settings *s, int64_t id) {
    for (int i = 0; i < s->target_count; i++)
        if (s->targets[i].id == id) return &s->targets[i];
    return NULL;
}

const struct calendar_row *clock_hours_of(const struct clock_settings *s, int64_t team_id) {
    int64_t hours_id = 0;
    for (int low = 0, high = s->team_count; low < high;) {
        int middle = low + (high - low) / 2;
        if (s->teams[middle].id == team_id) hours_id = s->teams[middle].hours_id;
        if (s->teams[middle].id < team_id) low = middle + 1;
        else high = middle;
    }
    for (int i = 0; i < s->hours_count && hours_id; i++)
        if (s->hours[i].id == hours_id) return &s->hours[i];
    return s->hours_count ? s->hours : NULL;
}
