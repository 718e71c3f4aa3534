/* Lists of conversations with filters.
 *
 * A list walks one index range in its order, and checks the other filters on each row. The range decides
 * the cost, so it is chosen here: the filter with the fewest conversations, as their counters say
 * (core/cases/case_total.h). The others are written with a unary plus, which keeps both engines from using
 * an index for them. Each type of status and each priority is a range of its own: a branch.
 *
 * A caller who sees a part of the conversations walks the branches of visibility. A requester, an
 * organization, an agent or a rare tag is a smaller range, so there visibility is checked on each row. So is a
 * range of statuses or priorities with fewer conversations than the caller sees. A team of the caller and the caller as agent are ranges without that check. */
#include "res/case_parts.h"

#include "api/rows/visible.h"
#include "core/cases/case_intersection.h"
#include "core/cases/snooze.h"
#include "core/cases/case_view.h"
#include "core/cases/view_count.h"
#include "core/desk/cascade.h"
#include "core/people/identity.h"
#include "core/words.h"

const struct word case_identity_types[] = {{IDENTITY_EMAIL + 1, "EMAIL"},
                                           {IDENTITY_PHONE + 1, "PHONE"},
                                           {IDENTITY_TWITTER + 1, "TWITTER"},
                                           {IDENTITY_FACEBOOK + 1, "FACEBOOK"},
                                           {0}};

#define FEW_TAGGED \
    2000 /* conversations that are read and sorted rather than searched for in the order of the list */
#define MOST_PRIORITIES 12 /* With more priorities than this, the list does not read a range for each. */

struct plan {
    struct call *call;
    struct branches *branches;
    struct case_filter filter;
    unsigned ranges;     /* the filters that may be the range */
    unsigned visible;    /* the filters whose whole range the caller sees */
    int64_t tagged;      /* conversations with these tags; FEW_TAGGED + 1: many */
    int64_t *priorities; /* ids */
    int priority_count;
    int first_bind;        /* of the filters, in the binds of the branches */
    struct condition kept; /* the list as a condition whose count is kept; sql NULL: it is not */
    const char *snoozed;   /* the conversations that the list leaves out because of a snooze; NULL: none */
};

/* ---- the filters ----------------------------------------------------------------------------- */

/* An argument that compares one column. */
static const struct equal {
    unsigned bit;
    const char *argument, *column, *gone; /* gone: objects that are being deleted; NULL: none */
    size_t id;                            /* offset in struct case_filter */
} equals[] = {
    {BY_TEAM, "assigned_team_id", "t.assigned_team_id", GONE_TEAMS, offsetof(struct case_filter, team_id)},
    {BY_AGENT, "assigned_agent_id", "t.assigned_agent_id", GONE_AGENTS,
     offsetof(struct case_filter, agent_id)},
    {BY_REQUESTER, "requester_id", "t.requester_id", NULL, offsetof(struct case_filter, requester_id)},
    {BY_ORGANIZATION, "organization_id", "t.organization_id", GONE_ORGANIZATIONS,
     offsetof(struct case_filter, organization_id)},
};
#define EQUALS (sizeof equals / sizeof *equals)

/* The parent of a nested list is a filter, too: its column has the name of an argument. Another id in the
 * argument finds nothing. */
static void take_equals(struct plan *p) {
    struct call *c = p->call;
    for (size_t i = 0; i < EQUALS; i++) {
        const struct in *in = arg(c, equals[i].argument);
        bool nested = c->within && strcmp(c->within->column, equals[i].argument) == 0;
        if (!in->given && !nested) continue;
        int64_t id = nested ? c->vars[0].id : in->value.i;
        p->filter.by |= equals[i].bit;
        *(int64_t *)(void *)((char *)&p->filter + equals[i].id) = in->given && in->value.i != id ? 0 : id;
    }
}

/* identity_type and identity_value find a requester. An unknown identity has no conversations. */
static int take_identity(struct plan *p) {
    struct call *c = p->call;
    const struct in *type = arg(c, "identity_type"), *value = arg(c, "identity_value");
    int64_t owner = 0;
    if (!type->given && !value->given) return 0;
    if (!type->given || !value->given)
        return fail_field(&c->work, ERR_FIELD_REQUIRED,
                          type->given ? S("identity_value") : S("identity_type"),
                          "identity_type and identity_value go together.");
    TRY(identity_owner(&c->work, (enum identity_kind)(type->value.i - 1), value->value.s, &owner));
    if (p->filter.by & BY_REQUESTER && p->filter.requester_id != owner) owner = 0;
    p->filter.by |= BY_REQUESTER;
    p->filter.requester_id = owner;
    return 0;
}

