/* The enabled rules of a desk, compiled once for each process. The essay is in rule_cache.c. */
#ifndef CORE_RULE_CACHE_H
#define CORE_RULE_CACHE_H

#include "base/kept_set.h"
#include "core/rules/rule.h"
#include "core/rules/rule_index.h"
#include "core/rules/rule_predicate.h"

/* An enabled rule. */
struct rule {
    int64_t id, version_id; /* version_id: of SLAs */
    struct str title;
    const struct predicate *predicate; /* never NULL; without collections it holds for every conversation */
    int channel, event;                /* triggers; 0: any */
    const struct rule_action *actions; /* triggers: core/rules/action.h */
    int action_count;
};

enum rule_list { RULES_SLAS, RULES_TRIGGERS, RULE_LISTS };

/* All enabled rules of a generation, in the order of execution. It never changes, so threads share it. */
struct rule_set {
    struct kept_set kept;
    struct str zone; /* time zone of the desk, read before the set was compiled */
    struct {
        struct definitions definitions; /* definitions of the fields in the predicates */
        struct rule *rules;
        int count;
    } list[RULE_LISTS];
    struct rule_index triggers; /* index of list[RULES_TRIGGERS] */
    bool *wanted;               /* parallel to its definitions: the fields that triggers read */
    unsigned needs;             /* the parts of a moment that triggers need: core/predicates/moment.h */
};

/* Gets the rules as this write sees them. Call it in a write. *out is held until kept_set_drop. */
int rules_hold(struct work *w, const struct rule_set **out);

#endif
