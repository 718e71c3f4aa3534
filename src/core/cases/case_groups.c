#include "core/cases/case_groups.h"

#include "base/buf.h"
#include "base/ids.h"
#include "core/cases/case_view.h"
#include "core/change/change.h"
#include "core/change/log.h"
#include "core/desk/cascade.h"
#include "json/json.h"

#include <stdlib.h>

#define FOLLOWED_MOST 1000 /* entries of the change log */

/* ---- groups ---------------------------------------------------------------------------------- */

/* Groups with a hash table of their places. */
struct grouping {
    struct arena *arena;
    struct case_groups *out;
    int room, bits;
    int *slots; /* place + 1; 0: free */
};

static int *group_slot(struct grouping *g, int64_t team, int64_t agent) {
    uint64_t hash = ((uint64_t)team * 0x9E3779B97F4A7C15U) ^ ((uint64_t)agent * 0xC2B2AE3D27D4EB4FU);
    uint64_t mask = (UINT64_C(1) << g->bits) - 1;
    for (uint64_t at = (hash ^ (hash >> 32)) & mask;; at = (at + 1) & mask) {
        const struct case_group *group = g->slots[at] ? &g->out->groups[g->slots[at] - 1] : NULL;
        if (group == NULL || (group->team == team && group->agent == agent)) return &g->slots[at];
    }
}

static void group_slots_make(struct grouping *g, int bits) {
    g->bits = bits;
    g->slots = arena_array(g->arena, (size_t)1 << bits, sizeof *g->slots);
    memset(g->slots, 0, ((size_t)1 << bits) * sizeof *g->slots);
    for (int i = 0; i < g->out->count; i++)
        *group_slot(g, g->out->groups[i].team, g->out->groups[i].agent) = i + 1;
}

/* Adds n to a group. Returns its place. */
static int group_add(struct grouping *g, int64_t team, int64_t agent, int64_t n) {
    struct case_groups *out = g->out;
    if (2 * out->count >= 1 << g->bits) group_slots_make(g, g->bits + 2);
    int *slot = group_slot(g, team, agent);
    if (*slot == 0) {
        out->groups = arena_more(g->arena, out->groups, out->count, &g->room, sizeof *out->groups);
        out->groups[out->count++] = (struct case_group){team, agent, 0};
        *slot = out->count;
    }
    out->groups[*slot - 1].n += n;
    return *slot - 1;
}

