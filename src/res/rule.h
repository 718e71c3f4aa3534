/* Members and parameters of rules: triggers, monitors, SLAs and views. */
#ifndef RES_RULE_H
#define RES_RULE_H

#include "api/rows/view.h"
#include "core/rules/action.h"
#include "core/rules/rule_predicate.h"

/* ---- predicates: rule_predicate.c ------------------------------------------------------------ */

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

/* ---- actions: rule_action.c ------------------------------------------------------------------ */

/* Renders a column RULE_ACTIONS_OF(...). */
void render_rule_actions(struct view *v, const struct row *row, const struct value *own);
/* The step of .check of an F_LIST parameter with .column = "" and BY_HANDLER. */
int rule_actions_take(struct call *c, struct in *in, enum rule_owner owner);
/* Stores them for the rule c->id, and records the change. */
int rule_actions_keep(struct call *c, const struct in *in, enum rule_owner owner);

#define RULE_ACTIONS_EXAMPLE                                                                        \
    "[{\"id\": 1, \"name\": \"status\", \"option\": \"CHANGE\", \"value\": 2, \"attributes\": [], " \
    "\"resource_type\": \"automation_action\"}]"
#define RULE_ACTIONS_DOC                                                                               \
    "Actions in their order: a list of {id, name, option, value, attributes {subject, message}}. GET " \
    "/triggers/actions/definitions lists them. An object with an `id` keeps that action, null adds one."
extern const struct field rule_action_items[];
#define RULE_ACTIONS_SENT "[{\"name\": \"tags\", \"option\": \"ADD\", \"value\": [\"vip\"]}]"

#endif
