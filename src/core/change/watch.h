/* Records the changes of objects that many statements change: people and organizations with their lists.
 *
 * A function of core that changes such an object watches it first. That reads how the object stands: its members and its lists, as texts.
 * work_finish reads it again and records what differs. So a change is recorded once however many functions had a hand in it. */
#ifndef CORE_CHANGE_WATCH_H
#define CORE_CHANGE_WATCH_H

#include "work/work.h"

enum watch_kind { WATCH_NONE, WATCH_USER, WATCH_ORGANIZATION };

int watch(struct work *w, enum watch_kind kind, int64_t id);         /* watching twice is watching once */
int watch_all(struct work *w, enum watch_kind kind, struct str ids); /* a JSON array */
/* The work creates or deletes the object: that is one change, and its members are none. */
int watch_created(struct work *w, enum watch_kind kind, int64_t id);
int watch_deleted(struct work *w, enum watch_kind kind, int64_t id);
int watch_deleted_all(struct work *w, enum watch_kind kind, struct str ids);

int watched_finish(struct work *w); /* the first finisher */

#endif
