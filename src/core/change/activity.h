/* Activities: the audit trail that people read. An activity says who changed what from what to what, and
 * when. Rows are only added.
 *
 * The finisher makes one activity for each object that a work changed. */
#ifndef CORE_CHANGE_ACTIVITY_H
#define CORE_CHANGE_ACTIVITY_H

#include "core/words.h"
#include "work/work.h"

/* Begins the text of an action that a rule did not do. */
#define NOT_DONE "Not done: "

struct activity_change { /* previous, current: p NULL: none, or not shown */
    struct str field, previous, current;
    int64_t previous_id, current_id; /* ids of the objects, if the field is a reference; 0: none */
};

/* Returns the resource_type that a changed field of a "case", "user" or "organization" refers to, or NULL. */
const char *activity_reference_type(const char *kind, struct str field);

/* Adds an event that is not a change to a person's trail, with the actor of this work. */
int activity_add(struct work *w, int64_t user_id, enum activity_name name,
                 const struct activity_change *changes, int count);

struct change;
/* The values of a change as a person reads them: a reference by its present name. p NULL: none, or not
 * shown. */
int change_values_shown(struct work *w, const struct change *c, struct str *from, struct str *to);

int activities_finish(struct work *w); /* the finisher */

#endif
