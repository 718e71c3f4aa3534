/* Series from facts, and the conversations behind a number. */
#include "core/reports/series_reading.h"

#include "base/ids.h"
#include "json/json.h"

struct tagged_piece {
    struct reading *reading;
    int bucket, part, step;
    int64_t took;
};

static void tagged_add(void *arg, int64_t tag_id) {
    struct tagged_piece *t = arg;
    series_piece_add(t->reading, tag_id, t->bucket, t->part, t->step, t->took, 1);
}

/* Columns of facts that the reading needs, because each one costs as much as a row. */
enum { CELL_PART, CELL_TOOK, CELL_KEY, CELL_AT };
static const char *const key_columns[REPORT_DIMENSIONS] = {
    [BY_ALL] = "0",
    [BY_CHANNEL] = "f.channel",
    [BY_TEAM_NOW] = "f.team_id",
    [BY_AGENT_NOW] = "f.agent_id",
    [BY_PRIORITY] = "f.priority_id",
    [BY_SLA] = "f.sla_id",
    [BY_ORGANIZATION_NOW] = "f.organization_id",
    [BY_EACH_TAG] = "f.tags",
};

static void cells_write(const struct reading *r, struct buf *sql) {
    const char *took = r->ask->hours == REPORT_BUSINESS ? "f.took_open" : "f.took";
    buf_fmt(sql, "SELECT f.part, %s, %s", fact_has_duration(r->metric->kind) ? took : "0",
            key_columns[r->dimension]);
    if (!r->one_time) buf_text(sql, ", f.at");
}

/* The step of a fact among those of rollups. Exact readings need none. */
static int fact_step(const struct reading *r, int64_t took) {
    return r->is_exact || !r->percentiles ? 0 : step_of(took);
}

/* The bucket of a fact; TIME_OUTSIDE: it is not in the period. */
static int fact_bucket(struct reading *r, struct stmt *row) {
    if (r->one_time) return 0;
    int64_t at = col_int(row, CELL_AT);
    if (at >= reading_end(r) || at < reading_start(r)) return TIME_OUTSIDE;
    return at < r->ask->buckets.starts[0] ? -1 : place_in_time(r, at);
}

static void fact_add(struct reading *r, struct stmt *row) {
    int bucket = fact_bucket(r, row), part = (int)col_int(row, CELL_PART);
    int64_t took = col_int(row, CELL_TOOK), key = 0;
    if (bucket == TIME_OUTSIDE) return;
    if (r->once) series_piece_add(r->once, 0, bucket, part, 0, took, 1);
    if (r->dimension == BY_EACH_TAG) {
        struct tagged_piece t = {r, bucket, part, fact_step(r, took), took};
        struct str tags = col_text(row, CELL_KEY);
        fact_tags(tags, tagged_add, &t);
        if (tags.n == 0) series_piece_add(r, 0, bucket, part, t.step, took, 1);
        return;
    }
    if (r->dimension != BY_ALL) key = col_int(row, CELL_KEY);
    series_piece_add(r, key, bucket, part, fact_step(r, took), took, 1);
}

static const struct {
    const char *is, *name;
} keyed[REPORT_DIMENSIONS] = {
    [BY_CHANNEL] = {" AND f.channel = :only_channel", ":only_channel"},
    [BY_TEAM_NOW] = {" AND f.team_id = :only_team", ":only_team"},
    [BY_AGENT_NOW] = {" AND f.agent_id = :only_agent", ":only_agent"},
    [BY_PRIORITY] = {" AND f.priority_id = :only_priority", ":only_priority"},
    [BY_SLA] = {" AND f.sla_id = :only_sla", ":only_sla"},
    [BY_ORGANIZATION_NOW] = {" AND f.organization_id = :only_organization", ":only_organization"},
};

/* Adds the conditions on facts f. The text of tags is ",3,17,". */
static void only_condition(const struct report_only *only, struct arena *a, struct buf *sql,
                           struct branches *binds) {
    for (int d = BY_CHANNEL; d < KEYED_DIMENSIONS; d++) {
        if (!only->by[d]) continue;
        buf_text(sql, keyed[d].is);
        branch_bind_int(binds, keyed[d].name, only->key[d]);
    }
    if (!only->by[BY_EACH_TAG]) return;
    int64_t tag = only->key[BY_EACH_TAG];
    buf_text(sql, " AND f.tags LIKE :only_tag");
    branch_bind_text(binds, ":only_tag", tag ? str_fmt(a, "%%,%lld,%%", (long long)tag) : S(""));
}

static int facts_start(struct reading *r, struct buf *sql, struct branches *binds) {
    struct bind all[BRANCH_BINDS_MAX + 1] = {0};
    struct stmt *row;
    only_condition(&r->ask->only, r->work->arena, sql, binds);
    branch_bind_int(binds, ":fact_kind", r->metric->kind);
    buf_char(sql, 0);
    memcpy(all, binds->binds, (size_t)binds->bind_count * sizeof *all);
    int rc = db_start(r->work->conn, sql->p, all, &row);
    buf_free(sql);
    TRY(rc);
    while ((rc = stmt_step(row)) == 1) fact_add(r, row);
    stmt_end(row);
    return rc;
}