QUERY(tag_ids_of_keys, "SELECT id FROM tags WHERE name_key IN @TEXTS(:keys)");
QUERY(tagged_count,
      "SELECT COUNT(*) FROM (SELECT 1 AS one FROM case_tags WHERE tag_id IN @LIST(:tags) LIMIT 2001) k");

static int take_tags(struct plan *p) {
    struct call *c = p->call;
    const struct in *tags = arg(c, "tags");
    int64_t *ids;
    if (!tags->given || tags->value.type != V_TEXT) return 0;
    int n = db_ids(c->work.conn, &tag_ids_of_keys, BINDS(B_TEXT("keys", tags->value.s)), c->work.arena, &ids);
    TRY(n);
    p->filter.by |= BY_TAG;
    p->filter.tag_id = n == 1 ? ids[0] : 0;
    p->filter.tag_ids = json_ids(c->work.arena, ids, (size_t)n);
    return db_int(c->work.conn, &tagged_count, BINDS(B_TEXT("tags", p->filter.tag_ids)), &p->tagged);
}

QUERY(priorities_up_to, "SELECT id FROM case_priorities "
                        "WHERE level <= CAST(:level AS BIGINT) ORDER BY level LIMIT 13");

/* types: those of the whole list; 0: all. */
static int take_status_and_priority(struct plan *p, unsigned types) {
    struct call *c = p->call;
    const struct in *status = arg(c, "status"), *priority = arg(c, "priority");
    for (int64_t i = 0; status->given && i < status->value.i; i++)
        p->filter.types |= 1U << status->value.ids[i];
    if (types) p->filter.types = status->given ? p->filter.types & types : types;
    if (types || status->given) p->filter.by |= BY_STATUS;
    if (!priority->given) return 0;
    p->filter.by |= BY_LEVEL;
    p->filter.level = priority->value.i;
    int n = db_ids(c->work.conn, &priorities_up_to, BINDS(B_INT("level", p->filter.level)), c->work.arena,
                   &p->priorities);
    p->priority_count = n;
    return n < 0 ? n : 0;
}

/* ---- the range ------------------------------------------------------------------------------- */

static void branches_by_status(struct plan *p) {
    static const char *const where[] = {
        "t.state = 1 AND t.status_type = 1", "t.state = 1 AND t.status_type = 2",
        "t.state = 1 AND t.status_type = 3", "t.state = 1 AND t.status_type = 4",
        "t.state = 1 AND t.status_type = 5", "t.state = 1 AND t.status_type = 6"};
    for (int type = STATUS_NEW; type <= STATUS_CUSTOM; type++)
        if (p->filter.types >> type & 1) branch_add(p->branches, where[type - 1]);
}

static void branches_by_priority(struct plan *p) {
    static const char *const where[MOST_PRIORITIES] = {
        "t.state = 1 AND t.priority_id = :priority0",  "t.state = 1 AND t.priority_id = :priority1",
        "t.state = 1 AND t.priority_id = :priority2",  "t.state = 1 AND t.priority_id = :priority3",
        "t.state = 1 AND t.priority_id = :priority4",  "t.state = 1 AND t.priority_id = :priority5",
        "t.state = 1 AND t.priority_id = :priority6",  "t.state = 1 AND t.priority_id = :priority7",
        "t.state = 1 AND t.priority_id = :priority8",  "t.state = 1 AND t.priority_id = :priority9",
        "t.state = 1 AND t.priority_id = :priority10", "t.state = 1 AND t.priority_id = :priority11"};
    for (int i = 0; i < p->priority_count; i++) {
        branch_add(p->branches, where[i]);
        branch_bind_int(p->branches, strstr(where[i], ":priority"), p->priorities[i]);
    }
}

/* The number of conversations in the range of one filter. */
static int64_t size_of(struct plan *p, unsigned bit) {
    struct case_filter one = p->filter;
    int64_t size = 0;
    one.by = bit;
    if (bit == BY_TAG) return p->tagged > FEW_TAGGED ? INT64_MAX : p->tagged;
    return case_total_of_all(&p->call->work, &one, &size) > 0 ? size : INT64_MAX - 1;
}

