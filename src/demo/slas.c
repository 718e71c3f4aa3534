/* Business hours in three time zones, SLAs, and the clocks of recent conversations. The desk has had the
 * SLAs for 90 days, so older conversations have none, and the cost stays a part of that of the demo. */
#include "demo/extras.h"

#include "core/sla/clocks.h"
#include "core/rules/rule_predicate.h"
#include "json/json.h"
#include "work/work.h"

#define SLA_DAYS (90 * TIME_DAY)
#define CASES_AT_ONCE 1000

#define WEEK(hours)                                                                           \
    "{\"monday\":" hours ",\"tuesday\":" hours ",\"wednesday\":" hours ",\"thursday\":" hours \
    ",\"friday\":" hours ",\"saturday\":[],\"sunday\":[]}"

QUERY(demo_hours,
      "INSERT INTO business_hours (title, zones, holidays, time_zone, is_default, created_at, updated_at) "
      "VALUES (:title, :zones, '[{\"title\":\"New Year\",\"date\":\"1/1/2027\"}]', :zone, 0, :now, :now) "
      "RETURNING id");
QUERY(demo_team_hours, "UPDATE teams SET businesshour_id = :hours WHERE id % 3 = :turn");

static const struct {
    const char *title, *zones, *zone;
} demo_offices[] = {
    {"Berlin", WEEK("[8,9,10,11,12,13,14,15,16]"), "Europe/Berlin"},
    {"New York", WEEK("[9,10,11,12,13,14,15,16]"), "America/New_York"},
    {"Tokyo", WEEK("[9,10,11,13,14,15,16,17]"), "Asia/Tokyo"},
};

QUERY(demo_sla, "INSERT INTO slas (title, description, execution_order, is_enabled, created_at, updated_at) "
                "VALUES (:title, :text, :place, 1, :now, :now) "
                "RETURNING id");
QUERY(demo_sla_version, "INSERT INTO sla_versions (sla_id, title, description, created_at, updated_at) "
                        "VALUES (:sla, :title, :text, :now, :now) "
                        "RETURNING id");
QUERY(demo_sla_current, "UPDATE slas SET version_id = :version WHERE id = :sla");
QUERY(demo_sla_target,
      "INSERT INTO sla_targets (sla_id, sla_version_id, priority_id, type, "
      "goal_in_seconds, operational_hours, created_at, updated_at) "
      "VALUES (CAST(:sla AS BIGINT), CAST(:version AS BIGINT), CAST(:priority AS BIGINT), :type, "
      ":goal, :hours, :now, :now)");

#define HOUR_S 3600
/* type: enum sla_target_type; hours: enum sla_hours; priority 0: all. */
static const struct {
    int sla, priority, type, hours;
    int64_t goal;
} demo_goals[] = {
    {0, 0, SLA_FIRST_REPLY, SLA_CALENDAR_HOURS, HOUR_S},
    {0, 0, SLA_NEXT_REPLY, SLA_CALENDAR_HOURS, 2 * HOUR_S},
    {0, 0, SLA_RESOLUTION, SLA_CALENDAR_HOURS, 24 * HOUR_S},
    {1, 3, SLA_FIRST_REPLY, SLA_BUSINESS_HOURS, 2 * HOUR_S},
    {1, 0, SLA_FIRST_REPLY, SLA_BUSINESS_HOURS, 8 * HOUR_S},
    {1, 0, SLA_NEXT_REPLY, SLA_BUSINESS_HOURS, 8 * HOUR_S},
    {1, 0, SLA_RESOLUTION, SLA_BUSINESS_HOURS, 40 * HOUR_S},
};

static const struct {
    const char *title, *text;
} demo_slas[] = {{"Urgent", "Urgent conversations, at any time of day."},
                 {"Standard", "All other conversations, in business hours."}};

/* The statuses of the conversations: each was New until its last message, or until it was completed or
 * closed. */
QUERY(demo_histories,
      "INSERT INTO case_status_changes (case_id, at, from_status_id, to_status_id, from_state, to_state) "
      "SELECT t.id, COALESCE(t.last_completed_at, t.last_replied_at, t.updated_at), 1, t.status_id, "
      "1, t.state FROM cases t WHERE t.status_id <> 1 OR t.state <> 1 "
      "ORDER BY t.id");
