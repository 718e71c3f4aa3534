/* The member predicate_collections of SLAs, triggers and monitors. */
#ifndef RES_RULE_PREDICATE_H
#define RES_RULE_PREDICATE_H

#include "api/call/call.h"
#include "core/rules/rule_predicate.h"

struct row;
struct view;

/* Renders a column RULE_LINES_OF(...): collections with their propositions in place. */
void render_rule_predicate(struct view *v, const struct row *row, const struct value *own);
/* The same with the propositions as references of type sla_proposition. Add RULE_PROPOSITIONS_OF to the
 * fields, so that include=sla_proposition shows them in full. */
void render_rule_references(struct view *v, const struct row *row, const struct value *own);

extern const struct field rule_collection_items[]; /* items of the parameter, used by views, too */

/* .many of a HIDDEN F_MANY with .ref = "sla_proposition" */
#define RULE_PROPOSITIONS_OF(owner)                       \
    "SELECT c.owner_id, p.id FROM rule_collections c "    \
    "JOIN rule_propositions p ON p.collection_id = c.id " \
    "WHERE c.owner = " owner                              \
    " AND c.owner_id IN @LIST(:ids) ORDER BY c.owner_id, c.position, c.id, p.position, p.id"

/* The steps of .check and .store of an F_LIST parameter with .column = "". c->id is the target of a PUT, 0
 * for a POST. A PUT of several rules can't set predicates. */
int rule_predicate_take(struct call *c, struct in *in, enum rule_user user, enum rule_owner owner);
int rule_predicate_keep(struct call *c, const struct in *in, int64_t id, enum rule_owner owner);

#endif
