#include "core/reports/series.h"

#include "core/reports/series_reading.h"

const struct word report_hours_words[] = {{REPORT_CALENDAR, "CALENDAR"}, {REPORT_BUSINESS, "BUSINESS"}, {0}};
const struct word report_groups[] = {{BY_CHANNEL, "CHANNEL"}, {BY_TEAM_NOW, "TEAM"},
                                     {BY_AGENT_NOW, "AGENT"}, {BY_PRIORITY, "PRIORITY"},
                                     {BY_SLA, "SLA"},         {BY_ORGANIZATION_NOW, "ORGANIZATION"},
                                     {BY_EACH_TAG, "TAG"},    {0}};

QUERY(series_count, "SELECT CAST(COALESCE(SUM(LENGTH(d.records)), 0) AS BIGINT) FROM report_days d "
                    "WHERE d.kind = :kind AND d.dimension = 0 AND d.day BETWEEN :first AND :last");

/* Returns true if no rollup has these facts: it has those of one property. */
static bool needs_facts(struct reading *r) {
    int given = 0;
    r->rolled = r->dimension;
    for (int d = BY_CHANNEL; d < REPORT_DIMENSIONS; d++) {
        if (!r->ask->only.by[d]) continue;
        given++;
        r->rolled = (enum report_dimension)d;
    }
    return given > 1 || (given == 1 && r->dimension != BY_ALL);
}

static bool measures(const struct reading *r) {
    return r->metric->method == METRIC_DURATION && !r->ask->counts_only;
}

/* Reads the pieces from facts or from rollups. */
static int pieces_read(struct reading *r) {
    int64_t length = 0;
    r->restricted = access_is_by_assignment(r->work);
    if (r->restricted) access_cases(r->work, &r->seen);
    keys_begin(r);
    bool facts = needs_facts(r) || r->restricted;
    if (!facts && measures(r))
        TRY(db_int(r->work->conn, &series_count, BINDS(DAY_BINDS(r, BY_ALL)), &length));
    bool few = measures(r) && length / RECORD_MAX < EXACT_FACTS;
    r->is_exact = facts || few || !measures(r);
    return facts || few ? facts_visible(r) : rollups_read(r);
}

static int read_by(struct work *w, const struct series_ask *ask, enum report_dimension dimension,
                   struct series *out) {
    struct reading r = {.work = w,
                        .ask = ask,
                        .metric = &report_metrics[ask->metric],
                        .dimension = dimension,
                        .clock.zone = ask->week_of};
    *out = (struct series){0};
    TRY(pieces_read(&r));
    cells_make(&r, out);
    out->is_exact = r.is_exact;
    return 0;
}

int series_read(struct work *w, const struct series_ask *ask, struct series *out) {
    struct series once;
    TRY(read_by(w, ask, ask->group, out));
    if (ask->group != BY_EACH_TAG) return 0;
    TRY(read_by(w, ask, BY_ALL, &once));
    out->all = once.all;
    return 0;
}
