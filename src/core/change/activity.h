/* Activities: the audit trail that people read. Who changed what from what to what, when. Rows are only ever added.
 *
 * The finisher makes them of the work's changes: one activity an object and work. */
#ifndef CORE_CHANGE_ACTIVITY_H
#define CORE_CHANGE_ACTIVITY_H

#include "core/words.h"
#include "work/work.h"

struct activity_change { /* previous, current: p NULL: none, or not to be told */
    struct str field, previous, current;
};

/* An event that is no change: one row of a person's trail, by the actor of this work. */
int activity_add(struct work *w, int64_t user_id, enum activity_name name, const struct activity_change *changes, int count);

int activities_finish(struct work *w); /* a finisher */

#endif