/* The bit of the smallest range; 0: none. */
static unsigned smallest_range(struct plan *p) {
    unsigned best = 0;
    int64_t least = INT64_MAX;
    if ((p->ranges & (p->ranges - 1)) == 0 && p->ranges != BY_TAG) return p->ranges;
    for (unsigned bit = 1; bit <= BY_TAG; bit <<= 1) {
        int64_t size = p->ranges & bit ? size_of(p, bit) : INT64_MAX;
        if (size >= least) continue;
        least = size;
        best = bit;
    }
    return best;
}

static const char *equal_text(struct plan *p, const struct equal *e, const char *plus) {
    struct arena *a = p->call->work.arena;
    const char *gone = e->gone ? str_fmt(a, " AND +%s NOT IN %s", e->column, e->gone).p : "";
    return str_fmt(a, "%s%s = :%s%s", plus, e->column, e->argument, gone).p;
}

#define TAGGED_BY "(SELECT k.case_id FROM case_tags k WHERE k.tag_id IN @LIST(:tag_ids))"

static void begin_range(struct plan *p, unsigned range) {
    struct branches *b = p->branches;
    struct arena *a = p->call->work.arena;
    if (range == 0) return;
    b->count = 0;
    b->overlap = false;
    if (range == BY_STATUS) branches_by_status(p);
    if (range == BY_LEVEL) branches_by_priority(p);
    if (range == BY_TAG) branch_add(b, "t.state = 1 AND t.id IN " TAGGED_BY);
    for (size_t i = 0; i < EQUALS; i++)
        if (range == equals[i].bit)
            branch_add(b, str_fmt(a, "t.state = 1 AND %s", equal_text(p, &equals[i], "")).p);
}

static void add_condition(struct plan *p, const char *condition) {
    struct call *c = p->call;
    c->where = c->where ? str_fmt(c->work.arena, "%s AND %s", c->where, condition).p : condition;
}

static bool has_few_priorities(const struct plan *p) { return p->priority_count <= MOST_PRIORITIES; }

/* The filters beside the range, each checked on a row. */
static void check_others(struct plan *p, unsigned range) {
    unsigned left = p->filter.by & ~range;
    if (left & BY_STATUS) add_condition(p, "+t.status_type IN @LIST(:types)");
    if (left & BY_LEVEL)
        add_condition(p, has_few_priorities(p) ? "+t.priority_id IN @LIST(:priority_ids)"
                                               : "+t.priority_id IN (SELECT p.id FROM case_priorities p "
                                                 "WHERE p.level <= CAST(:level AS BIGINT))");
    if (left & BY_TAG)
        add_condition(p, p->tagged <= FEW_TAGGED ? "+t.id IN " TAGGED_BY
                                                 : "EXISTS (SELECT 1 FROM case_tags k WHERE k.case_id = t.id "
                                                   "AND k.tag_id IN @LIST(:tag_ids))");
    for (size_t i = 0; i < EQUALS; i++)
        if (left & equals[i].bit) add_condition(p, equal_text(p, &equals[i], "+"));
}

static void bind_filters(struct plan *p) {
    struct branches *b = p->branches;
    struct arena *a = p->call->work.arena;
    const struct case_filter *f = &p->filter;
    int64_t types[STATUS_CUSTOM];
    size_t count = 0;
    for (int type = STATUS_NEW; type <= STATUS_CUSTOM; type++)
        if (f->types >> type & 1) types[count++] = type;
    if (f->by & BY_STATUS) branch_bind_text(b, ":types", json_ids(a, types, count));
    if (f->by & BY_LEVEL) branch_bind_int(b, ":level", f->level);
    if (f->by & BY_LEVEL)
        branch_bind_text(b, ":priority_ids", json_ids(a, p->priorities, (size_t)p->priority_count));
    if (f->by & BY_TAG) branch_bind_text(b, ":tag_ids", p->filter.tag_ids);
    for (size_t i = 0; i < EQUALS; i++)
        if (f->by & equals[i].bit)
            branch_bind_int(b, str_fmt(a, ":%s", equals[i].argument).p,
                            *(const int64_t *)(const void *)((const char *)f + equals[i].id));
}

/* The branches of visibility as a condition on a row. */
static void check_visibility(struct plan *p) {
    struct buf sql = {0};
    branches_condition(p->branches, &sql);
    add_condition(p, buf_take(&sql, p->call->work.arena).p);
}

