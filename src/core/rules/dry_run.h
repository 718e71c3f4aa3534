/* The dry run of a trigger: what it would see and do now, without doing it. */
#ifndef CORE_DRY_RUN_H
#define CORE_DRY_RUN_H

#include "core/change/change.h"
#include "core/rules/action.h"

/* A proposition with the value that it saw. */
struct dry_proposition {
    const struct rule_proposition *stored;
    const struct fact *seen; /* NULL: the proposition is not valid any more */
    bool numbers, holds;
};
struct dry_collection {
    const struct rule_collection *stored;
    struct dry_proposition *propositions; /* parallel to those of `stored` */
    bool holds;
};
/* A change that an action would make; values as activities show them. */
struct dry_change {
    struct str field, from, to;
};
struct dry_action {
    const struct rule_action *action;
    struct dry_change *changes;
    int change_count;
    struct str sent;    /* the recipients, or "queued"; p NULL: nothing is sent */
    struct str refused; /* reason why the action would not run; p NULL: it would run */
};
struct dry_run {
    bool holds; /* all collections hold */
    struct dry_collection *collections;
    int collection_count;
    struct dry_action *actions;
    int action_count;
};

/* Evaluates a trigger, enabled or not, for a conversation. Then runs its actions in a savepoint, whether
 * or not it holds, and undoes them. So the effects are those of a real run on the same state. No change is
 * under way: history operators see none. Call it in a write that has changed nothing. Returns 1, 0 if the
 * trigger or the conversation is absent, or a negative error. */
int trigger_dry_run(struct work *w, int64_t trigger_id, int64_t case_id, struct dry_run *out);

#endif