int series_facts_tell(struct work *w, enum fact_kind kind, const struct report_only *only, int64_t from,
                      int64_t to, void (*tell)(void *arg, const struct fact *f), void *arg) {
    struct buf sql = {0};
    struct branches binds = {0};
    struct stmt *row;
    buf_text(&sql, "SELECT f.case_id, f.part, f.team_id, f.assigned_agent_id, f.at FROM report_facts f "
                   "WHERE f.kind = :fact_kind AND f.at >= :fact_from AND f.at < :fact_to");
    only_condition(only, w->arena, &sql, &binds);
    branch_bind_int(&binds, ":fact_kind", kind);
    branch_bind_int(&binds, ":fact_from", from);
    branch_bind_int(&binds, ":fact_to", to);
    buf_char(&sql, 0);
    int rc = db_start(w->conn, sql.p, binds.binds, &row);
    buf_free(&sql);
    TRY(rc);
    while ((rc = stmt_step(row)) == 1) {
        struct fact f = {.case_id = col_int(row, 0), .part = (int)(col_int(row, 1) & (FACT_PARTS - 1))};
        f.keys[BY_TEAM_NOW] = col_int(row, 2);
        f.assigned_agent_id = col_int(row, 3);
        f.at = col_int(row, 4);
        tell(arg, &f);
    }
    stmt_end(row);
    return rc;
}

#define TEAMS_COMPARED 4 /* teams of a caller: a search in a list takes as long as some comparisons */

/* Conversations of the caller's teams, and those of nobody. */
static void teams_condition(struct reading *r, const struct case_parts *p, struct buf *sql,
                            struct branches *binds) {
    static const char *const names[TEAMS_COMPARED] = {":fact_team0", ":fact_team1", ":fact_team2",
                                                      ":fact_team3"};
    bool few = p->team_count <= TEAMS_COMPARED;
    for (int i = 0; few && i < p->team_count; i++) {
        buf_fmt(sql, "f.team_id = %s OR ", names[i]);
        branch_bind_int(binds, names[i], p->teams[i]);
    }
    if (!few) {
        buf_text(sql, "f.team_id IN @LIST(:fact_teams) OR ");
        branch_bind_text(binds, ":fact_teams", json_ids(r->work->arena, p->teams, (size_t)p->team_count));
    }
    if (p->nobodys) buf_text(sql, "(f.team_id = 0 AND f.assigned_agent_id = 0) OR ");
}

/* Only facts of conversations that the caller sees (access_case_of). The engine leaves the others out,
 * because a row that it gives costs as much as two of them. The agent is the last column, so it is
 * compared last. */
static void reader_condition(struct reading *r, struct buf *sql, struct branches *binds) {
    if (r->reader == NULL) return;
    struct case_parts p = access_case_parts(r->reader);
    buf_text(sql, " AND (");
    teams_condition(r, &p, sql, binds);
    buf_text(sql, "f.assigned_agent_id = :fact_me)");
    branch_bind_int(binds, ":fact_me", p.agent);
}

/* The same while the rows of cases decide. */
static void seen_condition(const struct reading *r, struct buf *sql) {
    buf_text(sql, " AND (1 = 0");
    for (int i = 0; i < r->seen.count; i++) buf_fmt(sql, " OR (%s)", r->seen.where[i]);
    buf_char(sql, ')');
}

int facts_visible(struct reading *r) {
    struct buf sql = {0};
    struct branches binds = r->seen;
    r->one_time = !is_backlog(r) && cells_of(r->ask) == 1;
    cells_write(r, &sql);
    buf_text(&sql, " FROM report_facts f");
    bool joined = r->restricted && !r->reader;
    if (joined) buf_text(&sql, " JOIN cases t ON t.id = f.case_id");
    buf_text(&sql, " WHERE f.kind = :fact_kind AND f.at >= :fact_from AND f.at < :fact_to");
    if (joined) seen_condition(r, &sql);
    reader_condition(r, &sql, &binds);
    branch_bind_int(&binds, ":fact_from", reading_start(r));
    branch_bind_int(&binds, ":fact_to", reading_end(r));
    return facts_start(r, &sql, &binds);
}

/* CROSS: SQLite would otherwise read all facts of the kind for each quarter. */
#define OF_QUARTERS                                               \
    " FROM @EACH_ID(:fact_quarters) q CROSS JOIN report_facts f " \
    "WHERE f.kind = :fact_kind AND f.at >= q.value AND f.at < q.value + 900000"

