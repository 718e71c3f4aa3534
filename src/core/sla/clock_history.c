#include "core/sla/clock_history.h"

#include "core/desk/cascade.h"
#include "json/json.h"

QUERY(clocked_cases,
      "SELECT k.id, k.created_at, COALESCE(k.sla_version_id, 0), COALESCE(k.priority_id, "
      "0), COALESCE((SELECT t.businesshour_id FROM teams t WHERE t.id = k.assigned_team_id "
      "AND t.deleted_at IS NULL), 0), k.status_id, s.type, s.is_sla_active, k.state "
      "FROM cases k JOIN case_statuses s ON s.id = k.status_id "
      "WHERE k.id IN @LIST(:ids) AND (k.sla_version_id IS NOT NULL OR CAST(:any AS INTEGER) = 1) "
      "AND k.state <> 5 ORDER BY k.id");
QUERY(clocked_changes, "SELECT h.case_id, h.at, h.from_status_id, f.type, f.is_sla_active, h.from_state, "
                       "h.to_status_id, n.type, n.is_sla_active, h.to_state "
                       "FROM case_status_changes h JOIN case_statuses f ON f.id = h.from_status_id "
                       "JOIN case_statuses n ON n.id = h.to_status_id "
                       "WHERE h.case_id IN @LIST(:ids) ORDER BY h.case_id, h.id");
QUERY(clocked_targets, "SELECT x.id, x.sla_version_id, COALESCE(x.priority_id, 0), x.type, "
                       "x.goal_in_seconds, x.operational_hours FROM sla_targets x "
                       "WHERE x.sla_version_id IN @LIST(:versions) "
                       "ORDER BY x.id");
QUERY(clocked_hours, "SELECT h.id, h.zones, h.holidays, h.time_zone "
                     "FROM business_hours h WHERE h.is_default = 1 OR h.id IN @LIST(:hours) "
                     "ORDER BY h.is_default DESC, h.id");

/* by_staff is a reply. A first reply that a merge moved counts from the start of the conversation that it
 * was written in. The last run of the next reply begins with the oldest message of the requester after the
 * reply before the requester's last message, and ends with the first reply after it. Each step is a search
 * in an index. */
#define REQUEST(more, order)                                                                           \
    "(SELECT p.id FROM posts p WHERE p.case_id = x.id AND p.kind = 1 AND p.is_requester = 1 AND " more \
    " ORDER BY p.id " order " LIMIT 1)"
#define REPLY(more, order)                                                                                  \
    "(SELECT p.id FROM posts p WHERE p.case_id = x.id AND p.by_staff = 1 AND " more " ORDER BY p.id " order \
    " LIMIT 1)"
#define TIME_OF(post) "COALESCE((SELECT p.created_at FROM posts p WHERE p.id = " post "), 0)"
#define START_OF(post)                                                                   \
    "COALESCE((SELECT k.created_at FROM posts p JOIN cases k ON k.id = " POST_WRITTEN_IN \
    " WHERE p.id = " post "), 0)"
#define WITH_REPLIED                                                     \
    "SELECT x.id, " REPLY("p.id > 0", "ASC") " AS replied FROM cases x " \
                                             "WHERE x.id IN @LIST(:ids) AND x.sla_version_id IS NOT NULL"
#define WITH_LAST "SELECT x.id, x.replied, " REQUEST("p.id > x.replied", "DESC") " AS last FROM a x"
#define WITH_BEFORE "SELECT x.id, x.replied, x.last, " REPLY("p.id < x.last", "DESC") " AS before FROM b x"
#define WITH_RUN                                                                      \
    "SELECT x.id, x.replied, " REQUEST("p.id > x.before", "ASC") " AS asked, " REPLY( \
        "p.id > x.last", "ASC") " AS answered FROM c x"
QUERY(clocked_replies, "WITH a AS MATERIALIZED (" WITH_REPLIED "), b AS MATERIALIZED (" WITH_LAST
                       "), c AS MATERIALIZED (" WITH_BEFORE "), d AS MATERIALIZED (" WITH_RUN
                       ") SELECT d.id, " TIME_OF("d.replied") ", " TIME_OF("d.asked") ", " TIME_OF(
                           "d.answered") ", " START_OF("d.replied") " FROM d");

/* ---- reading --------------------------------------------------------------------------------- */

