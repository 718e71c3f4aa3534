#include "core/cases/case_total.h"

#include "core/cases/total_sql.h"
#include "core/desk/cascade.h"
#include "core/desk/kept_value.h"

#include <stdlib.h>

/* ---- counters --------------------------------------------------------------------------------
 *
 * A counter is a row of case_totals: the number of active conversations of one team, agent, pair of both,
 * requester, organization or tag, or of all, that have one priority. Its six columns are the types of
 * status. So any total by type and priority is the sum of a few rows, at any size, and a change of the
 * status writes as many rows as a new conversation: three to six. A conversation with tags writes one more
 * for each tag.
 *
 * Pairs of team and agent (0: none) give the total of an agent who sees teams: conversations of the teams,
 * and the agent's own, without those of both.
 *
 * The key puts rows that a conversation changes together beside each other, because a write costs whole
 * pages: (1) all, those of nobody, and the teams; (2) an agent with the agent's pairs.
 *
 * Nearly every write changes the row of all. On PostgreSQL a row is locked until the COMMIT, so with
 * single rows all writes would commit one after the other. A count is therefore spread over several rows
 * (shards). A write takes a row that no other write has locked, and adds one for its connection only if
 * all are locked (@FREE_SHARD). So a counter has as many rows as writes changed it at a time: most have
 * one, also of 300,000 requesters. The sum is exact in any snapshot; a single row may be negative. On
 * SQLite one write runs at a time, so there is one shard. The alternative, rows that are only inserted and
 * folded by a job, costs readers of a busy desk every row that is not folded yet. */

/* The numbers are stored. `id` is that of the team, agent ...; `with_id` of the first two kinds that of the
 * other one, 0: none, -1: any. Of other kinds it is 0. */
enum total_kind {
    TOTAL_TEAM = 1,  /* with_id 0 or -1. Team 0: none, with -1 all conversations */
    TOTAL_AGENT = 2, /* with the team, 0 or -1 */
    TOTAL_REQUESTER = 5,
    TOTAL_ORGANIZATION,
    TOTAL_TAG
};
#define TOTAL_WITH_ANY (-1)

struct total_key {
    int64_t kind, id, with_id, priority_id;
};

/* The pending difference of one counter. */
struct case_difference {
    struct total_key key;
    int64_t n[STATUS_CUSTOM + 1];
    struct case_difference *in_bucket;
};

#define TOTAL_BUCKETS 64 /* a bulk call changes up to 1,000 requesters */
struct case_totals {
    int count;
    struct case_difference *bucket[TOTAL_BUCKETS];
};

static int compare_total_keys(const struct total_key *a, const struct total_key *b) {
    return memcmp(a, b, sizeof *a);
}

static struct case_difference *difference_at(struct work *w, struct total_key key) {
    if (w->totals == NULL) w->totals = ARENA_NEW(w->arena, struct case_totals);
    size_t at = (size_t)(key.kind * 7 + key.id * 31 + key.with_id * 131 + key.priority_id) % TOTAL_BUCKETS;
    struct case_difference *d = w->totals->bucket[at];
    while (d && compare_total_keys(&d->key, &key) != 0) d = d->in_bucket;
    if (d) return d;
    d = ARENA_NEW(w->arena, struct case_difference);
    *d = (struct case_difference){.key = key, .in_bucket = w->totals->bucket[at]};
    w->totals->bucket[at] = d;
    w->totals->count++;
    return d;
}

/* A type that no status has is not counted. The column comes from the store, so it is no index yet. */
static void difference_add(struct work *w, struct total_key key, int64_t type, int n) {
    if (type >= STATUS_NEW && type <= STATUS_CUSTOM) difference_at(w, key)->n[type] += n;
}

static struct total_key pair_key(int64_t team_id, int64_t agent_id, int64_t priority_id) {
    return agent_id ? (struct total_key){TOTAL_AGENT, agent_id, team_id, priority_id}
                    : (struct total_key){TOTAL_TEAM, team_id, 0, priority_id};
}