/* The filters that may be the range. For a caller who sees a part, a team only as a whole. */
static unsigned ranges_of(const struct plan *p, bool sees_all) {
    unsigned may = BY_REQUESTER | BY_ORGANIZATION | BY_AGENT | BY_TAG;
    if (sees_all || p->visible & BY_TEAM) may |= BY_TEAM;
    if (p->filter.types) may |= BY_STATUS;
    if (p->priority_count > 0 && p->priority_count <= MOST_PRIORITIES) may |= BY_LEVEL;
    return p->filter.by & may;
}

/* Without statuses and priorities that have more conversations than a caller sees who sees a part. */
static int leave_out_large(struct plan *p) {
    int64_t seen = 0;
    if (!(p->ranges & (BY_STATUS | BY_LEVEL))) return 0;
    int known = case_total(&p->call->work, &(struct case_filter){0}, &seen);
    TRY(known);
    for (unsigned bit = BY_STATUS; bit <= BY_LEVEL; bit <<= 1)
        if (p->ranges & bit && (known == 0 || size_of(p, bit) >= seen)) p->ranges &= ~bit;
    return 0;
}

/* An agent who sees the conversations of teams sees a team of the agent as a whole. In another team, the
 * agent sees only the agent's own conversations, so the other branches are left out. */
static int narrow_to_team(struct plan *p) {
    struct work *w = &p->call->work;
    struct case_reader *reader;
    if (w->actor.case_access != CASES_TEAMS || !(p->filter.by & BY_TEAM)) return 0;
    TRY(access_case_reader(w, &reader));
    if (access_case_of(reader, p->filter.team_id, 0)) {
        p->visible |= BY_TEAM;
        return 0;
    }
    p->branches->count = 0;
    p->branches->overlap = false;
    branch_add(p->branches, "t.state = 1 AND t.assigned_agent_id = :me");
    return 0;
}

static int plan_for_staff(struct plan *p, bool sees_all) {
    const struct case_filter *f = &p->filter;
    if (sees_all) p->visible = ~0U;
    else if (f->by & BY_AGENT && f->agent_id == p->call->work.actor.user_id) p->visible = BY_AGENT;
    TRY(narrow_to_team(p));
    p->ranges = ranges_of(p, sees_all);
    return sees_all ? 0 : leave_out_large(p);
}

/* The branches that a customer sees are counted as a filter. */
static void count_by_visibility(struct plan *p) {
    struct call *c = p->call;
    if (c->work.actor.rank != ROLE_CUSTOMER || !c->work.actor.sees_organization || !arg(c, "filters")->given)
        return;
    p->filter.by |= BY_ORGANIZATION;
    p->filter.organization_id = c->work.actor.organization_id;
}

static int case_count(struct work *w, const struct case_filter *f, int64_t *total) {
    int known = case_total(w, f, total);
    return known ? known : case_total_of_both(w, f, total);
}

/* A walk that finds nothing reads its whole range. */
static int end_if_empty(struct plan *p) {
    int64_t total = 0;
    int known = case_count(&p->call->work, &p->filter, &total);
    if (known > 0 && total == 0) p->branches->count = 0;
    p->filter.counted = known > 0;
    p->filter.total = total;
    return known < 0 ? known : 0;
}

static int plan_begin(struct call *c, struct branches *b, unsigned types, struct plan **out) {
    struct plan *p = *out = ARENA_NEW(c->work.arena, struct plan);
    *p = (struct plan){.call = c, .branches = b};
    c->branches = b;
    c->counting = p;
    TRY(take_status_and_priority(p, types));
    if (strcmp(c->resource->type, "case") == 0) {
        take_equals(p);
        TRY(take_identity(p));
        TRY(take_tags(p));
    }
    p->first_bind = b->bind_count;
    bind_filters(p);
    return 0;
}

static bool staff_sees_all(const struct call *c) {
    return c->work.actor.rank >= ROLE_COLLABORATOR && c->work.actor.case_access == CASES_ALL;
}

/* The filters but `range` as a condition on a row of any conversation. sql is NULL if its count can't be kept, because the
 * organization of a conversation and the levels of priorities change without an entry in the change log. Priorities that are
 * listed by their ids make another condition after a change of a level. */