static enum clock_reason period_reason(int64_t type, int64_t is_sla_active, int64_t state) {
    if (state != CASE_ACTIVE) return CLOCK_HIDDEN;
    if (type == STATUS_COMPLETED || type == STATUS_CLOSED) return CLOCK_OVER;
    return is_sla_active ? CLOCK_RUNS : CLOCK_STATUS;
}

static struct clock_period period_at(struct stmt *row, int i, int64_t from) {
    return (struct clock_period){
        from, col_int(row, i), period_reason(col_int(row, i + 1), col_int(row, i + 2), col_int(row, i + 3))};
}

static int cases_read(struct work *w, struct str ids, bool any, struct clock_history *h) {
    int rc, room = 0;
    DB_ROWS(rc, w->conn, &clocked_cases, BINDS(B_TEXT("ids", ids), B_INT("any", any)), row) {
        h->cases = arena_more(w->arena, h->cases, h->count, &room, sizeof *h->cases);
        struct clocked_case *c = &h->cases[h->count++];
        *c = (struct clocked_case){.id = col_int(row, 0),
                                   .created_at = col_int(row, 1),
                                   .version_id = col_int(row, 2),
                                   .priority_id = col_int(row, 3),
                                   .hours_id = col_int(row, 4),
                                   .periods = ARENA_NEW(w->arena, struct clock_period),
                                   .period_count = 1};
        c->periods[0] = period_at(row, 5, c->created_at);
    }
    return rc;
}

static struct clocked_case *clocked_find(const struct clock_history *h, int64_t id) {
    int low = 0, high = h->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (h->cases[middle].id < id) low = middle + 1;
        else high = middle;
    }
    return low < h->count && h->cases[low].id == id ? &h->cases[low] : NULL;
}

/* The rows of a conversation come together. */
static int changes_read(struct work *w, struct str ids, struct clock_history *h) {
    struct clocked_case *c = NULL;
    int rc, room = 0;
    DB_ROWS(rc, w->conn, &clocked_changes, BINDS(B_TEXT("ids", ids)), row) {
        if (c == NULL || c->id != col_int(row, 0)) {
            c = clocked_find(h, col_int(row, 0));
            if (c == NULL) continue;
            c->periods[0] = period_at(row, 2, c->created_at);
            room = 1;
        }
        int64_t before = c->periods[c->period_count - 1].from, at = col_int(row, 1);
        c->periods = arena_more(w->arena, c->periods, c->period_count, &room, sizeof *c->periods);
        /* clocks of processes may differ */
        c->periods[c->period_count++] = period_at(row, 6, at > before ? at : before);
    }
    return rc;
}

/* A run may begin before its conversation, if a merge moved its posts. The first status counts from there
 * on. */
static void begin_before(struct clocked_case *c, int64_t time) {
    if (time < c->periods[0].from) c->periods[0].from = time;
}

static int replies_read(struct work *w, struct str ids, struct clock_history *h) {
    int rc;
    DB_ROWS(rc, w->conn, &clocked_replies, BINDS(B_TEXT("ids", ids)), row) {
        struct clocked_case *c = clocked_find(h, col_int(row, 0));
        if (c == NULL) continue;
        c->replied_at = col_int(row, 1) ? col_int(row, 1) : CLOCK_OPEN;
        c->asked_at = col_int(row, 2);
        c->answered_at = col_int(row, 3) ? col_int(row, 3) : CLOCK_OPEN;
        c->replied_from = col_int(row, 4) ? col_int(row, 4) : c->created_at;
        begin_before(c, c->replied_from);
        if (c->asked_at) begin_before(c, c->asked_at);
    }
    return rc;
}

/* A column of the conversations as a JSON array; repeated values may occur. */
static struct str clocked_ids_of(struct work *w, const struct clock_history *h, bool versions) {
    int64_t *list = arena_array(w->arena, (size_t)h->count + 1, sizeof *list);
    int n = 0;
    for (int i = 0; i < h->count; i++) {
        int64_t id = versions ? h->cases[i].version_id : h->cases[i].hours_id;
        if (id && (n == 0 || list[n - 1] != id)) list[n++] = id;
    }
    return json_ids(w->arena, list, (size_t)n);
}

