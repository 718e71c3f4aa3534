/* Records changes of objects that many statements change: people and organizations with their lists.
 *
 * A function of core that changes such an object watches it first, which reads its members and lists as
 * texts. work_finish reads them again and records the differences. So a change is recorded once, however
 * many functions took part. */
#ifndef CORE_CHANGE_OBJECT_DIFF_H
#define CORE_CHANGE_OBJECT_DIFF_H

#include "work/work.h"

enum watch_kind { WATCH_NONE, WATCH_USER, WATCH_ORGANIZATION };

/* watching an object again does nothing */
int watch(struct work *w, enum watch_kind kind, int64_t id);
int watch_all(struct work *w, enum watch_kind kind, struct str ids); /* ids: JSON array */
/* The work creates or deletes the object. That is one change; its members are not recorded. */
int watch_created(struct work *w, enum watch_kind kind, int64_t id);
int watch_deleted(struct work *w, enum watch_kind kind, int64_t id);
int watch_deleted_all(struct work *w, enum watch_kind kind, struct str ids);

int watched_finish(struct work *w); /* the first finisher */

#endif
