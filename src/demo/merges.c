/* Merged conversations of a demo desk: the later of two open conversations of one customer survives. They
 * are merged as an agent merges them, because a merge moves rows of many tables. */
#include "demo/extras.h"

#include "core/cases/case_merge.h"
#include "core/all/cascades.h"
#include "core/all/finish.h"
#include "json/json.h"

/* The newest conversations are looked at, so that the cost does not grow with the desk. */
QUERY(demo_pairs, "SELECT MAX(t.id), MIN(t.id) FROM cases t "
                  "WHERE t.id > :after AND t.state = 1 AND t.status_type IN (2, 3) "
                  "GROUP BY t.requester_id HAVING COUNT(*) > 1 "
                  "ORDER BY MIN(t.id) LIMIT 20");
#define LOOKED_AT 20000

static int merge_pair(struct work *w, int64_t survivor, int64_t merged) {
    struct merge m;
    TRY(case_merge_load(w, survivor, &merged, 1, &m));
    TRY(case_merge(w, &m));
    TRY(work_finish(w));
    work_committed(w);
    work_rewind(w);
    return 0;
}

int fill_merges(struct conn *c, struct filling *f) {
    struct desk desk = {.db = f->db, .process = S("demo"), .cascades = cascades};
    struct work w = {
        .desk = &desk,
        .arena = f->arena,
        .conn = c,
        .now = f->world.end - 1,
        .actor = {.kind = ACTOR_PERSON, .rank = ROLE_AGENT, .user_id = DEMO_AGENT, .case_access = CASES_ALL}};
    int64_t pairs[20][2];
    int n = 0, rc;
    DB_ROWS(rc, c, &demo_pairs, BINDS(B_INT("after", f->world.conversations - LOOKED_AT)), row)
    if (n < 20) {
        pairs[n][0] = col_int(row, 0);
        pairs[n++][1] = col_int(row, 1);
    }
    TRY(rc);
    for (int i = 0; i < n; i++) TRY(merge_pair(&w, pairs[i][0], pairs[i][1]));
    return 0;
}
