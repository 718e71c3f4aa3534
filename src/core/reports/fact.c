#include "core/reports/fact.h"

#include "base/ids.h"
#include "core/sla/clock_history.h"
#include "core/words.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>

int fact_compare(const void *x, const void *y) {
    const struct fact *a = x, *b = y;
    const int64_t of_a[] = {a->case_id, a->kind, a->at, a->n}, of_b[] = {b->case_id, b->kind, b->at, b->n};
    for (int i = 0; i < 4; i++)
        if (of_a[i] != of_b[i]) return of_a[i] < of_b[i] ? -1 : 1;
    return 0;
}

void fact_tags(struct str tags, void (*tell)(void *arg, int64_t tag_id), void *arg) {
    int64_t id;
    while (tags.n)
        if (str_to_int(str_cut(&tags, ','), &id)) tell(arg, id);
}

/* ---- the conversations ----------------------------------------------------------------------- */

QUERY(report_cases, "SELECT t.id, t.created_at, t.status_type, t.channel, COALESCE(t.assigned_team_id, 0), "
                    "COALESCE(t.assigned_agent_id, 0), COALESCE(t.priority_id, 0), "
                    "COALESCE(t.organization_id, 0) "
                    "FROM cases t WHERE t.id IN @LIST(:ids) AND t.state = 1 ORDER BY t.id");
QUERY(report_tags, "SELECT k.case_id, k.tag_id FROM case_tags k WHERE k.case_id IN @LIST(:ids) "
                   "ORDER BY k.case_id, k.tag_id");
QUERY(report_statuses, "SELECT h.case_id, h.at, f.type, n.type FROM case_status_changes h "
                       "JOIN case_statuses f ON f.id = h.from_status_id "
                       "JOIN case_statuses n ON n.id = h.to_status_id "
                       "WHERE h.case_id IN @LIST(:ids) ORDER BY h.case_id, h.id");
QUERY(report_messages,
      "SELECT p.case_id, p.created_at, p.is_requester, p.by_staff, p.creator_id FROM posts p "
      "WHERE p.case_id IN @LIST(:ids) AND p.kind = 1 ORDER BY p.case_id, p.created_at, p.id");
QUERY(report_ratings, "SELECT r.case_id, r.created_at, r.score FROM case_ratings r "
                      "WHERE r.case_id IN @LIST(:ids) ORDER BY r.case_id, r.id");
#define SLA_RUN_OF(table, completed)                                                                \
    "SELECT m.case_id AS case_id, m.started_at AS started_at, m.type AS type, v.sla_id AS sla_id, " \
    "m.is_breached AS is_breached, " completed " AS completed FROM " table " m "                    \
    "JOIN sla_targets x ON x.id = m.sla_target_id JOIN sla_versions v ON v.id = x.sla_version_id "  \
    "WHERE m.case_id IN @LIST(:ids)"
QUERY(report_sla_runs,
      SLA_RUN_OF("sla_metrics", "CASE WHEN m.stage = 3 THEN 1 ELSE 0 END") " UNION ALL " SLA_RUN_OF(
          "sla_runs", "1") " ORDER BY case_id, started_at, type");

/* A conversation while its facts are computed. It begins with its id, for id_compare. */
struct told {
    struct fact common; /* the keys of all its facts */
    int64_t created_at;
    int status_type; /* after the changes so far */
    bool finished, changed;
    int64_t open_since, finished_at; /* finished_at: 0: it was never completed */
    int64_t asked_at;                /* the oldest message of the requester without a reply; 0: none */
    int replies;
    bool answered;            /* staff has replied to the requester */
    int64_t rated_at, rating; /* the newest; 0: none */
};

struct telling {
    struct arena *arena;
    struct told *cases; /* by id */
    int case_count, case_room;
    struct facts *out;
};

static struct told *told_of(struct telling *t, int64_t id) {
    return t->case_count ? bsearch(&id, t->cases, (size_t)t->case_count, sizeof *t->cases, id_compare) : NULL;
}

static struct fact *tell_fact(struct telling *t, const struct told *c, enum fact_kind kind, int64_t at,
                              int part) {
    struct facts *out = t->out;
    out->list = arena_more(t->arena, out->list, out->count, &out->room, sizeof *out->list);
    struct fact *f = &out->list[out->count++];
    *f = c->common;
    f->kind = kind;
    f->at = at;
    f->part = part;
    return f;
}

