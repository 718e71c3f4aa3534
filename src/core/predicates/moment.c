#include "core/predicates/moment.h"

#include "core/desk/cascade.h"
#include "core/desk/setting.h"

_Static_assert(RELATIVE_DATES <= 32, "the bits of known");

QUERY(teams_of_actor, "SELECT team_id FROM team_members WHERE user_id = :me ORDER BY team_id");
QUERY(moment_calendars,
      "SELECT id, zones, holidays, time_zone, COUNT(*) OVER () FROM business_hours ORDER BY id");

static int moment_read_hours(struct work *w, struct moment *m) {
    int rc;
    DB_ROWS(rc, w->conn, &moment_calendars, NULL, row) {
        struct hours h;
        if (m->calendar_count == 0) {
            m->calendars = arena_array(w->arena, (size_t)col_int(row, 4), sizeof *m->calendars);
            m->open = arena_array(w->arena, (size_t)col_int(row, 4), sizeof *m->open);
        }
        if ((rc = hours_read(w->arena, col_text(row, 1), col_text(row, 2), col_text(row, 3), &h)) < 0) break;
        m->calendars[m->calendar_count++] =
            (struct moment_hours){col_int(row, 0), business_time_prepare(w->arena, &h)};
        if (hours_open_at(&h, m->now)) m->open[m->open_count++] = col_int(row, 0);
    }
    return rc;
}

QUERY(moment_zones,
      "SELECT b.id, b.time_zone FROM brands b WHERE b.time_zone IS NOT NULL AND b.time_zone <> :desk "
      "ORDER BY b.time_zone, b.id");

static int moment_read_zones(struct work *w, struct moment *m) {
    int rc, zones = 0, brands = 0;
    DB_ROWS(rc, w->conn, &moment_zones, BINDS(B_TEXT("desk", m->desk.name)), row) {
        struct moment_zone *z = m->zone_count ? &m->zones[m->zone_count - 1] : NULL;
        if (z == NULL || !str_eq(z->name, col_text(row, 1))) {
            m->zones = arena_more(w->arena, m->zones, m->zone_count, &zones, sizeof *m->zones);
            z = &m->zones[m->zone_count++];
            *z = (struct moment_zone){.name = str_dup(w->arena, col_text(row, 1))};
            brands = 0;
        }
        z->brands = arena_more(w->arena, z->brands, z->brand_count, &brands, sizeof *z->brands);
        z->brands[z->brand_count++] = col_int(row, 0);
    }
    return rc;
}

int moment_read(struct work *w, unsigned needs, struct moment *out) {
    *out = (struct moment){.now = w->now,
                           .user_id = w->actor.user_id,
                           .desk = {.name = setting_text(w->desk, "desk.time_zone", w->arena)}};
    out->no_cascades = needs & NEEDS_CASCADES && !cascades_under_way(w);
    if (needs & NEEDS_ZONES) TRY(moment_read_zones(w, out));
    if (needs & NEEDS_TEAMS) {
        out->team_count =
            db_ids(w->conn, &teams_of_actor, BINDS(B_INT("me", out->user_id)), w->arena, &out->teams);
        TRY(out->team_count);
    }
    return needs & NEEDS_HOURS ? moment_read_hours(w, out) : 0;
}

struct moment_zone *moment_zone_of(struct moment *m, int64_t brand_id) {
    for (int i = 0; i < m->zone_count; i++)
        for (int k = 0; k < m->zones[i].brand_count; k++)
            if (m->zones[i].brands[k] == brand_id) return &m->zones[i];
    return &m->desk;
}

struct period moment_span(const struct moment *m, struct moment_zone *zone, int word) {
    if (!(zone->known & 1u << word)) {
        zone->spans[word] = relative_span(word, zone->name, m->now);
        zone->days[word] = (struct period){day_of(zone->name, zone->spans[word].from),
                                           day_of(zone->name, zone->spans[word].to)};
        zone->known |= 1u << word;
    }
    return zone->spans[word];
}

struct period moment_days(const struct moment *m, struct moment_zone *zone, int word) {
    (void)moment_span(m, zone, word);
    return zone->days[word];
}

bool moment_open_since(const struct moment *m, int64_t calendar, int64_t ms, int64_t *open) {
    for (int i = 0; i < m->calendar_count; i++) {
        if (m->calendars[i].id != calendar || m->calendars[i].time == NULL) continue;
        *open = business_open(m->calendars[i].time, ms < m->now ? ms : m->now, m->now);
        return true;
    }
    return false;
}