void case_counted(struct work *w, const struct counted *c, int n) {
    int64_t priority = c->priority_id;
    const struct total_key all = {TOTAL_TEAM, 0, TOTAL_WITH_ANY, priority},
                           pair = pair_key(c->team_id, c->agent_id, priority);
    const struct total_key keys[] = {
        {TOTAL_TEAM, c->team_id, TOTAL_WITH_ANY, priority},
        {TOTAL_AGENT, c->agent_id, TOTAL_WITH_ANY, priority},
        {TOTAL_REQUESTER, c->requester_id, 0, priority},
        {TOTAL_ORGANIZATION, c->organization_id, 0, priority},
    };
    difference_add(w, all, c->status_type, n);
    difference_add(w, pair, c->status_type, n);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].id) difference_add(w, keys[i], c->status_type, n);
}

QUERY(tags_of_active_case, "SELECT k.tag_id, COALESCE(c.priority_id, 0), c.status_type "
                           "FROM case_tags k JOIN cases c ON c.id = k.case_id "
                           "WHERE k.case_id = :id AND c.state = 1");

int case_tags_counted(struct work *w, int64_t case_id, int n) {
    int rc;
    DB_ROWS(rc, w->conn, &tags_of_active_case, BINDS(B_INT("id", case_id)), row)
    difference_add(w, (struct total_key){TOTAL_TAG, col_int(row, 0), 0, col_int(row, 1)}, col_int(row, 2), n);
    return rc;
}

QUERY(tags_of_case, "SELECT k.tag_id FROM case_tags k WHERE k.case_id = :id");

static void tag_counted(struct work *w, int64_t tag_id, const struct counted *c, int n) {
    if (c) difference_add(w, (struct total_key){TOTAL_TAG, tag_id, 0, c->priority_id}, c->status_type, n);
}

int case_tags_moved(struct work *w, int64_t case_id, const struct counted *before,
                    const struct counted *after) {
    int rc;
    DB_ROWS(rc, w->conn, &tags_of_case, BINDS(B_INT("id", case_id)), row) {
        tag_counted(w, col_int(row, 0), before, -1);
        tag_counted(w, col_int(row, 0), after, 1);
    }
    return rc;
}

#define SHARD(n)                                                                                         \
    "@FREE_SHARD(case_totals f WHERE f.kind = :kind" #n " AND f.id = :id" #n " AND f.with_id = :with" #n \
    " AND f.priority_id = :priority" #n ")"
#define DIFFERENCE(n)                                                                             \
    "(:kind" #n ", :id" #n ", :with" #n ", :priority" #n ", :new" #n ", :open" #n ", :pending" #n \
    ", :completed" #n ", :closed" #n ", :custom" #n ", " SHARD(n) ")"
#define DIFFERENCES "INSERT INTO case_totals (" TOTAL_COLUMNS ", shard) VALUES "
/* Several rows are written at a time, because each statement waits for PostgreSQL. */
QUERY(case_totals_add_1, DIFFERENCES DIFFERENCE(0) TOTALS_ADDED);
QUERY(case_totals_add_2, DIFFERENCES DIFFERENCE(0) ", " DIFFERENCE(1) TOTALS_ADDED);
QUERY(case_totals_add_4,
      DIFFERENCES DIFFERENCE(0) ", " DIFFERENCE(1) ", " DIFFERENCE(2) ", " DIFFERENCE(3) TOTALS_ADDED);

#define AT_ONCE 4
#define DIFFERENCE_BINDS 10
#define NAMES(n)                                                                                \
    {                                                                                           \
        ":kind" #n, ":id" #n, ":with" #n, ":priority" #n, ":new" #n, ":open" #n, ":pending" #n, \
            ":completed" #n, ":closed" #n, ":custom" #n                                         \
    }
static const char *const difference_names[AT_ONCE][DIFFERENCE_BINDS] = {NAMES(0), NAMES(1), NAMES(2),
                                                                        NAMES(3)};

