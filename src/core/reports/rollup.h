/* Rollups: the facts of a day (UTC) with one key of a dimension, as one text (report_days). It has a record
 * of each fact (core/reports/record.h). */
#ifndef CORE_REPORTS_ROLLUP_H
#define CORE_REPORTS_ROLLUP_H

#include "core/reports/place.h"
#include "core/reports/record.h"

/* Changes of rollups. */
struct rollup_changes {
    struct rollup_change *list;
    int count, room;
};
/* The fact is added (or taken away). */
void rollup_note(struct work *w, struct rollup_changes *changes, const struct fact *f, bool added);
/* Writes the changes. The caller has locked the cursor. */
int rollup_put(struct work *w, struct rollup_changes *changes);

/* Compares the rollups with the stored facts, for deskd check. Returns the number of days that differ, or a
 * negative error. */
int rollup_check(struct work *w, void (*report)(void *arg, int64_t kind, int64_t day), void *arg);

#endif
