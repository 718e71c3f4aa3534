/* Activities: the audit trail. Who changed what from what to what, when; rows are only ever added.
 *
 * Whatever changes a thing says so before it does (activity_watch), which costs a look at how it stands; the edges that
 * run writes end each with activities_write, which looks again and keeps what differs, in the transaction of the
 * change. So a change is told once however many functions had a hand in it, one that changes nothing leaves nothing,
 * and one that is undone leaves no trace. */
#ifndef CORE_ACTIVITY_H
#define CORE_ACTIVITY_H

#include "core/words.h"
#include "work/work.h"

enum activity_owner { ACTIVITY_OF_USER = 1 }; /* what an activity is about */

struct activity_change { /* previous, current: p NULL: none, or not to be told */
    struct str field, previous, current;
};

/* One row, of who acts in this work. Fields are told by name alone where they are secrets. */
int activity_add(struct work *w, enum activity_owner owner, int64_t id, enum activity_name name,
                 const struct activity_change *changes, int count);

int activity_watch(struct work *w, enum activity_owner owner, int64_t id);         /* the same thing twice is once */
int activity_watch_all(struct work *w, enum activity_owner owner, struct str ids); /* a JSON array */
/* It is made or deleted by this write: that is told of it, and none of its changes. */
int activity_mark(struct work *w, enum activity_owner owner, int64_t id, enum activity_name name);
int activities_write(struct work *w);

#endif
