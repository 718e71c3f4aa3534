#include "core/reports/series.h"

#include "base/limits.h"
#include "core/desk/cascade.h"
#include "core/reports/follow.h"
#include "core/reports/series_reading.h"

const struct word report_hours_words[] = {{REPORT_CALENDAR, "CALENDAR"}, {REPORT_BUSINESS, "BUSINESS"}, {0}};
const struct word report_groups[] = {{BY_CHANNEL, "CHANNEL"}, {BY_TEAM_NOW, "TEAM"},
                                     {BY_AGENT_NOW, "AGENT"}, {BY_PRIORITY, "PRIORITY"},
                                     {BY_SLA, "SLA"},         {BY_ORGANIZATION_NOW, "ORGANIZATION"},
                                     {BY_EACH_TAG, "TAG"},    {0}};

QUERY(series_lengths, "SELECT LENGTH(d.records) FROM report_days d "
                      "WHERE d.place BETWEEN :first AND :last");

static bool measures(const struct reading *r) {
    return r->metric->method == METRIC_DURATION && !r->ask->counts_only;
}

static void series_reading_begin(struct reading *r, struct work *w, const struct series_ask *ask,
                                 enum report_dimension dimension) {
    *r = (struct reading){.work = w,
                          .ask = ask,
                          .metric = &report_metrics[ask->metric],
                          .dimension = dimension,
                          .clock.zone = ask->week_of};
    r->percentiles = measures(r) && !ask->no_percentiles;
    keys_begin(r);
}

int report_reader(struct work *w, struct case_reader **out) {
    *out = NULL;
    if (!access_is_by_assignment(w)) return 1;
    int behind = w->actor.token_case_id || cascades_under_way(w) ? 1 : report_is_behind(w);
    if (behind) return behind < 0 ? behind : 0;
    TRY(access_case_reader(w, out));
    return 1;
}

/* The rollups of tags: those of tags alone, those of a reader's teams, or whole records. */
static enum report_dimension choose_tags(const struct reading *r, int given) {
    const struct report_only *only = &r->ask->only;
    int of_tags = only->by[BY_EACH_TAG] + (r->reader && only->by[BY_TEAM_NOW]);
    enum report_dimension d = r->dimension;
    if (given != of_tags || (d != BY_ALL && d != BY_EACH_TAG && !(r->reader && d == BY_TEAM_NOW)))
        return BY_EACH_TAG;
    return r->reader ? BY_TEAM_TAG : BY_TAG_SHORT;
}

/* Chooses the rollups: those of one property, or whole records for callers who see a part, several
 * conditions, and a condition with groups. Returns false if none have these facts. */
static bool choose_rollups(struct reading *r) {
    const struct report_only *only = &r->ask->only;
    enum report_dimension one = r->dimension;
    int given = 0;
    for (int d = BY_CHANNEL; d < REPORT_DIMENSIONS; d++)
        if (only->by[d]) given++, one = (enum report_dimension)d;
    bool tags = r->dimension == BY_EACH_TAG || only->by[BY_EACH_TAG];
    bool whole = r->restricted || given > 1 || (given == 1 && r->dimension != BY_ALL);
    r->rolled = tags ? choose_tags(r, given) : whole ? BY_TEAM_WHOLE : one;
    return !(r->restricted && r->reader == NULL) && !(only->by[BY_EACH_TAG] && r->dimension == BY_EACH_TAG);
}

static int find_reader(struct reading *r) {
    struct case_reader *reader;
    int known = report_reader(r->work, &reader);
    r->restricted = access_is_by_assignment(r->work);
    r->reader = reader;
    if (known == 0) access_cases(r->work, &r->seen);
    return known < 0 ? known : 0;
}

/* Returns 1 if the period has fewer durations than those that are exact, whoever sees them: all are read if
 * facts are. Otherwise 0, or a negative error. */
static int durations_few(struct reading *r) {
    int exact = r->work->desk->exact_durations, rc;
    int64_t most = exact ? exact : LIMIT_EXACT_DURATIONS, n = 0;
    most *= (int64_t)record_layout(r->metric->kind, BY_ALL).width;
    DB_ROWS(rc, r->work->conn, &series_lengths, BINDS(DAY_BINDS(r, BY_ALL)), row)
    if ((n += col_int(row, 0)) >= most) break;
    return rc < 0 ? rc : n < most;
}

/* Reads the pieces from facts. A fact has several tags, so those of all tags are kept once, too. */
static int pieces_of_facts(struct reading *r) {
    if (r->dimension == BY_EACH_TAG) {
        r->once = ARENA_NEW(r->work->arena, struct reading);
        series_reading_begin(r->once, r->work, r->ask, BY_ALL);
        r->once->is_exact = true;
    }
    return facts_visible(r);
}

/* Reads facts in place of rollups that lack a key. */
static int facts_instead(struct reading *r) {
    const struct case_reader *reader = r->reader;
    bool restricted = r->restricted;
    series_reading_begin(r, r->work, r->ask, r->dimension);
    r->reader = reader;
    r->restricted = restricted;
    r->is_exact = true;
    return pieces_of_facts(r);
}

/* Reads the pieces from facts or from rollups. */
static int pieces_read(struct reading *r) {
    int few = 0;
    TRY(find_reader(r));
    bool facts = !choose_rollups(r);
    if (!facts && measures(r)) TRY(few = durations_few(r));
    r->is_exact = facts || few || !measures(r);
    if (facts || few) return pieces_of_facts(r);
    TRY(rollups_read(r));
    return r->unknown ? facts_instead(r) : 0;
}

static int read_by(struct work *w, const struct series_ask *ask, enum report_dimension dimension,
                   struct series *out) {
    struct reading r;
    series_reading_begin(&r, w, ask, dimension);
    *out = (struct series){0};
    TRY(pieces_read(&r));
    cells_make(&r, out);
    out->is_exact = r.is_exact;
    if (dimension != BY_EACH_TAG) return 0;
    struct series once = {0};
    if (r.once) cells_make(r.once, &once);
    else TRY(read_by(w, ask, BY_ALL, &once));
    out->all = once.all;
    return 0;
}

int series_read(struct work *w, const struct series_ask *ask, struct series *out) {
    return read_by(w, ask, ask->group, out);
}