static bool is_difference(const struct case_difference *d) {
    const int64_t *n = d->n;
    return n[1] || n[2] || n[3] || n[4] || n[5] || n[6];
}

static void bind_difference(const struct case_difference *d, const char *const *names, struct bind *binds) {
    const int64_t *n = d->n;
    const int64_t values[DIFFERENCE_BINDS] = {
        d->key.kind, d->key.id, d->key.with_id, d->key.priority_id, n[1], n[2], n[3], n[4], n[5], n[6]};
    for (int i = 0; i < DIFFERENCE_BINDS; i++)
        binds[i] = (struct bind){.name = names[i], .type = BIND_INT, .i = values[i]};
}

/* Returns the number of differences that it wrote: 4, 2 or 1. */
static int write_differences(struct work *w, const struct case_difference *const *list, int count) {
    struct bind binds[AT_ONCE * DIFFERENCE_BINDS + 1];
    int n = count >= 4 ? 4 : count >= 2 ? 2 : 1;
    for (int i = 0; i < n; i++) bind_difference(list[i], difference_names[i], &binds[i * DIFFERENCE_BINDS]);
    binds[n * DIFFERENCE_BINDS] = (struct bind){0};
    TRY(db_later(w->conn,
                 n == 4   ? &case_totals_add_4
                 : n == 2 ? &case_totals_add_2
                          : &case_totals_add_1,
                 binds));
    return n;
}

static int compare_differences(const void *x, const void *y) {
    const struct case_difference *const *a = x, *const *b = y;
    return compare_total_keys(&(*a)->key, &(*b)->key);
}

/* All writes take the rows in one order, so that they can't deadlock. */
int case_totals_finish(struct work *w) {
    int count = 0;
    if (w->totals == NULL) return 0;
    const struct case_difference **list = arena_array(w->arena, (size_t)w->totals->count + 1, sizeof *list);
    for (int i = 0; i < TOTAL_BUCKETS; i++)
        for (const struct case_difference *d = w->totals->bucket[i]; d; d = d->in_bucket)
            if (is_difference(d)) list[count++] = d;
    qsort(list, (size_t)count, sizeof *list, compare_differences);
    for (int i = 0, n; i < count; i += n) TRY(n = write_differences(w, &list[i], count - i));
    return 0;
}

/* ---- totals ---------------------------------------------------------------------------------- */

/* Sums of counters: of all types and priorities, which takes a sixth to a quarter less, or of those of a
 * filter. */
#define SUM_OF(terms, from) "(SELECT COALESCE(SUM(" terms "), 0) FROM " from ")"
#define ALL_OF(from) SUM_OF("c.n1 + c.n2 + c.n3 + c.n4 + c.n5 + c.n6", from)
#define SOME_OF(from)                                                                     \
    SUM_OF("c.n1 * :s1 + c.n2 * :s2 + c.n3 * :s3 + c.n4 * :s4 + c.n5 * :s5 + c.n6 * :s6", \
           from " AND (CAST(:level AS BIGINT) IS NULL OR c.priority_id IN (SELECT p.id "  \
                "FROM case_priorities p WHERE p.level <= CAST(:level AS BIGINT)))")
/* CROSS JOIN: SQLite would look for the teams of all counters of the kind. */
#define OF_TEAMS(sum, counter) \
    sum("team_members m CROSS JOIN case_totals c WHERE " counter " AND m.user_id = :me")
#define WITH_TEAM_OF(agent) "c.kind = 2 AND c.id = " agent " AND c.with_id = m.team_id"
/* Deleted teams and agents count as none as long as rows refer to them. */
#define NO_TEAM " IN (SELECT 0 UNION ALL SELECT g.id FROM " GONE_TEAMS " g)"
#define NOBODY "case_totals c WHERE c.kind = 1 AND c.id = 0 AND c.with_id = 0"
#define NO_TEAM_OR_GONE "case_totals c WHERE c.kind = 1 AND c.id" NO_TEAM " AND c.with_id = 0"
#define GONE_AGENT "case_totals c WHERE c.kind = 2 AND c.id IN (SELECT g.id FROM " GONE_AGENTS " g)"
#define OF_NOBODY(sum)                                                                \
    "CASE WHEN EXISTS (" CASCADES_UNDER_WAY ") THEN " sum(NO_TEAM_OR_GONE) " + " sum( \
        GONE_AGENT " AND c.with_id" NO_TEAM) " ELSE " sum(NOBODY) " END"