int split_quarters_read(struct reading *r) {
    struct buf sql = {0};
    struct branches binds = {0};
    if (r->split_count == 0) return 0;
    r->split_count = ids_sort_once(r->split, r->split_count);
    cells_write(r, &sql);
    buf_text(&sql, OF_QUARTERS);
    reader_condition(r, &sql, &binds);
    branch_bind_text(&binds, ":fact_quarters", json_ids(r->work->arena, r->split, (size_t)r->split_count));
    return facts_start(r, &sql, &binds);
}

/* ---- the conversations ---------------------------------------------------------------------------- */

static void part_list(struct buf *sql, unsigned bits) {
    const char *comma = "";
    buf_text(sql, "(");
    for (int i = 0; i < FACT_PARTS; i++) {
        if (!(bits >> i & 1U)) continue;
        buf_fmt(sql, "%s%d", comma, i);
        comma = ", ";
    }
    buf_text(sql, ")");
}

unsigned parts_behind(const struct report_behind *b) {
    unsigned bits = b->metric->parts;
    return b->part ? b->part->parts & (bits ? bits : ~0U) : bits;
}

/* The conditions on facts f, after those of the period. */
static void behind_conditions(struct arena *a, const struct report_behind *b, struct buf *sql,
                              struct branches *binds) {
    unsigned bits = parts_behind(b);
    branch_bind_int(binds, ":fact_kind", b->metric->kind);
    branch_bind_int(binds, ":fact_from", b->from);
    branch_bind_int(binds, ":fact_to", b->to);
    only_condition(b->only, a, sql, binds);
    if (bits) {
        buf_text(sql, " AND f.part IN ");
        part_list(sql, bits);
    }
}

#define FACTS_OF_PERIOD "report_facts f WHERE f.kind = :fact_kind AND f.at >= :fact_from AND f.at < :fact_to"
#define SPAN(n) "CAST(q.value ->> " n " AS BIGINT)"
#define FACTS_OF_SPANS                                                                            \
    "@ROWS(:fact_spans) q CROSS JOIN report_facts f WHERE f.kind = :fact_kind AND f.at >= " SPAN( \
        "0") " AND f.at < " SPAN("1")

QUERY(report_facts_first, "SELECT COALESCE(MIN(f.at), 0) FROM report_facts f WHERE f.kind = :kind");
QUERY(report_facts_last, "SELECT COALESCE(MAX(f.at), 0) FROM report_facts f WHERE f.kind = :kind");

/* The parts of the period with these times of the week, as far as there are such facts. */
static int report_spans(struct work *w, const struct report_behind *b, struct str *out) {
    int64_t first, last;
    TRY(db_int(w->conn, &report_facts_first, BINDS(B_INT("kind", b->metric->kind)), &first));
    TRY(db_int(w->conn, &report_facts_last, BINDS(B_INT("kind", b->metric->kind)), &last));
    *out = week_spans(w->arena, b->week, first > b->from ? first : b->from, last < b->to ? last + 1 : b->to);
    return 0;
}

int report_cases_in(struct work *w, const struct report_behind *b, struct buf *sql, struct branches *binds) {
    struct str spans;
    if (b->week) {
        TRY(report_spans(w, b, &spans));
        branch_bind_text(binds, ":fact_spans", spans);
    }
    buf_fmt(sql, "t.id IN (SELECT f.case_id FROM %s", b->week ? FACTS_OF_SPANS : FACTS_OF_PERIOD);
    behind_conditions(w->arena, b, sql, binds);
    buf_char(sql, ')');
    return 0;
}

/* The plus keeps an engine from reading all facts of the period for each row. */
void report_cases_having(struct arena *a, const struct report_behind *b, struct buf *sql,
                         struct branches *binds) {
    if (b->only->by[BY_ORGANIZATION_NOW]) buf_text(sql, "t.organization_id = :only_organization AND ");
    buf_text(sql, "EXISTS (SELECT 1 FROM report_facts f WHERE f.case_id = t.id AND +f.kind = :fact_kind "
                  "AND +f.at >= :fact_from AND +f.at < :fact_to");
    behind_conditions(a, b, sql, binds);
    buf_char(sql, ')');
}

/* Counts the ids of all facts, whoever sees them. */
int report_cases_counted(struct work *w, const struct report_behind *b, int64_t *total) {
    struct branches binds = {0};
    struct buf sql = {0};
    struct stmt *row;
    buf_text(&sql, "SELECT COUNT(DISTINCT f.case_id) FROM report_facts f WHERE f.kind = :fact_kind "
                   "AND f.at >= :fact_from AND f.at < :fact_to");
    behind_conditions(w->arena, b, &sql, &binds);
    buf_char(&sql, 0);
    int rc = db_start(w->conn, sql.p, binds.binds, &row);
    buf_free(&sql);
    TRY(rc);
    rc = stmt_step(row);
    if (rc == 1) *total = col_int(row, 0);
    stmt_end(row);
    return rc;
}
