/* A conversation is open just before a moment if it is open now and was neither completed nor reopened since,
 * or if more completions than reopenings since then lead back to that. So the list walks the conversations
 * that are open now, in its order, and reads facts only from the moment on. Its cost are the rows of the page
 * and the events since the moment: none for a backlog of now, whatever the age of the desk. Adding up the
 * facts until the moment would read all of them. */
#include "core/reports/backlog.h"

#include "core/words.h"

#define FINISHED "(4, 5)" /* status_is_done */
#define SINCE " AND f.at >= :backlog_at"

/* The plus keeps an engine from reading all events since the moment for each row. */
#define FLIPS_OF_ROW \
    "FROM report_facts f WHERE f.case_id = t.id AND +f.kind IN (2, 7) AND +f.at >= :backlog_at"
#define OPEN_SINCE " AND NOT EXISTS (SELECT 1 " FLIPS_OF_ROW ")"
#define ACTIVE "t.state = 1"
#define COMPLETED_SINCE " AND t.id IN (SELECT f.case_id FROM report_facts f WHERE f.kind = 7" SINCE ")"
#define WAS_OPEN                                                              \
    " AND (SELECT SUM(CASE WHEN f.kind = 7 THEN 1 ELSE -1 END) " FLIPS_OF_ROW \
    ") + CASE WHEN t.status_type IN " FINISHED " THEN 0 ELSE 1 END = 1"
_Static_assert(FACT_CREATED == 1 && FACT_REOPENED == 2 && FACT_COMPLETED == 7, "numbers in the SQL");
_Static_assert(STATUS_COMPLETED == 4 && STATUS_CLOSED == 5, "numbers in the SQL");

/* ---- conditions ------------------------------------------------------------------------------ */

static const struct {
    const char *is, *name;
} properties[REPORT_DIMENSIONS] = {
    [BY_CHANNEL] = {" AND t.channel = :only_channel", ":only_channel"},
    [BY_TEAM_NOW] = {" AND COALESCE(t.assigned_team_id, 0) = :only_team", ":only_team"},
    [BY_AGENT_NOW] = {" AND COALESCE(t.assigned_agent_id, 0) = :only_agent", ":only_agent"},
    [BY_PRIORITY] = {" AND COALESCE(t.priority_id, 0) = :only_priority", ":only_priority"},
    [BY_ORGANIZATION_NOW] = {" AND COALESCE(t.organization_id, 0) = :only_organization",
                             ":only_organization"},
};

static void add_properties(const struct report_only *only, struct buf *sql, struct branches *out) {
    for (int d = BY_CHANNEL; d < KEYED_DIMENSIONS; d++) {
        if (!only->by[d] || properties[d].is == NULL) continue;
        buf_text(sql, properties[d].is);
        branch_bind_int(out, properties[d].name, only->key[d]);
    }
    if (!only->by[BY_EACH_TAG]) return;
    int64_t tag = only->key[BY_EACH_TAG];
    buf_text(sql,
             tag ? " AND EXISTS (SELECT 1 FROM case_tags k WHERE k.case_id = t.id AND k.tag_id = :only_tag)"
                 : " AND NOT EXISTS (SELECT 1 FROM case_tags k WHERE k.case_id = t.id)");
    if (tag) branch_bind_int(out, ":only_tag", tag);
}

static const int64_t ages[BACKLOG_AGES + 1] = {0, TIME_DAY, 7 * TIME_DAY, 30 * TIME_DAY, 0};

struct backlog_age backlog_age(const struct metric_part *part, int64_t at) {
    int age = 0;
    while (part && age + 1 < BACKLOG_AGES && !(part->parts >> (BACKLOG_ENTERS + age) & 1U)) age++;
    bool all = part == NULL || age + 1 == BACKLOG_AGES;
    return (struct backlog_age){all ? INT64_MIN : at - ages[age + 1], at - (part ? ages[age] : 0)};
}

/* The plus keeps SQLite from the range of all older conversations, which is not in the order of the list. */
static void add_age(const struct backlog *b, struct buf *sql, struct branches *out) {
    struct backlog_age age = backlog_age(b->part, b->at);
    buf_text(sql, " AND +t.created_at < :backlog_before");
    branch_bind_int(out, ":backlog_before", age.to);
    if (age.from == INT64_MIN) return;
    buf_text(sql, " AND t.created_at >= :backlog_from");
    branch_bind_int(out, ":backlog_from", age.from);
}

/* ---- the list -------------------------------------------------------------------------------- */

QUERY(backlog_oldest, "SELECT COALESCE(MIN(t.created_at), 0) FROM cases t WHERE t.state = 1");

/* Conversations that were completed since, or in the first half of the time of the desk those that were
 * created until then, which are fewer. */
static int choose_earlier(struct work *w, struct backlog *b) {
    int64_t oldest;
    TRY(db_int(w->conn, &backlog_oldest, NULL, &oldest));
    b->earlier = b->at < oldest + (w->now - oldest) / 2 ? ACTIVE " AND t.created_at < :backlog_at" WAS_OPEN
                                                        : ACTIVE COMPLETED_SINCE WAS_OPEN;
    return 0;
}

int backlog_branches(struct work *w, struct backlog *b, struct branches *out) {
    struct arena *a = w->arena;
    struct buf rest = {0};
    TRY(choose_earlier(w, b));
    branch_bind_int(out, ":backlog_at", b->at);
    add_age(b, &rest, out);
    add_properties(b->only, &rest, out);
    buf_fmt(&rest, " AND %s", b->visible);
    const char *all = buf_take(&rest, a).p;
    for (int type = STATUS_NEW; type <= STATUS_CUSTOM; type++)
        if (!status_is_done(type))
            branch_add(out, str_fmt(a, ACTIVE " AND t.status_type = %d" OPEN_SINCE "%s", type, all).p);
    branch_add(out, str_fmt(a, "%s%s", b->earlier, all).p);
    return 0;
}
