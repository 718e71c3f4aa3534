/* The settings of the desk that clocks depend on: targets of SLA versions, statuses, hours of teams. They
 * are read once for each process. The essay is in clock_settings.c. */
#ifndef CORE_SLA_CLOCK_SETTINGS_H
#define CORE_SLA_CLOCK_SETTINGS_H

#include "base/kept_set.h"
#include "core/sla/clock.h"
#include "core/time/calendars.h"
#include "work/work.h"

/* A target of a version. */
struct clock_target {
    int64_t id, version_id, priority_id, goal; /* priority_id: 0: of all others; goal in milliseconds */
    enum sla_target_type type;
    enum sla_hours hours;
};

struct clock_status {
    int64_t id;
    enum status_type type;
    bool is_sla_active;
};

/* A team with business hours of its own. */
struct clock_team {
    int64_t id, hours_id;
};

/* All settings of a generation. They never change, so threads share them. */
struct clock_settings {
    struct kept_set kept;
    struct clock_target *targets; /* by version, then id */
    int target_count;
    struct clock_status *statuses; /* by id */
    int status_count;
    struct clock_team *teams; /* by id */
    int team_count;
    struct calendar_row *hours; /* the default ones come first */
    int hours_count;
};

struct clock_cache *clock_cache_new(void);
void clock_cache_free(struct clock_cache *c);

/* Gets the settings of a generation, which the caller has read from the store in this transaction: a row of
 * clock_generations. They are held until kept_set_drop. */
int clock_settings_hold(struct work *w, int64_t generation, const struct clock_settings **out);
/* The same for code that has not read the generation. */
int clock_settings_hold_now(struct work *w, const struct clock_settings **out);

/* Call it in the write that changes a setting. moves: clocks that were computed before must be computed
 * again, so the epoch of their rows ends. */
int clock_settings_changed(struct work *w, bool moves);

/* The reason why a conversation in this status and state counts or not. */
enum clock_reason clock_reason_of(const struct clock_settings *s, int64_t status_id, int64_t state);
/* The target of the priority, else the one without a priority; NULL: none. */
const struct clock_target *clock_target_for(const struct clock_settings *s, int64_t version_id,
                                            int64_t priority_id, enum sla_target_type type);
/* The target with this id; NULL: none. */
const struct clock_target *clock_target_of(const struct clock_settings *s, int64_t id);
/* The business hours of the team, or the default ones. NULL: the desk has none. */
const struct calendar_row *clock_hours_of(const struct clock_settings *s, int64_t team_id);

#endif
