/* The member and the parameter `actions` of triggers and monitors. */
#ifndef RES_RULE_ACTION_H
#define RES_RULE_ACTION_H

#include "api/call/call.h"
#include "core/rules/action.h"

struct row;
struct view;

/* Renders a column RULE_ACTIONS_OF(...). */
void render_rule_actions(struct view *v, const struct row *row, const struct value *own);
/* The step of .check of an F_LIST parameter with .column = "" and BY_HANDLER. */
int rule_actions_take(struct call *c, struct in *in, enum rule_owner owner);
/* Stores them for the rule c->id, and records the change. */
int rule_actions_keep(struct call *c, const struct in *in, enum rule_owner owner);
/* The checked actions. Returns their number. */
int rule_actions_given(const struct in *in, struct rule_action **list);

#define RULE_ACTIONS_EXAMPLE                                                                        \
    "[{\"id\": 1, \"name\": \"status\", \"option\": \"CHANGE\", \"value\": 2, \"attributes\": [], " \
    "\"resource_type\": \"automation_action\"}]"
#define RULE_ACTIONS_DOC                                                                               \
    "Actions in their order: a list of {id, name, option, value, attributes {subject, message}}. GET " \
    "/triggers/actions/definitions lists them. An object with an `id` keeps that action, null adds one."
extern const struct field rule_action_items[];
#define RULE_ACTIONS_SENT "[{\"name\": \"tags\", \"option\": \"ADD\", \"value\": [\"vip\"]}]"

#endif
