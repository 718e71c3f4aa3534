/* Stored predicates whose collections and propositions have ids: those of SLAs, triggers and monitors
 * (docs/RULES.md). */
#ifndef CORE_RULE_PREDICATE_H
#define CORE_RULE_PREDICATE_H

#include "core/predicates/predicate.h"

/* An SLA keeps one predicate, the current one. Its versions have none, because only the current predicate
 * is ever matched. The store has the numbers, so append only. */
enum rule_owner { RULE_OF_SLA = 1, RULE_OF_TRIGGER, RULE_OF_MONITOR };

struct rule_proposition {
    int64_t id;                        /* 0: not stored yet */
    struct str field, operator, value; /* value: JSON */
};
struct rule_collection {
    int64_t id; /* 0: not stored yet */
    struct rule_proposition *propositions;
    int count;
};
/* Collections are joined by AND, the propositions of one by OR. Without collections it holds for every
 * conversation. */
struct rule_predicate {
    int64_t owner_id;
    struct rule_collection *collections;
    int count;
};

/* Checks the parameter `name` of a request: [{id, propositions: [{id, field, operator, value}]}]. Reports
 * every problem with its pointer, and names the place as parameter, as in
 * "predicate_collections[0].propositions[1].field". An id must be that of a collection or proposition of
 * this owner; null or no id adds one. owner_id 0: a new owner, so no id is accepted. Returns 0, or the
 * first problem. */
int rule_predicate_check(struct work *w, enum rule_user user, enum rule_owner owner, int64_t owner_id,
                         const struct json *list, struct str name, struct rule_predicate **out);

/* Stores a checked predicate in place of the owner's present one, and sets the ids of what is new. Kept
 * ids stay; collections and propositions that are not in `p` are deleted. Records the change of
 * predicate_collections. The caller has locked the owner's row. *changed (NULL: not needed): false if
 * nothing differs but ids. Returns 0 or a negative error. */
int rule_predicate_store(struct work *w, enum rule_owner owner, int64_t owner_id, struct rule_predicate *p,
                         bool *changed);

/* Deletes the predicates of deleted owners. ids: JSON array. */
int rule_predicates_delete(struct work *w, enum rule_owner owner, struct str ids);

/* Reads the predicates of these owners in one statement, ordered by owner_id. An owner without collections
 * is not in the list. ids: JSON array. Returns their number or a negative error. */
int rule_predicates_read(struct work *w, enum rule_owner owner, struct str ids, struct rule_predicate **out);

/* The values of a stored predicate, for definitions_load_used. owner_id 0: none. */
int rule_values_used(struct work *w, enum rule_owner owner, int64_t owner_id, const struct used_values **out);

/* Loads the definitions for rule_predicate_compile, which include deleted options. */
int rule_definitions_load(struct work *w, enum rule_user user, struct definitions *out);

/* Compiles a stored predicate. A proposition that is not valid any more holds for no conversation, negated
 * or not. All memory is of w->arena: a cache passes a copy of its work with an arena of its own, also to
 * rule_definitions_load. `d` must live as long as the result. Returns 0 or a negative error. */
int rule_predicate_compile(struct work *w, const struct definitions *d, const struct rule_predicate *p,
                           struct predicate **out);

/* SQL of the column that res/rule.h renders: a JSON array with a text for each proposition,
 * which is the JSON array [collection id, id, field, operator, value]. owner: the number, as a text. */
#define RULE_LINES_OF(owner, owner_id)                                                                    \
    "COALESCE((SELECT @JSON_ROWS(x.line) FROM (SELECT '[' || c.id || ',' || p.id || ',\"' || p.field || " \
    "'\",\"' || p.operator || '\",' || p.value || ']' AS line FROM rule_collections c "                   \
    "JOIN rule_propositions p ON p.collection_id = c.id WHERE c.owner = " owner                           \
    " AND c.owner_id = " owner_id " ORDER BY c.position, c.id, p.position, p.id) x), '[]')"

#endif