static int targets_read(struct work *w, struct clock_history *h) {
    int rc, room = 0;
    DB_ROWS(rc, w->conn, &clocked_targets, BINDS(B_TEXT("versions", clocked_ids_of(w, h, true))), row) {
        h->targets = arena_more(w->arena, h->targets, h->target_count, &room, sizeof *h->targets);
        h->targets[h->target_count++] = (struct clock_target){.id = col_int(row, 0),
                                                              .version_id = col_int(row, 1),
                                                              .priority_id = col_int(row, 2),
                                                              .type = (enum sla_target_type)col_int(row, 3),
                                                              .goal = col_int(row, 4) * TIME_SECOND,
                                                              .hours = (enum sla_hours)col_int(row, 5)};
    }
    return rc;
}

static bool needs_hours(const struct clock_history *h) {
    for (int i = 0; i < h->target_count; i++)
        if (h->targets[i].hours == SLA_BUSINESS_HOURS) return true;
    return false;
}

static int hours_rows_read(struct work *w, struct clock_history *h) {
    int rc, room = 0;
    DB_ROWS(rc, w->conn, &clocked_hours, BINDS(B_TEXT("hours", clocked_ids_of(w, h, false))), row) {
        h->hours = arena_more(w->arena, h->hours, h->hours_count, &room, sizeof *h->hours);
        h->hours[h->hours_count++] =
            (struct calendar_row){col_int(row, 0), str_dup(w->arena, col_text(row, 1)),
                                  str_dup(w->arena, col_text(row, 2)), str_dup(w->arena, col_text(row, 3))};
    }
    return rc;
}

int clock_history_read(struct work *w, struct str ids, bool any, struct clock_history *h) {
    *h = (struct clock_history){0};
    TRY(cases_read(w, ids, any, h));
    if (h->count == 0) return 0;
    TRY(changes_read(w, ids, h));
    TRY(replies_read(w, ids, h));
    TRY(targets_read(w, h));
    return any || needs_hours(h) ? hours_rows_read(w, h) : 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* The target of the priority, else the one without a priority. */
static const struct clock_target *target_for(const struct clock_history *h, const struct clocked_case *c,
                                             enum sla_target_type type) {
    const struct clock_target *general = NULL;
    for (int i = 0; i < h->target_count; i++) {
        const struct clock_target *t = &h->targets[i];
        if (t->version_id != c->version_id || t->type != type) continue;
        if (t->priority_id && t->priority_id == c->priority_id) return t;
        if (t->priority_id == 0) general = t;
    }
    return general;
}

const struct business_time *clock_hours(const struct clock_history *h, const struct clocked_case *c,
                                        struct calendars *calendars) {
    const struct calendar_row *found = h->hours;
    for (int i = 0; i < h->hours_count; i++)
        if (h->hours[i].id == c->hours_id) found = &h->hours[i];
    return found ? calendars_find(calendars, found) : NULL;
}

/* Sets the span of a run. Returns false if it has not begun. */
static bool run_begins(const struct clocked_case *c, struct clock_run *r) {
    switch (r->type) {
    case SLA_FIRST_REPLY: r->from = c->replied_from, r->to = c->replied_at; break;
    case SLA_NEXT_REPLY: r->from = c->asked_at, r->to = c->answered_at; break;
    default: r->from = c->created_at, r->to = CLOCK_OPEN; break;
    }
    if (r->to < r->from) r->to = r->from; /* clocks of processes may differ */
    return r->type != SLA_NEXT_REPLY || c->asked_at != 0;
}

int clock_runs(const struct clock_history *h, const struct clocked_case *c, struct calendars *calendars,
               struct clock_run *runs, const struct clock_target **targets) {
    int n = 0;
    for (enum sla_target_type type = SLA_FIRST_REPLY; type <= SLA_RESOLUTION; type++) {
        const struct clock_target *t = target_for(h, c, type);
        if (t == NULL) continue;
        bool business = t->hours == SLA_BUSINESS_HOURS;
        runs[n] = (struct clock_run){.type = type, .goal = t->goal, .in_business_hours = business};
        if (!run_begins(c, &runs[n])) continue;
        if (business) runs[n].hours = clock_hours(h, c, calendars);
        targets[n++] = t;
    }
    return n;
}

struct calendars *clock_calendars_begin(struct work *w) {
    return w->desk && w->desk->calendars ? w->desk->calendars : calendars_new();
}

void clock_calendars_end(struct work *w, struct calendars *c) {
    if (w->desk == NULL || c != w->desk->calendars) calendars_free(c);
}
