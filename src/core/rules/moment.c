#include "core/rules/moment.h"

#include "core/desk/setting.h"

_Static_assert(RELATIVE_DATES <= 32, "the bits of spans_known");

QUERY(teams_of_actor, "SELECT team_id FROM team_members WHERE user_id = :me ORDER BY team_id");
QUERY(moment_calendars, "SELECT id, zones, holidays, time_zone, COUNT(*) OVER () FROM business_hours ORDER BY id");

static int moment_read_hours(struct work *w, struct moment *m) {
    int rc;
    DB_ROWS(rc, w->conn, &moment_calendars, NULL, row) {
        struct hours h;
        if (m->calendar_count == 0) {
            m->calendars = arena_array(w->arena, (size_t)col_int(row, 4), sizeof *m->calendars);
            m->open = arena_array(w->arena, (size_t)col_int(row, 4), sizeof *m->open);
        }
        if ((rc = hours_read(w->arena, col_text(row, 1), col_text(row, 2), col_text(row, 3), &h)) < 0) break;
        m->calendars[m->calendar_count++] = (struct moment_hours){col_int(row, 0), business_time_prepare(w->arena, &h)};
        if (hours_open_at(&h, m->now)) m->open[m->open_count++] = col_int(row, 0);
    }
    return rc;
}

int moment_read(struct work *w, unsigned needs, struct moment *out) {
    *out = (struct moment){.now = w->now, .user_id = w->actor.user_id, .zone = setting_text(w->desk, "desk.time_zone", w->arena)};
    if (needs & NEEDS_TEAMS) {
        out->team_count = db_ids(w->conn, &teams_of_actor, BINDS(B_INT("me", out->user_id)), w->arena, &out->teams);
        TRY(out->team_count);
    }
    return needs & NEEDS_HOURS ? moment_read_hours(w, out) : 0;
}

struct period moment_span(struct moment *m, int word) {
    if (!(m->spans_known & 1u << word)) {
        m->spans[word] = relative_span(word, m->zone, m->now);
        m->days[word] = (struct period){day_of(m->zone, m->spans[word].from), day_of(m->zone, m->spans[word].to)};
        m->spans_known |= 1u << word;
    }
    return m->spans[word];
}

struct period moment_days(struct moment *m, int word) {
    (void)moment_span(m, word);
    return m->days[word];
}

bool moment_open_since(const struct moment *m, int64_t calendar, int64_t ms, int64_t *open) {
    for (int i = 0; i < m->calendar_count; i++) {
        if (m->calendars[i].id != calendar || m->calendars[i].time == NULL) continue;
        *open = business_open(m->calendars[i].time, ms < m->now ? ms : m->now, m->now);
        return true;
    }
    return false;
}
