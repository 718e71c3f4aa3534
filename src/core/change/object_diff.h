/* Records changes of objects that many statements change: people and organizations with their lists.
 *
 * A function of core that changes such an object begins the comparison first, which reads its members
 * and lists as texts. work_finish reads them again and records the differences. So a change is recorded
 * once, however many functions took part. */
#ifndef CORE_CHANGE_OBJECT_DIFF_H
#define CORE_CHANGE_OBJECT_DIFF_H

#include "work/work.h"

enum diffed_kind { DIFFED_NONE, DIFFED_USER, DIFFED_ORGANIZATION };

/* a second beginning of one object does nothing */
int object_diff_begin(struct work *w, enum diffed_kind kind, int64_t id);
int object_diff_begin_all(struct work *w, enum diffed_kind kind, struct str ids); /* ids: JSON array */
/* The work creates or deletes the object. That is one change; its members are not recorded. */
int object_diff_created(struct work *w, enum diffed_kind kind, int64_t id);
int object_diff_deleted(struct work *w, enum diffed_kind kind, int64_t id);
int object_diff_deleted_all(struct work *w, enum diffed_kind kind, struct str ids);

int object_diff_finish(struct work *w); /* the first finisher */

#endif