QUERY(demo_attach, "UPDATE cases SET sla_version_id = CASE WHEN priority_id = 4 THEN CAST(:urgent AS BIGINT) "
                   "ELSE CAST(:standard AS BIGINT) END WHERE created_at >= :since");
QUERY(demo_with_sla,
      "SELECT id FROM cases WHERE created_at >= :since AND id > :after ORDER BY id LIMIT :most");

static int demo_offices_fill(struct conn *c, const struct filling *f) {
    for (size_t i = 0; i < sizeof demo_offices / sizeof *demo_offices; i++) {
        int64_t id;
        TRY(db_insert(c, &demo_hours,
                      BINDS(B_TEXT("title", str_of(demo_offices[i].title)),
                            B_TEXT("zones", str_of(demo_offices[i].zones)),
                            B_TEXT("zone", str_of(demo_offices[i].zone)), B_INT("now", f->world.start)),
                      &id));
        TRY(db_exec(c, &demo_team_hours, BINDS(B_INT("hours", id), B_INT("turn", (int64_t)i))));
    }
    return 0;
}

static int demo_targets_fill(struct conn *c, int sla, int64_t id, int64_t version, int64_t now) {
    for (size_t i = 0; i < sizeof demo_goals / sizeof *demo_goals; i++) {
        if (demo_goals[i].sla != sla) continue;
        TRY(db_exec(c, &demo_sla_target,
                    BINDS(B_ID("sla", id), B_ID("version", version), B_ID("priority", demo_goals[i].priority),
                          B_INT("type", demo_goals[i].type), B_INT("goal", demo_goals[i].goal),
                          B_INT("hours", demo_goals[i].hours), B_INT("now", now))));
    }
    return 0;
}

static int demo_sla_fill(struct conn *c, int sla, int64_t now, int64_t *id, int64_t *version) {
    struct bind binds[] = {B_TEXT("title", str_of(demo_slas[sla].title)),
                           B_TEXT("text", str_of(demo_slas[sla].text)),
                           B_INT("place", sla + 1),
                           B_INT("now", now),
                           B_NULL("sla"),
                           B_NULL("version"),
                           {0}};
    TRY(db_insert(c, &demo_sla, binds, id));
    binds[4] = (struct bind)B_INT("sla", *id);
    TRY(db_insert(c, &demo_sla_version, binds, version));
    binds[5] = (struct bind)B_INT("version", *version);
    TRY(db_exec(c, &demo_sla_current, binds));
    TRY(demo_targets_fill(c, sla, *id, 0, now));
    return demo_targets_fill(c, sla, 0, *version, now);
}

static int demo_clocks_fill(struct work *w, int64_t since) {
    for (int64_t after = 0;;) {
        int64_t *ids;
        struct arena_mark mark = arena_mark(w->arena);
        int n = db_ids(w->conn, &demo_with_sla,
                       BINDS(B_INT("since", since), B_INT("after", after), B_INT("most", CASES_AT_ONCE)),
                       w->arena, &ids);
        if (n <= 0) return n;
        after = ids[n - 1];
        TRY(clocks_recompute(w, ids, n));
        arena_return(w->arena, mark);
    }
}

int fill_slas(struct conn *c, struct filling *f) {
    struct desk desk = {.db = f->db, .process = S("demo")};
    struct work w = {.desk = &desk, .arena = f->arena, .conn = c, .now = f->world.end - 1};
    struct rule_proposition urgent = {0, S("cases.casepriorityid"), S("comparison_equalto"), S("\"4\"")};
    struct rule_collection collection = {.propositions = &urgent, .count = 1};
    struct rule_predicate predicate = {.collections = &collection, .count = 1};
    int64_t since = f->world.end - SLA_DAYS, ids[2], versions[2];
    TRY(demo_offices_fill(c, f));
    for (int i = 0; i < 2; i++) TRY(demo_sla_fill(c, i, since, &ids[i], &versions[i]));
    TRY(rule_predicate_store(&w, RULE_OF_SLA, ids[0], &predicate, NULL));
    TRY(db_exec(c, &demo_histories, NULL));
    TRY(db_exec(c, &demo_attach,
                BINDS(B_INT("urgent", versions[0]), B_INT("standard", versions[1]), B_INT("since", since))));
    return demo_clocks_fill(&w, since);
}