/* A duration that ends at `at`. Messages that a merge moved may be older than their conversation. */
static struct fact *tell_duration(struct telling *t, const struct told *c, enum fact_kind kind, int64_t from,
                                  int64_t at, int part) {
    struct fact *f = tell_fact(t, c, kind, at, part);
    if (at > from) f->from = from, f->took = (at - from) / TIME_SECOND;
    return f;
}

/* ---- the backlog and statuses ---------------------------------------------------------------- */

static const int64_t ages[BACKLOG_AGES] = {0, TIME_DAY, 7 * TIME_DAY, 30 * TIME_DAY};

/* The conversation was open from `from` to `to` (INT64_MAX: it still is). It reaches each age meanwhile, also
 * if that is in the future. */
static void tell_open(struct telling *t, const struct told *c, int64_t from, int64_t to) {
    bool entered = false;
    if (to <= from) return;
    for (int age = 0; age < BACKLOG_AGES; age++) {
        int64_t begins = c->created_at + ages[age];
        int64_t ends = age + 1 < BACKLOG_AGES ? c->created_at + ages[age + 1] : INT64_MAX;
        if (age == 0 || begins < from) begins = from;
        if (ends > to) ends = to;
        if (begins >= ends) continue;
        tell_fact(t, c, FACT_BACKLOG, begins, entered ? BACKLOG_GROWS + age - 1 : BACKLOG_ENTERS + age);
        if (ends == to && to != INT64_MAX) tell_fact(t, c, FACT_BACKLOG, to, BACKLOG_LEAVES + age);
        entered = true;
    }
}

static void begin_status(struct told *c, int64_t type) {
    c->finished = status_is_done(type);
    c->open_since = c->created_at;
    if (c->finished) c->finished_at = c->created_at;
}

static void tell_status(struct telling *t, struct told *c, int64_t at, int64_t from, int64_t to) {
    if (!c->changed) begin_status(c, from);
    if (!c->changed && c->finished) tell_fact(t, c, FACT_COMPLETED, c->created_at, 0);
    c->changed = true;
    if (status_is_done(to) == c->finished) return;
    c->finished = !c->finished;
    if (c->finished) {
        tell_open(t, c, c->open_since, at);
        tell_fact(t, c, FACT_COMPLETED, at, 0);
        c->finished_at = at;
    } else {
        tell_fact(t, c, FACT_REOPENED, at, 0);
        c->open_since = at;
    }
}

static void tell_end(struct telling *t, struct told *c) {
    int replies = c->replies < FACT_PARTS ? c->replies : FACT_PARTS - 1;
    if (!c->changed) {
        begin_status(c, c->status_type);
        if (c->finished) tell_fact(t, c, FACT_COMPLETED, c->created_at, 0);
    }
    tell_fact(t, c, FACT_CREATED, c->created_at, 0);
    if (c->finished) tell_duration(t, c, FACT_RESOLVED, c->created_at, c->finished_at, replies);
    else tell_open(t, c, c->open_since, INT64_MAX);
    if (c->rated_at) tell_fact(t, c, FACT_RATED, c->rated_at, c->rating == RATING_GOOD ? 0 : 1);
}

/* ---- messages and clocks --------------------------------------------------------------------- */

static void tell_message(struct telling *t, struct told *c, struct stmt *row) {
    int64_t at = col_int(row, 1), creator = col_int(row, 4);
    if (col_int(row, 2)) tell_fact(t, c, FACT_REQUEST, at, 0);
    if (col_int(row, 2) && !c->asked_at) c->asked_at = at;
    if (!col_int(row, 3)) return;
    tell_fact(t, c, FACT_REPLY, at, 0)->keys[BY_AGENT_NOW] = creator;
    c->replies++;
    if (c->asked_at) {
        enum fact_kind kind = c->answered ? FACT_NEXT_RESPONSE : FACT_FIRST_RESPONSE;
        tell_duration(t, c, kind, c->asked_at, at, 0)->keys[BY_AGENT_NOW] = creator;
        c->answered = true;
    }
    c->asked_at = 0;
}

static void tell_sla(struct telling *t, const struct told *c, struct stmt *row) {
    enum sla_outcome outcome = col_int(row, 4) ? SLA_BROKEN : col_int(row, 5) ? SLA_KEPT : SLA_RUNNING;
    int type = (int)col_int(row, 2) - 1;
    tell_fact(t, c, FACT_SLA, col_int(row, 1), type * SLA_OUTCOMES + (int)outcome)->keys[BY_SLA] =
        col_int(row, 3);
}

/* ---- computing ------------------------------------------------------------------------------- */

