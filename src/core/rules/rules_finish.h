/* The run of triggers. The essay is in rules_finish.c. */
#ifndef CORE_RULES_FINISH_H
#define CORE_RULES_FINISH_H

#include "core/rules/rule_cache.h"

/* The finisher. Runs the triggers for what was recorded or raised since the last call in this work. A
 * handler that shows a conversation calls it before it replies, so that the reply has the effects. */
int rules_finish(struct work *w);

/* A rule acts on a conversation: runs its actions with an actor of kind RULE. owner: RULE_OF_TRIGGER or
 * RULE_OF_MONITOR. channel, event: of the change that a trigger saw; 0: none. raises: the event that its
 * changes raise, 0: none. Returns 1, 0 if the conversation is gone or hidden, or a negative error. The
 * activity has the actions that could not be done. */
struct rule_fire {
    const struct rule *rule;
    enum rule_owner owner;
    int channel;
    enum rule_event event, raises;
    int64_t case_id;
    bool hidden; /* also if the conversation is in the trash, suspended or merged */
    bool stops;  /* result: an action stops the rules after this one */
};
int rule_fire(struct work *w, struct rule_fire *f);

#endif