#define OF_ROW(sum) \
    "SELECT " sum("case_totals c WHERE c.kind = :kind AND c.id = :id AND c.with_id = :with_id")
/* Conversations of the actor's teams, those assigned to the actor in other teams, and those without team
 * and agent. */
#define OF_TEAM_AGENT(sum)                                                                   \
    "SELECT " OF_TEAMS(sum, "c.kind = 1 AND c.id = m.team_id AND c.with_id = -1") " + " sum( \
        OF_ME) " - " OF_TEAMS(sum, WITH_TEAM_OF(":me")) " + " OF_NOBODY(sum)
#define OF_ME "case_totals c WHERE c.kind = 2 AND c.id = :me AND c.with_id = -1"
/* Conversations of another agent in the actor's teams. */
#define OF_COLLEAGUE(sum) "SELECT " OF_TEAMS(sum, WITH_TEAM_OF(":agent"))

QUERY(all_of_row, OF_ROW(ALL_OF));
QUERY(some_of_row, OF_ROW(SOME_OF));
QUERY(all_of_team_agent, OF_TEAM_AGENT(ALL_OF));
QUERY(some_of_team_agent, OF_TEAM_AGENT(SOME_OF));
QUERY(all_of_colleague, OF_COLLEAGUE(ALL_OF));
QUERY(some_of_colleague, OF_COLLEAGUE(SOME_OF));

/* The queries of one total. */
struct total_queries {
    const struct query *all, *some;
};
static const struct total_queries of_row = {&all_of_row, &some_of_row};
static const struct total_queries of_team_agent = {&all_of_team_agent, &some_of_team_agent};
static const struct total_queries of_colleague = {&all_of_colleague, &some_of_colleague};

static int counters_sum(struct work *w, const struct total_queries *q, const struct case_filter *f,
                        struct total_key key, int64_t *total) {
    struct bind binds[] = {B_INT("s1", 1),
                           B_INT("s2", 1),
                           B_INT("s3", 1),
                           B_INT("s4", 1),
                           B_INT("s5", 1),
                           B_INT("s6", 1),
                           B_NULL("level"),
                           B_INT("me", w->actor.user_id),
                           B_INT("agent", f->agent_id),
                           B_INT("kind", key.kind),
                           B_INT("id", key.id),
                           B_INT("with_id", key.with_id),
                           {0}};
    for (int type = STATUS_NEW; type <= STATUS_CUSTOM && f->by & BY_STATUS; type++)
        binds[type - 1].i = f->types >> type & 1;
    if (f->by & BY_LEVEL) binds[6] = (struct bind)B_INT("level", f->level);
    return db_int(w->conn, f->by & (BY_STATUS | BY_LEVEL) ? q->some : q->all, binds, total);
}

/* Returns 1 or a negative error. Most writes change no counter, so sums are kept in memory. */
static int total_read(struct work *w, const struct total_queries *q, const struct case_filter *f,
                      struct total_key key, int64_t *total) {
    int64_t types = f->by & BY_STATUS ? (int64_t)f->types : INT64_MIN,
            level = f->by & BY_LEVEL ? f->level : INT64_MIN; /* the level of a caller may be -1 */
    const struct kept_key of = {q,
                                {types, level, q == &of_row ? key.kind : w->actor.user_id,
                                 q == &of_row ? key.id : f->agent_id, key.with_id}};
    struct kept_value sum = {0};
    if (kept_value_find(w, KEPT_TOTALS, &of, &sum)) return *total = sum.number, 1;
    TRY(counters_sum(w, q, f, key, &sum.number));
    kept_value_put(w, KEPT_TOTALS, &of, &sum);
    return *total = sum.number, 1;
}

