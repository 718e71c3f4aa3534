/* The effects of actions: one function for each row of action_kinds. */
#ifndef CORE_ACTION_EFFECTS_H
#define CORE_ACTION_EFFECTS_H

#include "core/cases/case.h"

struct rule;
struct rule_action;
struct change_author;

/* A rule acts on one conversation. */
struct firing {
    struct work *w; /* its actor is the rule */
    const struct rule *rule;
    struct case_now *now;       /* the locked conversation; actions change it */
    const struct actor *person; /* of the change that the rule saw */
    struct change_author *author;
    bool stops_rules;
};

/* Returns 0, or a negative error. An action that can't be done fails on the work with the reason. */
int run_status(struct firing *f, const struct rule_action *a);
int run_priority(struct firing *f, const struct rule_action *a);
int run_type(struct firing *f, const struct rule_action *a);
int run_assignee(struct firing *f, const struct rule_action *a);
int run_team(struct firing *f, const struct rule_action *a);
int run_tags(struct firing *f, const struct rule_action *a);
int run_survey(struct firing *f, const struct rule_action *a);
int run_notification_user(struct firing *f, const struct rule_action *a);
int run_notification_team(struct firing *f, const struct rule_action *a);
int run_stop_notification(struct firing *f, const struct rule_action *a);
int run_stop_rules(struct firing *f, const struct rule_action *a);
int run_endpoint(struct firing *f, const struct rule_action *a);
int run_field(struct firing *f, const struct rule_action *a);

/* True if a rule of this work has stopped further notifications about this conversation. */
bool notifications_stopped(const struct work *w, int64_t case_id);

#endif
