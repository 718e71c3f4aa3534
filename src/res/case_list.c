#include "res/case_list.h"

#include "core/words.h"

#define BRANCHES 12 /* priorities; if more match, the list walks all conversations in its order */

QUERY(priorities_up_to, "SELECT id FROM case_priorities WHERE level <= :level ORDER BY level LIMIT 13");

static void branches_by_status(const struct in *status, struct branches *b) {
    static const char *const where[] = {"t.state = 1 AND t.status_type = 1", "t.state = 1 AND t.status_type = 2",
                                        "t.state = 1 AND t.status_type = 3", "t.state = 1 AND t.status_type = 4",
                                        "t.state = 1 AND t.status_type = 5", "t.state = 1 AND t.status_type = 6"};
    b->count = 0;
    for (int type = STATUS_NEW; type <= STATUS_CUSTOM; type++)
        for (int64_t i = 0; i < status->value.i; i++)
            if (status->value.ids[i] == type) {
                branch_add(b, where[type - 1]);
                break;
            }
}

/* Returns 1 if the branches say it all, 0 if the filter is still needed, or a negative error. */
static int branches_by_priority(struct call *c, int64_t level, struct branches *b) {
    static const char *const where[BRANCHES] = {
        "t.state = 1 AND t.priority_id = :priority0",  "t.state = 1 AND t.priority_id = :priority1",
        "t.state = 1 AND t.priority_id = :priority2",  "t.state = 1 AND t.priority_id = :priority3",
        "t.state = 1 AND t.priority_id = :priority4",  "t.state = 1 AND t.priority_id = :priority5",
        "t.state = 1 AND t.priority_id = :priority6",  "t.state = 1 AND t.priority_id = :priority7",
        "t.state = 1 AND t.priority_id = :priority8",  "t.state = 1 AND t.priority_id = :priority9",
        "t.state = 1 AND t.priority_id = :priority10", "t.state = 1 AND t.priority_id = :priority11"};
    int64_t *ids;
    int n = db_ids(c->work.conn, &priorities_up_to, BINDS(B_INT("level", level)), c->work.arena, &ids);
    TRY(n);
    if (n == 0 || n > BRANCHES) return 0;
    b->count = 0;
    for (int i = 0; i < n; i++) {
        branch_add(b, where[i]);
        branch_bind_int(b, strstr(where[i], ":priority"), ids[i]);
    }
    return 1;
}

int case_list_branches(struct call *c, struct branches *b) {
    const struct actor *a = &c->work.actor;
    struct in *status = arg(c, "status"), *priority = arg(c, "priority");
    if (a->rank < ROLE_COLLABORATOR || a->case_access != CASES_ALL) return 0;
    if (status->given && status->value.i) {
        branches_by_status(status, b);
        status->value.type = V_NULL;
        return 0;
    }
    if (!priority->given) return 0;
    int rc = branches_by_priority(c, priority->value.i, b);
    if (rc > 0) priority->value.type = V_NULL;
    return rc < 0 ? rc : 0;
}

void case_list_where(struct call *c, const char *condition) {
    c->where = c->where ? str_fmt(c->work.arena, "%s AND %s", c->where, condition).p : condition;
}