/* The counter of a caller who sees all conversations, or whose visibility is one of the filters. False:
 * there is none. */
static bool counter_of(const struct case_filter *f, struct total_key *key) {
    switch (f->by & ~(unsigned)(BY_STATUS | BY_LEVEL)) {
    case 0: *key = (struct total_key){.kind = TOTAL_TEAM, .with_id = TOTAL_WITH_ANY}; return true;
    case BY_TEAM:
        *key = (struct total_key){.kind = TOTAL_TEAM, .id = f->team_id, .with_id = TOTAL_WITH_ANY};
        return f->team_id != 0;
    case BY_AGENT:
        *key = (struct total_key){.kind = TOTAL_AGENT, .id = f->agent_id, .with_id = TOTAL_WITH_ANY};
        return true;
    case BY_TEAM | BY_AGENT: *key = pair_key(f->team_id, f->agent_id, 0); return f->team_id && f->agent_id;
    case BY_REQUESTER: *key = (struct total_key){.kind = TOTAL_REQUESTER, .id = f->requester_id}; return true;
    case BY_ORGANIZATION:
        *key = (struct total_key){.kind = TOTAL_ORGANIZATION, .id = f->organization_id};
        return true;
    case BY_TAG: *key = (struct total_key){.kind = TOTAL_TAG, .id = f->tag_id}; return f->tag_id != 0;
    default: return false;
    }
}

int case_total_of_all(struct work *w, const struct case_filter *f, int64_t *total) {
    struct total_key key;
    return counter_of(f, &key) ? total_read(w, &of_row, f, key, total) : 0;
}

/* The total of an agent who sees only the conversations assigned to the agent. */
static int total_of_self(struct work *w, const struct case_filter *f, int64_t *total) {
    struct case_filter own = *f;
    own.by |= BY_AGENT;
    own.agent_id = w->actor.user_id;
    *total = 0;
    return f->by & BY_AGENT && f->agent_id != w->actor.user_id ? 1 : case_total_of_all(w, &own, total);
}

QUERY(is_team_member, "SELECT 1 FROM team_members WHERE team_id = :team AND user_id = :me");

/* The total of an agent who sees the conversations of teams. */
static int total_of_team_agent(struct work *w, const struct case_filter *f, int64_t *total) {
    int64_t one;
    int member = 0;
    unsigned by = f->by & ~(unsigned)(BY_STATUS | BY_LEVEL);
    if (by == 0) return total_read(w, &of_team_agent, f, (struct total_key){0}, total);
    if (by & ~(unsigned)(BY_TEAM | BY_AGENT)) return 0;
    if (by & BY_TEAM)
        member = db_int(w->conn, &is_team_member,
                        BINDS(B_INT("team", f->team_id), B_INT("me", w->actor.user_id)), &one);
    TRY(member);
    if (member || (by & BY_AGENT && f->agent_id == w->actor.user_id)) return case_total_of_all(w, f, total);
    return by & BY_TEAM ? total_of_self(w, f, total)
                        : total_read(w, &of_colleague, f, (struct total_key){0}, total);
}

int case_total(struct work *w, const struct case_filter *f, int64_t *total) {
    const struct actor *a = &w->actor;
    struct case_filter own = *f;
    /* Readers leave out objects whose deletion is under way, but rows and counters still refer to them. */
    if (f->by & (BY_TEAM | BY_AGENT | BY_ORGANIZATION) && cascades_under_way(w)) return 0;
    if (a->rank < ROLE_CUSTOMER) return 0;
    if (a->rank == ROLE_CUSTOMER) {
        if (!(f->by & BY_ORGANIZATION)) own.by |= BY_REQUESTER;
        own.requester_id = a->user_id;
        return case_total_of_all(w, &own, total);
    }
    if (a->case_access == CASES_ALL) return case_total_of_all(w, f, total);
    return a->case_access == CASES_TEAMS ? total_of_team_agent(w, f, total) : total_of_self(w, f, total);
}