static int cases_read(struct work *w, struct str ids, struct telling *t) {
    int rc;
    DB_ROWS(rc, w->conn, &report_cases, BINDS(B_TEXT("ids", ids)), row) {
        t->cases = arena_more(w->arena, t->cases, t->case_count, &t->case_room, sizeof *t->cases);
        struct told *c = &t->cases[t->case_count++];
        *c = (struct told){.created_at = col_int(row, 1), .status_type = (int)col_int(row, 2)};
        c->common = (struct fact){.case_id = col_int(row, 0), .tags = S("")};
        c->common.keys[BY_CHANNEL] = col_int(row, 3);
        c->common.keys[BY_TEAM_NOW] = col_int(row, 4);
        c->common.keys[BY_AGENT_NOW] = c->common.assigned_agent_id = col_int(row, 5);
        c->common.keys[BY_PRIORITY] = col_int(row, 6);
        c->common.keys[BY_ORGANIZATION_NOW] = col_int(row, 7);
    }
    TRY(rc);
    DB_ROWS(rc, w->conn, &report_tags, BINDS(B_TEXT("ids", ids)), row) {
        struct told *c = told_of(t, col_int(row, 0));
        if (c == NULL) continue;
        c->common.tags = str_fmt(w->arena, "%.*s%s%" PRId64 ",", (int)c->common.tags.n, c->common.tags.p,
                                 c->common.tags.n ? "" : ",", col_int(row, 1));
    }
    return rc;
}

static int statuses_read(struct work *w, struct str ids, struct telling *t) {
    int rc;
    DB_ROWS(rc, w->conn, &report_statuses, BINDS(B_TEXT("ids", ids)), row) {
        struct told *c = told_of(t, col_int(row, 0));
        if (c) tell_status(t, c, col_int(row, 1), col_int(row, 2), col_int(row, 3));
    }
    return rc;
}

static int told_messages_read(struct work *w, struct str ids, struct telling *t) {
    int rc;
    DB_ROWS(rc, w->conn, &report_messages, BINDS(B_TEXT("ids", ids)), row) {
        struct told *c = told_of(t, col_int(row, 0));
        if (c) tell_message(t, c, row);
    }
    TRY(rc);
    DB_ROWS(rc, w->conn, &report_ratings, BINDS(B_TEXT("ids", ids)), row) {
        struct told *c = told_of(t, col_int(row, 0));
        if (c) c->rated_at = col_int(row, 1), c->rating = col_int(row, 2);
    }
    TRY(rc);
    DB_ROWS(rc, w->conn, &report_sla_runs, BINDS(B_TEXT("ids", ids)), row) {
        struct told *c = told_of(t, col_int(row, 0));
        if (c) tell_sla(t, c, row);
    }
    return rc;
}

/* Business time of the durations: that of the team which the conversation has now. */
static int business_time_add(struct work *w, struct facts *facts) {
    const struct clock_settings *settings;
    struct clock_means means;
    TRY(clock_settings_hold_now(w, &settings));
    clock_means_begin(w, settings, &means);
    for (int i = 0; i < facts->count; i++) {
        struct fact *f = &facts->list[i];
        const struct business_time *hours = f->from ? clock_time_of(&means, f->keys[BY_TEAM_NOW]) : NULL;
        if (hours) f->took_open = business_open(hours, f->from, f->at) / TIME_SECOND;
    }
    clock_means_end(w, &means);
    kept_set_drop(settings);
    return 0;
}

static bool same_moment(const struct fact *a, const struct fact *b) {
    return a->case_id == b->case_id && a->kind == b->kind && a->at == b->at;
}

int facts_compute(struct work *w, struct str ids, struct facts *out) {
    struct telling t = {.arena = w->arena, .out = out};
    *out = (struct facts){0};
    TRY(cases_read(w, ids, &t));
    TRY(statuses_read(w, ids, &t));
    TRY(told_messages_read(w, ids, &t));
    for (int i = 0; i < t.case_count; i++) tell_end(&t, &t.cases[i]);
    for (int i = 0; i < out->count; i++) out->list[i].n = i;
    if (out->count) qsort(out->list, (size_t)out->count, sizeof *out->list, fact_compare);
    for (int i = 0; i < out->count; i++)
        out->list[i].n = i && same_moment(&out->list[i - 1], &out->list[i]) ? out->list[i - 1].n + 1 : 0;
    return business_time_add(w, out);
}

/* ---- rows ------------------------------------------------------------------------------------ */