static struct condition kept_condition(struct plan *p, const char *first, unsigned range) {
    struct call *c = p->call;
    const char *where = c->where;
    struct branches *b = p->branches;
    struct condition made = {NULL, &b->binds[p->first_bind], b->bind_count - p->first_bind};
    if (p->filter.by & BY_LEVEL && !has_few_priorities(p)) return made;
    if (p->filter.by & BY_ORGANIZATION || cascades_under_way(&c->work)) return made;
    c->where = first;
    check_others(p, range);
    made.sql = c->where;
    c->where = where;
    return made;
}

int case_list_check(struct call *c, struct branches *b, struct condition *kept) {
    struct plan *p;
    int64_t total;
    TRY(plan_begin(c, b, 0, &p));
    bool active = c->where == NULL;
    *kept = kept_condition(p, NULL, 0);
    if (active) TRY(plan_for_staff(p, staff_sees_all(c)));
    p->ranges &= BY_REQUESTER | BY_ORGANIZATION | BY_AGENT | BY_TAG;
    unsigned range = p->ranges ? smallest_range(p) : 0;
    if (range && size_of(p, range) > FEW_TAGGED) range = 0;
    if (range) kept->sql = NULL;
    if (range & ~p->visible) check_visibility(p);
    begin_range(p, range);
    check_others(p, range);
    int known = active ? case_total(&c->work, &p->filter, &total) : 0;
    if (known > 0 && total == 0) b->count = 0;
    return known < 0 ? known : p->filter.by != 0;
}

/* The visible conversations that meet the filters, as a condition on a row. */
static const char *all_checks(struct plan *p, const char *visible) {
    struct call *c = p->call;
    const char *where = c->where;
    c->where = visible;
    check_others(p, 0);
    const char *made = c->where;
    c->where = where;
    return made;
}

/* visible: p NULL, or the list leaves out snoozed conversations: the visibility of a row */
static int plan_list(struct call *c, struct branches *b, unsigned types, struct str visible) {
    struct plan *p;
    bool staff = c->work.actor.rank >= ROLE_COLLABORATOR, sees_all = staff_sees_all(c);
    TRY(plan_begin(c, b, types, &p));
    if (visible.p) p->snoozed = all_checks(p, visible.p);
    if (p->filter.by & BY_STATUS && p->filter.types == 0) {
        b->count = 0;
        p->filter.counted = true;
        return 0;
    }
    if (staff) TRY(plan_for_staff(p, sees_all));
    unsigned range = smallest_range(p);
    if (range & ~p->visible) check_visibility(p);
    begin_range(p, range);
    check_others(p, range);
    count_by_visibility(p);
    /* no counter has a tag of a part of the conversations, or several tags */
    if (staff && p->tagged > FEW_TAGGED && !(range & ~(unsigned)(BY_TEAM | BY_STATUS | BY_LEVEL)))
        p->kept = kept_condition(p, "t.id IN " TAGGED_BY, BY_TAG);
    /* the range is the list */
    bool exact = !(range & ~p->visible) && (sees_all || range) && (p->filter.by & (p->filter.by - 1)) == 0;
    return staff && !exact ? end_if_empty(p) : 0;
}

int case_list_plan(struct call *c, struct branches *b, unsigned types) {
    return plan_list(c, b, types, (struct str){0});
}

int case_list_plan_inbox(struct call *c, struct branches *b) {
    struct buf visible = {0};
    access_cases(&c->work, b);
    branches_condition(b, &visible);
    c->where = "t.snoozed_at IS NULL";
    return plan_list(c, b, INBOX_TYPES, buf_take(&visible, c->work.arena));
}

static int count_all(struct call *c, const struct plan *p, int64_t *total) {
    struct view_rows rows = {.type = VIEW_CUSTOM, .state = "t.state = 1", .condition = p->kept};
    *total = p->filter.total;
    if (p->filter.counted) return 1;
    int known = case_count(&c->work, &p->filter, total);
    return known == 0 && p->kept.sql ? counting_exact(&c->work, &rows, total) : known;
}

/* No counter leaves out snoozed conversations, which are few. */
int case_list_count(struct call *c, int64_t *total) {
    const struct plan *p = c->counting;
    int64_t snoozed = 0;
    int known = count_all(c, p, total);
    if (known <= 0 || *total == 0 || p->snoozed == NULL) return known;
    TRY(snoozed_count(&c->work, p->snoozed, p->branches->binds, p->branches->bind_count, &snoozed));
    *total -= snoozed;
    return known;
}
