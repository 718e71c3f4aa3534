/* Warnings about a trigger when it is saved. They do not refuse it. */
#ifndef CORE_RULE_WARNING_H
#define CORE_RULE_WARNING_H

#include "work/work.h"

struct rule_warning {
    struct str message;
    struct rule_warning *next;
};

/* Compares a stored trigger with the enabled ones. Warns if (1) no conversation can meet its predicate, or
 * no change has its channel, (2) a trigger that stops the rules comes before, or it stops the rules before
 * another, for the same changes and conversations, (3) another trigger gives the same property another
 * value for the same changes and conversations, or (4) an action refers to a deleted object. Only what
 * follows from the texts of the rules is found. *out: in that order; NULL: no warning. */
int trigger_warnings(struct work *w, int64_t trigger_id, struct rule_warning **out);

#endif
