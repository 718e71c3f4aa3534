/* An index over the fields that rules test. It finds the rules that may hold for a conversation. */
#ifndef CORE_RULE_INDEX_H
#define CORE_RULE_INDEX_H

#include "core/predicates/predicate.h"

#define NO_NUMBER INT64_MIN  /* the key of a field without value */
#define ANY_CHANGE INT64_MAX /* the key of a field that the work changed */

/* A rule holds only if the conversation has one of its keys. */
struct rule_key {
    int place; /* index of the field in the definitions */
    int64_t number;
    int rule; /* index in the list of rules */
};

struct rule_index {
    struct rule_key *keys; /* ordered by place and number */
    int count;
    int *places; /* places of the keys, without duplicates */
    int place_count;
    bool *always; /* parallel to the rules: the rule has no keys and may hold for every conversation */
    int rules;
};

/* predicates: those of the rules. */
void rule_index_build(struct arena *a, const struct predicate *const *predicates, int count,
                      struct rule_index *out);
/* Sets may[i] of each rule that may hold for these facts, and clears the others. */
void rule_index_mark(const struct rule_index *x, const struct fact *facts, bool *may);

/* True if the proposition tests equality of a field that has one value, and its outcome depends on nothing
 * else. *value: the number, or NO_NUMBER. It may be negated. */
bool proposition_is_equality(const struct proposition *p, int64_t *value);

#endif
