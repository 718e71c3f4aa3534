/* Views and macros of the demo desk. */
#include "base/fold.h"
#include "demo/fill.h"

#include "work/work.h"

QUERY(demo_view, "INSERT INTO views (title, type, visibility_type, agent_id, predicate_collections, "
                 "columns, order_by_column, order_by, sort_order, created_at, updated_at) "
                 "VALUES (:title, 4, 1, 1, :collections, :columns, :column, 2, :place, :now, :now)");
QUERY(demo_macro, "INSERT INTO macros (title, title_key, agent_id, visibility_type, reply_type, "
                  "reply_contents, assignee_type, status_id, priority_action, created_at, updated_at) "
                  "VALUES (:title, :key, 1, 3, 1, CAST(:contents AS TEXT), CAST(:assignee AS INTEGER), "
                  "CAST(:status AS BIGINT), CAST(:action AS INTEGER), :now, :now)");

#define ASKS(field, value)                                                                               \
    "{\"propositions\":[{\"field\":\"" field "\",\"operator\":\"comparison_equalto\",\"value\":\"" value \
    "\"}]}"
#define COLUMNS \
    "[\"subject\",\"requesterid\",\"casestatusid\",\"casepriorityid\",\"assigneeteamid\",\"assigneeagentid\",\"updatedat\"]"

static const struct {
    const char *title, *collections, *column;
} views[] = {
    {"My open conversations",
     "[" ASKS("cases.assigneeagentid", "(current_user)") "," ASKS("cases.casestatusid", "2") "]",
     "updatedat"},
    {"Unassigned", "[" ASKS("cases.assigneeteamid", "0") "," ASKS("cases.assigneeagentid", "0") "]",
     "createdat"},
    {"Urgent", "[" ASKS("cases.casepriorityid", "4") "]", "updatedat"},
    {"Waiting for the customer", "[" ASKS("cases.casestatusid", "3") "]", "lastagentrepliedat"},
    {"Reopened",
     "[{\"propositions\":[{\"field\":\"casemetrics.reopencount\",\"operator\":\"comparison_greaterthan\",\"value\":\"0\"}]}]",
     "updatedat"},
};

/* Numbers of enums in core/cases/macro.h; 0: none. */
static const struct {
    const char *title, *contents;
    int assignee, status, action;
} macros[] = {
    {"Ask for details",
     "Hello {{requester.name}},\n\nwhen did this begin, and what do you see then?\n\n{{agent.name}}", 2, 3,
     0},
    {"Escalate", NULL, 0, 2, 1},
    {"Solved",
     "Hello {{requester.name}},\n\nthis is solved now. Please write again if it is not.\n\n{{agent.name}}", 0,
     4, 0},
};

int fill_views(struct conn *c, struct filling *f) {
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        TRY(db_exec(c, &demo_view,
                    BINDS(B_TEXT("title", str_of(views[i].title)),
                          B_TEXT("collections", str_of(views[i].collections)), B_TEXT("columns", S(COLUMNS)),
                          B_TEXT("column", str_of(views[i].column)), B_INT("place", (int64_t)i + 4),
                          B_INT("now", f->world.start))));
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++)
        TRY(db_exec(
            c, &demo_macro,
            BINDS(B_TEXT("title", str_of(macros[i].title)),
                  B_TEXT("key", fold_key(f->arena, str_of(macros[i].title))),
                  B_TEXT("contents", macros[i].contents ? str_of(macros[i].contents) : (struct str){0}),
                  B_ID("assignee", macros[i].assignee), B_ID("status", macros[i].status),
                  B_ID("action", macros[i].action), B_INT("now", f->world.start))));
    return 0;
}