static struct grouping grouping_begin(struct work *w, struct case_groups *out) {
    struct grouping g = {.arena = w->arena, .out = out};
    group_slots_make(&g, 8);
    return g;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* A row that still refers to a deleted team or agent counts as one without a team or an agent. */
#define TEAM_AND_AGENT                                                                 \
    "COALESCE(" UNLESS_GONE("t.assigned_team_id",                                      \
                            GONE_TEAMS) ", 0) AS team, "                               \
                                        "COALESCE(" UNLESS_GONE("t.assigned_agent_id", \
                                                                GONE_AGENTS) ", 0) AS agent"

static int groups_start(struct work *w, struct buf *sql, const struct bind *binds, struct stmt **s) {
    buf_char(sql, 0);
    int rc = db_start(w->conn, sql->p, binds, s);
    buf_free(sql);
    return rc;
}

static int count_by_group(struct work *w, const struct view_rows *rows, struct case_groups *out) {
    struct grouping g = grouping_begin(w, out);
    struct buf sql = {0};
    struct stmt *s;
    int rc;
    buf_fmt(&sql,
            "SELECT g.team, g.agent, COUNT(*) FROM (SELECT " TEAM_AND_AGENT
            " FROM cases t WHERE %s AND %s) g GROUP BY g.team, g.agent",
            rows->state, rows->condition.sql);
    TRY(groups_start(w, &sql, rows->condition.binds, &s));
    while ((rc = stmt_step(s)) == 1) group_add(&g, col_int(s, 0), col_int(s, 1), col_int(s, 2));
    stmt_end(s);
    return rc;
}

struct member {
    uint64_t of;
    struct case_key key;
};

static struct case_key member_key_read(const struct case_column *order, struct stmt *row) {
    if (order == NULL) return (struct case_key){0, 0};
    return order->is_text ? case_key_of_text(col_text(row, 3))
                          : case_key_of_number(col_int(row, 3), col_int(row, 0));
}

static int member_compare(const void *x, const void *y) {
    const struct member *a = x, *b = y;
    return (a->of > b->of) - (a->of < b->of);
}

/* Reads the rows of a statement as members that ascend, and adds them to the groups. Returns their number,
 * or a negative error. */
static int members_read(struct grouping *g, const struct view_rows *rows, struct stmt *s,
                        struct member **out) {
    struct member *list = NULL;
    int n = 0, room = 0, rc;
    while ((rc = stmt_step(s)) == 1) {
        int place = group_add(g, col_int(s, 1), col_int(s, 2), 1);
        list = arena_more(g->arena, list, n, &room, sizeof *list);
        list[n++] = (struct member){.of = (uint64_t)col_int(s, 0) << MEMBER_BITS | (uint64_t)place,
                                    .key = member_key_read(rows->order, s)};
    }
    stmt_end(s);
    if (n) qsort(list, (size_t)n, sizeof *list, member_compare);
    *out = list;
    return rc < 0 ? rc : n;
}

/* Room for n members. */
static void members_make(struct grouping *g, const struct view_rows *rows, int n) {
    g->out->members = arena_array(g->arena, (size_t)n + 1, sizeof *g->out->members);
    if (rows->order) g->out->keys = arena_array(g->arena, (size_t)n + 1, sizeof *g->out->keys);
}

static void member_put(struct case_groups *g, int at, const struct member *m) {
    g->members[at] = m->of;
    if (g->keys) g->keys[at] = m->key;
}

/* The columns of members. */
static const char *member_columns(struct arena *a, const struct view_rows *rows) {
    return rows->order ? str_fmt(a, "t.id, " TEAM_AND_AGENT ", %s AS k", rows->order->key).p
                       : "t.id, " TEAM_AND_AGENT;
}

/* Clocks of SLAs change without entries in the change log, and so do the rows of a cascade. */
static int can_follow(struct work *w, const struct view_rows *rows) {
    return strstr(rows->condition.sql, "sla_") == NULL && !cascades_under_way(w);
}

static bool is_followed(const struct case_groups *g) {
    return g->member_count <= MEMBERS_MOST && g->count < 1 << MEMBER_BITS;
}

int case_groups_count(struct work *w, const struct view_rows *rows, bool with_members,
                      struct case_groups *out) {
    *out = (struct case_groups){0};
    if (!with_members || !can_follow(w, rows)) return count_by_group(w, rows, out);
    int replica = change_log_on_replica(w);
    if (replica) return replica < 0 ? replica : count_by_group(w, rows, out);
    struct grouping g = grouping_begin(w, out);
    struct buf sql = {0};
    struct stmt *s;
    struct member *list;
    buf_fmt(&sql, "SELECT %s FROM cases t WHERE %s AND %s LIMIT %d", member_columns(w->arena, rows),
            rows->state, rows->condition.sql, MEMBERS_MOST + 1);
    TRY(groups_start(w, &sql, rows->condition.binds, &s));
    int n = members_read(&g, rows, s, &list);
    TRY(n);
    members_make(&g, rows, n);
    for (int i = 0; i < n; i++) member_put(out, i, &list[i]);
    out->member_count = n;
    if (is_followed(out)) return 0;
    *out = (struct case_groups){.large = true};
    return count_by_group(w, rows, out);
}

/* ---- following ------------------------------------------------------------------------------- */

QUERY(groups_entries, "SELECT kind, verb, object_id, COALESCE(case_id, 0) FROM change_log "
                      "WHERE @UNSEEN(:place) LIMIT 1001");

/* The conversation that an entry is about; 0: none; -1: any. */
static int64_t case_of_entry(struct stmt *row) {
    struct str kind = col_text(row, 0);
    bool created = col_int(row, 1) == CHANGE_CREATED;
    if (str_eq(kind, S("case"))) return col_int(row, 2);
    if (str_eq(kind, S("notification")) || str_eq(kind, S("notifications"))) return 0;
    if (col_int(row, 3)) return col_int(row, 3);
    return created && (str_eq(kind, S("user")) || str_eq(kind, S("organization"))) ? 0 : -1;
}

/* Returns the number of changed conversations, or a negative error. *ids ascend. *any: others may have
 * changed, too. */
static int changed_since(struct work *w, struct str place, int64_t **ids, bool *any) {
    int n = 0, entries = 0, rc;
    *ids = arena_array(w->arena, FOLLOWED_MOST + 1, sizeof **ids);
    DB_ROWS(rc, w->conn, &groups_entries, BINDS(B_TEXT("place", place)), row) {
        int64_t id = case_of_entry(row);
        if (++entries > FOLLOWED_MOST || id < 0) *any = true;
        else if (id) (*ids)[n++] = id;
    }
    return rc < 0 ? rc : ids_sort_once(*ids, n);
}

/* Adds new members at their places among the others. There is room. */
static void members_merge(struct case_groups *g, const struct member *added, int n) {
    int from = g->member_count, at = from + n;
    g->member_count = at;
    while (n > 0) {
        bool is_added = from == 0 || added[n - 1].of > g->members[from - 1];
        at--;
        if (is_added) {
            member_put(g, at, &added[--n]);
            continue;
        }
        g->members[at] = g->members[--from];
        if (g->keys) g->keys[at] = g->keys[from];
    }
}

/* Appends the members that are not among the changed ones, with room for these. */
static void keep_unchanged(struct grouping *g, const struct case_groups *from, const int64_t *ids, int n) {
    struct case_groups *out = g->out;
    for (int i = 0, at = 0; i < from->member_count; i++) {
        int64_t id = member_id(from->members[i]);
        while (at < n && ids[at] < id) at++;
        if (at < n && ids[at] == id) out->groups[member_group(from->members[i])].n--;
        else
            member_put(
                out, out->member_count++,
                &(struct member){from->members[i], from->keys ? from->keys[i] : (struct case_key){0, 0}});
    }
}

/* CROSS: SQLite reads the conversations by their ids, and not by an index that the condition has, too. */
static int read_changed(struct work *w, const struct view_rows *rows, struct str ids, struct grouping *g,
                        struct member **list) {
    const struct condition *c = &rows->condition;
    struct bind *binds = arena_array(w->arena, (size_t)c->count + 2, sizeof *binds);
    struct buf sql = {0};
    struct stmt *s;
    memcpy(binds, c->binds, (size_t)c->count * sizeof *binds);
    binds[c->count] = (struct bind)B_TEXT("changed_ids", ids);
    binds[c->count + 1] = (struct bind){0};
    buf_fmt(&sql,
            "SELECT %s FROM @EACH_ID(:changed_ids) k @SQLITE{CROSS}@ JOIN cases t ON t.id = k.value "
            "WHERE %s AND %s",
            member_columns(w->arena, rows), rows->state, c->sql);
    TRY(groups_start(w, &sql, binds, &s));
    return members_read(g, rows, s, list);
}

int case_groups_follow(struct work *w, const struct view_rows *rows, const struct case_groups *from,
                       struct str place, struct case_groups *out) {
    int64_t *ids;
    bool any = false;
    if (!can_follow(w, rows)) return 0;
    int sees = change_log_sees(w, place);
    if (sees <= 0) return sees;
    int n = changed_since(w, place, &ids, &any);
    if (n < 0 || any) return n < 0 ? n : 0;
    *out = (struct case_groups){0};
    struct grouping g = grouping_begin(w, out);
    for (int i = 0; i < from->count; i++)
        group_add(&g, from->groups[i].team, from->groups[i].agent, from->groups[i].n);
    members_make(&g, rows, from->member_count + n);
    keep_unchanged(&g, from, ids, n);
    struct member *changed = NULL;
    int found = n ? read_changed(w, rows, json_ids(w->arena, ids, (size_t)n), &g, &changed) : 0;
    TRY(found);
    members_merge(out, changed, found);
    return is_followed(out);
}
