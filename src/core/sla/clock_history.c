#include "core/sla/clock_history.h"

#include "core/desk/cascade.h"
#include "json/json.h"

QUERY(clocked_changes, "SELECT h.case_id, h.at, h.from_status_id, h.from_state, h.to_status_id, h.to_state "
                       "FROM case_status_changes h WHERE h.case_id IN @LIST(:ids) ORDER BY h.case_id, h.id");

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

static void period_add(struct work *w, struct clocked_case *c, struct clock_period period) {
    c->periods = arena_more(w->arena, c->periods, c->period_count, &c->period_room, sizeof *c->periods);
    c->periods[c->period_count++] = period;
}

/* The status of a conversation without changes is that of its row. */
static void history_begin(struct work *w, const struct clock_settings *s, struct clocked_case *c) {
    c->period_count = 0;
    period_add(
        w, c, (struct clock_period){c->created_at, c->status_id, clock_reason_of(s, c->status_id, c->state)});
    c->replied_from = c->created_at;
    c->replied_at = CLOCK_OPEN;
    c->asked_at = 0;
    c->answered_at = CLOCK_OPEN;
}

static struct clock_period period_at(const struct clock_settings *s, struct stmt *row, int i, int64_t from) {
    return (struct clock_period){from, col_int(row, i),
                                 clock_reason_of(s, col_int(row, i), col_int(row, i + 1))};
}

static int changes_read(struct work *w, const struct clock_settings *s, struct str ids,
                        struct clocked_cases *cases) {
    int rc;
    DB_ROWS(rc, w->conn, &clocked_changes, BINDS(B_TEXT("ids", ids)), row) {
        struct clocked_case *c = clocked_case_find(cases, col_int(row, 0));
        if (c == NULL) continue;
        if (c->period_count == 1) c->periods[0] = period_at(s, row, 2, c->created_at);
        int64_t before = c->periods[c->period_count - 1].from, at = col_int(row, 1);
        /* clocks of processes may differ */
        period_add(w, c, period_at(s, row, 4, at > before ? at : before));
    }
    return rc;
}

/* A run may begin before its conversation, if a merge moved its posts. The first status counts from there
 * on. */
static void begin_before(struct clocked_case *c, int64_t time) {
    if (time < c->periods[0].from) c->periods[0].from = time;
}

static int replies_read(struct work *w, struct str ids, struct clocked_cases *cases) {
    int rc;
    DB_ROWS(rc, w->conn, &clocked_replies, BINDS(B_TEXT("ids", ids)), row) {
        struct clocked_case *c = clocked_case_find(cases, col_int(row, 0));
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

int clock_history_read(struct work *w, const struct clock_settings *settings, const int64_t *ids, int n,
                       struct clocked_cases *cases) {
    struct str list = json_ids(w->arena, ids, (size_t)n);
    if (n == 0) return 0;
    for (int i = 0; i < n; i++) history_begin(w, settings, clocked_case_find(cases, ids[i]));
    TRY(changes_read(w, settings, list, cases));
    return replies_read(w, list, cases);
}

/* ---- runs ------------------------------------------------------------------------------------ */

void clock_means_begin(struct work *w, const struct clock_settings *settings, struct clock_means *out) {
    out->settings = settings;
    out->calendars = w->desk && w->desk->calendars ? w->desk->calendars : calendars_new();
    calendars_lock(out->calendars);
}

void clock_means_end(struct work *w, struct clock_means *m) {
    calendars_unlock(m->calendars);
    if (w->desk == NULL || m->calendars != w->desk->calendars) calendars_free(m->calendars);
}

const struct business_time *clock_time_of(const struct clock_means *m, int64_t team_id) {
    const struct calendar_row *found = clock_hours_of(m->settings, team_id);
    return found ? calendars_find(m->calendars, found) : NULL;
}

struct clock_run clock_run_of(const struct clock_means *m, const struct clocked_case *c,
                              const struct clock_target *t) {
    bool business = t->hours == SLA_BUSINESS_HOURS;
    return (struct clock_run){.type = t->type,
                              .goal = t->goal,
                              .in_business_hours = business,
                              .hours = business ? clock_time_of(m, c->team_id) : NULL};
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

int clock_runs(const struct clock_means *m, const struct clocked_case *c, struct clock_run *runs,
               const struct clock_target **targets) {
    int n = 0;
    for (enum sla_target_type type = SLA_FIRST_REPLY; type <= SLA_RESOLUTION; type++) {
        const struct clock_target *t = clock_target_for(m->settings, c->version_id, c->priority_id, type);
        if (t == NULL) continue;
        runs[n] = clock_run_of(m, c, t);
        if (run_begins(c, &runs[n])) targets[n++] = t;
    }
    return n;
}