#define FACT_COLUMNS                                                                                 \
    "kind, at, case_id, n, part, took, took_open, channel, team_id, agent_id, priority_id, sla_id, " \
    "organization_id, tags, assigned_agent_id"
QUERY(facts_of_cases, "SELECT " FACT_COLUMNS " FROM report_facts WHERE case_id IN @LIST(:ids)");
QUERY(facts_between, "SELECT " FACT_COLUMNS " FROM report_facts WHERE case_id BETWEEN :first AND :last");
QUERY(facts_on, "SELECT " FACT_COLUMNS " FROM report_facts WHERE kind = :kind AND at >= :from AND at < :to");
#define CELL(n) "CAST(r.value ->> " n " AS BIGINT)"
#define WORD(n) "CAST(r.value ->> " n " AS INTEGER)"
#define FACT_HEAD WORD("0") ", " CELL("1") ", " CELL("2") ", " WORD("3") ", " WORD("4")
#define FACT_DURATIONS CELL("5") ", " CELL("6")
#define FACT_KEYS WORD("7") ", " CELL("8") ", " CELL("9") ", " CELL("10") ", " CELL("11") ", " CELL("12")
QUERY(facts_insert, "INSERT INTO report_facts (" FACT_COLUMNS ") SELECT " FACT_HEAD ", " FACT_DURATIONS
                    ", " FACT_KEYS ", r.value ->> 13, " CELL("14") " FROM @ROWS(:rows) r");
QUERY(facts_delete, "DELETE FROM report_facts WHERE case_id IN @LIST(:ids)");

static struct fact fact_at(struct work *w, struct stmt *row) {
    struct fact f = {.kind = (enum fact_kind)col_int(row, 0),
                     .at = col_int(row, 1),
                     .case_id = col_int(row, 2),
                     .n = (int)col_int(row, 3),
                     .part = (int)col_int(row, 4),
                     .took = col_int(row, 5),
                     .took_open = col_int(row, 6),
                     .tags = str_dup(w->arena, col_text(row, 13)),
                     .assigned_agent_id = col_int(row, 14)};
    for (int d = BY_CHANNEL; d < KEYED_DIMENSIONS; d++) f.keys[d] = col_int(row, 6 + d);
    return f;
}

static int fact_rows_read(struct work *w, const struct query *q, const struct bind *binds,
                          struct facts *out) {
    int rc;
    *out = (struct facts){0};
    DB_ROWS(rc, w->conn, q, binds, row) {
        out->list = arena_more(w->arena, out->list, out->count, &out->room, sizeof *out->list);
        out->list[out->count++] = fact_at(w, row);
    }
    TRY(rc);
    if (out->count) qsort(out->list, (size_t)out->count, sizeof *out->list, fact_compare);
    return 0;
}

int facts_stored(struct work *w, struct str ids, struct facts *out) {
    return fact_rows_read(w, &facts_of_cases, BINDS(B_TEXT("ids", ids)), out);
}

int facts_stored_between(struct work *w, int64_t first, int64_t last, struct facts *out) {
    return fact_rows_read(w, &facts_between, BINDS(B_INT("first", first), B_INT("last", last)), out);
}

int facts_stored_on(struct work *w, int64_t kind, int64_t from, int64_t to, struct facts *out) {
    return fact_rows_read(w, &facts_on, BINDS(B_INT("kind", kind), B_INT("from", from), B_INT("to", to)),
                          out);
}

int facts_put(struct work *w, const struct facts *facts) {
    struct buf rows = {0};
    if (facts->count == 0) return 0;
    for (int i = 0; i < facts->count; i++) {
        const struct fact *f = &facts->list[i];
        buf_fmt(&rows, "%c[%d,%" PRId64 ",%" PRId64 ",%d,%d,%" PRId64 ",%" PRId64, i ? ',' : '[',
                (int)f->kind, f->at, f->case_id, f->n, f->part, f->took, f->took_open);
        for (int d = BY_CHANNEL; d < KEYED_DIMENSIONS; d++) buf_fmt(&rows, ",%" PRId64, f->keys[d]);
        buf_fmt(&rows, ",\"%.*s\",%" PRId64 "]", (int)f->tags.n, f->tags.p, f->assigned_agent_id);
    }
    buf_char(&rows, ']');
    return db_exec(w->conn, &facts_insert, BINDS(B_TEXT("rows", buf_take(&rows, w->arena))));
}

int facts_drop(struct work *w, struct str case_ids) {
    return db_exec(w->conn, &facts_delete, BINDS(B_TEXT("ids", case_ids)));
}
